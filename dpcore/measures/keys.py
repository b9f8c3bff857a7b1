"""Public key sets: the cells of a table, which do not depend on the data.

A key set is a product of axes. For each axis the engine answers with small integers (a tile number, an hour, days since
1970-01-01), which ``KeySet.cells`` turns into cell numbers. An integer beyond an axis goes to the catch-all of that axis.
So the keys of a table never show what is in the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError

OUTSIDE = "outside"
"""The key of everything that lies in no tile."""


class Step(StrEnum):
    """What one count of a series over dates covers."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True)
class Axis:
    """One key column: its public labels in order, and catch-alls for what lies beyond them."""

    column: str
    """Column name in tables, such as ``tile_id``."""
    inside: tuple[str, ...]
    """Labels of the engine's integers 0, 1 and so on; with ``starts``, of the ranges that begin there."""
    before: str | None = None
    """Catch-all for smaller integers, printed first. None: smaller integers go to ``after``."""
    after: str | None = None
    """Catch-all for larger integers, printed last. None: the engine gives no larger integer."""
    ends: tuple[str, ...] = ()
    """For an axis of bins: the end of each bin, not included in it. ``inside`` holds the beginnings."""
    end_column: str = ""
    """For an axis of bins: the name of the second key column, such as ``bin_end``."""
    starts: tuple[int, ...] = ()
    """For labels that cover several integers: the first integer of each label, then the first one beyond the last."""
    covers: str = ""
    """For an axis of dates: what one label covers, such as ``week``."""
    of_tiles: tuple[int, ...] = ()
    """For an axis of districts, whose integers are numbers of tiles: the position in ``inside`` for each tile."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the key columns: one, or two for an axis of bins."""
        return (self.column, self.end_column) if self.ends else (self.column,)

    @property
    def dictionaries(self) -> dict[str, tuple[str, ...]]:
        """For each key column the texts of all positions."""
        return dict(zip(self.columns, (self.labels, self.ends) if self.ends else (self.labels,), strict=True))

    def texts(self, positions: NDArray[np.int64]) -> dict[str, list[str]]:
        """The texts of the key columns at some positions."""
        return {
            column: np.array(texts, np.object_)[positions].tolist()
            for column, texts in self.dictionaries.items()
        }

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All labels in printing order, catch-alls included."""
        head = () if self.before is None else (self.before,)
        tail = () if self.after is None else (self.after,)
        return head + self.inside + tail

    def positions(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position in ``labels`` of each of the engine's integers; same shape."""
        head = 0 if self.before is None else 1
        index = self._places(codes)
        low = 0 if self.before is not None else len(self.labels) - 1
        found = np.where(index < 0, low, np.minimum(index + head, len(self.labels) - 1))
        beyond = (index >= len(self.inside)) | ((index < 0) & (self.before is None))
        if self.after is None and bool(beyond.any()):
            raise ValueError(f"axis {self.column} has no label for an integer of the engine")
        return found.astype(np.int64)

    def _places(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place in ``inside`` of each integer; a negative one, or one beyond, if it lies in no label."""
        if self.starts:
            return np.searchsorted(np.array(self.starts), codes, side="right") - 1
        if self.of_tiles:
            known = (codes >= 0) & (codes < len(self.of_tiles))
            return np.where(known, np.array(self.of_tiles)[np.where(known, codes, 0)], -1)
        return codes


@dataclass(frozen=True)
class KeySet:
    """The product of some axes. In the order of cell numbers the last axis runs fastest."""

    axes: tuple[Axis, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of labels on each axis."""
        return tuple(len(axis.labels) for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    @property
    def all_cells(self) -> NDArray[np.int64]:
        """Every cell number, in order."""
        return np.arange(self.size, dtype=np.int64)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the key columns; an axis of bins has two."""
        return tuple(column for axis in self.axes for column in axis.columns)

    def cells(self, codes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The cell number of each row; ``codes`` holds the engine's integers, one array for each axis."""
        total = np.zeros(len(codes[0]), np.int64)
        for axis, column in zip(self.axes, codes, strict=True):
            total = total * len(axis.labels) + axis.positions(column)
        return total

    def labels(self, cells: NDArray[np.int64]) -> dict[str, list[str]]:
        """Key columns of some cells, as text."""
        positions = np.unravel_index(cells, self.shape)
        found: dict[str, list[str]] = {}
        for axis, where in zip(self.axes, positions, strict=True):
            found |= axis.texts(where)
        return found


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Districts:
    """Public groups of tiles: which district each tile lies in."""

    names: tuple[str, ...]
    """Sorted as text, all different, two or more."""
    of_tiles: tuple[int, ...]
    """For each tile, in the order of the ids, the position of its district in ``names``. Every district has a tile."""
    by_halving: bool = False
    """Whether they were laid by halving the map, so that the same tiles and their number give them again."""

    def __post_init__(self) -> None:
        """Refuse what is no such map. Lists and arrays become tuples."""
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "of_tiles", tuple(np.asarray(self.of_tiles).tolist()))
        if (
            not all(_is_key(name) for name in self.names)
            or not 2 <= len(self.names) <= limits.MAX_DISTRICTS
            or list(self.names) != sorted({*self.names})
            or not all(type(number) is int for number in self.of_tiles)
            or {*self.of_tiles} != {*range(len(self.names))}
        ):
            raise PrivacyError(
                "these are no districts",
                "districts",
                f"Give 2 to {limits.MAX_DISTRICTS} districts with different names, each with a tile, and one district for every "
                f"tile. None may be called {OUTSIDE}.",
            )

    def terms(self) -> dict[str, object]:
        """The one written form: the names, and a text with the number of each tile's district in base 36.

        All numbers have equally many digits, one or two. So 60,000 tiles take at most 120,000 characters, which an entry
        of the ledger can hold. Districts that were laid by halving say so.
        """
        wide = 1 if len(self.names) <= len(_DIGITS) else 2
        digits = [
            f"{_DIGITS[number // 36]}{_DIGITS[number % 36]}"[-wide:] for number in range(len(self.names))
        ]
        written: dict[str, object] = {
            "names": list(self.names),
            "of_tiles": "".join(digits[number] for number in self.of_tiles),
        }
        return written | ({"by_halving": True} if self.by_halving else {})

    @classmethod
    def of_terms(cls, written: Mapping[str, object]) -> Districts:
        """The districts from their written form. Raises ValueError, TypeError or PrivacyError if they cannot be read."""
        names, text = written.get("names"), written.get("of_tiles")
        if not isinstance(names, (list, tuple)) or not isinstance(text, str):
            raise TypeError("no districts")
        wide = 1 if len(names) <= len(_DIGITS) else 2
        halved = written.get("by_halving", False)
        known = {*written} <= {"names", "of_tiles", "by_halving"} and ("by_halving" in written) is halved
        if not known or len(text) % wide or not {*text} <= {*_DIGITS}:
            raise ValueError("no districts")
        of_tiles = tuple(int(text[at : at + wide], 36) for at in range(0, len(text), wide))
        return cls(tuple(names), of_tiles, by_halving="by_halving" in written)


def _is_key(name: object) -> bool:
    """Whether a text may be the name of a district. Readers of tiles check its alphabet; ``outside`` would be ambiguous."""
    return (
        isinstance(name, str)
        and 1 <= len(name) <= limits.MAX_TILE_ID_CHARACTERS
        and name.isprintable()
        and name.casefold() != OUTSIDE
    )


@dataclass(frozen=True)
class Period:
    """The public range of dates that a series covers, both ends included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        """Refuse an empty period and one that is too long."""
        if not all(type(day) is date for day in (self.first, self.last)):
            raise PrivacyError(
                "a period needs two dates, not text",
                "period",
                "Give Period(date(2024, 3, 4), date(2024, 3, 31)), with date from datetime.",
            )
        days = (self.last - self.first).days + 1
        years = self.first.year >= limits.FIRST_YEAR and self.last.year <= limits.LAST_YEAR
        if not 1 <= days <= limits.MAX_PERIOD_DAYS or not years:
            raise PrivacyError(
                "the period is empty or too long",
                f"{self.first} to {self.last}",
                f"Give a first and a last day between {limits.FIRST_YEAR} and {limits.LAST_YEAR}, "
                f"at most {limits.MAX_PERIOD_DAYS:,} days.",
            )

    @property
    def days(self) -> tuple[date, ...]:
        """Every day of the period, in order."""
        return tuple(self.first + timedelta(days=i) for i in range((self.last - self.first).days + 1))


def plain_axis(column: str, labels: Sequence[str]) -> Axis:
    """An axis whose integers are 0, 1, 2 and so on, with nothing beyond."""
    return Axis(column, tuple(labels))


def tile_axis(column: str, tile_ids: Sequence[str]) -> Axis:
    """The tiles in order of their id, then ``outside`` (the engine's -1)."""
    return Axis(column, tuple(tile_ids), after=OUTSIDE)


def district_axis(column: str, districts: Districts) -> Axis:
    """The districts in order of their names, then ``outside``. Its integers are those of tiles, -1 for none."""
    return Axis(column, districts.names, after=OUTSIDE, of_tiles=districts.of_tiles)


def date_axis(column: str, period: Period, step: Step = Step.DAY) -> Axis:
    """The days, weeks or months of the period between ``before`` and ``after``; integers are days since 1970-01-01.

    The label of a week or a month is its first day that lies in the period: a Monday, the first of a month, or the
    period's own first day. Days outside the period do not count, so the first and the last label may cover fewer days.
    """
    firsts = [day for day in period.days if day == period.first or _begins_a_step(day, step)]
    epoch = date(1970, 1, 1)
    starts = (*firsts, period.last + timedelta(days=1))
    return Axis(
        column,
        tuple(day.isoformat() for day in firsts),
        before="before",
        after="after",
        starts=tuple((day - epoch).days for day in starts),
        covers=step.value,
    )


def _begins_a_step(day: date, step: Step) -> bool:
    """Whether a new label of the series begins on that day."""
    return step is Step.DAY or (day.weekday() == 0 if step is Step.WEEK else day.day == 1)


def bin_axis(edges: Sequence[int] | Sequence[str]) -> Axis:
    """Half-open bins between rising public edges, as ``bin_start`` and ``bin_end``; integers are bin numbers.

    Bin 0 holds the values below the first edge. The last bin holds those at the last edge and above. So every value has a
    bin: the first begins at ``-inf`` and the last ends at ``inf``. Edges that are not whole numbers are decimal texts.
    """
    texts = [str(edge) for edge in edges]
    return Axis("bin_start", ("-inf", *texts), ends=(*texts, "inf"), end_column="bin_end")
