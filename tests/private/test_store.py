import copy
import pickle
import stat
from multiprocessing import get_context

import pytest

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


def _key(home):
    import os

    os.environ["EPSILON_ATLAS_HOME"] = home
    return bounding_key()


def test_processes_that_start_together_agree_on_one_key(own_home):
    with get_context("spawn").Pool(4) as pool:
        keys = pool.map(_key, [str(own_home)] * 8)
    assert len(set(keys)) == 1
    assert mode(own_home / "private" / "keys" / "bounding.key") == 0o600
    assert keys[0] not in key_identity(keys[0]).encode()


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
