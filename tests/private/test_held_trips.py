"""Trips that nobody asks for again are held in memory: they are counted as kept ones are, and nothing of them is on disk."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dpcore.errors import InputError
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private import loading, store
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.prepared import part
from dpcore.private.prepared.users import UserTable
from dpcore.private.trips import local_rows
from tests.conftest import ROOT
from tests.private.test_data_sets import FEBRUARY, HEADER, JANUARY, content, line, loaded, upload

BOUNDS = (ContributionBound.per_trip(), ContributionBound.per_user(1))


def files():
    return upload(JANUARY, "1.csv"), upload(FEBRUARY, "2.csv")


def answers(trips):
    asked = [measure for measure in MEASURES.values() if not measure.lacks(trips.form)]
    counted = [exact_answers(bounded(trips, bound), asked).answers for bound in BOUNDS]
    return [{name: answer.tolist() for name, answer in each.items()} for each in counted]


def stored():
    return {path.name for path in store.folder("cache").iterdir() if path.name != "code"}


@pytest.mark.parametrize("count", [1, 2])
def test_held_trips_are_counted_as_kept_ones_and_nothing_of_them_is_kept(count):
    held = loaded(*files()[:count], recount=True, keep=False)
    assert not stored()
    assert all(one.held and not one.runs for one in local_rows(held).parts)
    found, rows = answers(held), content(held)
    assert not stored()
    kept = loaded(*files()[:count])
    assert stored()
    assert (found, rows, held.fingerprint, held.report) == (
        answers(kept),
        content(kept),
        kept.fingerprint,
        kept.report,
    )


def test_trips_that_are_too_large_to_be_held_are_kept(monkeypatch):
    monkeypatch.setattr(loading, "_HELD", 1)
    trips = loaded(*files(), keep=False)
    assert all(one.runs and not one.held for one in local_rows(trips).parts)
    assert answers(trips) == answers(loaded(*files()))


def test_no_trips_are_no_reason_to_hold_anything():
    trips = loaded(upload(JANUARY.splitlines(keepends=True)[0]), keep=False)
    assert (content(trips), local_rows(trips).parts[0].runs) == ([], ())


def test_two_ids_of_one_hash_in_two_held_files_are_refused(monkeypatch):
    """Planted: among the users of all parts no bit of the hash counts."""
    monkeypatch.setattr(part, "UserTable", lambda key: UserTable(key, 0))
    alike = (upload(HEADER + line(user), f"{user}.csv") for user in "uv")
    with pytest.raises(InputError, match="the same keyed hash"):
        loaded(*alike, keep=False)


PROGRAM = """
import os, sys
from tests.private.test_held_trips import answers, files, loaded

os.environ["EPSILON_ATLAS_HOME"] = sys.argv[1]
held = loaded(*files(), keep=False)
answers(held)
print(held.folder.is_dir())
"""


def test_the_answers_of_held_trips_are_gone_when_the_process_ends(own_home):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, own_home], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "True\n"
    assert not [*store.folder("scratch").iterdir()]
