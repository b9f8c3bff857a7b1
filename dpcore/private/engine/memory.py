"""How much memory counting may use, and the refusal if that is too little."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from dpcore import limits
from dpcore.errors import InputError

GROUPS: Final = Path("/sys/fs/cgroup")
GROUPS_OF_PROCESS: Final = Path("/proc/self/cgroup")
"""Where Linux lists the memory limits of a group of processes, such as a container. Missing on other systems."""
_UNITS: Final = {"MB": 2**20, "GB": 2**30}


def affordable() -> int:
    """Bytes that an engine may use: EPSILON_ATLAS_MEMORY, otherwise the limit but at most six tenths of all memory.

    Raises InputError if the setting is not an amount.
    """
    said = os.environ.get("EPSILON_ATLAS_MEMORY")
    if said:
        amount = re.fullmatch(r"(\d{1,6})(MB|GB)", said)
        if amount is None:
            raise InputError(
                "not an amount of memory", "EPSILON_ATLAS_MEMORY", "Give an amount such as 12GB."
            )
        return int(amount[1]) * _UNITS[amount[2]]
    return min(limits.ENGINE_MEMORY_BYTES, there_is() * 6 // 10)


def there_is() -> int:
    """Bytes of memory for this process: those of the computer, or fewer in a container with a limit."""
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_limits()])


def _limits() -> Iterator[int]:
    """The limits of the groups of this process and of the groups around them, in both versions of Linux control groups.

    A container often sees its own group as the root, whatever its path is called outside. So every folder up to the root
    is read, and missing ones are skipped.
    """
    groups = ""
    with suppress(OSError):
        groups = GROUPS_OF_PROCESS.read_text(encoding="utf-8", errors="replace")
    for line in groups.splitlines():
        _, _, named = line.partition(":")
        kinds, _, path = named.partition(":")
        if kinds == "":  # version 2
            root, file = GROUPS, "memory.max"
        elif "memory" in kinds.split(","):
            root, file = GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        inside = PurePosixPath(path.lstrip("/"))
        for group in (inside, *inside.parents):
            with suppress(OSError, ValueError):  # missing, or "max"
                yield int((root / group / file).read_text(encoding="ascii"))


def too_little(trips: str) -> InputError:
    """The refusal of trips that cannot be counted in the available memory; ``trips`` is their name."""
    return InputError(
        "counting needs more memory or more space for its spill files than there is",
        trips,
        "Free some space in the private folder, or allow more with EPSILON_ATLAS_MEMORY, such as 12GB.",
    )
