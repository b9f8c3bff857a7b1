"""Ids of trips that no tile has: how many there are, of how many trips, and which public rule would find their tiles.

The numbers are exact, so they are for the owner only. The ids are not kept, but a keyed hash of each, by which an id in two files is
counted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.siphash import hash_texts
from dpcore.tiles.id_rules import RULES, WAYS, IdMatcher, rules_of

MOST: Final = 100_000
"""So many different ids of a file are counted."""
_NAME: Final = 1 << len(RULES)
"""The bit of an id that is the name of a tile."""
_BITS: Final = {
    way: 1 << number if number < len(RULES) else _NAME << (number - len(RULES) + 1)
    for number, way in enumerate(WAYS)
}
"""The bit of each way in which rules find an id."""


@dataclass(frozen=True, repr=False, eq=False)
class UnknownIds(Sealed):
    """What is known of the ids of one data set that no tile has. Private."""

    hashes: NDArray[np.uint64]
    """A keyed hash of each id."""
    found_by: NDArray[np.uint64]
    """For each the ways in which rules find a tile, and whether a tile is called so, as bits."""
    trips: int
    """Trips with such an id at one end or both."""
    NONE: ClassVar[UnknownIds]

    @classmethod
    def joined(cls, several: Sequence[UnknownIds]) -> Self:
        """Those of several files, each id once."""
        hashes = np.concatenate([one.hashes for one in several])
        found_by = np.concatenate([one.found_by for one in several])
        hashes, first = np.unique(hashes, return_index=True)
        return cls(hashes, found_by[first], sum(one.trips for one in several))

    def words(self) -> str | None:
        """A sentence for the owner, with what mends it; None where every id is that of a tile."""
        ids = len(self.hashes)
        if not ids:
            return None
        many = f"{'at least ' if ids >= MOST else ''}{ids:,}"
        said = (
            f"{'1 id' if ids == 1 else f'{many} different ids'} of {'1 trip' if self.trips == 1 else f'{self.trips:,} trips'} "
            f"{'is that' if ids == 1 else 'are those'} of no tile, and {'counts' if ids == 1 else 'count'} as outside"
        )
        return f"{said}. {self._mend()}"

    def _mend(self) -> str:
        rules = self._few_rules()
        if rules:
            ways = sum(bit for way, bit in _BITS.items() if {*way} <= {*rules})
            count = np.count_nonzero(self.found_by & np.uint64(ways))
            asked = ",".join(rules)
            why = "; ".join(RULES[name].about for name in rules)
            return (
                f"{count:,} of them {'is the id' if count == 1 else 'are ids'} of a tile written differently ({why}). If they mean "
                f'the same, say --match-ids {asked} (in a notebook: match_ids="{asked}"; on the Data page: Ids that are '
                "written differently)."
            )
        named = np.count_nonzero(self.found_by & np.uint64(_NAME))
        if named:
            return (
                f"{named:,} of them {'is the name' if named == 1 else 'are names'} of tiles: take that property of the tiles as "
                "their id, with --tile-id (in a notebook: tile_id; on the Data page: Property that names a tile)."
            )
        return (
            "No rule for ids finds a tile for them. Is another property of the tiles meant (--tile-id; in a notebook: tile_id; on "
            "the Data page: Property that names a tile), or are tiles missing?"
        )

    def _few_rules(self) -> list[str]:
        """Rules that together find every id that any rule finds. Each rule takes one more risk, so the one that finds most goes first."""
        rules: set[str] = set()
        left = self.found_by.copy()
        while True:
            found = {way: np.count_nonzero(left & np.uint64(bit)) for way, bit in _BITS.items()}
            best = max(found, key=lambda way: (found[way], -len(way)))
            if not found[best]:
                return [name for name in RULES if name in rules]
            rules.update(best)
            left[left & np.uint64(_BITS[best]) != 0] = 0


UnknownIds.NONE = UnknownIds(np.zeros(0, np.uint64), np.zeros(0, np.uint64), 0)


class UnknownCounter:
    """Counts them, batch by batch."""

    def __init__(self, tile_ids: Sequence[str], tile_names: Sequence[str], key: bytes) -> None:
        self._tile_ids, self._names, self._key = tile_ids, tile_names, key
        self._found: dict[str, int] = {}
        self._trips = 0
        self._matcher: tuple[IdMatcher, frozenset[str]] | None = None

    def add(self, read: pa.RecordBatch, prepared: pa.RecordBatch) -> None:
        """Count the ids of a batch, as it was read and as it was prepared."""
        if "start_zone" not in read.schema.names:
            return
        ends = [(read[f"{end}_zone"], prepared[f"{end}_tile"].to_numpy() < 0) for end in ("start", "end")]
        unknown = [outside & ~ids.is_null().to_numpy(zero_copy_only=False) for ids, outside in ends]
        either = int(np.count_nonzero(unknown[0] | unknown[1]))
        if not either:
            return
        self._trips += either
        for (ids, _), those in zip(ends, unknown, strict=True):
            for text in pc.unique(ids.filter(pa.array(those))).to_pylist():
                if text not in self._found and len(self._found) < MOST:
                    self._found[text] = self._bits(text)

    def _bits(self, text: str) -> int:
        if self._matcher is None:
            self._matcher = IdMatcher(self._tile_ids, rules_of(self._tile_ids)), frozenset(self._names)
        matcher, named = self._matcher
        return sum(_BITS[way] for way in matcher.found_by(text)) | (_NAME if text in named else 0)

    def counted(self) -> UnknownIds:
        """What was counted so far."""
        texts = [text.encode() for text in self._found]
        offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        data = np.frombuffer(b"".join(texts), np.uint8)
        hashes = hash_texts(offsets, data, self._key) if texts else np.zeros(0, np.uint64)
        return UnknownIds(hashes, np.array([*self._found.values()], np.uint64), self._trips)
