"""Faults: the bad records of one reading, counted by rule, with the places of the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.report import Dropped
from dpcore.private.source.rules import LAT_OUTSIDE, LNG_OUTSIDE, Rule
from dpcore.private.source.text import Mask

_OUTSIDE: Final = (LAT_OUTSIDE, LNG_OUTSIDE)


class Faults:
    """Bad records by rule and column; holds counts and places in the file, counted from 1, never a cell."""

    def __init__(self) -> None:
        self.total = 0
        self.swapped = 0  # of the points outside: those that are inside when lat and lng change places
        self._left_out = 0
        self._count: dict[tuple[Rule, str], int] = {}
        self._first: dict[tuple[Rule, str], list[int]] = {}

    def add(self, rule: Rule, column: str, records: Iterable[int], count: int) -> None:
        """Bad records of one rule in one column, with the places of the first at least."""
        key = rule, column
        self.total += count
        self._count[key] = self._count.get(key, 0) + count
        first = self._first.setdefault(key, [])
        for record in records:
            if len(first) == limits.MAX_LISTED_PROBLEMS:
                break
            first.append(int(record))

    def add_left_out(self, rule: Rule, column: str, lines: NDArray[np.int64]) -> None:
        """Bad records on these lines, which never reach the parser."""
        self._left_out += len(lines)
        self.add(rule, column, lines[: limits.MAX_LISTED_PROBLEMS], len(lines))

    @property
    def left_out(self) -> int:
        """Records that never reached the parser so far."""
        return self._left_out

    def by_rule(self) -> Iterator[tuple[Rule, str, int, int]]:
        """Each rule that was broken with its column, how often, and the place of the first record."""
        for (rule, column), count in self._count.items():
            yield rule, column, count, self._first[rule, column][0]

    def dropped(self) -> tuple[Dropped, ...]:
        """The counts for the report, with places in the file."""
        return tuple(
            Dropped(rule.what, column, self._count[rule, column], tuple(sorted(first)))
            for (rule, column), first in self._first.items()
        )

    def error(self, name: str, unit: str, records: int) -> InputError:
        """One error for all: its text names the first, its notes list the first ones and the counts.

        Args:
            name: name of the file.
            unit: ``line`` or ``row``.
            records: records that were read, to tell a wrong file from a wrong record.

        """
        listed = sorted(
            (place, number, rule, column)
            for number, ((rule, column), first) in enumerate(self._first.items())
            for place in first
        )[: limits.MAX_LISTED_PROBLEMS]
        hint = self._hint(records)
        problems = [
            InputError(
                rule.what,
                f"{name}, {unit} {place:,}" + (f", column {column}" if column else ""),
                hint if hint and rule in _OUTSIDE else rule.mend,
            )
            for place, _, rule, column in listed
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

    def __init__(self, faults: Faults, places: NDArray[np.int64]) -> None:
        """``places``: where each record stands in the file, counted from 1."""
        self._faults, self._places = faults, places
        self.bad: Mask = np.zeros(len(places), np.bool_)

    def refuse(self, rule: Rule, column: str, mask: Mask) -> None:
        """Mark the rows of ``mask`` as bad."""
        if not mask.any():
            return
        new = np.flatnonzero(mask & ~self.bad)
        if len(new):
            self._faults.add(rule, column, self._places[new[: limits.MAX_LISTED_PROBLEMS]], len(new))
            self.bad[new] = True
