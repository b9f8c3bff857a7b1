"""How much memory counting may take, and what is said where that is too little."""

from __future__ import annotations

import os
import re
from typing import Final

from dpcore import limits
from dpcore.errors import InputError

_UNITS: Final = {"MB": 2**20, "GB": 2**30}


def affordable() -> int:
    """Bytes that an engine may hold: what EPSILON_ATLAS_MEMORY says, else the limit and at most six tenths of all.

    Raises InputError where the setting is no amount.
    """
    said = os.environ.get("EPSILON_ATLAS_MEMORY")
    if said:
        amount = re.fullmatch(r"(\d{1,6})(MB|GB)", said)
        if amount is None:
            raise InputError(
                "not an amount of memory", "EPSILON_ATLAS_MEMORY", "Give an amount such as 12GB."
            )
        return int(amount[1]) * _UNITS[amount[2]]
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(limits.ENGINE_MEMORY_BYTES, physical * 6 // 10)


def too_little(trips: str) -> InputError:
    """The refusal of trips, by their name, that cannot be counted in the memory there is."""
    return InputError(
        "counting needs more memory or more space for its spill files than there is",
        trips,
        "Free some space in the private folder, or allow more with EPSILON_ATLAS_MEMORY, such as 12GB.",
    )
