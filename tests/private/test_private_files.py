"""What lies in the private folder is its owner's alone, and the built-in city is written once, whoever begins."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from dpcore import demo, limits
from dpcore.api import owner
from dpcore.command_line.main import main
from dpcore.demo import trips as city_files
from dpcore.private.source import inspect, read, spilling
from dpcore.private.source.trips_file import TripsFile

SMALL = {"DEMO_TRIPS": 2_000, "DEMO_TILES": 30}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A data folder of its own, and a small city for it."""
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "home"))
    for name, value in SMALL.items():
        monkeypatch.setattr(demo, name, value)
    return tmp_path / "home"


def test_two_sessions_that_begin_together_on_a_fresh_machine_both_get_the_city(small, monkeypatch):
    together, tables = threading.Barrier(2, timeout=60), city_files.trip_tables

    def both_at_once(*arguments):
        for table in tables(*arguments):
            together.wait()
            yield table

    monkeypatch.setattr(city_files, "trip_tables", both_at_once)
    found, faults = [], []

    def session():
        try:
            found.append(owner.demo_city()[1].tile_ids)
        except Exception as error:  # noqa: BLE001 - told below
            faults.append(error)

    sessions = [threading.Thread(target=session) for _ in range(2)]
    for one in sessions:
        one.start()
    for one in sessions:
        one.join()
    assert faults == []
    assert found[0] == found[1]
    (city,) = (small / "demo").iterdir()
    assert sorted(path.name for path in city.iterdir()) == ["tiles.geojson", "trips.csv", "trips.parquet"]


def test_a_city_that_was_left_unfinished_is_written_again(small):
    owner.demo_city()
    (city,) = (small / "demo").iterdir()
    (city / "trips.parquet").unlink()
    owner.demo_city()
    assert (city / "trips.parquet").exists()


def files_for_others(folder):
    """Files and folders that somebody else may open, whatever rights the process gives by default."""
    return [
        str(path.relative_to(folder))
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]


@pytest.fixture
def generous():
    """A process whose new files everybody may read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("generous")
def test_every_file_of_the_private_folder_is_its_owners_alone_after_load_count_and_release(
    small, tmp_path, capsys
):
    demo.write_city(tmp_path / "city", 2_000, 30, 7)
    words = ["--trips", tmp_path / "city" / "trips.parquet", "--tiles", tmp_path / "city" / "tiles.geojson"]
    words += ["--timezone", "Europe/Berlin", "--privacy-unit", "user", "--max-trips", "5", "--epsilon", "1"]
    words += ["--dates", "2024-04-01/2024-04-28", "--dataset", "city", "--out", tmp_path / "released"]
    assert main(["release", *map(str, words)]) == 0, capsys.readouterr().err
    private = small / "private"
    names = {path.name for path in private.rglob("*")}
    assert "part.npz" in names
    assert any(name.endswith(".sealed") for name in names)
    assert files_for_others(private) == []


@pytest.mark.usefixtures("generous")
def test_trips_that_spill_while_they_are_paired_are_their_owners_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 1)
    text = "uid,tid,datetime,lat,lng\n" + "".join(
        f"u{n},t,2024-03-01 10:0{minute}:00,52.5,13.4\n" for n in range(50) for minute in (0, 5)
    )
    file, seen = TripsFile.uploaded("t.csv", text.encode()), []
    write = spilling.Spill._write_parts

    def looking(self):
        write(self)
        seen.extend(path.is_file() for path in tmp_path.rglob("*"))
        assert files_for_others(tmp_path / next(tmp_path.iterdir())) == []

    monkeypatch.setattr(spilling.Spill, "_write_parts", looking)
    list(read(file, inspect(file), timezone="UTC", work_folder=tmp_path).batches())

    assert any(seen)
