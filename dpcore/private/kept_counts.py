"""The exact counts of published cells, stored encrypted so that a release can be topped up later.

With the released values they give the noise, and from the noise the ladder climbs on (``samplers.climb``). They are as
secret as the data, so released values and these counts are never stored side by side. The key is one file, apart from the
encrypted files and from every bundle. Without it, or without the file of a release, there is no top-up, only a new release
at its full price. The counts are those of the first release: a chain can never continue on other data.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
from cryptography.fernet import Fernet, InvalidToken
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.private import store

Counts = Mapping[str, NDArray[np.int64]]


def keep(chain: str, counts: Counts, draw: str) -> None:
    """Store the exact counts of the listed cells of every measure of a chain. Replaces earlier ones.

    ``draw`` names the noise that was drawn on them. They can be used only for that draw.
    """
    plain = io.BytesIO()
    np.savez(plain, allow_pickle=False, draw=np.frombuffer(bytes.fromhex(draw), np.uint8), **dict(counts))
    with store.written(_place(chain)) as part:
        part.write_bytes(_cipher().encrypt(plain.getvalue()))


def counts_of_chain(chain: str, draw: str) -> Counts:
    """The counts of a chain and its draw. Raises PrivacyError if there are none or the key does not fit."""
    try:
        plain = _cipher().decrypt(_place(chain).read_bytes())
    except (OSError, InvalidToken):
        raise PrivacyError(
            "this release cannot be topped up",
            "its hidden state is not on this computer, or its key was lost",
            "Publish a new release instead, at its full price.",
        ) from None
    with np.load(io.BytesIO(plain), allow_pickle=False) as arrays:
        if arrays["draw"].tobytes().hex() != draw:
            raise PrivacyError(
                "this release cannot be topped up",
                "its hidden state on this computer belongs to another draw",
                "Raise it on the computer that drew it, or publish a new release at its full price.",
            )
        return {name: arrays[name] for name in arrays.files if name != "draw"}


def destroy(chain: str) -> None:
    """Delete the stored counts of a chain. No top-up is possible any more."""
    _place(chain).unlink(missing_ok=True)


def _place(chain: str) -> Path:
    return store.folder("chains") / f"{sha256(chain.encode()).hexdigest()[:32]}.sealed"


def _cipher() -> Fernet:
    """The cipher of this installation (AES-128-CBC with HMAC-SHA256). Its key is drawn at first use."""
    place = store.folder("keys") / "chains.key"
    if not place.exists():
        store.write_once(place, Fernet.generate_key())
    try:
        return Fernet(place.read_bytes())
    except ValueError:
        raise PrivacyError(
            "the key of the hidden states is damaged",
            "keys/chains.key in the private folder",
            "Restore it from a backup. Releases made so far cannot be topped up without it.",
        ) from None
