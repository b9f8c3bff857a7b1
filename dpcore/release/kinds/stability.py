"""Large counts: a histogram of what occurs often, as for the Opal cards (``dpcore.synthesis.stability``).

No trip is drawn: the rows of one combination that tells both ends, or of one for each end, are repeated as often as they
were counted, and what they do not tell is empty. So a reader makes the rows again and compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from math import prod
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.noise.accuracy import half_width
from dpcore.privacy import Promise, at_most_text, delta_text
from dpcore.release.canonical import CHANGED, delta_of, epsilon_of
from dpcore.release.kind import Expected, Object
from dpcore.release.kinds.counted import VALUE, CountedKind, place_of, texts_of
from dpcore.release.kinds.model import NOISE
from dpcore.release.kinds.questions import of_large_counts
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.release.kinds.trip_rows import BATCH_ROWS, NEVER, NO_DATE, Integers, Times, TripRows, places_words
from dpcore.release.release import Release
from dpcore.synthesis.domain import must_not_be_a_place
from dpcore.synthesis.stability.choices import StabilityChoices, listed_texts
from dpcore.synthesis.stability.plan import (
    UNKNOWN,
    Combination,
    LargeCounts,
    Neighbours,
    StabilityHistogram,
    StabilityPlan,
    Variant,
)
from dpcore.synthesis.stability.thresholds import reported
from dpcore.synthesis.stability.totals import person_table, totals
from dpcore.tiles import Tessellation

Drawn = Synthetic[StabilityHistogram]

ENDS: Final = ("on", "off")
"""What the names of columns begin with: where a trip starts, where it ends."""
_NOWHERE: Final = -1
_CHANGED: Final = {
    Neighbours.ADD_REMOVE: "is added or removed",
    Neighbours.REPLACE_ONE: "is replaced by another",
}
VARIANTS: Final[Mapping[Variant, str]] = {
    Variant.ADD_REMOVE: "Add or remove one trip",
    Variant.TIGHT: "Replace one trip, lowest threshold",
    Variant.OPAL: "As published for Opal",
    Variant.USER: "A person, at most M trips",
}
"""What the variants are called."""


class StabilityKind(CountedKind[StabilityChoices, StabilityHistogram, StabilityPlan]):
    """Large noisy counts; small counts are left out."""

    name: ClassVar[str] = StabilityChoices.kind
    asked: ClassVar[type] = StabilityChoices
    about: ClassVar[str] = "**Large counts**: times and places with many trips; small counts are left out"
    noise: ClassVar[str] = "stability-based histogram with discrete Laplace noise"
    what: ClassVar[str] = (
        "Large counts of trips with random noise (differential privacy); small counts are left out."
    )
    may_be_negative: ClassVar[bool] = False

    def options(self, plan: StabilityChoices) -> list[str]:
        combinations = ",".join("+".join(one) for one in plan.combinations)
        return [
            *("--delta", str(plan.delta), "--variant", plan.variant.value),
            *("--combinations", combinations, "--minutes", str(plan.minutes)),
        ]

    def promised(self, plan: StabilityChoices) -> Promise:
        if plan.variant.neighbours is Neighbours.REPLACE_ONE:
            return Promise.of_replacing(plan.bound, plan.epsilon, plan.delta)
        return super().promised(plan)

    def counted(self, plan: StabilityChoices, tiles: Tessellation) -> StabilityPlan:
        return plan.plan()

    def names(self, counted: StabilityPlan) -> tuple[str, ...]:
        return tuple(one.name for one in counted.combinations)

    def keys(self, counted: StabilityPlan, name: str) -> tuple[str, ...]:
        """The part, where there are parts, then the columns of the combination."""
        return (*counted.partition_by, *_combination(counted, name).columns)

    def width(self, counted: StabilityPlan, name: str) -> int:
        return half_width(counted.rho(_combination(counted, name)))

    def cells(self, tables: StabilityHistogram, name: str) -> tuple[Mapping[str, pa.Array], Integers]:
        found = tables.columns(name)
        values = np.array(found.pop("count"), np.int64)
        return {column: pa.array(texts, pa.string()) for column, texts in found.items()}, values

    def facts(self, counted: StabilityPlan, name: str) -> Object:
        one = _combination(counted, name)
        threshold = counted.threshold(one)
        return {
            "relation": counted.variant.neighbours.value,  # in which this table's epsilon is meant
            "epsilon": epsilon_of(one.epsilon),
            "delta": delta_of(one.delta),
            "delta_of_threshold": delta_of(reported(counted.certified_delta(one, threshold))),
            "threshold": threshold,
            "rate": epsilon_of(counted.rho(one)),
        }

    def noise_in(self, counted: StabilityPlan, name: str, tile_ids: tuple[str, ...]) -> Expected:
        """Of keys that occur; ``stands_out_from`` is the threshold."""
        one = _combination(counted, name)
        lists = (len(listed_texts(column, counted, tile_ids)) for column in one.columns)
        return Expected(
            name,
            one.epsilon,
            int(one.epsilon / counted.rho(one)),
            self.width(counted, name),
            len(counted.partitions) * prod(lists),
            counted.threshold(one),
        )

    def parts(self, counted: StabilityPlan) -> Object | None:
        if not counted.partition_by:
            return None
        return {"columns": list(counted.partition_by), "listed": [list(part) for part in counted.partitions]}

    def shown_from(self, counted: StabilityPlan, name: str) -> str:
        return f", shown from {counted.threshold(_combination(counted, name))} on"

    def tables_of(
        self, counted: StabilityPlan, found: Mapping[str, pa.Table], tile_ids: tuple[str, ...]
    ) -> StabilityHistogram:
        """The keys that are on public lists; PrivacyError where a tile is called as places are that are not known."""
        must_not_be_a_place(UNKNOWN, tile_ids)
        large = {name: _large(counted, name, table, tile_ids) for name, table in found.items()}
        return StabilityHistogram(counted, large, "release")

    def repeated(self, release: Release[StabilityChoices, Drawn]) -> list[str]:
        return [one.name for one in sources_of_trips(release.drawn.tables.plan)]

    def trips(self, release: Release[StabilityChoices, Drawn], writer: TripRows) -> Iterator[pa.RecordBatch]:
        sources = sources_of_trips(release.drawn.tables.plan)
        for one in sources:  # no end takes the room of the other
            most = limits.MAX_SYNTHETIC_TRIPS // len(sources)
            yield from _rows_of(release.drawn.tables, one, writer, most)

    def fits(self, release: Release[StabilityChoices, Drawn], tables: Iterator[pa.Table]) -> bool:
        """Whether they are exactly the rows of the release, in their order."""
        made = self.batches_of_trips(release)
        kept = self.schema_of_trips(release).empty_table()
        for table in tables:
            while len(kept) < len(table):
                batch = next(made, None)
                if batch is None:
                    return False
                kept = pa.concat_tables([kept, pa.Table.from_batches([batch])])
            if not kept.slice(0, len(table)).equals(table):
                return False
            kept = kept.slice(len(table))
        return len(kept) == 0 and all(len(batch) == 0 for batch in made)

    def answers(self, release: Release[StabilityChoices, Drawn], question: str) -> pa.Table:
        return of_large_counts(self, release, question)

    def mechanism(self, release: Release[StabilityChoices, Drawn]) -> str:
        return (
            f"Each value is {NOISE} Only keys that occur get noise, and only noisy counts from a threshold on are shown "
            "(stability-based histogram). A key that is not listed was noisy below its threshold, which never means zero. That a key "
            "is listed says that it occurs; delta bounds the probability that this happens to a key of one privacy unit alone."
        )

    def rows_words(self, release: Release[StabilityChoices, Drawn]) -> str:
        plan = release.drawn.tables.plan
        sources = sources_of_trips(plan)
        day = "" if plan.partition_by else f" No dates were released: all stand on {NO_DATE.isoformat()}."
        return (
            f"The rows of {' and of '.join(one.name for one in sources)}, each as often as its noisy count says: "
            f"{_ends_words(sources)}. {_clock_words(sources)}{day} Rows without any time stand in the tables alone. "
            f"{places_words(release.drawn.form)}"
        )

    def relations(self, release: Release[StabilityChoices, Drawn]) -> tuple[str, ...]:
        """For a trip and for people with several, in the relation of each."""
        return tuple(
            f"If {'one ' + total.unit} {_CHANGED[total.neighbours]}: epsilon {at_most_text(total.epsilon)}, and a delta of at most "
            f"{delta_text(total.delta)} by the noise and the thresholds as they are."
            for total in totals(release.plan.plan())
        )

    def not_protected(self, release: Release[StabilityChoices, Drawn]) -> tuple[str, ...]:
        """People with so many trips that delta grows beyond use, besides what every promise leaves out."""
        said = super().not_protected(release)
        void = [row.trips for row in person_table(totals(release.plan.plan())[0]) if row.void]
        if not void:
            return said
        return (
            *said,
            f"Delta grows with the trips of a person: with {void[0]} trips nothing is promised to that person any more.",
        )

    def told(self, release: Release[StabilityChoices, Drawn]) -> tuple[str, ...]:
        large = release.drawn.tables.large
        rows = sum(len(one.counts) for one in large.values())
        tables = f"{len(large):,} {'tables' if len(large) > 1 else 'table'}"
        if rows:
            return (
                f"{rows:,} {'rows' if rows > 1 else 'row'} of {tables} reached the threshold, and all others are left out",
            )
        nothing = (
            f"0 rows of {tables} reached the threshold, so nothing is shown; it was charged all the same: look at a draw on the "
            "Synthesize page first, and choose longer bins, no dates or a higher epsilon"
        )
        return (nothing,)

    def particulars(self, plan: StabilityChoices) -> tuple[str, ...]:
        clock = any("_time" in column for one in plan.combinations for column in one)
        bins = f", in bins of {plan.minutes} minutes" if clock else ""
        counted = ", ".join(column_words("+".join(one)) for one in plan.combinations)
        return (f"Noise and promise: {VARIANTS[plan.variant]}.", f"Counted: {counted}{bins}.")


def column_words(name: str) -> str:
    """A combination in words.

    >>> column_words("on_time+on_loc")
    'time on and place on'
    """
    words = {"time": "time", "loc": "place"}
    parts = [column.partition("_") for column in name.split("+")]
    return " and ".join(f"{words.get(kind, kind)} {end}" for end, _, kind in parts)


def sources_of_trips(plan: StabilityPlan) -> tuple[Combination, ...]:
    """The combinations whose rows are repeated: one that tells both ends, or the best of each end, starts first.

    The best tells most places, then most columns, then both ends, then stands first. Where it tells one end only, the best
    that tells nothing but the other end stands beside it: then starts and ends can both be counted.
    """
    best = max(plan.combinations, key=_told)
    if len(_ends(best)) > 1:
        return (best,)
    of_end = {end: [one for one in plan.combinations if _ends(one) == {end}] for end in ENDS}
    return tuple(max(found, key=_told) for found in of_end.values() if found)


def _combination(plan: StabilityPlan, name: str) -> Combination:
    return next(one for one in plan.combinations if one.name == name)


def _ends(one: Combination) -> set[str]:
    """The ends of a trip of which a combination tells anything: of ``ENDS``."""
    return {column.partition("_")[0] for column in one.columns}


def _told(one: Combination) -> tuple[int, int, int]:
    return sum(column.endswith("_loc") for column in one.columns), len(one.columns), len(_ends(one))


def _large(plan: StabilityPlan, name: str, table: pa.Table, tile_ids: tuple[str, ...]) -> LargeCounts:
    """The counts of a combination from its columns; BundleError where they are no counts of the plan."""
    combination, place = _combination(plan, name), place_of(name)
    part = np.zeros(len(table), np.int64)
    if plan.partition_by:
        listed = pa.array([one[0] for one in plan.partitions], pa.string())
        found = pc.index_in(texts_of(table[plan.partition_by[0]]), value_set=listed)
        part = np.asarray(pc.fill_null(found, -1), np.int64)
    if (part < 0).any():
        raise BundleError("the table has a part that the plan does not list", place, CHANGED)
    for column in combination.columns:
        public = pa.array(listed_texts(column, plan, tile_ids), pa.string())
        if pc.index_in(texts_of(table[column]), value_set=public).null_count:
            raise BundleError("the table has a key that is on no public list", place, CHANGED)
    keys = tuple(_python_texts(table[column]) for column in combination.columns)
    try:
        return LargeCounts(part, keys, table[VALUE].to_numpy().copy(), plan.threshold(combination))
    except ValueError:
        raise BundleError("rows are out of order, twice or below their threshold", place, CHANGED) from None


def _python_texts(column: pa.ChunkedArray) -> tuple[str, ...]:
    """A column as Python texts; each different one is held once, however often it stands there."""
    coded = texts_of(column).dictionary_encode()
    texts: list[str] = coded.dictionary.to_pylist()
    return tuple(texts[code] for code in coded.indices.to_pylist())


def _rows_of(
    tables: StabilityHistogram, one: Combination, writer: TripRows, most: int
) -> Iterator[pa.RecordBatch]:
    """The rows of one combination, at most so many."""
    large = tables.large[one.name]
    days = [date.fromisoformat(part[0]) if part else NO_DATE for part in tables.plan.partitions]
    midnight = np.array(days, "datetime64[s]")[large.part]
    told = dict(zip(one.columns, large.keys, strict=True))
    tiles = tuple(_tiles(told.get(f"{end}_loc"), writer, len(large.part)) for end in ENDS)
    times = [_times(told.get(f"{end}_time"), midnight) for end in ENDS]
    on, off = (end in _ends(one) for end in ENDS)
    on_times = times[0] if on else np.full(len(midnight), NEVER)
    off_times = times[1] if off else np.full(len(midnight), NEVER)
    # a bin that begins earlier than that of the start is one of the next day; without a clock both ends stand at midnight
    off_times = np.where(off_times < on_times, off_times + np.timedelta64(1, "D"), off_times)
    timed = ~(np.isnat(on_times) & np.isnat(off_times))  # a trips file has no row without any time
    # no count needs more rows than these, and the sum of many huge ones would overflow
    last = np.cumsum(np.where(timed, np.minimum(large.counts, most), 0))
    total = min(int(last[-1]) if len(last) else 0, most)
    for begin in range(0, max(1, total), BATCH_ROWS):
        row = np.searchsorted(last, np.arange(begin, min(begin + BATCH_ROWS, total)), side="right")
        yield writer.batch((tiles[0][row], tiles[1][row]), (on_times[row], off_times[row]), {})


def _tiles(texts: tuple[str, ...] | None, writer: TripRows, rows: int) -> Integers:
    if texts is None:
        return np.full(rows, _NOWHERE, np.int64)
    return np.array([writer.place.get(text, _NOWHERE) for text in texts], np.int64)


def _times(texts: tuple[str, ...] | None, midnight: Times) -> Times:
    """The beginning of each bin of the clock; midnight where the combination has no clock, NaT where it is not known."""
    if texts is None:
        return midnight
    minutes = [-1 if text == UNKNOWN else 60 * int(text[:2]) + int(text[3:]) for text in texts]
    found = np.array(minutes, np.int64)
    return np.where(found < 0, NEVER, midnight + (60 * found).astype("timedelta64[s]"))


def _ends_words(sources: tuple[Combination, ...]) -> str:
    """What one row tells of a trip."""
    if len(sources) > 1:
        return (
            "starts and ends were counted apart, so a row tells one end, the other is empty, and no trip is generated. A trip "
            "may have a row in both, so there are about twice as many rows as trips: count visits of tiles with them, not trips"
        )
    told = _ends(sources[0])
    if len(told) > 1:
        return "each row tells something of its start and of its end"
    side = "starts" if told == {"on"} else "ends"
    return f"only {side} were counted, so the other end is empty, and no trip is generated: it loads as a trip of which one end is known"


def _clock_words(sources: tuple[Combination, ...]) -> str:
    """What the times of the rows mean."""
    untimed = [one.name for one in sources if not any(column.endswith("_time") for column in one.columns)]
    said = (
        "Times are the beginnings of bins; an end in an earlier bin than the start is on the next day."
        if len(untimed) < len(sources)
        else ""
    )
    without = [one.name for one in sources if any(f"{end}_time" not in one.columns for end in _ends(one))]
    if without:
        said += (
            f" Where {' or '.join(without)} does not tell the time of an end, that end stands at midnight, because a trips file "
            "cannot leave it out: its hour means nothing, and neither does the duration of the row (0 minutes where no time is "
            "told at all)."
        )
    return said.strip()


STABILITY: Final = StabilityKind()
