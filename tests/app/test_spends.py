"""A spend that runs beside the pages, without a page."""

from __future__ import annotations

from threading import Event

import pytest

from dpcore.errors import InternalError
from pages.owner.parts.state.draft import Work
from tests.app.test_pages import CANARY


def test_work_begins_once_however_often_it_is_asked_for():
    began, go = [], Event()

    def task(tell):
        began.append(1)
        tell(0.5)
        go.wait(5)
        return "made"

    work = Work(task)
    work.begin()
    work.begin()
    assert not work.over(0.05)
    go.set()
    assert work.over(5)
    work.begin()
    assert (work.result(), began, work.share) == ("made", [1], 0.5)


def test_a_fault_of_ours_is_told_without_its_text():
    def task(_):
        raise ValueError(CANARY)

    work = Work(task)
    work.begin()
    assert work.over(5)
    with pytest.raises(InternalError) as error:
        work.result()
    assert CANARY not in str(error.value)


def test_a_spend_that_is_over_holds_no_trips():
    work = Work(lambda _: 1)
    work.begin()
    assert work.over(60)
    assert work._task is None
