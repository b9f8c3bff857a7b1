"""Projects as they are saved: what comes back, what is refused, and what is deleted."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from fractions import Fraction
from pathlib import Path

import pytest

from dpcore import limits
from dpcore.api import owner, studies
from dpcore.api.code import Loading, TilesLoading
from dpcore.errors import InputError
from dpcore.measures.trip_rule import TripRule
from dpcore.private import kept, store
from dpcore.private.projects.project import VERSION, Project
from tests.cities import four_tiles
from tests.private.test_data_sets import FEBRUARY, JANUARY, loaded, upload

ME, OTHER = "me@example.org", "you@example.org"
SAVED = studies.projects


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path))
    return tmp_path


def project(trips=None, **choices) -> Project:
    kept = None if trips is None else studies.Loaded(studies.kept_trips(trips), {})
    looks = {} if trips is None else {trips.fingerprint: ("PREVIEW",)}
    return Project("Trams", kept, choices, looks, () if kept is None else kept.trips.folders)


def file_of(name: str) -> Path:
    (path,) = (store.home() / "private" / "projects").rglob(f"{name}.project")
    return path


def forged(name: str, content: bytes) -> None:
    """Write other content with its right checksum, as only code with the key can."""
    kept.keep(file_of(name), lambda out: out.write(content), SAVED._key(file_of(name)))


class Colour(Enum):
    RED = "r"


@dataclass(frozen=True)
class Chosen:
    colour: Colour
    share: Fraction | None = None
    days: tuple[date, ...] = ()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Chosen, Chosen(Colour.RED, Fraction(1, 3), (date(2024, 5, 1),))),
        (
            Loading,
            Loading({"uid": "person"}, True, False, TilesLoading({"id_column": "b"}, ("square_grid", 5.0))),
        ),
        (dict[Colour, dict[str, int]], {Colour.RED: {"a": 1}}),
        (TripRule, TripRule.by_gap("30min")),
        (int | None, None),
        (list[bool], [True, False]),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_value_comes_back_from_json_with_its_type(kind, value):
    assert studies.read_as(kind, json.loads(json.dumps(studies.written(value)))) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (int, True),
        (int, "1"),
        (int, 1.0),
        (bool, 1),
        (str, None),
        (Colour, "GREEN"),
        (Fraction, "1/0"),
        (Fraction, "1e1000000000"),
        (Fraction, "0.5"),
        (Fraction, "1" * 41),
        (float, 10**400),
        (float, float("nan")),
        (dict[str, object], {"a": json.loads("[" * 900 + "]" * 900)}),
        (date, "2024-13-01"),
        (Chosen, {"colour": "RED", "size": 3}),
        (Chosen, {}),
        (tuple[int, str], [1]),
        (dict[str, int], [1]),
        (list[int], {"a": 1}),
    ],
)
def test_json_of_another_type_is_no_value(kind, value):
    with pytest.raises(ValueError, match="not a value of this kind"):
        studies.read_as(kind, value)


def test_a_project_comes_back_as_it_was_saved_for_its_own_login_alone(own_home):
    one = project(
        loaded(upload(JANUARY, "jan.csv")), **{"data zone": "Europe/Berlin", "release max_trips": 7}
    )
    name = SAVED.new_project(ME, one)
    assert SAVED.saved_project(ME, name) == one
    assert [listed.id for listed in SAVED.recent(ME)] == [name]
    assert SAVED.recent(OTHER) == []
    for login, wanted in ((OTHER, name), (ME, "0" * 32), (ME, f"../{name}"), (ME, "")):
        with pytest.raises(InputError, match="no such project"):
            SAVED.saved_project(login, wanted)
    place = file_of(name)
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert not any("me@" in str(path) or "Trams" in str(path) for path in own_home.rglob("*"))


GOOD = json.loads(project().to_bytes())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{" * 100_000,
        b"[" * 200_000,
        json.dumps(GOOD).encode()[:-9],
        *(
            json.dumps(GOOD | change).encode()
            for change in (
                {"version": "1"},
                {"version": True},
                {"name": ""},
                {"name": "a\x00"},
                {"name": 3},
                {"choices": []},
                {"looks": {"a": [1]}},
                {"derived": ["../../keys"]},
                {"loaded": {"trips": {}, "terms": {}}},
                {"more": 1},
                {"choices": {"data note": json.loads("[" * 30 + "]" * 30)}},
            )
        ),
    ],
)
def test_a_file_that_is_no_project_is_refused_with_what_to_do_and_can_be_deleted(content):
    name = SAVED.new_project(ME, project())
    forged(name, content)
    with pytest.raises(InputError, match=r"damaged.*or delete the project"):
        SAVED.saved_project(ME, name)
    (listed,) = SAVED.recent(ME)
    assert listed.project is None
    SAVED.delete(ME, name)
    assert SAVED.recent(ME) == []


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        (b'"rule": "stays', b'"rule": "trips'),
        (b'"has_users": true', b'"has_users": false'),
        (b'"PREVIEW"', b'"EXTENT"'),
    ],
)
def test_who_changes_what_a_project_says_of_its_trips_gets_a_refusal(written, instead):
    kept_trips = replace(studies.kept_trips(loaded(upload(JANUARY, "jan.csv"))), rule="stays 200m,20min")
    looks = {kept_trips.fingerprint: ("PREVIEW",)}
    one = Project("Trams", studies.Loaded(kept_trips, {}), {}, looks)
    name = SAVED.new_project(ME, one)
    content = file_of(name).read_bytes()
    changed = one.to_bytes().replace(written, instead)
    assert changed != one.to_bytes() == content[: len(one.to_bytes())]
    file_of(name).write_bytes(content.replace(written, instead))
    with pytest.raises(InputError, match="damaged"):
        SAVED.saved_project(ME, name)
    kept.keep(file_of(name), lambda out: out.write(changed))  # with a checksum that needs no key
    with pytest.raises(InputError, match="damaged"):
        SAVED.saved_project(ME, name)


def test_a_project_that_is_copied_to_another_login_is_refused():
    mine, theirs = SAVED.new_project(ME, project()), SAVED.new_project(OTHER, project())
    file_of(theirs).write_bytes(file_of(mine).read_bytes())
    with pytest.raises(InputError, match="damaged"):
        SAVED.saved_project(OTHER, theirs)


def test_a_project_that_grows_too_large_is_refused_and_stays_as_it_was():
    name = SAVED.new_project(ME, project())
    with pytest.raises(InputError, match="limit"):
        SAVED.changed_project(
            ME, name, lambda now: replace(now, choices={"a": "x" * limits.MAX_PROJECT_BYTES})
        )
    assert SAVED.saved_project(ME, name) == project()


def test_a_project_of_another_version_says_so():
    name = SAVED.new_project(ME, project())
    forged(name, json.dumps(GOOD | {"version": VERSION + 1, "name": 3}).encode())
    with pytest.raises(InputError, match=f"another version of this program.*form {VERSION + 1}"):
        SAVED.saved_project(ME, name)


def test_folders_of_a_project_are_no_paths():
    trips = studies.kept_trips(loaded(upload(JANUARY, "jan.csv")))
    with pytest.raises(ValueError, match="folders"):
        replace(trips, folder="../keys")
    with pytest.raises(ValueError, match="folders"):
        replace(trips, parts=(("..", "jan.csv"),))


def test_a_change_is_made_on_what_another_tab_wrote_meanwhile():
    name = SAVED.new_project(ME, project(a=1, b=1))
    SAVED.changed_project(ME, name, lambda now: replace(now, choices={**now.choices, "a": 2}))
    new = SAVED.changed_project(ME, name, lambda now: replace(now, choices={**now.choices, "b": 3}))
    assert new.choices == {"a": 2, "b": 3} == SAVED.saved_project(ME, name).choices
    SAVED.delete(ME, name)
    with pytest.raises(InputError, match="no such project"):
        SAVED.changed_project(ME, name, lambda now: now)
    assert SAVED.stamp(ME, name) is None


def answers(trips):
    return owner.exact_table(trips, "visits_per_tile", None)


@pytest.mark.parametrize("files", [(JANUARY,), (JANUARY, FEBRUARY)], ids=["one file", "two files"])
def test_loaded_trips_are_found_again_without_their_files(files):
    trips = loaded(*(upload(content, f"{number}.csv") for number, content in enumerate(files)))
    name = SAVED.new_project(ME, project(trips), four_tiles())
    tiles = SAVED.kept_tiles_of(ME, name, trips.tiles_digest)
    again = studies.reopened(SAVED.saved_project(ME, name).loaded.trips, tiles)
    for told in (
        "name",
        "timezone",
        "form",
        "extras",
        "fingerprint",
        "fingerprints",
        "folder",
    ):
        assert getattr(again, told) == getattr(trips, told)
    assert again.report == trips.report
    assert answers(again) == answers(trips)


def test_what_is_gone_or_belongs_to_other_tiles_is_refused_with_what_to_do():
    trips = loaded(upload(JANUARY, "jan.csv"))
    kept = studies.kept_trips(trips)
    with pytest.raises(InputError, match=r"not kept any more.*Load the files again"):
        studies.reopened(replace(kept, tiles_digest="0"), four_tiles())
    with pytest.raises(InputError, match="not kept any more"):
        studies.reopened(replace(kept, key="0"), four_tiles())
    store.forget()
    with pytest.raises(InputError, match="not kept any more"):
        studies.reopened(kept, four_tiles())
    with pytest.raises(InputError, match="tiles of this project"):
        SAVED.kept_tiles_of(ME, SAVED.new_project(ME, project()), "0")


def test_deleting_a_project_deletes_what_was_derived_for_it_alone_and_never_ledger_or_releases(own_home):
    mine, shared = loaded(upload(JANUARY, "jan.csv")), loaded(upload(FEBRUARY, "feb.csv"))
    answers(mine)
    first, second = SAVED.new_project(ME, project(mine), four_tiles()), SAVED.new_project(ME, project(shared))
    SAVED.new_project(OTHER, project(shared))
    stays = [own_home / "ledger" / "ledger.db", own_home / "releases" / "one" / "manifest.json"]
    for place in stays:
        place.parent.mkdir(parents=True)
        place.write_text("paid")
    SAVED.delete(ME, first)
    assert not mine.folder.exists()
    assert shared.folder.exists()
    left = [path.name for path in own_home.rglob("*") if path.name.startswith(first)]
    assert left == [f"{first}.looks"], "that somebody looked is not undone"
    (looks,) = SAVED.looks_of_deleted(ME)
    assert (looks.looks, looks.choices, looks.loaded, looks.derived) == (project(mine).looks, {}, None, ())
    assert SAVED.looks_of_deleted(OTHER) == []
    next(own_home.rglob("*.looks")).write_bytes(b"")
    with pytest.raises(InputError, match="cannot be read at which files you looked"):
        SAVED.looks_of_deleted(ME)
    assert not (store.home() / "private" / "cache" / "tessellations").exists()
    SAVED.delete(ME, second)
    assert shared.folder.exists(), "a project of another login uses them"
    assert [place.read_text() for place in stays] == ["paid", "paid"]
    assert (own_home / "private" / "keys" / "bounding.key").exists()


def test_what_a_refused_loading_left_is_deleted_with_the_project(tmp_path):
    places = [tmp_path / "jan.csv", tmp_path / "bad.csv"]
    for place, content in zip(places, (JANUARY, FEBRUARY.replace("0.5", "x")), strict=True):
        place.write_text(content)
    stored = []
    with pytest.raises(InputError):
        loaded(*map(owner.TripsFile.on_disk, places), stored=stored.append)
    owner.remember(("uid", "lat"), owner.Said("a row"))
    cache, digests = store.folder("cache"), store.folder("digests")
    assert [place.is_dir() for place in stored] == [True]
    assert [*digests.iterdir()]
    one = replace(project(), derived=tuple(place.name for place in stored))
    SAVED.new_project(ME, one)
    SAVED.delete(ME, SAVED.new_project(ME, one))
    assert [*cache.iterdir()] == [*digests.iterdir()] == []
