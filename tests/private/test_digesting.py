"""Digests of files: as often as needed and no more, told and called off like the reading itself."""

from __future__ import annotations

import threading

import pytest

from dpcore.api import owner
from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.source import TripsFile, inspect, trips_files
from tests.cities import four_tiles
from tests.private.test_data_sets import HEADER, JANUARY, line


def on_disk(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return trips_files([folder])


def load(files, zone="UTC", **options):
    return owner.load(files, [inspect(file) for file in files], four_tiles(), timezone=zone, **options)


@pytest.fixture
def digested(monkeypatch):
    names, whole = [], TripsFile.digest
    monkeypatch.setattr(
        TripsFile, "digest", lambda self, *args: names.append(self.name) or whole(self, *args)
    )
    return names


def test_a_file_is_digested_once_whatever_is_done_with_it(tmp_path, digested):
    files = on_disk(tmp_path, a=JANUARY)
    load(files)
    load(files)
    load(files, zone="Europe/Berlin")
    assert digested == ["a.csv"]


@pytest.mark.parametrize("recount", [False, True])
def test_files_of_one_size_are_digested_once_each_and_every_file_again_when_read_again(
    tmp_path, digested, recount
):
    files = on_disk(tmp_path, a=HEADER + line("u", 1), b=HEADER + line("v", 2), c=JANUARY)
    first = load(files)
    assert sorted(digested) == ["a.csv", "b.csv", "c.csv"]
    assert load(files, recount=recount).fingerprints == first.fingerprints
    assert sorted(digested) == sorted([*["a.csv", "b.csv", "c.csv"] * (1 + recount)])


class Rerun(BaseException):
    """As a page raises it."""


def twins(tmp_path):
    text = HEADER + "".join(line(f"u{number}", 1 + number % 28) for number in range(100_000))
    return on_disk(tmp_path, a=text, b=text.replace("u99", "v99"))


def test_comparing_files_of_one_size_tells_its_progress_and_can_be_called_off(tmp_path, monkeypatch):
    files = twins(tmp_path)
    told, blocks, whole = [], [], TripsFile.digest

    def slow(self, key, tell):
        def block(share):
            blocks.append(share)
            threading.Event().wait(0.15)
            tell(share)

        return whole(self, key, block)

    monkeypatch.setattr(TripsFile, "digest", slow)

    def stop(share):
        told.append(share)
        if share > 0:
            raise Rerun

    with pytest.raises(Rerun):
        load(files, progress=stop)
    assert 0 < told[-1] < 0.05
    assert len(blocks) < files[0].size / 2**20
    assert not [thread for thread in threading.enumerate() if thread.name == "loading trips"]
    assert not list(store.folder("digests").iterdir())


def test_shares_rise_from_digesting_to_reading(tmp_path):
    shares = []
    load(twins(tmp_path), progress=shares.append)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_a_cancelled_load_ends_its_digest(tmp_path, monkeypatch):
    file, _ = twins(tmp_path)
    blocks, whole = [], TripsFile.digest

    def slow(self, key, tell):
        def block(share):
            blocks.append(share)
            threading.Event().wait(0.3)
            tell(share)

        return whole(self, key, block)

    monkeypatch.setattr(TripsFile, "digest", slow)

    def stop(share):
        if share > 0:
            raise Rerun

    with pytest.raises(Rerun):
        load([file], progress=stop)
    assert len(blocks) < 1 + file.size / 2**20 / 2


def test_one_file_named_twice_is_refused(tmp_path):
    (file,) = on_disk(tmp_path, a=JANUARY)
    with pytest.raises(InputError, match="the same trips twice"):
        load([file, file])
