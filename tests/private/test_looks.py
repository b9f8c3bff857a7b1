"""Looks at files are remembered once, cost nothing afterwards, and are told in the words of whoever asks."""

from __future__ import annotations

import os
import time

import pytest

from dpcore import disk
from dpcore.errors import PrivacyError
from dpcore.private import looks, store


def test_a_look_that_is_known_writes_nothing_and_waits_for_no_disk(monkeypatch):
    looks.remember(["one", "two"])
    looks.call_public(["three"])
    synced = []
    monkeypatch.setattr(disk, "sync", synced.append)
    monkeypatch.setattr(disk, "sync_folder", synced.append)
    looks.remember(["two", "one"])
    looks.call_public(["three"])
    assert synced == []
    looks.remember(["one", "four"])
    assert synced, "a new look is on the disk before anything is told"


def test_what_a_killed_run_left_among_the_looks_is_swept_and_the_looks_stay():
    looks.remember(["seen"])
    looks.call_public(["invented"])
    left = [store.folder("looks") / ".part-a", store.folder("looks", "public") / ".part-b"]
    long_ago = time.time() - 2 * store.STALE_SECONDS
    for place in left:
        place.mkdir()
        os.utime(place, (long_ago, long_ago))
    store.sweep()
    assert not any(place.exists() for place in left)
    assert looks.was_seen(["seen"])
    looks.remember(["invented"])
    assert not looks.was_seen(["invented", "never"])


def test_the_refusal_names_the_option_and_the_argument():
    looks.remember(["seen"])
    with pytest.raises(PrivacyError, match="looked at on this computer") as refused:
        looks.must_be_unseen(["never", "seen"])
    assert "--parameters-chosen before_data" in str(refused.value)
    assert 'parameters_chosen="before_data"' in str(refused.value)
