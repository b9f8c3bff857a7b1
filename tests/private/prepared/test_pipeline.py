import threading
import time

import pytest

from dpcore.errors import InputError, InternalError
from dpcore.private.prepared.writing import Pipeline


def running():
    return [thread for thread in threading.enumerate() if thread.name == "loading trips"]


def endless(pipeline, seen):
    for number in range(10**9):
        pipeline.must_go_on()
        seen.append(number)
        yield number


def test_items_pass_in_order_through_stages_of_their_own():
    threads = set()

    def doubled(items):
        for item in items:
            threads.add(threading.get_ident())
            yield item * 2

    with Pipeline() as pipeline:
        first = pipeline.run(doubled(range(100)), 3)
        assert [*pipeline.run(doubled(first), 1)] == [4 * number for number in range(100)]
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert running() == []


def test_a_stage_runs_no_further_ahead_than_it_may():
    seen: list[int] = []
    with Pipeline() as pipeline:
        taken = pipeline.run(endless(pipeline, seen), 2)
        next(taken)
        time.sleep(0.3)
        assert len(seen) <= 4
    assert running() == []


def test_progress_is_told_in_the_calling_thread_and_what_it_raises_ends_all():
    told: list[int] = []

    class Rerun(BaseException):
        pass

    def tell():
        told.append(threading.get_ident())
        if len(told) == 2:
            raise Rerun

    def slow():
        for number in range(100):
            pipeline.must_go_on()
            time.sleep(0.05)
            if number > 90:
                yield number

    with pytest.raises(Rerun), Pipeline() as pipeline:
        next(pipeline.run(slow(), 1, tell))
    assert set(told) == {threading.get_ident()}
    assert running() == []


def test_an_error_of_ours_passes_all_stages_as_it_is():
    def refused():
        yield 1
        raise InputError("no", "file", "mend")

    with pytest.raises(InputError) as error, Pipeline() as pipeline:
        list(pipeline.run((number for number in pipeline.run(refused(), 1)), 1))
    assert error.value.__context__ is None
    assert running() == []


def test_an_error_of_others_leaves_without_its_text():
    def broken():
        yield 1
        raise ValueError("canary")

    with pytest.raises(InternalError, match="ValueError") as error, Pipeline() as pipeline:
        list(pipeline.run(broken(), 1))
    assert "canary" not in str(error.value)
    assert running() == []
