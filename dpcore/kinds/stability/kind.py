"""The kind ``stability``: large noisy counts of trip ends, as for the Opal cards (``dpcore.kinds.stability``).

No trip is drawn. The rows of one combination that has both ends, or of one combination for each end, are repeated as often
as they were counted. What a combination does not say stays empty. So a reader makes the rows again and compares them.
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
from dpcore.kinds.stability.choices import CHOICES, DATE, StabilityChoices, listed_texts
from dpcore.kinds.stability.plan import (
    UNKNOWN,
    Combination,
    LargeCounts,
    Neighbours,
    StabilityHistogram,
    StabilityPlan,
    Variant,
)
from dpcore.kinds.stability.questions import of_large_counts
from dpcore.kinds.stability.thresholds import reported
from dpcore.kinds.stability.totals import parts_words, totals
from dpcore.kinds.stability.zones import tiles_of_zones
from dpcore.noise.accuracy import half_width
from dpcore.planning.choice import Choice
from dpcore.planning.python_text import Raw, call
from dpcore.privacy import Promise, at_most_text, decimal_text, delta_text
from dpcore.release.canonical import CHANGED, delta_of, epsilon_of
from dpcore.release.kind import Expected, Object
from dpcore.release.kinds.counted import NOISE, VALUE, CountedKind, place_of, texts_of
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.release.kinds.trip_rows import BATCH_ROWS, NEVER, NO_DATE, Integers, Times, TripRows, places_words
from dpcore.release.layout import TILES
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.tiles.tile_ids import must_not_be_a_place

HistogramDrawn = Synthetic[StabilityHistogram]

ENDS: Final = ("on", "off")
"""How the names of columns begin: for the start of a trip, and for its end."""
_NOWHERE: Final = -1
_FEW: Final = 12
"""So many categories are named on a card."""
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
"""Names of the variants, as people read them."""


class StabilityKind(CountedKind[StabilityChoices, StabilityHistogram, StabilityPlan]):
    """A release of large noisy counts, without the small ones."""

    name: ClassVar[str] = StabilityChoices.kind
    pictures: ClassVar[tuple[str, ...]] = ("map-on", "map-off", "rhythm", "rankings")
    words: ClassVar[str] = "large counts"
    instead: ClassVar[str] = "Use table, ask or synthetic_trips."
    asked: ClassVar[type] = StabilityChoices
    choices: ClassVar[tuple[Choice, ...]] = CHOICES
    first_options: ClassVar[tuple[str, ...]] = ("period", "parts", "skip", "zones", "delta", "variant")
    made_by: ClassVar[str] = "dpcore.stability_plan"
    about: ClassVar[str] = "**Large counts**: times and places with many trips. Small counts are left out"
    noise: ClassVar[str] = "stability-based histogram with discrete Laplace noise"
    what: ClassVar[str] = (
        "Large counts of trips with random noise (differential privacy). Small counts are left out."
    )
    may_be_negative: ClassVar[bool] = False
    extras_words: ClassVar[str] = "Attributes of trips"

    def look(self, plan: StabilityChoices) -> str:
        return call("dpcore.table", Raw("release"), self.names(plan.plan())[0])

    def promised(self, plan: StabilityChoices) -> Promise:
        if plan.variant.neighbours is Neighbours.REPLACE_ONE:
            return Promise.of_replacing(plan.bound, plan.epsilon, plan.delta)
        return super().promised(plan)

    def tiles(self, plan: StabilityChoices, tessellation: Tessellation) -> Tessellation:
        """The tiles, merged into their zones if there are any."""
        return super().tiles(plan, tiles_of_zones(tessellation, plan.zones) if plan.zones else tessellation)

    def extras(self, plan: StabilityChoices) -> tuple[str, ...]:
        """The attributes that divide the trips."""
        return tuple(one.name for one in plan.divisions)

    def counted(self, plan: StabilityChoices, tiles: Tessellation) -> StabilityPlan:
        return plan.plan()

    def names(self, counted: StabilityPlan) -> tuple[str, ...]:
        return tuple(one.name for one in counted.combinations)

    def keys(self, counted: StabilityPlan, name: str) -> tuple[str, ...]:
        """The columns of the parts, if there are parts, then those of the combination."""
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
            "relation": counted.variant.neighbours.value,  # for which this table's epsilon holds
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
        """The tables with their keys checked; PrivacyError if a tile has the name of the category for unknown places."""
        must_not_be_a_place(UNKNOWN, tile_ids)
        if counted.zones and {*counted.zones.values()} != {*tile_ids}:
            raise BundleError("the tiles are not the zones of the plan", TILES, CHANGED)
        large = {name: _large(counted, name, table, tile_ids) for name, table in found.items()}
        return StabilityHistogram(counted, large, "release")

    def repeated(self, release: Release[StabilityChoices, HistogramDrawn]) -> list[str]:
        return [one.name for one in sources_of_trips(release.drawn.tables.plan)]

    def trips(
        self, release: Release[StabilityChoices, HistogramDrawn], writer: TripRows
    ) -> Iterator[pa.RecordBatch]:
        sources = sources_of_trips(release.drawn.tables.plan)
        for one in sources:  # each source gets an equal share of the rows that may be written
            most = limits.MAX_SYNTHETIC_TRIPS // len(sources)
            yield from _rows_of(release.drawn.tables, one, writer, most)

    def fits(self, release: Release[StabilityChoices, HistogramDrawn], tables: Iterator[pa.Table]) -> bool:
        """Whether these are exactly the rows of the release, in their order."""
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

    def answers(self, release: Release[StabilityChoices, HistogramDrawn], question: str) -> pa.Table:
        counted = release.drawn.tables.plan
        return of_large_counts(release, question, lambda name: self.width(counted, name))

    def mechanism(self, release: Release[StabilityChoices, HistogramDrawn]) -> str:
        return (
            f"Each value is {NOISE} Only keys that occur get noise, and only noisy counts of at least a threshold are shown "
            "(stability-based histogram). A key that is not listed had a noisy count below the threshold, or does not occur: a missing "
            "key never means zero. A key that is listed does occur. Delta bounds the probability that a key of one single privacy unit is listed."
        )

    def rows_words(self, release: Release[StabilityChoices, HistogramDrawn]) -> str:
        plan = release.drawn.tables.plan
        sources = sources_of_trips(plan)
        day = (
            ""
            if DATE in plan.partition_by
            else f" No dates were released: all rows have the date {NO_DATE.isoformat()}."
        )
        return (
            f"The trips repeat each row of {' and of '.join(one.name for one in sources)} as often as its noisy count says: "
            f"{_ends_words(sources)}. {_clock_words(sources)}{day} Rows without any time are in the tables only. "
            f"{places_words(release.drawn.form)}"
        )

    def relations(self, release: Release[StabilityChoices, HistogramDrawn]) -> tuple[str, ...]:
        """The promise under each relation, a sentence each, and why attributes that divide the trips cost nothing."""
        said = tuple(
            f"If {'one ' + total.unit} {_CHANGED[total.neighbours]}: epsilon {at_most_text(total.epsilon)}, and a delta of at most "
            f"{delta_text(total.delta)} by the noise and the thresholds as they are."
            for total in totals(release.plan.plan())
        )
        return (*said, parts_words(release.plan.plan())) if release.plan.divisions else said

    def days_words(self, plan: StabilityChoices) -> str:
        days, skipped = super().days_words(plan), plan.skipped
        return days if skipped is None else f"{days}, and so are {skipped.first} to {skipped.last}"

    def told(self, release: Release[StabilityChoices, HistogramDrawn]) -> tuple[str, ...]:
        large = release.drawn.tables.large
        rows = sum(len(one.counts) for one in large.values())
        tables = f"{len(large):,} {'tables' if len(large) > 1 else 'table'}"
        why = []
        if release.plan.variant.neighbours is Neighbours.REPLACE_ONE:
            costs = totals(release.plan.plan())[0].epsilon
            why.append(
                f"epsilon {decimal_text(release.plan.epsilon)} is the promise where one trip is replaced by another. Accounts count one "
                f"trip added or removed, and for that the same noise costs epsilon {at_most_text(costs)}"
            )
        if rows:
            reached = f"{rows:,} {'rows' if rows > 1 else 'row'} of {tables} reached the threshold; all others are left out"
            return (*why, reached)
        nothing = (
            f"0 rows of {tables} reached the threshold, so nothing is shown. The release was charged all the same. Next time look at "
            "a draw on the Synthesize page first, and choose longer bins, no dates or a higher epsilon"
        )
        return (*why, nothing)

    def particulars(self, plan: StabilityChoices) -> tuple[str, ...]:
        clock = any("_time" in column for one in plan.combinations for column in one)
        bins = f", in bins of {plan.minutes} minutes" if clock else ""
        counted = ", ".join(column_words("+".join(one)) for one in plan.combinations)
        divided = [
            f"Parts by {one.name}: "
            f"{', '.join(one.words) if len(one.words) <= _FEW else f'{len(one.words):,} categories'}."
            for one in plan.divisions
        ]
        skipped = [] if plan.skipped is None else [f"Left out: {plan.skipped.first} to {plan.skipped.last}."]
        zones = [f"Tiles merged into {len({*dict(plan.zones).values()}):,} zones."] if plan.zones else []
        return (
            f"Noise and promise: {VARIANTS[plan.variant]}.",
            f"Counted: {counted}{bins}.",
            *divided,
            *skipped,
            *zones,
        )


def column_words(name: str) -> str:
    """A combination in words.

    >>> column_words("on_time+on_loc")
    'time on and place on'
    """
    words = {"time": "time", "loc": "place"}
    parts = [column.partition("_") for column in name.split("+")]
    return " and ".join(f"{words.get(kind, kind)} {end}" for end, _, kind in parts)


def sources_of_trips(plan: StabilityPlan) -> tuple[Combination, ...]:
    """The combinations whose rows become trips: one that has both ends, or the best one of each end, starts first.

    The best combination has the most places, then the most columns, then both ends; among equals it is the first. If it has one
    end only, the best combination of the other end alone comes with it. Then starts and ends can both be counted.
    """
    best = max(plan.combinations, key=_detail)
    if len(_ends_in(best)) > 1:
        return (best,)
    of_end = {end: [one for one in plan.combinations if _ends_in(one) == {end}] for end in ENDS}
    return tuple(max(found, key=_detail) for found in of_end.values() if found)


def _combination(plan: StabilityPlan, name: str) -> Combination:
    return next(one for one in plan.combinations if one.name == name)


def _ends_in(one: Combination) -> set[str]:
    """The ends of a trip, out of ``ENDS``, for which a combination has a column."""
    return {column.partition("_")[0] for column in one.columns}


def _detail(one: Combination) -> tuple[int, int, int]:
    return sum(column.endswith("_loc") for column in one.columns), len(one.columns), len(_ends_in(one))


def _large(plan: StabilityPlan, name: str, table: pa.Table, tile_ids: tuple[str, ...]) -> LargeCounts:
    """The counts of a combination from its columns; BundleError if the plan cannot have given them."""
    combination, place = _combination(plan, name), place_of(name)
    part = np.zeros(len(table), np.int64)
    if plan.partition_by:
        part = plan.parts_of(
            [
                np.asarray(
                    pc.fill_null(
                        pc.index_in(texts_of(table[column]), value_set=pa.array(values, pa.string())), -1
                    ),
                    np.int64,
                )
                for column, values in zip(plan.partition_by, plan.values, strict=True)
            ]
        )
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
    """A column as Python texts. Equal texts share one object, so that a column of many rows stays small."""
    coded = texts_of(column).dictionary_encode()
    texts: list[str] = coded.dictionary.to_pylist()
    return tuple(texts[code] for code in coded.indices.to_pylist())


def _rows_of(
    tables: StabilityHistogram, one: Combination, writer: TripRows, most: int
) -> Iterator[pa.RecordBatch]:
    """The rows of one combination, at most so many."""
    large = tables.large[one.name]
    parts, by = tables.plan.partitions, tables.plan.partition_by
    days = [date.fromisoformat(part[-1]) if DATE in by else NO_DATE for part in parts]
    midnight = np.array(days, "datetime64[s]")[large.part]
    columns = dict(zip(one.columns, large.keys, strict=True))
    divided = {
        name: pa.array([part[at] for part in parts], pa.string())
        for at, name in enumerate(by)
        if name != DATE
    }
    tiles = tuple(_tiles(columns.get(f"{end}_loc"), writer, len(large.part)) for end in ENDS)
    times = [_times(columns.get(f"{end}_time"), midnight) for end in ENDS]
    on, off = (end in _ends_in(one) for end in ENDS)
    on_times = times[0] if on else np.full(len(midnight), NEVER)
    off_times = times[1] if off else np.full(len(midnight), NEVER)
    # an end in an earlier bin than the start is on the next day; without times, both ends are at midnight
    off_times = np.where(off_times < on_times, off_times + np.timedelta64(1, "D"), off_times)
    timed = ~(np.isnat(on_times) & np.isnat(off_times))  # a trips file has no row without any time
    # no count needs more rows than ``most``, and the sum of many huge counts would overflow
    last = np.cumsum(np.where(timed, np.minimum(large.counts, most), 0))
    total = min(int(last[-1]) if len(last) else 0, most)
    for begin in range(0, max(1, total), BATCH_ROWS):
        row = np.searchsorted(last, np.arange(begin, min(begin + BATCH_ROWS, total)), side="right")
        extras = {name: texts.take(pa.array(large.part[row])) for name, texts in divided.items()}
        yield writer.batch((tiles[0][row], tiles[1][row]), (on_times[row], off_times[row]), extras)


def _tiles(texts: tuple[str, ...] | None, writer: TripRows, rows: int) -> Integers:
    if texts is None:
        return np.full(rows, _NOWHERE, np.int64)
    return np.array([writer.place.get(text, _NOWHERE) for text in texts], np.int64)


def _times(texts: tuple[str, ...] | None, midnight: Times) -> Times:
    """The beginning of each bin of times; midnight if the combination has no times, NaT if the time is unknown."""
    if texts is None:
        return midnight
    minutes = [-1 if text == UNKNOWN else 60 * int(text[:2]) + int(text[3:]) for text in texts]
    found = np.array(minutes, np.int64)
    return np.where(found < 0, NEVER, midnight + (60 * found).astype("timedelta64[s]"))


def _ends_words(sources: tuple[Combination, ...]) -> str:
    """What one row says about a trip."""
    if len(sources) > 1:
        return (
            "starts and ends were counted apart, so a row has one end, and the other end is empty. No trip is generated. A trip may "
            "have a row in both, so there are about twice as many rows as trips. Use the rows to count visits of tiles, not trips"
        )
    ends = _ends_in(sources[0])
    if len(ends) > 1:
        return "each row says something about the start and about the end of a trip"
    side = "starts" if ends == {"on"} else "ends"
    return f"only {side} were counted, so the other end is empty, and no trip is generated. A row loads as a trip with one known end"


def _clock_words(sources: tuple[Combination, ...]) -> str:
    """What the times of the rows mean, in words."""
    untimed = [one.name for one in sources if not any(column.endswith("_time") for column in one.columns)]
    said = (
        "Times are the beginnings of bins; an end in an earlier bin than the start is on the next day."
        if len(untimed) < len(sources)
        else ""
    )
    without = [one.name for one in sources if any(f"{end}_time" not in one.columns for end in _ends_in(one))]
    if without:
        said += (
            f" The time of an end is missing in {' and in '.join(without)}. That end is put at midnight, because a trips file cannot "
            "leave it out. Its hour means nothing, and neither does the duration of the row (0 minutes if there is no time at all)."
        )
    return said.strip()


KIND: Final = StabilityKind()
