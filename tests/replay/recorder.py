"""A recorder of whole calls of mechanisms, and their replay on a neighbouring file with the noise frozen.

A *mechanism* is a function that takes exact counts and gives noisy ones. The first run records each call of each mechanism:
its table, its public arguments, its exact counts and its result. The second run, on a neighbouring file, gets the recorded
results back. A run keeps its promise if

* its calls, their tables and their public arguments are those of the first run, in the same order;
* the exact counts of each call differ by at most what is declared for it, and all calls together cost no more than was charged;
* everything after the mechanisms is equal (the caller compares the files byte for byte).

Whole calls are recorded and not random bits: a sparse table jumps over its empty cells, so one occupied cell more shifts every later bit.

On the neighbour each mechanism runs as well, and its own result is thrown away. What of it is not noise must be equal too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest


class Violation(BaseException):
    """A difference that a reader of the release could see. No handler of errors swallows it."""


@dataclass(frozen=True)
class Seen:
    """What one call was given."""

    table: str
    """Which table is drawn."""
    public: object
    """Arguments that must not depend on the data."""
    counts: Mapping[object, int]
    """Exact counts (or scores) by cell. Private."""
    rate: Callable[[object], Fraction]
    """Epsilon that a change by one in this cell costs."""
    most: int
    """How much one unit may change the counts, as declared: over all cells, or in each cell where only the largest change costs."""
    largest: bool = False
    """Whether the largest change of a cell costs, and not the sum over the cells."""

    def change(self, other: Seen) -> dict[object, int]:
        """How much each cell differs."""
        cells = {*self.counts, *other.counts}
        return {cell: abs(self.counts.get(cell, 0) - other.counts.get(cell, 0)) for cell in cells}


@dataclass(frozen=True)
class Mechanism:
    """One function that draws, and how its calls are read."""

    place: Any
    """Module or class."""
    name: str
    read: Callable[..., Seen]
    """From its arguments."""
    noise: tuple[str, ...] = ()
    """The fields of its result that are noisy, where others are public."""
    again: Callable[[Any, Seen], Any] = lambda result, _seen: result
    """The recorded result in the order in which a run on other counts would give it."""


@dataclass(frozen=True)
class Call:
    """One recorded call."""

    mechanism: str
    seen: Seen
    result: Any


class Recorder:
    """The calls of one run, and the replay of them."""

    def __init__(self, *mechanisms: Mechanism) -> None:
        self.mechanisms = mechanisms
        self.calls: list[Call] = []
        self.reached = Fraction()
        """Epsilon that the differences of the last replay cost together."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record every call in the block."""
        self.calls = []

        def called(mechanism: Mechanism, real: Any, args: Any, named: Any) -> Any:
            seen = mechanism.read(*args, **named)
            self.calls.append(Call(mechanism.name, seen, real(*args, **named)))
            return self.calls[-1].result

        with self._in_place(called):
            yield

    @contextmanager
    def replaying(self, charged: Fraction) -> Iterator[None]:
        """Give the recorded results in the block; raises Violation."""
        left = iter(self.calls)
        self.reached = Fraction()

        def called(mechanism: Mechanism, real: Any, args: Any, named: Any) -> Any:
            seen, before = mechanism.read(*args, **named), next(left, None)
            if before is None:
                raise Violation(f"{seen.table} is drawn, and was not before")
            if (before.mechanism, before.seen.table) != (mechanism.name, seen.table):
                raise Violation(f"{seen.table} is drawn where {before.seen.table} was")
            if not same(before.seen.public, seen.public):
                raise Violation(f"a public argument of {seen.table} differs")
            self._take(before.seen, seen)
            fresh = real(*args, **named)
            if mechanism.noise and not same(*(_rest(one, mechanism.noise) for one in (before.result, fresh))):
                raise Violation(f"what is not noise in {seen.table} differs")
            return mechanism.again(before.result, seen)

        with self._in_place(called):
            yield
        missing = next(left, None)
        if missing is not None:
            raise Violation(f"{missing.seen.table} is not drawn, and was before")
        if self.reached > charged:
            raise Violation(f"the differences cost {self.reached}, charged were {charged}")

    def _take(self, before: Seen, seen: Seen) -> None:
        change = before.change(seen)
        most = max(change.values(), default=0) if seen.largest else sum(change.values())
        if most > seen.most:
            raise Violation(f"{seen.table} changes by {most}, declared is {seen.most}")
        costs = [seen.rate(cell) * by for cell, by in change.items() if by]
        self.reached += max(costs, default=Fraction()) if seen.largest else sum(costs, Fraction())

    @contextmanager
    def _in_place(self, called: Callable[[Mechanism, Any, Any, Any], Any]) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for one in self.mechanisms:
                patch.setattr(one.place, one.name, _watched(one, getattr(one.place, one.name), called))
            yield


def _watched(mechanism: Mechanism, real: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **named: Any) -> Any:
        return called(mechanism, real, args, named)

    return watched


def _rest(result: Any, noise: tuple[str, ...]) -> dict[str, Any]:
    return {one.name: getattr(result, one.name) for one in fields(result) if one.name not in noise}


def same(one: Any, other: Any) -> bool:
    """Whether two public values are equal, arrays and all."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, Mapping):
        return [*one] == [*other] and same([*one.values()], [*other.values()])
    if isinstance(one, tuple | list):
        return all(same(*pair) for pair in zip_longest(one, other, fillvalue=Violation))
    if is_dataclass(one) and not isinstance(one, type) and type(one).__eq__ is object.__eq__:
        return all(same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    return bool(one == other)
