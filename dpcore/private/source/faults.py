"""Faults: the bad records of one reading, counted by rule, with the places of the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.report import Dropped
from dpcore.private.source.rules import LAT_OUTSIDE, LNG_OUTSIDE, Rule
from dpcore.private.source.text import Mask

Lines = Callable[[set[int]], dict[int, int]]
"""Ordinals of records -> their places in the file, counted from 1.

Well-formed records have the ordinals 0, 1, 2, ...; those with too few or too many fields, which the
parser leaves out, have -1, -2, -3, ...
"""

_OUTSIDE: Final = (LAT_OUTSIDE, LNG_OUTSIDE)


class Faults:
    """Bad records by rule and column; holds counts and ordinals, never a cell."""

    def __init__(self) -> None:
        self.total = 0
        self.swapped = 0  # of the points outside: those that are inside when lat and lng change places
        self._ragged = 0
        self._count: dict[tuple[Rule, str], int] = {}
        self._first: dict[tuple[Rule, str], list[int]] = {}

    def add(self, rule: Rule, column: str, records: Iterable[int], count: int) -> None:
        """Bad records of one rule in one column, with the ordinals of the first at least."""
        key = rule, column
        self.total += count
        self._count[key] = self._count.get(key, 0) + count
        first = self._first.setdefault(key, [])
        for record in records:
            if len(first) == limits.MAX_LISTED_PROBLEMS:
                break
            first.append(int(record))

    def add_ragged(self, rule: Rule) -> None:
        """The next record with too few or too many fields."""
        self._ragged += 1
        self.add(rule, "", [-self._ragged], 1)

    @property
    def ragged(self) -> int:
        """Records with too few or too many fields so far."""
        return self._ragged

    def by_rule(self) -> Iterator[tuple[Rule, str, int, int]]:
        """Each rule that was broken with its column, how often, and the ordinal of the first record."""
        for (rule, column), count in self._count.items():
            yield rule, column, count, self._first[rule, column][0]

    def dropped(self, lines: Lines) -> tuple[Dropped, ...]:
        """The counts for the report, with places in the file."""
        place = lines({record for first in self._first.values() for record in first})
        return tuple(
            Dropped(rule.what, column, self._count[rule, column], tuple(sorted(place[r] for r in first)))
            for (rule, column), first in self._first.items()
        )

    def error(self, name: str, unit: str, lines: Lines, records: int) -> InputError:
        """One error for all: its text names the first, its notes list the first ones and the counts.

        Args:
            name: name of the file.
            unit: ``line`` or ``row``.
            lines: finds the places of records.
            records: records that were read, to tell a wrong file from a wrong record.

        """
        place = lines({record for first in self._first.values() for record in first})
        listed = sorted(
            (place[record], number, rule, column)
            for number, ((rule, column), first) in enumerate(self._first.items())
            for record in first
        )[: limits.MAX_LISTED_PROBLEMS]
        hint = self._hint(records)
        problems = [
            InputError(
                rule.what,
                f"{name}, {unit} {line:,}" + (f", column {column}" if column else ""),
                hint if hint and rule in _OUTSIDE else rule.mend,
            )
            for line, _, rule, column in listed
        ]
        # A refused file is not read to its end, and the parser runs ahead: beyond the limit numbers mean nothing.
        most = limits.MAX_BAD_RECORDS
        error = InputError.several(problems, min(self.total, most), at_least=self.total >= most)
        for problem in problems:
            error.add_note(str(problem))
        for (rule, column), count in self._count.items():
            many = f"at least {min(count, most):,}" if self.total >= most else f"{count:,}"
            error.add_note(f"{many} x {rule.what}" + (f", column {column}" if column else ""))
        return error

    def _hint(self, records: int) -> str:
        outside = sum(count for (rule, _), count in self._count.items() if rule in _OUTSIDE)
        if outside * 2 <= records:
            return ""
        if self.swapped * 2 > outside:
            return "Most records fail: latitude and longitude look swapped."
        return "Most records fail: looks projected, WGS84 expected (degrees)."


class Sieve:
    """The bad records among those of one batch; each counts once, under the first rule it broke."""

    def __init__(self, faults: Faults, first: int, rows: int) -> None:
        self._faults, self._first = faults, first
        self.bad: Mask = np.zeros(rows, np.bool_)

    def refuse(self, rule: Rule, column: str, mask: Mask) -> None:
        """Mark the rows of ``mask`` as bad."""
        if not mask.any():
            return
        new = np.flatnonzero(mask & ~self.bad)
        if len(new):
            self._faults.add(rule, column, self._first + new[: limits.MAX_LISTED_PROBLEMS], len(new))
            self.bad[new] = True
