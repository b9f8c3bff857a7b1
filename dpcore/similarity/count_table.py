"""A table of counts on public keys, wherever it comes from: a release, a file, or the owner's own counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.measures import Kind, Layout
from dpcore.similarity.layout import BEYOND, LAYOUTS

Texts = NDArray[np.str_]


@dataclass(frozen=True, repr=False, eq=False)
class CountTable:
    """Counts of one measure by their keys. Its text shows no value: the counts may be private."""

    measure: str
    columns: Mapping[str, Texts]
    """Key columns as text, in the order of the measure; each row once."""
    values: NDArray[np.float64]
    """One for each row; may be negative, where there is noise."""
    step: str = ""
    """What one count of a series over dates covers, ``day``, ``week`` or ``month``; empty where nothing says it."""
    rate: Fraction | None = None
    """Of the noise on each count; None where nothing says that there is noise."""

    @classmethod
    def of(
        cls,
        measure: str,
        columns: Mapping[str, Sequence[str]],
        values: Sequence[float] | NDArray[np.int64],
        step: str = "",
    ) -> CountTable:
        """The table of a known measure; the edges of bins get one written form.

        Raises InputError for an unknown measure, a missing key column, a key that cannot be read, a key that comes
        twice, and values that are no numbers.
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
            raise InputError("a value is no number", measure, "Write a number in every row.")
        if len({*zip(*(column.tolist() for column in table.columns.values()), strict=True)}) < len(
            table.values
        ):
            raise InputError("a key comes twice", measure, "Write each key once.")
        return table

    @property
    def layout(self) -> Layout:
        """How its cells lie."""
        return LAYOUTS[self.measure]


def _readable(measure: str, layout: Layout, keys: dict[str, Texts]) -> dict[str, Texts]:
    """The keys in one written form, after each was read as what it is."""
    try:
        if layout.kind is Kind.BINS:
            edges = {name: [float(edge) for edge in column.tolist()] for name, column in keys.items()}
            return {name: np.array([repr(edge) for edge in column]) for name, column in edges.items()}
        if layout.kind is Kind.LINE:
            keys[layout.columns[-1]].astype(int)
        if layout.kind is Kind.DATES:
            np.array([day for day in keys["date"] if day not in BEYOND], "datetime64[D]")
    except ValueError:
        raise InputError(
            "a key cannot be read",
            measure,
            "Write whole hours and weekdays, dates such as 2024-04-01, and edges.",
        ) from None
    return keys
