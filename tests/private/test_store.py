import copy
import os
import pickle
import stat
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import pytest

from dpcore import disk
from dpcore.errors import InputError, PrivacyError
from dpcore.private import store
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.private.sealed import Sealed


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_private_folders_and_files_are_closed_to_others(own_home):
    place = store.folder("cache", "x") / "file"
    with store.written(place) as part:
        part.write_text("private")
    assert mode(place) == 0o600
    assert mode(own_home / "private") == mode(place.parent) == 0o700


def test_a_file_appears_whole_or_not_at_all():
    place = store.folder("cache") / "file"
    with pytest.raises(UnicodeEncodeError), store.written(place) as part:
        part.write_text("half\ud800", encoding="utf-8")
    assert list(place.parent.iterdir()) == []


def test_a_full_disk_is_said_plainly():
    place = store.folder("cache") / "file"
    with pytest.raises(InputError, match="full"), store.written(place):
        raise OSError(28, "No space left on device")
    assert list(place.parent.iterdir()) == []


def test_scratch_is_gone_afterwards():
    with store.scratch() as place:
        (place / "spill").write_text("rows")
        assert mode(place) == 0o700
    assert not place.exists()


def _no_links(*_args):
    raise PermissionError(1, "Operation not permitted")


def _key(home, links):
    os.environ["EPSILON_ATLAS_HOME"] = home
    with pytest.MonkeyPatch.context() as patched:
        if not links:
            patched.setattr(os, "link", _no_links)
        return bounding_key()


@pytest.fixture(scope="module")
def processes():
    """Four that are awake: both kinds of folders are tried by the same ones.

    A page that was driven before leaves its script as the main module. New processes would run that script, and where its
    file is gone they would die and be made anew without end.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "__main__", ModuleType("__main__"))
        with get_context("spawn").Pool(4) as pool:
            yield pool


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_processes_that_start_together_agree_on_one_key(processes, own_home, links):
    keys = processes.starmap(_key, [(str(own_home), links)] * 8, chunksize=1)
    assert len(set(keys)) == 1
    keys_folder = own_home / "private" / "keys"
    assert [path.name for path in keys_folder.iterdir()] == ["bounding.key"]
    assert mode(keys_folder / "bounding.key") == 0o600
    assert keys[0] not in key_identity(keys[0]).encode()


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_what_is_written_once_stays_and_leaves_nothing_beside_it(monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    place = store.folder("keys") / "key"
    for content in (b"first", b"second"):
        store.write_once(place, content)
    assert place.read_bytes() == b"first"
    assert mode(place) == 0o600
    assert list(place.parent.iterdir()) == [place]


def test_a_claim_that_nobody_holds_any_more_is_no_key(monkeypatch):
    monkeypatch.setattr(os, "link", _no_links)
    monkeypatch.setattr(disk, "_CLAIM_SECONDS", 0.05)
    place = store.folder("keys") / "key"
    claim = place.with_name(".part-claim-key")
    claim.touch()
    with pytest.raises(InputError, match="cannot be written"):
        store.write_once(place, b"content")
    assert list(place.parent.iterdir()) == [claim]
    store.sweep(older_than_seconds=-1)
    store.write_once(place, b"content")
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_part_is_removed_whatever_fails(monkeypatch, step):
    def fail(*_args):
        raise OSError(5, "Input/output error")

    place = store.folder("keys") / "key"
    monkeypatch.setattr(os, "link", _no_links)
    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    with pytest.raises(InputError, match="cannot be written"):
        store.write_once(place, b"content")
    with pytest.raises(InputError, match="cannot be written"), store.written(place) as part:
        part.write_bytes(b"content")
    assert list(place.parent.iterdir()) == []


@pytest.mark.parametrize("way", ["written", "link", "move"])
def test_bytes_are_on_the_disk_before_their_name_and_the_name_before_the_end(monkeypatch, way):
    place = store.folder("keys") / "key"
    steps, sync, link, replace = [], os.fsync, os.link, Path.replace

    def synced(handle):
        status = os.fstat(handle)
        steps.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        sync(handle)

    def named(move):
        def do(*args):
            move(*args)
            steps.append("name")

        return do

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link", named(link) if way == "link" else _no_links)
    monkeypatch.setattr(Path, "replace", named(replace))
    if way == "written":
        with store.written(place) as part:
            part.write_bytes(b"content")
    else:
        store.write_once(place, b"content")
    assert steps == ["7 bytes", "name", "folder"]


def test_what_interrupted_runs_left_is_swept_and_nothing_else():
    keep = [
        store.folder("keys") / "bounding.key",
        store.folder("digests") / "0a",
        store.folder("cache", "x") / "trips.parquet",
    ]
    parts = [path.with_name(".part-1") for path in keep] + [store.folder("cache") / ".part-2"]
    spilled = store.folder("scratch", "run", "pairing-1") / "rows"
    for path in (*keep, *parts, spilled):
        path.write_text("rows")
    store.sweep()
    assert all(path.exists() for path in (*keep, *parts, spilled))

    run, day = store.folder("scratch") / "run", 24 * 3600
    for path in (*keep, *parts, run, spilled.parent):
        os.utime(path, (1, time.time() - 2 * day))
    store.sweep()
    assert all(path.exists() for path in keep)
    assert not any(path.exists() for path in parts)
    assert spilled.exists(), "a run that still spills is not stale, however long ago it began"
    os.utime(spilled, (1, time.time() - 2 * day))
    store.sweep(older_than_seconds=3 * day)
    assert spilled.exists()
    store.sweep()
    assert not run.exists()
    assert all(path.exists() for path in keep)


def test_sweeping_goes_on_where_another_process_takes_a_folder_away(monkeypatch):
    gone, left = store.folder("cache", "gone"), store.folder("cache", "z") / ".part-1"
    left.write_text("rows")
    glob = Path.glob

    def racing(place, pattern):
        if place == gone:
            raise FileNotFoundError(2, "No such file or directory")
        return glob(place, pattern)

    monkeypatch.setattr(Path, "glob", racing)
    store.sweep(older_than_seconds=-1)
    assert not left.exists()


def test_a_folder_that_is_there_stays_and_files_moved_into_it_end_with_the_last():
    target = store.folder("cache") / "part"
    for content in ("first", "second"):
        with store.new_folder(target.parent) as place:
            for name in ("a-last", "b"):
                (place / name).write_text(content)
            assert store.appear(place, target) == (content == "first")
            assert (target / "b").read_text() == "first"
            if place.exists():
                store.move_into(place, target, "a-last")
    assert [(target / name).read_text() for name in ("a-last", "b")] == ["second", "second"]
    assert [path.name for path in target.parent.iterdir()] == ["part"]


def test_forgetting_leaves_the_keys_alone():
    key = bounding_key()
    for name in ("cache", "digests", "scratch"):
        (store.folder(name, "x") / "file").write_text("private")
    store.forget()
    left = [path for path in store.folder().rglob("*") if path.is_file()]
    assert [path.name for path in left] == ["bounding.key"]
    assert bounding_key() == key
    store.forget()
    with store.scratch() as place:
        assert place.exists()


def test_a_damaged_key_is_not_replaced_silently(own_home):
    bounding_key()
    (own_home / "private" / "keys" / "bounding.key").write_bytes(b"short")
    with pytest.raises(PrivacyError, match="damaged"):
        bounding_key()


@pytest.mark.parametrize("leave", [pickle.dumps, copy.copy, copy.deepcopy])
def test_sealed_objects_do_not_leave(leave):
    class Secret(Sealed):
        value = "canary"

    with pytest.raises(PrivacyError, match="cannot be pickled"):
        leave(Secret())
    assert "canary" not in repr(Secret())
