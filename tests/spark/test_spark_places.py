"""Spark's folder: kept while its process lives, removed when it was killed; and no Spark but ours."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpcore.api import owner
from dpcore.engines.spark.private import loading, places, session
from dpcore.engines.spark.private.jobs import clearly
from dpcore.errors import InputError
from dpcore.private.prepared import folders
from dpcore.private.prepared.files import VERSION
from dpcore.private.source.inspection import Inspection
from tests.conftest import ROOT


def aged(folder):
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (1, time.time() - 3 * 24 * 3600))


def in_a_process_that(ends):
    """A process that has its place and then ends so, and that place."""
    code = (
        "import os, sys; from dpcore.engines.spark.private import places; print(places.place(), flush=True); "
        + ends
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    return process, Path(process.stdout.readline().strip())


def test_a_place_stays_while_its_process_lives_and_no_longer():
    mine = places.place()
    ended, gone = in_a_process_that("sys.exit()")
    killed, left = in_a_process_that("os._exit(1)")
    living, its = in_a_process_that("sys.stdin.read()")
    for process in (ended, killed):
        process.communicate()
    assert not gone.exists()
    assert left.exists()
    for folder in (mine, its, left):
        (folder / "blockmgr").mkdir()
        aged(folder)
    owner.forget()
    assert (mine.exists(), its.exists(), left.exists()) == (True, True, False)
    living.communicate("")
    assert not its.exists()


def test_forgetting_starts_no_spark():
    code = "import sys; from dpcore.api import owner; owner.forget(); sys.exit(any(n.startswith(('pyspark', 'py4j')) for n in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_trips_know_nothing_of_spark():
    code = "import sys, dpcore.private.trips; sys.exit(any(n.startswith('dpcore.engines.spark.private') for n in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("master", [None, "local[2]", "local[2,4]"])
def test_a_spark_that_somebody_else_started_is_refused_and_the_mend_helps(monkeypatch, master):
    theirs = SimpleNamespace(master="local[2]", appName=session.NAME)
    monkeypatch.setattr(session, "must_be_installed", lambda: None)
    monkeypatch.setattr(session, "_running", lambda: theirs)
    with pytest.raises(InputError, match=r"not started by this program.*Stop it first") as caught:
        session.session(master)
    assert "name its master" not in str(caught.value)


def test_a_fault_of_the_system_is_told_without_its_text_and_without_its_error():
    def fail():
        raise FileNotFoundError(2, "No such file", "/secret/Alice")

    with pytest.raises(Exception, match="something went wrong in this program") as caught:
        clearly(fail, name="trips", doing="asking")
    assert "Alice" not in str(caught.value)
    assert caught.value.__context__ is None


def test_answers_of_another_version_are_swept(monkeypatch):
    seen = Inspection(form="trips", layout="trips", columns=("uid",), mapping={"uid": "uid"})
    inputs = folders.Inputs("f", seen, "d", "UTC", owner.BadRecords.DROP, bytes(16))
    folder = loading._folder(inputs)
    aged(folder)
    folders.sweep()
    assert folder.exists()
    monkeypatch.setattr(folders, "VERSION", str(int(VERSION) + 1))
    assert loading._folder(inputs) != folder
    folders.sweep()
    assert not folder.exists()
