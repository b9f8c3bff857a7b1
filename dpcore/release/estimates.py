"""Estimates of a release: computed from its tables, as columns, and as its bundle states them.

Whoever shows an estimate computes it from the tables of the release. The files of a bundle state the same for other programs,
rounded to ``DECIMALS``, and nothing of this program trusts them: ``verify`` computes them again and refuses others.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from hashlib import sha256
from threading import Lock
from types import MappingProxyType
from typing import Final
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.estimates import (
    Estimated,
    Estimates,
    Ranged,
    Share,
    estimate,
    estimated_measures,
    why_as_drawn,
    words,
)
from dpcore.measures.choices import measure_named
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import TOTAL
from dpcore.privacy import RUNGS
from dpcore.release.derived import derivable
from dpcore.release.release import Release, Stated

FLOWS: Final = "od_flows"
"""The measure that is estimated where visits were released, whether it was released or not."""
ESTIMATES: Final = ("counted", "all")
"""Whose trips an estimate may be of: those that count, or all."""
DECIMALS: Final = 2
"""Decimals of estimates in files and printed tables: hundredths of a trip, so that sums still agree."""
SHARE_DECIMALS: Final = 4
"""Decimals of the share of trips that counts: hundredths of a per cent."""
_KEPT: Final = 3 * len(RUNGS)
"""Estimates in memory, of single rungs: those of about three releases."""
_KEPT_BYTES: Final = 500_000_000
"""Bytes that they take together, at most; the last ones are kept whatever their size."""


def estimates_of(
    release: Release,
    rung: int = -1,
    *,
    of: Collection[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Estimates:
    """What the tables of a release tell together at a rung, see ``dpcore.estimates.estimate``.

    ``of``: the tables that are wanted; None for all. There may be more of them. The last tables stay in memory, so that a
    release is estimated once while it is written, read back and shown, and once for all readers of this process. Raises
    InputError where computing them fails.
    """
    rung %= len(release.plan.rungs)
    one = _REMEMBERED.one(_identity(release), rung)
    with one.lock:
        lacking = one.lacking(release.plan, of)
        if one.found is not None and not lacking:
            return one.found
        try:
            made = estimate(
                release.plan, release.measurements, release.tessellation, rung, of=lacking, progress=progress
            )
        except MemoryError:  # no fault of the values, which another computer may estimate
            raise
        except Exception as error:  # whatever it is: what was released can be read without estimates
            raise InputError(
                "the estimates of this release cannot be computed",
                f"{release.id}, {type(error).__name__}",
                "Its released values are whole: ask for them without an estimate.",
            ) from error
        if release.part and made.share is None:
            made = replace(made, why_not_all=words.NO_SHARE_OF_PARTS)
        found = one.add(release.plan, made)
        _REMEMBERED.forget()
        return found


def estimates_to_show(
    release: Release,
    rung: int = -1,
    *,
    of: Collection[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Estimates:
    """``estimates_of`` for a view, which goes on with released counts where these fail: then it gives ``no_estimates``.

    A bundle that says so itself is tried with all its tables, and what failed once is not tried again: so all parts of a view
    agree. Raises MemoryError for any other bundle, because it has estimates.
    """
    stated = release.drawn.stated
    doubtful = stated is not None and not stated.computed
    if release not in _FAILED:
        try:
            return estimates_of(release, rung, of=None if doubtful else of, progress=progress)
        except (InputError, MemoryError) as error:
            if isinstance(error, MemoryError) and not doubtful:
                raise
            _FAILED.add(release)
    return no_estimates(rung % len(release.plan.rungs))


def no_estimates(rung: int) -> Estimates:
    """What stands in place of estimates that could not be computed: no table, and a sentence that says so."""
    return Estimates(rung, None, words.NOT_COMPUTED, MappingProxyType({}), ())


def are_computed(found: Estimates) -> bool:
    """Whether these are estimates, and not ``no_estimates``."""
    return found.why_not_all != words.NOT_COMPUTED


@dataclass(eq=False)
class _One:
    """The tables of one release at one rung so far. One lock for each, so that many readers compute a table only once."""

    lock: Lock = field(default_factory=Lock)
    found: Estimates | None = None

    def lacking(self, plan: Plan, of: Collection[str] | None) -> list[str]:
        """The wanted tables that are not here."""
        here = () if self.found is None else self.found.tables
        return [name for name in estimated_measures(plan) if (of is None or name in of) and name not in here]

    def add(self, plan: Plan, more: Estimates) -> Estimates:
        """Add tables and give all. Each follows from the same measurements alone, so it does not matter which came first."""
        tables = {**({} if self.found is None else self.found.tables), **more.tables}
        ordered = {name: tables[name] for name in estimated_measures(plan) if name in tables}
        self.found = replace(more, tables=MappingProxyType(ordered))
        return self.found

    @property
    def size(self) -> int:
        """Bytes of its numbers."""
        tables = () if self.found is None else self.found.tables.values()
        numbers = [trio for table in tables for trio in (table.counted, table.all_trips) if trio is not None]
        cells = sum(table.cells.nbytes for table in tables if table.cells is not None)
        return cells + sum(one.values.nbytes + one.low.nbytes + one.high.nbytes for one in numbers)


class _Remembered:
    """The estimates that were used last, by what they follow from. All of it is public."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[tuple[str, int], _One] = OrderedDict()

    def one(self, identity: str, rung: int) -> _One:
        """Those of a release at a rung, still without tables if it is new."""
        with self._lock:
            self._found[identity, rung] = one = self._found.pop((identity, rung), None) or _One()
            return one

    def forget(self) -> None:
        """Forget those that were used longest ago while there are too many."""
        with self._lock:
            size = sum(one.size for one in self._found.values())
            while len(self._found) > 1 and (len(self._found) > _KEPT or size > _KEPT_BYTES):
                _, oldest = self._found.popitem(last=False)
                size -= oldest.size


_REMEMBERED: Final = _Remembered()
_IDENTITIES: Final[WeakKeyDictionary[Release, str]] = WeakKeyDictionary()
"""Digests of releases, which never change: a page asks for one at each of its runs."""
_FAILED: Final[WeakSet[Release]] = WeakSet()
"""Releases whose estimates failed."""


def _identity(release: Release) -> str:
    """A digest of everything that the estimates of a release follow from."""
    found = _IDENTITIES.get(release)
    if found is None:
        found = _IDENTITIES[release] = _digest_of(release)
    return found


def _digest_of(release: Release) -> str:
    plan = release.plan
    facts = [
        [plan.bound.unit.value, plan.bound.max_trips, release.tessellation.digest],
        [str(one) for one in plan.rungs],
        list(plan.weights.items()),
        [plan.five_numbers, str(plan.ranges), plan.ranged, str(plan.false_flows)],
        plan.choices.terms(),
        bool(release.part),
    ]
    digest = sha256(json.dumps(facts, sort_keys=True).encode())
    for name, one in release.measurements.items():
        digest.update(f"{name} {one.threshold} {one.listed_at} {one.values.shape}".encode())
        digest.update(np.ascontiguousarray(one.values).data)
        digest.update(b"" if one.cells is None else np.ascontiguousarray(one.cells).data)
    return digest.hexdigest()


def must_be_estimated(plan: Plan, measure: str) -> None:
    """Refuse, with an InputError, a table that estimates of a plan do not hold."""
    if measure in derivable(plan):
        raise InputError(
            "this measure is derived from other tables, so there are no estimates of it",
            repr(measure),
            "Ask for its table without an estimate (on the command line without --estimate).",
        )
    if measure not in estimated_measures(plan):
        raise InputError.unknown("measure with estimates here", measure, list(estimated_measures(plan)))


def said_of(plan: Plan, found: Estimates, measure: str, *, all_trips: bool) -> tuple[str, ...]:
    """What must be said beside an estimated table, a sentence each, in reading order."""
    table, numbers = estimated_at(found, measure, all_trips=all_trips)
    people = measure_named(measure).counts_users and measure != TOTAL
    whose = "" if people else " of all trips" if all_trips else " of the trips that count"
    counted = "" if table.counts == "trips" else f" of {table.counts}"
    said = [
        f"These are estimates{counted}{whose}, with likely ranges; the released values stand in the table."
    ]
    if people:
        said.append(words.PEOPLE)
    elif found.share is None:
        said.append(found.why_not_all)
    else:
        said += words.assumption(found.share) if all_trips else (words.share_words(found.share),)
    if measure in found.as_drawn:
        said.append(why_as_drawn(plan, measure))
    if measure == FLOWS and (FLOWS not in plan.weights or table.keys.size > limits.MAX_DENSE_CELLS):
        said.append(words.MODELLED)
    if np.isnan(numbers.low).any():
        said.append(words.GAPS)
    return tuple(said)


def estimated_at(found: Estimates, measure: str, *, all_trips: bool) -> tuple[Estimated, Ranged]:
    """A table of estimates, and those of its numbers that are wanted; InputError if there are none."""
    if measure not in found.tables:
        raise InputError.unknown("measure with estimates here", measure, list(found.tables))
    table = found.tables[measure]
    if all_trips and (found.share is None or table.all_trips is None):
        if found.why_not_all == words.NO_SHARE_OF_PARTS:
            raise InputError(
                "the tables are split, and nothing tells which share of the trips of a category counts",
                measure,
                "Ask for the estimate of the trips that count (counted).",
            )
        raise InputError(
            "this release does not say how many trips there are in all, so it has no estimates for all trips",
            measure,
            "Ask for the estimate of the trips that count (counted). Only a release that pays for the measure total_trips too "
            "says which share of the trips these are.",
        )
    return table, table.of(all_trips)


def estimate_columns(
    found: Estimates, measure: str, *, all_trips: bool
) -> dict[str, list[str] | NDArray[np.float64]]:
    """One table of estimates: its key columns as text, then ``estimate``, ``low`` and ``high`` with ``DECIMALS``.

    A range is NaN where none is known. Raises InputError for a measure that is not estimated, and for all trips where
    nothing says how many there are.
    """
    table, numbers = estimated_at(found, measure, all_trips=all_trips)
    shown = _rounded(numbers)
    return {
        **table.keys.labels(table.cell_numbers),
        "estimate": shown.values,
        "low": shown.low,
        "high": shown.high,
    }


def stated_of(release: Release, progress: Callable[[float], None] | None = None) -> Stated:
    """What the bundle of a release states.

    It was paid for and drawn, so whatever fails here leaves a bundle with its tables and without estimates, which says so.
    """
    try:
        return _stated_of(release, progress)
    except Exception:  # noqa: BLE001 - nothing may stop what was paid for
        return Stated(no_estimates(len(release.plan.rungs) - 1), computed=False)


def _stated_of(release: Release, progress: Callable[[float], None] | None) -> Stated:
    return Stated(rounded_estimates(release.plan, estimates_of(release, progress=progress)))


def rounded_estimates(plan: Plan, found: Estimates) -> Estimates:
    """Estimates as files state them: those tables of a plan that are there."""
    tables = {
        name: replace(
            found.tables[name],
            counted=_rounded(found.tables[name].counted),
            all_trips=None if found.share is None else _rounded(found.tables[name].of(all_trips=True)),
        )
        for name in estimated_measures(plan)
        if name in found.tables
    }
    share = None
    if found.share is not None:
        ends = found.share.value, found.share.low, found.share.high
        share = Share(*(round(min(max(end, 0.0), 1.0), SHARE_DECIMALS) for end in ends))
    return Estimates(found.rung, share, found.why_not_all, MappingProxyType(tables), found.as_drawn)


def _rounded(numbers: Ranged) -> Ranged:
    # + 0.0 makes a negative zero positive: texts of both would differ
    return Ranged(*(np.round(one, DECIMALS) + 0.0 for one in numbers.columns))
