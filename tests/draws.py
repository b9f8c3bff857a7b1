"""Draws of tests: from a seed that is made of the name of a test, so that none fails by chance; those of an audit are free."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from types import SimpleNamespace

import numpy as np
import pytest

from dpcore.lessons import dice
from dpcore.noise import exponential, samplers
from dpcore.private import bounding
from dpcore.private.synthetic import drawing

OPENDP = exponential._mechanism
"""The noisy maximum of OpenDP, which takes its bytes where nobody can give it a seed."""


class Draws:
    """Random bytes of a test."""

    def __init__(self) -> None:
        self._rng: np.random.Generator | None = None
        self._one_at_a_time = Lock()  # pages and spends draw in threads

    def begin(self, name: str, *, free: bool) -> None:
        """Begin with the draws of a test, and of what is made for it."""
        seed = int.from_bytes(sha256(name.encode()).digest())
        self._rng = None if free else np.random.default_rng(seed)

    @property
    def are_free(self) -> bool:
        """Whether no seed was given."""
        return self._rng is None

    def bytes(self, count: int) -> bytes:
        """So many random bytes."""
        with self._one_at_a_time:
            return os.urandom(count) if self._rng is None else self._rng.bytes(count)


DRAWS = Draws()


@lru_cache(maxsize=256)
def noisy_maximum(scale: float):
    """The law of OpenDP's noisy maximum, with the draws of a test; tests/test_quantiles.py asks both whether they have it."""

    def drawn(scores):
        if DRAWS.are_free:
            return OPENDP(scale)(scores)
        rng = np.random.default_rng(int.from_bytes(DRAWS.bytes(16)))
        return int(np.argmax(np.array(scores, float) + rng.exponential(scale, len(scores))))

    return drawn


def give_seeds(patch: pytest.MonkeyPatch) -> None:
    """Everything of the product that is random draws here from now on. A process that a test starts draws freely."""
    for module in (samplers, drawing, dice):
        patch.setattr(module, "os", SimpleNamespace(urandom=DRAWS.bytes))
    patch.setattr(bounding, "secrets", SimpleNamespace(token_bytes=DRAWS.bytes))
    patch.setattr(exponential, "_mechanism", noisy_maximum)
