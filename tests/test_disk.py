"""Files appear whole, with the mode that was asked for, and what the disk says is heard."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from dpcore import disk
from dpcore.errors import InputError


@pytest.mark.parametrize(("mode", "found"), [(disk.FOR_READERS, 0o644), (disk.FOR_OWNER, 0o600)])
def test_who_may_read_a_file_is_said_by_whoever_writes_it(mode, found, tmp_path):
    before = os.umask(0o022)
    try:
        disk.write_whole(tmp_path / "new" / "map.png", b"picture", mode)
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "map.png").read_bytes() == b"picture"
    assert stat.S_IMODE((tmp_path / "new" / "map.png").stat().st_mode) == found


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "map.png"
    place.write_bytes(b"earlier")
    monkeypatch.setattr(disk, "sync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(InputError, match="cannot be written"):
        disk.write_whole(place, b"later")
    assert place.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(("number", "told"), [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_disk_that_fails_is_told_and_a_system_that_cannot_sync_folders_is_not(
    number, told, tmp_path, monkeypatch
):
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(number, "no")))
    if told:
        with pytest.raises(OSError, match="no"):
            disk.sync_folder(tmp_path)
    else:
        disk.sync_folder(tmp_path)
    with pytest.raises(OSError, match="no"):
        disk.sync(_file(tmp_path))


def _file(folder):
    (folder / "file").write_bytes(b"")
    return folder / "file"
