import os

from dpcore.private.digests import digest_of
from dpcore.private.source import TripsFile

KEY = bytes(range(16))


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


def test_an_upload_is_known_by_its_bytes():
    one, same, other = (TripsFile.uploaded("a.csv", text) for text in (b"uid\n", b"uid\n", b"tid\n"))
    assert digest_of(one, KEY) == digest_of(same, KEY) != digest_of(other, KEY)


def test_names_in_the_private_folder_tell_nothing(tmp_path, own_home):
    place = tmp_path / "canary.csv"
    place.write_text("uid\n")
    digest_of(TripsFile.on_disk(place), KEY)
    names = [path.name for path in own_home.rglob("*")]
    assert not any("canary" in name for name in names)
