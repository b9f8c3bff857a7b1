import os
from hashlib import blake2b

import pytest
import shapely

from dpcore.errors import InputError
from dpcore.private import loading, store
from dpcore.private.digests import digested
from dpcore.private.prepare import Preparation
from dpcore.private.prepared.files import VERSION
from dpcore.private.prepared.folders import SET_FILE, set_folder, sweep
from dpcore.private.prepared.writing import PartWriter
from dpcore.private.source import BadRecords, TripsFile, inspect
from dpcore.tiles import Tessellation
from tests.cities import Trip, batch, four_tiles

KEY = bytes(range(16))


def digest_of(file, key, *, afresh=False):
    (one,) = digested([file], key, afresh=afresh)
    one.keep()
    return one.digest


def known_digest(file, key):
    """The digest of a file on disk if it is known without reading the file."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TripsFile, "digest", lambda *_: None)
        return digest_of(file, key)


def test_an_unchanged_file_is_not_read_again(tmp_path, monkeypatch):
    place = tmp_path / "trips.csv"
    place.write_text("uid,tid\n")
    first = digest_of(TripsFile.on_disk(place), KEY)
    monkeypatch.setattr(TripsFile, "digest", None)
    assert digest_of(TripsFile.on_disk(place), KEY) == first


def test_a_changed_file_has_another_digest(tmp_path):
    place = tmp_path / "trips.csv"
    place.write_text("uid,tid\n")
    first = digest_of(TripsFile.on_disk(place), KEY)
    place.write_text("uid,tid,x\n")
    assert digest_of(TripsFile.on_disk(place), KEY) != first


def test_a_rewrite_that_keeps_size_and_time_is_found_by_counting_afresh(tmp_path):
    place = tmp_path / "trips.csv"
    place.write_text("uid,tid\n")
    before = place.stat()
    first = digest_of(TripsFile.on_disk(place), KEY)
    place.write_text("uid,tie\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert digest_of(TripsFile.on_disk(place), KEY, afresh=True) != first


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"\xff\xfe",
        lambda _: b"",
        lambda content: bytes(len(content)),
        lambda content: content[:64],
        lambda content: bytes([content[0] ^ 1]) + content[1:],  # another hexadecimal figure
        lambda content: content + b"\n",
    ],
)
def test_a_damaged_digest_is_told_again_from_the_file(tmp_path, damage):
    place = tmp_path / "trips.csv"
    place.write_text("uid,tid\n")
    first = digest_of(TripsFile.on_disk(place), KEY)
    assert known_digest(TripsFile.on_disk(place), KEY) == first
    (kept,) = store.folder("digests").iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TripsFile, "digest", lambda *_: "read")
        assert digested([TripsFile.on_disk(place)], KEY)[0].digest == "read"
    assert digest_of(TripsFile.on_disk(place), KEY) == first
    assert known_digest(TripsFile.on_disk(place), KEY) == first


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"\0"])
def test_a_damaged_version_of_a_data_set_stops_no_load_and_is_written_again(content):
    parts = [store.folder("cache", name) for name in ("a", "b")]
    folder = set_folder(parts, KEY)
    about = folder / SET_FILE
    about.write_bytes(content)
    sweep(older_than_seconds=-1)
    assert folder.exists(), "what cannot be told stays"
    assert set_folder(parts, KEY) == folder
    assert about.read_text() == VERSION
    about.write_text("1")
    sweep(older_than_seconds=-1)
    assert not folder.exists()


def test_an_upload_is_known_by_its_bytes():
    one, same, other = (TripsFile.uploaded("a.csv", text) for text in (b"uid\n", b"uid\n", b"tid\n"))
    assert digest_of(one, KEY) == digest_of(same, KEY) != digest_of(other, KEY)


def test_names_in_the_private_folder_tell_nothing(tmp_path, own_home):
    place = tmp_path / "canary.csv"
    place.write_text("uid\n")
    digest_of(TripsFile.on_disk(place), KEY)
    names = [path.name for path in own_home.rglob("*")]
    assert not any("canary" in name for name in names)


TILES = {
    name: Tessellation.of(
        [name, "z"], [None, None], [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)], "made"
    )
    for name in ("a", "b")
}


def folder_of(
    text="uid,tid,datetime,lat,lng\n", tiles="a", timezone="UTC", bad=BadRecords.REFUSE, key=KEY, mapping=None
):
    file = TripsFile.uploaded("trips.csv", text.encode())
    (one,) = digested([file], key)
    return loading.PartLoader(TILES[tiles], timezone, bad, key)._folder([(one, inspect(file, mapping))])


@pytest.mark.parametrize(
    "other",
    [
        {"text": "uid,tid,datetime,lat,lng\nu,1,2024-01-01 10:00:00,0.5,0.5\n"},
        {"tiles": "b"},
        {"timezone": "Europe/Berlin"},
        {"bad": BadRecords.DROP},
        {"key": bytes(16)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_all_that_changes_rows_changes_the_folder(other):
    assert folder_of() == folder_of()
    assert folder_of(**other) != folder_of()


def test_another_mapping_is_another_folder():
    text = "uid,tid,datetime,lat,lng,lat2\n"
    assert folder_of(text=text, mapping={"lat": "lat2"}) != folder_of(text=text)


def test_prepared_rows_are_those_of_this_version():
    """If this fails, rows are prepared differently: raise VERSION in files.py, then write down the new digest."""
    trips = [
        Trip("u", "A", "B"),
        Trip("v", None, "outside"),
        Trip("v", "A", "B", via=("A", "C", "C", "outside")),
    ]
    rows = Preparation(four_tiles(), KEY)(batch(trips))
    digest = blake2b(repr(rows.to_pylist()).encode(), digest_size=8).hexdigest()
    assert (VERSION, digest) == ("11", "c799f72c3f38f522")


def test_a_file_that_changes_while_it_is_read_is_refused_and_not_kept(tmp_path, monkeypatch):
    place = tmp_path / "trips.csv"
    row = "u,{},2024-01-01 10:00:00,0.5,0.5\n"
    place.write_text("uid,tid,datetime,lat,lng\n" + "".join(row.format(i) for i in range(20)))
    whole = place.read_text()
    file = TripsFile.on_disk(place)
    seen = inspect(file)
    written = PartWriter.write

    def cut_meanwhile(writer, pipeline, batches, tell):
        runs = written(writer, pipeline, batches, tell)
        place.write_text(whole[: len(whole) // 2 // len(row) * len(row)])
        return runs

    monkeypatch.setattr(PartWriter, "write", cut_meanwhile)
    with pytest.raises(InputError, match="changed while it was read"):
        loading.load(file, seen, TILES["a"], timezone="UTC")
    monkeypatch.undo()
    place.write_text(whole)
    again = TripsFile.on_disk(place)
    assert loading.load(again, inspect(again), TILES["a"], timezone="UTC").report.trips == 20


def test_another_length_of_ways_is_prepared_afresh(monkeypatch):
    before = folder_of()
    monkeypatch.setattr("dpcore.limits.MAX_POINTS_PER_TRIP", 12)
    assert folder_of() != before
