"""Tables of counts on public keys, and one side of a comparison: a release, a folder of files, or the owner's counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from dpcore import limits, wings
from dpcore.comparison.layout import BEYOND, LAYOUTS
from dpcore.errors import InputError
from dpcore.measures.keys import KeySet
from dpcore.measures.measure import Kind, Layout
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import FIVE_NUMBERS
from dpcore.noise.expected_estimates import VISITS
from dpcore.privacy import rung_number
from dpcore.release import AnyRelease, Release, kind_of
from dpcore.release.five_numbers import five_numbers
from dpcore.release.kind import AnyKind
from dpcore.release.kinds.tables import TABLES
from dpcore.release.one_part import must_be_whole
from dpcore.tiles import Tessellation

Texts = NDArray[np.str_]

VISITS_OF_A_TRIP: Final = "visits of a trip"
"""A name in the ``meaning`` of visits per tile: which visits of a trip count, where that is known."""
_ENDS: Final = 2
_VALUE: Final = "value"
_MOST_BYTES: Final = limits.MAX_BUNDLE_UNPACKED_BYTES


@dataclass(frozen=True, repr=False, eq=False)
class CountTable:
    """Counts of one measure by their keys. Its text shows no value, because the counts may be private."""

    measure: str
    columns: Mapping[str, Texts]
    """Key columns as text, in the order of the measure. Each row occurs once."""
    values: NDArray[np.float64]
    """One for each row. With noise it may be negative."""
    step: str = ""
    """What one count of a series over dates covers: ``day``, ``week`` or ``month``; empty if unknown."""
    rate: Fraction | None = None
    """Rate of the noise on each count; None if nothing says that there is noise."""
    meaning: Mapping[str, Hashable] = field(default_factory=dict)
    """What a cell counts beyond what its key says, by a name in the plural, such as ``parts``. Where both sides name it, they must
    agree."""
    lacks: frozenset[str] = frozenset()
    """Keys that it cannot count, such as ``outside``: they are compared with nothing."""
    ranged: bool = True
    """Whether ``rate`` tells all of the noise. If not, no difference is told from noise. No rate tells the noise of
    rows that were drawn from noisy tables."""
    threshold: int | None = None
    """The smallest count that is listed. A cell that is not listed is below it, which is not zero. None: every cell is known."""
    own: Layout | None = None
    """How its cells lie, if its measure is not in ``LAYOUTS``."""

    @classmethod
    def of(
        cls,
        measure: str,
        columns: Mapping[str, Sequence[str]],
        values: Sequence[float] | NDArray[np.int64],
        step: str = "",
    ) -> CountTable:
        """The table of a known measure. The edges of bins are brought to one written form.

        Raises InputError for an unknown measure, a missing key column, a key that cannot be read, a key that occurs
        twice, and values that are not numbers.
        """
        if measure not in LAYOUTS:
            raise InputError.unknown("measure", measure, list(LAYOUTS))
        layout = LAYOUTS[measure]
        for name in layout.columns:
            if name not in columns:
                raise InputError(
                    f"column '{name}' is missing",
                    measure,
                    f"Its key columns are {', '.join(layout.columns)}.",
                )
        keys = {name: np.asarray(columns[name], dtype=np.str_) for name in layout.columns}
        table = cls(measure, _readable(measure, layout, keys), np.asarray(values, np.float64), step)
        if not np.isfinite(table.values).all():
            raise InputError("a value is not a number", measure, "Write a number in every row.")
        if len({*zip(*(column.tolist() for column in table.columns.values()), strict=True)}) < len(
            table.values
        ):
            raise InputError("a key occurs twice", measure, "Write each key once.")
        return table

    @property
    def layout(self) -> Layout:
        """How its cells lie."""
        return self.own or LAYOUTS[self.measure]


def _readable(measure: str, layout: Layout, keys: dict[str, Texts]) -> dict[str, Texts]:
    """The keys in one written form, each checked by its kind."""
    try:
        if layout.kind is Kind.BINS:
            edges = {name: [float(edge) for edge in column.tolist()] for name, column in keys.items()}
            return {name: np.array([repr(edge) for edge in column]) for name, column in edges.items()}
        if layout.kind is Kind.LINE:
            keys[layout.columns[-1]].astype(int)  # here and below only to see that it can be read
        if layout.kind is Kind.DATES:
            np.array([day for day in keys["date"] if day not in BEYOND], "datetime64[D]")
    except ValueError:
        raise InputError(
            "a key cannot be read",
            measure,
            "Write whole hours and weekdays, dates such as 2024-04-01, and edges.",
        ) from None
    return keys


@dataclass(frozen=True, repr=False, eq=False)
class Side:
    """Tables by measure, with their tiles if these are known. Its text shows no value, because it may be private."""

    name: str
    tables: Mapping[str, CountTable]
    tessellation: Tessellation | None = None
    released: bool = False
    """Whether all of it is a release: noise that was paid for, in a bundle that was checked. Nothing else proves that it
    holds no exact count, so a comparison with any other side is for the owner of the trips only."""
    notes: tuple[str, ...] = ()
    """What must be read beside every comparison with it, a sentence each."""


def side_of_folder(place: Path) -> Side:
    """A folder of files MEASURE.csv with their key columns and ``value``. They hold one rung, and any rung is accepted.

    Raises InputError: no tables there, or a table that cannot be read.
    """
    try:
        files = sorted(path for path in place.iterdir() if path.suffix == ".csv" and path.stem in LAYOUTS)
    except OSError:
        raise InputError(
            "the folder cannot be read", str(place), "Give a bundle or a folder of tables."
        ) from None
    files = [path for path in files if path.stem != FIVE_NUMBERS or _is_long(path)]
    if not files:
        raise InputError(
            "there are no tables here",
            str(place),
            f"Give a bundle, or a folder with files such as visits_per_tile.csv. Known: {', '.join(LAYOUTS)}.",
        )
    return Side(place.name, {path.stem: _table_of_csv(path) for path in files})


def can_be_compared(kind: AnyKind) -> bool:
    """Whether releases of a kind have tables that can be laid beside those of another release."""
    return kind is TABLES or wings.comparison_of(kind) is not None


def side_of_any(release: AnyRelease, epsilon: Fraction | None = None, name: str = "") -> Side:
    """What can be compared of a release of any kind. Only tables have rungs: other kinds ignore ``epsilon``.

    Raises InputError for a kind of which nothing can be compared, and as ``side_of_release``.
    """
    kind = kind_of(release.plan)
    if kind is TABLES:
        return side_of_release(release, epsilon, name)
    wing = wings.comparison_of(kind)
    if wing is None:
        raise InputError(
            f"nothing of a release of the kind {kind.words or kind.name} can be compared",
            release.id,
            "If it has a file of trips, load that as a data set (on the Data page, or with exact) and compare what is counted from it.",
        )
    found: Side = wing.side(release, name or release.id)
    return replace(found, tessellation=release.tessellation, released=True)


def side_of_release(release: Release, epsilon: Fraction | None = None, name: str = "") -> Side:
    """The tables of a release at a released rung, by default the finest.

    Raises PrivacyError if it was not released, InputError if they are split.
    """
    must_be_whole(release)
    drawn = side_of_measurements(name or release.id, release.measurements, epsilon, release.tessellation)
    side = replace(drawn, released=True)
    if VISITS in side.tables and (release.plan.choices.visits_cap or 0) > _ENDS:
        with_ways = replace(side.tables[VISITS], meaning={VISITS_OF_A_TRIP: "its ends and the tiles between"})
        side = replace(side, tables={**side.tables, VISITS: with_ways})
    summary = [one for one in five_numbers(release, epsilon) if isfinite(one.value)]
    if not summary:
        return side
    keys = {"measure": [one.measure for one in summary], "statistic": [one.statistic for one in summary]}
    table = CountTable.of(FIVE_NUMBERS, keys, [one.value for one in summary])
    return replace(side, tables={**side.tables, FIVE_NUMBERS: table})


def side_of_measurements(
    name: str,
    measurements: Mapping[str, Measurement],
    epsilon: Fraction | None = None,
    tessellation: Tessellation | None = None,
) -> Side:
    """Noisy tables at one rung, by default the finest. PrivacyError if it is not among their rungs."""
    tables = {}
    for measure, measurement in measurements.items():
        rung = rung_number(measurement.rungs, epsilon, name)
        if measure in LAYOUTS:
            columns = measurement.keys.labels(measurement.cell_numbers)
            values = measurement.values[rung]
            table = CountTable.of(measure, columns, values, _step(measurement.keys))
            tables[measure] = replace(table, rate=measurement.rho(rung))
    return Side(name, tables, tessellation)


def side_of_tables(
    name: str,
    tables: Mapping[str, Mapping[str, Sequence[str] | Sequence[int]]],
    tessellation: Tessellation | None = None,
) -> Side:
    """Tables by measure as columns of text, with their counts under ``value``. Raises as ``CountTable.of``."""
    found = {}
    for measure, table in tables.items():
        keys = {
            column: [str(key) for key in entries] for column, entries in table.items() if column != _VALUE
        }
        found[measure] = CountTable.of(measure, keys, [float(value) for value in table[_VALUE]])
    return Side(name, found, tessellation)


def _step(keys: KeySet) -> str:
    """What a date of these keys covers; empty without dates."""
    return next((axis.covers for axis in keys.axes if axis.covers), "")


def _is_long(path: Path) -> bool:
    """Whether a file of five-number summaries has one row for each number, and not one for each measure as in other programs."""
    try:
        with path.open("rb") as file:
            header = file.readline(limits.MAX_RECORD_BYTES).decode("utf-8", "replace")
    except OSError:
        return True  # reading the table will say what is wrong
    return _VALUE in header.strip().split(",")


def _table_of_csv(path: Path) -> CountTable:
    """One CSV file. Its values may be private, so no message quotes any."""
    if path.stat().st_size > _MOST_BYTES:
        raise InputError("the file is too large", path.name, "Compare tables of fewer cells.")
    texts = dict.fromkeys(LAYOUTS[path.stem].columns, pa.string())
    options = pa.csv.ConvertOptions(
        column_types=texts | {_VALUE: pa.float64()},
        strings_can_be_null=False,
        null_values=[],
    )
    try:
        table = pa.csv.read_csv(path, convert_options=options)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InputError(
            "the table cannot be read",
            path.name,
            "Write CSV in UTF-8 with a header and numbers under 'value'.",
        ) from None
    if _VALUE not in table.column_names:
        raise InputError("column 'value' is missing", path.name, "Write the counts in a column named value.")
    columns = {name: table[name].to_pylist() for name in texts if name in table.column_names}
    return CountTable.of(path.stem, columns, table[_VALUE].to_numpy())
