"""What was seen of a file stays seen when files are added, left out or grouped anew."""

from __future__ import annotations

import pytest

from dpcore.api import owner
from dpcore.measures.choices import KeyChoices
from pages.owner.parts.data_sets import DataSet
from pages.owner.parts.draft import Look
from pages.owner.parts.session import Session
from tests.cities import four_tiles
from tests.private.test_data_sets import FEBRUARY, HEADER, JANUARY, line, loaded, upload

A, B, C = upload(JANUARY, "jan.csv"), upload(FEBRUARY, "feb.csv"), upload(HEADER + line("x", 9), "mar.csv")


def takes(session, *files):
    """What the draft of these files says was looked at; see ``Session.load``."""
    session.load(DataSet(loaded(*files), four_tiles(), KeyChoices(None), False, False, None))
    return session.draft().looked


@pytest.fixture
def own(monkeypatch):
    monkeypatch.setattr("pages.owner.parts.session.st.session_state", {})
    return Session()


@pytest.mark.parametrize(
    ("seen", "then"),
    [([A], [A, B]), ([A, B], [A]), ([A, B], [B]), ([A, B], [B, C]), ([A], [upload(JANUARY, "copy.csv")])],
    ids=["added", "left out", "the other left out", "regrouped", "copied"],
)
def test_a_look_is_remembered_of_each_file(own, seen, then):
    draft = takes(own, *seen)
    own.looked(Look.PREVIEW)
    assert draft == {Look.PREVIEW}, "the draft that is open says so at once"
    assert takes(own, *then) == {Look.PREVIEW}
    assert "before_data" not in own.draft().ways
    assert takes(own, C) == ({Look.PREVIEW} if C in then and C in seen else set())


def test_a_look_before_loading_is_remembered_whatever_the_file_is_called(own):
    own.looked_ahead(owner.fingerprints([A]), Look.FIELDS)
    assert takes(own, upload(JANUARY, "folder/of/2024.csv"), B) == {Look.FIELDS}
    assert takes(own, C) == set()
    own.looked_ahead(owner.fingerprints([C]), Look.EXTENT)
    assert own.draft().looked == {Look.EXTENT}, "the file that is loaded"


def test_a_look_at_one_set_says_nothing_of_other_files(own):
    takes(own, A, B)
    own.looked(Look.NUMBERS)
    assert takes(own, C) == set()
    own.looked(Look.PERIOD)
    assert takes(own, A, C) == {Look.NUMBERS, Look.PERIOD}
    assert takes(own, A) == {Look.NUMBERS}


def test_a_look_is_saved_before_it_is_shown_and_once(own):
    saved = []
    own.save = lambda: saved.append(set(own.seen))
    takes(own, A)
    for look in (Look.PREVIEW, Look.PREVIEW, Look.BOUND):
        own.looked(look)
    assert saved == [{Look.PREVIEW}, {Look.PREVIEW, Look.BOUND}]
