"""The curves of one measure that need no simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import Kind, Layout
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.similarity.groups import groups_of
from dpcore.similarity.layout import LAYOUTS, places
from dpcore.utility_curves.bands import Curve, Rates, line_bands, number_bands, share_bands
from dpcore.utility_curves.cells import Cells

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class CellCounts:
    """Counts of one measure before noise. Its text shows none: they are as private as what they were read from."""

    measure: str
    keys: KeySet
    cells: Counts
    """Numbers of the cells with a count, rising; all others count 0."""
    truth: Counts
    """The count of each that is compared with."""
    counted: Counts
    """The count of each that gets the noise: without the trips that a bound leaves out."""
    false_flows: Fraction | None = None
    """Where the release leaves small noisy counts out: how many empty cells it lists by chance."""


def worked_out(counts: CellCounts, rhos: Rates) -> tuple[Curve, ...]:
    """Every metric with a formula against epsilon, none for a measure that cannot be compared.

    A sparse table is taken as released up to each epsilon by itself.
    """
    layout = LAYOUTS.get(counts.measure)
    if layout is None:
        return ()
    table = Cells.of(
        counts.truth,
        counts.counted,
        empty=counts.keys.size - len(counts.cells),
        false_flows=counts.false_flows,
    )
    bands = number_bands(table, rhos) if layout.kind is Kind.NUMBERS else share_bands(table, rhos)
    units = {"kld": "bits"}
    found = [Curve(counts.measure, name, units.get(name, ""), band) for name, band in bands.items()]
    if layout.ordered and bands:
        found.append(_along_a_line(counts, layout, rhos))
    return tuple(found)


def curves_of_release(measurement: Measurement) -> tuple[Curve, ...]:
    """The curves that follow from a release itself, its finest noisy counts put in the place of the true ones.

    An estimate that anyone may make. Where counts are small their noise is taken for trips, and the curve is too good.
    """
    finest = np.maximum(measurement.values[-1], 0)
    counts = CellCounts(
        measurement.measure,
        measurement.keys,
        measurement.cell_numbers,
        finest,
        finest,
        false_flows=None if measurement.cells is None else measurement.expected_false,
    )
    return worked_out(
        counts, {epsilon: measurement.rho(rung) for rung, epsilon in enumerate(measurement.rungs)}
    )


def _along_a_line(counts: CellCounts, layout: Layout, rhos: Rates) -> Curve:
    columns = {name: np.array(texts) for name, texts in counts.keys.labels(counts.keys.all_cells).items()}
    groups = groups_of([columns[name] for name in layout.groups], counts.keys.size)
    truth, counted = np.zeros(counts.keys.size, np.int64), np.zeros(counts.keys.size, np.int64)
    truth[counts.cells], counted[counts.cells] = counts.truth, counts.counted
    bands = line_bands(truth, counted, places(layout, columns), groups, rhos)
    return Curve(counts.measure, "emd", layout.unit, bands)
