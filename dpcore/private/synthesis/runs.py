"""Many throw-away draws of one plan: how much synthetic trips vary from one draw to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.errors import InputError
from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.beside import trips_within
from dpcore.private.synthesis.drawing import must_be_drawable, noisy_tables
from dpcore.private.synthesis.kept import PrivateFigure
from dpcore.private.synthesis.records import exact_tables
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.closeness import Closeness, closeness
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.figure import Figure, figure, top_rows
from dpcore.synthesis.model import fitted
from dpcore.synthesis.sampling import fresh_seed, synthetic_trips
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.tessellation import Tessellation

Key = tuple[str, str]

RUNS: Final = 20
"""As many as Roy et al. make."""
MOST_RUNS: Final = 200


@dataclass(frozen=True)
class Spread:
    """One number over all draws."""

    table: str
    label: str
    original: float | None
    """The true value, where the number is a share; None where it is a distance to the truth."""
    mean: float
    sigma: float
    """Standard deviation from draw to draw: noise and the drawing of trips together."""


@dataclass(frozen=True, repr=False, eq=False)
class SynthesisRuns(Sealed):
    """How far apart the draws of one plan lie. Made from true counts."""

    plan: SynthesisPlan
    runs: int
    rows: tuple[Spread, ...]
    """Shares in per cent of the tables of the paper's Figure 1, the largest of the original."""
    distances: tuple[Spread, ...]
    """The numbers of ``closeness``."""


def synthesis_runs(
    trips: PrivateTrips,
    tessellation: Tessellation,
    plan: SynthesisPlan,
    *,
    runs: int = RUNS,
    progress: Progress | None = None,
) -> SynthesisRuns:
    """So many fresh draws, counted once; raises as ``synthesis_preview``, and InputError for fewer than 2 runs."""
    if not 2 <= runs <= MOST_RUNS:
        raise InputError("the number of runs is out of range", f"{runs} runs", f"Choose 2 to {MOST_RUNS}.")
    tell = progress or (lambda _: None)
    must_be_drawable(plan)
    own = trips_within(trips, tessellation, plan.domain)
    exact = exact_tables(own, plan, bounding_key())
    original = PrivateFigure.of(figure(own.columns, plan.domain))
    lines: dict[Key, list[float]] = {}
    distances: dict[Key, list[float]] = {}
    truth: dict[Key, float] = {}
    for run in range(runs):
        tell(run / runs)
        made = synthetic_trips(fitted(noisy_tables(exact.counts, plan, origin="preview")), fresh_seed())
        for key, true, value in _lines(original, figure(made, plan.domain), plan.domain):
            truth[key] = true
            lines.setdefault(key, []).append(value)
        for key, value in _distances(closeness(own.columns, made, plan.domain)):
            distances.setdefault(key, []).append(value)
    tell(1.0)
    return SynthesisRuns(
        plan,
        runs,
        tuple(_spread(key, truth[key], values) for key, values in lines.items()),
        tuple(_spread(key, None, values) for key, values in distances.items()),
    )


def _lines(original: Figure, made: Figure, domain: TripDomain) -> list[tuple[Key, float, float]]:
    """Every number of the figure as table and label, true value, synthetic value."""
    found = [(("trips", "number of trips"), float(original.trips), float(made.trips))]
    for table, rows in top_rows(original, made, domain).items():
        found += [((table, row.label), row.original, row.synthetic) for row in rows]
    for name, share in original.times_of_day.items():
        found.append((("times of day", name), share, made.times_of_day[name]))
    for name, true, value in zip(
        ("shortest", "mean", "longest"), original.durations, made.durations, strict=True
    ):
        found.append((("durations, seconds", name), true, value))
    return found


def _distances(found: tuple[Closeness, ...]) -> list[tuple[Key, float]]:
    rows: list[tuple[Key, float]] = []
    for one in found:
        rows.append(((one.table, "relative error"), one.relative_error))
        if one.shift is not None:
            rows.append(((one.table, f"earth mover's distance, {one.unit}"), one.shift))
        rows.append(((one.table, f"top {one.top} kept, %"), one.top_kept))
        rows.append(((one.table, f"loss in the top {one.top}, %"), one.utility_loss))
    return rows


def _spread(key: Key, original: float | None, values: list[float]) -> Spread:
    return Spread(key[0], key[1], original, float(np.mean(values)), float(np.std(values, ddof=1)))
