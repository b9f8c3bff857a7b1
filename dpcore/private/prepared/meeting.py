"""Users of several parts meet: the same id is the same person, and two ids of one hash are refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.prepared.part import Part
from dpcore.private.prepared.stored import user_key
from dpcore.private.prepared.user_table import SharedHashError, UserTable

_MET: Final = "users-met"
"""In the folder of a data set once the users of all its parts were compared."""


def must_share_no_hash(parts: Sequence[Part], folder: Path, key: bytes) -> None:
    """Compare the ids of all users of all parts; what was compared before is not compared again.

    Raises:
        InputError: two different ids in two files have the same hash, or the users of a part were damaged.

    """
    met = folder / _MET
    if met.exists():
        return
    shared = _shared(parts, user_key(key))
    if shared is not None:
        raise shared_hash(shared)
    with store.written(met):
        pass  # an empty file: its being there says all


def shared_hash(where: str) -> InputError:
    """The refusal of two ids that cannot be told apart."""
    return InputError(
        "two ids of users have the same keyed hash",
        where,
        "Set EPSILON_ATLAS_HOME to another folder: its key is another one. This is as rare as it sounds.",
    )


def _shared(parts: Sequence[Part], key: bytes) -> str | None:
    """The name of the first part with an id whose hash is that of another id; None where there is none."""
    users = UserTable(key)
    for part in parts:
        for batch in part.users():
            try:
                users.hashes(batch["text"])
            except SharedHashError:
                return part.name
    return None
