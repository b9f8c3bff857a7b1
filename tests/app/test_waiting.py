"""Who waits for whom: those who ask for the same, and nobody else. Told by events, not by seconds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore
from types import SimpleNamespace

import pytest

from dpcore.api import studies
from pages.owner.parts.state.results import Growing, Kept

LONG = 60  # seconds after which a test that waits has failed


class Slow:
    """Something that is made when the test says so, and counts how often."""

    def __init__(self) -> None:
        self.begun, self.may_end, self.times = Event(), Event(), 0

    def make(self) -> str:
        self.times += 1
        self.begun.set()
        assert self.may_end.wait(LONG)
        return "made"


@pytest.fixture
def pool():
    with ThreadPoolExecutor(3) as found:
        yield found


def test_what_is_ready_or_quick_does_not_wait_for_what_is_slow(pool):
    kept, slow = Kept(), Slow()
    kept.last("errors", 1, lambda: "ready", most=9)
    waiting = pool.submit(kept.last, "errors", 2, slow.make, most=9)
    assert slow.begun.wait(LONG)
    try:
        for key in (1, 3):
            found = pool.submit(kept.last, "errors", key, lambda: "quick", most=9).result(LONG)
            assert found == {1: "ready", 3: "quick"}[key]
    finally:
        slow.may_end.set()
    assert waiting.result(LONG) == "made"
    assert kept.holds("errors", 2)


def test_two_who_ask_for_the_same_get_the_same_one(pool, monkeypatch):
    kept, slow, asked = Kept(), Slow(), Semaphore(0)
    lookup = kept._making.setdefault

    def seen(*given):
        asked.release()
        return lookup(*given)

    monkeypatch.setattr(kept._making, "setdefault", seen)
    both = [pool.submit(kept.last, "errors", 1, slow.make) for _ in range(2)]
    assert all(asked.acquire(timeout=LONG) for _ in both)  # both missed it, before it is made
    slow.may_end.set()
    assert [one.result(LONG) for one in both] == ["made", "made"]
    assert slow.times == 1
    assert len(kept._making) == 0, "no lock outlives those who wait"


def test_what_fails_is_made_by_the_next_who_asks():
    kept = Kept()

    def fails():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.last("errors", 1, fails)
    assert kept.last("errors", 1, lambda: "made") == "made"


class Preview:
    """Measures that were drawn."""

    def __init__(self, names):
        self.measurements = dict.fromkeys(names)

    def joined(self, more):
        return Preview([*self.measurements, *more.measurements])


def test_a_measure_that_was_drawn_is_shown_while_another_is_counted(pool, monkeypatch):
    slow = Slow()

    def counted(_trips, _plan, measures):
        if "flows" in measures:
            slow.make()
        return Preview(measures)

    monkeypatch.setattr(studies, "preview", counted)
    growing = Growing(None, None, SimpleNamespace(weights={"visits": 1, "flows": 1}), 1, Kept())
    first = growing.showing(["visits"])
    waiting = pool.submit(growing.showing, ["flows"])
    assert slow.begun.wait(LONG)
    try:
        assert pool.submit(growing.showing, ["visits"]).result(LONG) is first
    finally:
        slow.may_end.set()
    assert [*waiting.result(LONG).measurements] == ["visits", "flows"]
    assert slow.times == 1
