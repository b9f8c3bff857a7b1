"""What was seen of a file stays seen when files are added, left out or grouped anew."""

from __future__ import annotations

import pytest

from dpcore import disk
from dpcore.api import owner, studies
from dpcore.errors import PrivacyError
from dpcore.measures.choices import KeyChoices
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.projects import _see
from pages.owner.parts.state.session import Session
from tests.cities import four_tiles
from tests.private.test_data_sets import FEBRUARY, HEADER, JANUARY, line, loaded, upload

A, B, C = upload(JANUARY, "jan.csv"), upload(FEBRUARY, "feb.csv"), upload(HEADER + line("x", 9), "mar.csv")


def takes(session, *files):
    """What the draft of these files says was looked at; see ``Session.load``."""
    session.load(DataSet(loaded(*files), four_tiles(), KeyChoices(None), False, False, None))
    return session.draft().looked


@pytest.fixture
def own(monkeypatch):
    monkeypatch.setattr("pages.owner.parts.state.session.st.session_state", {})
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


@pytest.mark.parametrize("before", [False, True], ids=["of loaded files", "before loading"])
def test_a_look_of_the_app_is_known_to_commands_and_programs_and_waits_for_the_disk_once(
    own, before, monkeypatch
):
    takes(own, A)
    assert not owner.was_seen(own.data.trips.fingerprints)
    look = (lambda: own.looked_ahead(iter(owner.fingerprints([B])), Look.FIELDS)) if before else None
    look = look or (lambda: own.looked(Look.REPORT))
    look()
    with pytest.raises(PrivacyError, match="looked at on this computer"):
        owner.must_be_unseen(owner.fingerprints([B if before else A]))
    assert not owner.was_seen(owner.fingerprints([C]))
    monkeypatch.setattr(disk, "sync", None)  # as in each later run of a page
    look()


def test_a_look_at_the_built_in_city_is_none(own):
    own.load(DataSet(loaded(A), four_tiles(), KeyChoices(None), False, True, None))
    own.looked(Look.PREVIEW)
    assert not owner.was_seen(own.data.trips.fingerprints)
    assert "before_data" in own.draft().ways


def test_a_look_of_a_command_counts_on_the_pages_at_once(own):
    takes(own, A)
    draft = own.draft()
    draft.chosen = "before_data"
    assert draft.way == "before_data"
    owner.remember_looks(owner.fingerprints([A]))
    assert draft.way == "after_preview"
    assert draft.seen == {Look.ELSEWHERE}
    assert takes(own, A, B) == set()
    assert "before_data" not in own.draft().ways
    takes(own, B)
    assert own.draft().seen == {Look.EARLIER}, "the plan was kept, and made for a file that was looked at"
    fresh = Session()
    takes(fresh, B)
    assert "before_data" in fresh.draft().ways


def test_looks_of_a_project_of_an_earlier_version_are_known_to_commands(own):
    _see(own, studies.Project("mine", looks={owner.fingerprints([A])[0]: ("PREVIEW",)}))
    assert owner.was_seen(owner.fingerprints([A]))
