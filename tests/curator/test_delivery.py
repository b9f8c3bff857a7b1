"""Delivery: what was written reaches its place whole, or is not public."""

from __future__ import annotations

import errno
import shutil

import pytest

from dpcore import curator, places
from dpcore.curator import pending, publishing
from dpcore.errors import UnfinishedError
from dpcore.release import read_bundle, verify_bundle
from tests.curator.asking import account, published, request, spent


@pytest.fixture
def on_another_disk(monkeypatch):
    """Public releases lie where nothing can be renamed to."""
    rename = type(places.home()).rename

    def refused(place, target):
        if place.parent.name == "waiting" and target.parent == places.published():
            raise OSError(errno.EXDEV, "another disk")
        return rename(place, target)

    monkeypatch.setattr("pathlib.Path.rename", refused)


def alone_and_whole(receipt):
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert receipt.folder == places.published() / receipt.release.id
    assert pending.all_waiting() == []
    assert not [*places.published().glob(".*")]


@pytest.mark.usefixtures("on_another_disk")
def test_public_releases_may_lie_on_another_disk():
    alone_and_whole(published(account(), request()))


@pytest.mark.usefixtures("on_another_disk")
@pytest.mark.parametrize("fault", ["torn", "full"])
def test_what_a_copy_to_another_disk_spoils_is_never_public_and_never_lost(fault, monkeypatch):
    ledger, copied = account(), shutil.copytree

    def spoiled(whole, part):
        copied(whole, part)
        if fault == "full":
            raise OSError(errno.ENOSPC, "full")
        (part / "od_flows.csv").write_bytes(b"")

    with monkeypatch.context() as there:
        there.setattr(shutil, "copytree", spoiled)
        with pytest.raises(UnfinishedError):
            published(ledger, request())
    assert not [*places.published().glob("[!.]*")]
    assert len(pending.all_waiting()) == 1
    alone_and_whole(published(ledger, request()))
    assert spent(ledger) == 1


def test_a_bundle_that_changes_while_it_waits_is_not_committed(monkeypatch):
    ledger, written = account(), publishing.write_bundle

    def changed(*asked, **more):
        found = written(*asked, **more)
        next(asked[1].rglob("od_flows.csv")).write_bytes(b"")
        return found

    with monkeypatch.context() as there:
        there.setattr(publishing, "write_bundle", changed)
        with pytest.raises(UnfinishedError, match=r"od_flows\.csv"):
            published(ledger, request())
    assert ledger.reservation("town", "first").digest is None
    assert not places.published().exists()


def test_what_was_written_is_read_once_and_its_bytes_are_compared_where_they_are_delivered(
    monkeypatch, tmp_path
):
    def no_second_reading(_place):
        raise AssertionError("the bundle was read again")

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "read_bundle", no_second_reading)
        receipt = published(account(), request(), out=tmp_path / "copy")
    found = read_bundle(tmp_path / "copy")
    assert (
        found.measurements["od_flows"].values.tolist()
        == receipt.release.measurements["od_flows"].values.tolist()
    )
    assert found.id == receipt.release.id


def test_a_byte_that_changes_on_the_way_to_its_place_is_seen(monkeypatch, tmp_path):
    ledger, delivered = account(), publishing.pending.delivered

    def damaged(*asked):
        folder = delivered(*asked)
        table = next(folder.rglob("od_flows.csv"))
        table.write_bytes(table.read_bytes()[:-1] + b" ")
        return folder

    with monkeypatch.context() as patch:
        patch.setattr(publishing.pending, "delivered", damaged)
        with pytest.raises(UnfinishedError, match=r"od_flows\.csv"):
            published(ledger, request(), out=tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy")
    again = published(ledger, request(), out=tmp_path / "copy")  # the copy was damaged, the release is whole
    assert verify_bundle(again.folder, digest=again.digest)
    assert spent(ledger) == 1


def test_one_bad_bundle_does_not_stop_the_ledger():
    published(account(), request())
    for number, bad in enumerate(
        ('{"ledger_entry": {"ledger": "x", "number": Infinity, "hash": "1"}}', "[", "{}")
    ):
        place = places.home() / "releases" / f"bad-{number}" / "manifest.json"
        place.parent.mkdir()
        place.write_text(bad, encoding="utf-8")
    assert len(curator.releases(curator.default_ledger(), "town")) == 1
