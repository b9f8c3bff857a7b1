"""The shelf lists what verifies, says why the rest is not opened, and never leaves its folder."""

from __future__ import annotations

import shutil

import pytest

from dpcore import limits, places
from dpcore.errors import BundleError, InputError
from dpcore.release import read_bundle, shelf, write_bundle, zipped
from tests.release.made_releases import made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    place = tmp_path_factory.mktemp("made") / "four"
    write_bundle(made_release(), place)
    return place


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "bundles"
    place.mkdir()
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(place))
    return place


def test_the_folders_are_those_of_the_environment(monkeypatch, own_home, tmp_path):
    assert places.home() == own_home
    monkeypatch.delenv("EPSILON_ATLAS_BUNDLES", raising=False)
    assert places.releases() == own_home / "releases"
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    assert places.releases() == tmp_path
    monkeypatch.delenv("EPSILON_ATLAS_HOME")
    assert places.home().name == "epsilon-atlas"


def test_a_folder_that_is_not_there_is_an_empty_shelf(folder):
    folder.rmdir()
    assert shelf.bundles() == ()


@pytest.mark.parametrize("form", ["folder", "zip", "several"])
def test_a_bundle_is_found_as_a_folder_as_a_zip_and_among_others(form, bundle, folder, monkeypatch):
    if form == "folder":
        monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(bundle))
    elif form == "zip":
        (folder / "four.zip").write_bytes(zipped(bundle))
        monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(folder / "four.zip"))
    else:
        shutil.copytree(bundle, folder / "a")
        (folder / "notes.txt").write_text("no bundle")
        (folder / ".part-1").mkdir()
    (entry,) = shelf.bundles()
    assert entry.name == "four-tiles-3-0a1b2c"
    assert entry.title == "Trips of an invented city"
    assert shelf.release_of_tables(entry.name).id == entry.name
    assert shelf.verdict(entry.name).release == entry.name
    assert shelf.looked_at(shelf.zip_of(entry.name)).id == entry.name


def test_a_broken_bundle_is_listed_with_its_reason_and_not_its_place(bundle, folder):
    shutil.copytree(bundle, folder / "changed")
    table = folder / "changed" / "tables" / "visits_per_tile.csv"
    table.write_text(table.read_text().replace("value", "valve"))
    (folder / "empty").mkdir()
    (folder / "junk.zip").write_bytes(b"PK\x03\x04 junk")
    entries = shelf.bundles()
    assert [entry.name for entry in entries] == ["changed", "empty", "junk.zip"]
    for entry in entries:
        assert entry.card is None
        assert entry.title == ""
        assert entry.reason
        assert str(folder) not in entry.reason
        with pytest.raises(InputError, match="there is no such release"):
            shelf.release_of_tables(entry.name)


def test_synthetic_trips_have_a_card_and_a_file_and_are_not_opened_as_tables(bundle, folder):
    shutil.copytree(bundle, folder / "a")
    write_bundle(made_synthetic(), folder / "b")
    write_bundle(made_synthetic(stability_choices(), id="large", title=""), folder / "c")
    (folder / "c.zip").write_bytes(zipped(folder / "c"))
    shutil.rmtree(folder / "c")
    tables, roy, large = shelf.bundles()
    assert tables.kind.in_viewer
    assert (roy.name, roy.title, roy.kind.in_viewer, roy.reason) == ("town-7-cdcdcd", "Town", False, "")
    assert (roy.card.kind, roy.card.epsilon, roy.card.delta) == ("roy", 2, 0)
    assert (large.title, large.card.kind, large.card.epsilon) == ("large", "stability", 4)
    assert large.card.delta == stability_choices().delta
    for entry in (roy, large):
        assert read_bundle(shelf.zip_of(entry.name)).id == entry.name
        assert shelf.looked_at(shelf.zip_of(entry.name)).id == entry.name
        assert shelf.verdict(entry.name).release == entry.name
        with pytest.raises(InputError, match="there is no such release"):
            shelf.release_of_tables(entry.name)


def test_synthetic_trips_that_were_changed_are_not_listed_as_verified(folder):
    write_bundle(made_synthetic(), folder / "a")
    write_bundle(made_synthetic(), folder / "b")
    first, second = shelf.bundles()
    assert first.card
    assert "here already" in second.reason
    (folder / "a" / "README.md").write_text("changed")
    changed, _ = shelf.bundles()
    assert changed.card is None
    assert "was changed" in changed.reason
    assert str(folder) not in changed.reason


def test_of_two_bundles_with_one_id_the_first_is_opened(bundle, folder):
    shutil.copytree(bundle, folder / "a")
    shutil.copytree(bundle, folder / "b")
    first, second = shelf.bundles()
    assert first.card
    assert second.name == "b"
    assert "here already" in second.reason


@pytest.mark.parametrize("name", ["../made/four", "a/../a", "", "a", "/etc/passwd", "a\0b"])
def test_a_name_from_outside_never_becomes_a_path(name, bundle, folder):
    shutil.copytree(bundle, folder / "a")
    with pytest.raises(InputError, match="there is no such release"):
        shelf.release_of_tables(name)


def test_a_bundle_is_read_once_and_again_when_it_changes(bundle, folder, monkeypatch):
    shutil.copytree(bundle, folder / "a")
    read = []
    real = shelf.read_bundle
    monkeypatch.setattr(shelf, "read_bundle", lambda place: read.append(place) or real(place))
    (entry,) = shelf.bundles()
    for _ in range(5):
        shelf.bundles()
        shelf.release_of_tables(entry.name)
    assert len(read) == 1
    shutil.rmtree(folder / "a")
    assert shelf.bundles() == ()
    write_bundle(made_release(id="four-tiles-9"), folder / "a")
    assert [entry.name for entry in shelf.bundles()] == ["four-tiles-9"]
    assert len(read) == 2


def test_memory_is_bounded(bundle, folder, monkeypatch):
    monkeypatch.setattr(shelf, "_KEPT", shelf._Kept())
    monkeypatch.setattr(shelf, "_KEPT_RELEASES", 1)
    monkeypatch.setattr(shelf, "MAX_LISTED", 1)
    for name in ("a", "b", "c"):
        shutil.copytree(bundle, folder / name)
        shelf._KEPT.entry(folder / name)
        shelf._KEPT.verdict(folder / name)
    assert len(shelf._KEPT.releases) == 1
    assert len(shelf._KEPT.verdicts) == 1
    assert len(shelf._KEPT.listed) == 2
    assert len(shelf.bundles()) == 1


def test_what_is_uploaded_is_verified(bundle, monkeypatch):
    content = zipped(bundle)
    assert shelf.looked_at(content).dataset == "four-tiles"
    with pytest.raises(BundleError):
        shelf.looked_at(content[:-200])
    with pytest.raises(BundleError):
        shelf.looked_at(b"")
    monkeypatch.setattr(limits, "MAX_UPLOAD_BYTES", 100)
    with pytest.raises(BundleError, match="too large"):
        shelf.looked_at(content)


def test_a_folder_that_cannot_be_read_is_said_so(folder, monkeypatch):
    def refuses(_):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.iterdir", refuses)
    with pytest.raises(InputError, match="cannot be read") as refused:
        shelf.bundles()
    assert refused.value.where == str(folder)


def test_a_bundle_that_vanishes_meanwhile_is_listed_as_such(bundle, folder, monkeypatch):
    shutil.copytree(bundle, folder / "a")

    def gone(*_):
        raise FileNotFoundError

    monkeypatch.setattr(shelf, "_below", gone)
    (entry,) = shelf.bundles()
    assert "cannot be read" in entry.reason
