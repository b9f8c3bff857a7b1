"""The report at one rung: four sections, and in each what there is to see and to say of every measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dpcore.estimates import Estimated, Estimates
from dpcore.estimates.estimate import GAPS
from dpcore.estimates.words import GAPS as NO_RANGE_OF_GAPS
from dpcore.measures import MEASURES
from dpcore.measures import Section as Part
from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import plots
from dpcore.views.charts.charts import Chart
from dpcore.views.charts.series import Counts
from dpcore.views.ground.plain import number, plus_minus
from dpcore.views.ground.reading import series_error, trusted
from dpcore.views.ground.shown import estimated_numbers as estimated_of
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.numbers.sentences import error
from dpcore.views.planning.beside_truth import error_words_of
from dpcore.views.report.numbers import five_rows

FIVE_NUMBERS: Final = (
    "5, 25, 50, 75 and 95 of 100 values lie below these numbers; half of all lie between the second and the fourth. "
    "They are read off the noisy histogram at no cost, or bought on a public grid where that tells more; none is a value of the "
    "data."
)

SECTIONS: Final = (
    (Part.OVERVIEW, "Overview", "How many people and trips, and when."),
    (Part.PLACE, "Place", "Where trips start and end."),
    (Part.OD, "Origin and destination", "From where to where, how long and how far."),
    (Part.USER, "User", "How people differ in what they do."),
)
"""Each section with its title and what it is about, in the order of the report."""

NOISE_DOMINATES: Final = (
    "Noise dominates here. Merge tiles or hours, count more trips, or publish with a larger ε."
)
"""Said where no count of a table stands out of its noise."""

FEW: Final = "Noise dominates the others. Merge tiles or hours to see more."
"""Said where few stand out."""


_FEW: Final = 0.1  # below so small a share of readable counts, what to do is said


@dataclass(frozen=True, eq=False)
class Entry:
    """One measure at one rung: plain texts and, where it has some, charts."""

    measure: str
    title: str
    explanation: str
    noise: str
    """How wide the noise of one count is, in words."""
    price: str
    """Which part of epsilon it got."""
    readable: str
    """How many of its counts stand out of the noise, and what to do if none does."""
    drowned: bool
    """Whether none does."""
    charts: tuple[Chart, ...]
    """Empty for tables over tiles, which are maps and rankings."""
    five: tuple[tuple[str, str, str], ...] = ()
    """The five numbers of a histogram: which, with its interval, and whence; empty for other tables."""
    error: str = ""
    """How wrong it is beside the truth; owner pages only."""


@dataclass(frozen=True, eq=False)
class Section:
    """One part of the report."""

    key: str
    title: str
    about: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class Report:
    """What is to be said at one rung. Sections without any measure are left out."""

    rung: int
    sections: tuple[Section, ...]


def report(release: Release, rung: int, estimates: Estimates | None = None) -> Report:
    """The report of a release at one of its rungs; nothing in it comes from anywhere else.

    ``estimates``: of this rung, drawn in place of the released counts.
    """
    bought, tiles = release.five_numbers, release.tessellation
    return _report(release.plan, release.measurements, rung, tiles=tiles, bought=bought, estimates=estimates)


def report_beside_truth(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    truth: Mapping[str, Counts],
    estimates: Estimates,
    mark: str,
    *,
    tiles: Tessellation,
) -> Report:
    """The report of an owner's preview, its estimates with true counts beside them: private, for the owner alone.

    ``estimates``: of the rung that is looked at. ``mark`` stands on every picture, such as
    ``Owner preview: for the owner only.``
    """
    return _report(plan, measurements, estimates.rung, truth, mark, tiles=tiles, estimates=estimates)


def placed(measurements: Mapping[str, object]) -> list[tuple[str, str, str, list[str]]]:
    """Key, title, words and measures of every section that has some, in order."""
    found = [
        (
            section.value,
            title,
            about,
            [
                name
                for name, measure in MEASURES.items()
                if measure.section is section and name in measurements
            ],
        )
        for section, title, about in SECTIONS
    ]
    return [section for section in found if section[3]]


def noise_words(measurement: Measurement, rung: int, *, estimated: bool = False) -> str:
    """How wide the noise of one released count is, and what the drawn ranges show.

    ``estimated``: likely ranges of estimates are drawn in place of those of the noise.
    """
    wide = measurement.half_widths[rung]
    whose = "Noise of the released counts" if estimated else "Noise"
    if wide == 0:
        return f"{whose}: in 95 of 100 counts none at all ({measurement.counts})."
    said = f"{whose}: in 95 of 100 counts at most {plus_minus(wide, measurement.counts)}."
    return said if estimated else f"{said} The intervals show this range."


def price_words(plan: Plan, measurement: Measurement, rung: int) -> str:
    """Which part of epsilon a measure got, and how much one unit can change it."""
    share, own = float(measurement.share), float(measurement.epsilon(rung))
    unit = "trip" if measurement.bound.unit is PrivacyUnit.TRIP else "person"
    return (
        f"It gets {100 * share:.3g} % of ε: {own:.3g} of {decimal_text(plan.rungs[rung])}. One {unit} can change its "
        f"counts by {number(measurement.sensitivity)} in all."
    )


def readable_words(measurement: Measurement, rung: int) -> str:
    """How many counts stand out of the noise, and what to do if none does."""
    cells, seen = len(measurement.cell_numbers), int(trusted(measurement, rung).sum())
    if not seen:
        return NOISE_DOMINATES
    told = f"{number(seen)} of {number(cells)} counts stand out of the noise."
    return told if seen >= _FEW * cells else f"{told} {FEW}"


def estimated_words(measurement: Measurement, rung: int, estimated: Estimated) -> str:
    """What is drawn of an estimated table, and how many of its released counts stand out of their noise."""
    cells, seen = len(measurement.cell_numbers), int(trusted(measurement, rung).sum())
    wide = plus_minus(measurement.half_widths[rung], measurement.counts)
    said = f"Estimate for {spoken_of(estimated)}. Released counts: {number(seen)} of {number(cells)} above their noise ({wide})."
    return said + _without_range(measurement, estimated)


def _without_range(measurement: Measurement, estimated: Estimated) -> str:
    """Why the chart of times between trips shows no likely range; empty where it does, and for other measures."""
    return f" {NO_RANGE_OF_GAPS}" if measurement.measure == GAPS and not ranged(estimated).is_ranged else ""


def _drawn_words(measurement: Measurement, rung: int, estimated: Estimated) -> str:
    """How many drawn values stand out of the noise; its width stands in the words before."""
    cells, seen = len(measurement.cell_numbers), int(trusted(measurement, rung).sum())
    said = f"{number(seen)} of {number(cells)} drawn values stand out of the noise."
    return said + _without_range(measurement, estimated)


def _report(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    rung: int,
    truth: Mapping[str, Counts] | None = None,
    mark: str = "",
    *,
    tiles: Tessellation,
    bought: BoughtQuantiles | None = None,
    estimates: Estimates | None = None,
) -> Report:
    sections = tuple(
        Section(
            key,
            title,
            about,
            tuple(
                _entry(
                    plan,
                    measurements[name],
                    rung,
                    truth,
                    mark,
                    tiles=tiles,
                    bought=bought,
                    estimated=None if estimates is None else estimates.tables.get(name),
                )
                for name in names
            ),
        )
        for key, title, about, names in placed(measurements)
    )
    return Report(rung, sections)


def _entry(
    plan: Plan,
    measurement: Measurement,
    rung: int,
    truth: Mapping[str, Counts] | None,
    mark: str,
    *,
    tiles: Tessellation,
    bought: BoughtQuantiles | None,
    estimated: Estimated | None = None,
) -> Entry:
    name = measurement.measure
    true = None if truth is None else truth[name]
    drawn = drawn_of(measurement, rung)
    shown = drawn if estimated is None else estimated_of(estimated, drawn)
    if estimated is None:
        readable = readable_words(measurement, rung)
    elif true is None:
        readable = estimated_words(measurement, rung, estimated)
    else:  # nothing is released, and whose trips these are stands once a page
        readable = _drawn_words(measurement, rung, estimated)
    return Entry(
        measure=name,
        title=plan.measure(name).title,
        explanation=plan.measure(name).explanation,
        noise=noise_words(measurement, rung, estimated=estimated is not None),
        price=price_words(plan, measurement, rung),
        readable=readable,
        drowned=estimated is None and not trusted(measurement, rung).any(),
        charts=tuple(
            plots.chart(plot, shown, true, mark, clipped=truth is None) for plot in plots.plots(drawn, tiles)
        ),
        five=five_rows(measurement, rung, bought),
        error="" if true is None else _error(measurement, estimated, true, rung),
    )


def _error(measurement: Measurement, estimated: Estimated | None, true: Counts, rung: int) -> str:
    """How wrong a table is beside all trips."""
    if estimated is None:
        return error(series_error(measurement, rung, true), measurement)
    return error_words_of(measurement, estimated, true, rung)
