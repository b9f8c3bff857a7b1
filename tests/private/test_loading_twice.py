"""The same file is loaded twice at once, or again while its trips are in use: nothing good is lost, nothing wrong is said."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest

from dpcore.errors import InputError
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.prepared import Part
from dpcore.private.prepared.part import DESCRIPTION
from dpcore.private.prepared.writing import PartWriter
from tests.private.test_data_sets import FEBRUARY, JANUARY, content, loaded, upload


def counted(trips, bound=2):
    answers = exact_answers(bounded(trips, ContributionBound.per_user(bound)), [MEASURES["od_flows"]])
    return answers.answers["od_flows"].tolist()


def kept(trips):
    return {place.name for place in trips.folder.glob("*.npy")}


@contextmanager
def slower(monkeypatch, step):
    """A first load that stands before a step of the store until the block ends."""
    arrived, go_on, whole = threading.Event(), threading.Event(), getattr(store, step)

    def waiting(*args, **more):
        if threading.current_thread().name == "slower":
            arrived.set()
            go_on.wait(20)
        return whole(*args, **more)

    monkeypatch.setattr(store, step, waiting)
    found = []
    thread = threading.Thread(target=lambda: found.append(loaded(upload(JANUARY))), name="slower")
    thread.start()
    assert arrived.wait(20)
    yield found
    go_on.set()
    thread.join()


def test_of_two_loads_at_once_the_part_that_is_there_first_stays_with_what_was_counted_of_it(monkeypatch):
    with slower(monkeypatch, "appear") as found:
        trips = loaded(upload(JANUARY))
        answer = counted(trips)
        before = kept(trips), (trips.folder / DESCRIPTION).stat().st_ino
        assert before[0]
    assert (kept(trips), (trips.folder / DESCRIPTION).stat().st_ino) == before
    assert counted(trips) == counted(found[0]) == answer
    assert not [*store.folder("cache").glob(".part-*")]


def test_a_part_without_its_description_is_replaced(monkeypatch):
    with slower(monkeypatch, "appear"):
        trips = loaded(upload(JANUARY))
        counted(trips)
        (trips.folder / DESCRIPTION).unlink()
    assert Part.open(trips.folder, "a.csv") is not None
    assert not kept(trips)


def test_loading_again_leaves_its_trips_usable_at_every_moment(monkeypatch):
    trips = loaded(upload(JANUARY))
    rows, answer = content(trips), counted(trips)
    seen, replace = [], type(trips.folder).replace

    def looking(path, target):
        replace(path, target)
        if target.parent == trips.folder and not target.name.endswith(".npy"):
            seen.append((target.name, content(trips) == rows, counted(trips, 3) == answer))

    monkeypatch.setattr(type(trips.folder), "replace", looking)
    again = loaded(upload(JANUARY), recount=True)
    assert {name for name, *_ in seen} == {path.name for path in trips.folder.iterdir()} - kept(trips)
    assert seen[-1][0] == DESCRIPTION
    assert all(rows_same and count_same for _, rows_same, count_same in seen)
    assert again.folder == trips.folder
    assert not kept(trips), "what was counted before is counted again"
    assert counted(again) == answer


def test_who_holds_rows_that_were_replaced_by_others_is_told_and_does_not_forget_the_new_ones():
    """Planted: the place of one part is taken by another, as no reading of the same bytes should do."""
    trips, other = loaded(upload(JANUARY)), loaded(upload(FEBRUARY))
    store.move_into(other.folder, trips.folder, DESCRIPTION)
    with pytest.raises(InputError, match="loaded again meanwhile") as told:
        content(trips)
    assert "Load the file again" in str(told.value)
    assert Part.open(trips.folder, "a.csv") is not None


def test_a_folder_that_was_emptied_meanwhile_is_not_called_full(monkeypatch):
    whole = PartWriter.write

    def emptied(self, *args):
        runs = whole(self, *args)
        store.forget()
        return runs

    trips = loaded(upload(JANUARY))
    target = trips.folder / "answer"
    store.forget()
    with pytest.raises(InputError, match="emptied meanwhile"), store.written(target):
        pass
    monkeypatch.setattr(PartWriter, "write", emptied)
    with pytest.raises(InputError, match="emptied meanwhile"):
        loaded(upload(JANUARY))
