"""The estimates that a report file carries for its script, and what of them stands in its text.

Small cities get those of every stop. For others the file would be long in the making and large, so it carries those of the
finest stop, and at the other stops it shows the released counts and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates, Ranged
from dpcore.estimates.words import LIKELY, NOT_COMPUTED, likely, told_numbers
from dpcore.measures.keys import OUTSIDE
from dpcore.measures.measurement import Measurement
from dpcore.measures.split import parts_of
from dpcore.release.estimates import are_computed, estimates_to_show, no_estimates
from dpcore.release.release import Release
from dpcore.views import estimated
from dpcore.views.estimated import estimate_breaks, ranged, spoken_of
from dpcore.views.estimated_flows import drawn_cells, ranged_at, released_of_cells, strongest
from dpcore.views.estimated_ranking import EstimatedRanking
from dpcore.views.plain import number
from dpcore.views.report.data import MOST_FLOWS, OF_A_TILE, first_few, grids, pictured
from dpcore.views.report.markup import either
from dpcore.views.report.numbers import FIRST_ROWS, end_label, row, table
from dpcore.views.sentences import interval
from dpcore.views.series import top_of
from dpcore.views.style import Json
from dpcore.views.tile_facts import tile_label

MOST_TILES: Final = 500
"""Cities of more tiles get the estimates of the finest stop alone; of split tables the tiles of all parts count."""
_MOST_ESTIMATES: Final = 30_000  # of one table over all rungs; each has two ends besides
_MOST_PAIRS: Final = 100  # rows of districts
_DIGITS: Final = 4  # decimals that travel of a plot: so many that the words come out as in Python
NOT_HERE: Final = "The estimates of this file are those of the finest ε. These are the released counts."
"""Said at a stop whose estimates the file does not carry."""


@dataclass(frozen=True, eq=False)
class Carried:
    """The estimates of the stops that a file carries."""

    release: Release
    by_rung: tuple[Estimates | None, ...]
    """None where they are not carried; at the finest stop only where none could be computed."""

    @classmethod
    def of(cls, release: Release, progress: Callable[[float], None] | None = None) -> Carried:
        """The estimates of a release: of every stop, or of the finest one in a large city."""
        rungs = len(release.plan.rungs)
        tiles = len(release.tessellation.tile_ids) * len(parts_of(release.plan.choices.splits))
        first = 0 if tiles <= MOST_TILES else rungs - 1
        found = []
        for done, rung in enumerate(range(first, rungs), 1):
            found.append(estimates_to_show(release, rung))
            if progress:
                progress(done / (rungs - first))
        if not all(map(are_computed, found)):
            return cls(release, (None,) * rungs)
        return cls(release, (*[None] * first, *found))

    @property
    def computed(self) -> bool:
        """Whether there are estimates, which the file has a switch for."""
        return self.by_rung[-1] is not None

    def sides(self, guessed: Callable[[], str], drawn: str) -> str:
        """What is seen on the one or the other side of the switch; without estimates the released side alone."""
        return either(guessed(), drawn) if self.computed else drawn

    @property
    def finest(self) -> Estimates:
        """Those of the finest stop."""
        return self.by_rung[-1] or no_estimates(len(self.by_rung) - 1)

    def table(self, measure: str, rung: int) -> Estimated | None:
        """One table at a stop; None where it is not carried."""
        found = self.by_rung[rung]
        return None if found is None else found.tables.get(measure)

    def shown(self, measure: str, rung: int) -> Ranged | None:
        """What is drawn of it."""
        found = self.table(measure, rung)
        return None if found is None else ranged(found)

    def grid(self, measure: str, rung: int) -> Ranged | None:
        """What is drawn of a table over tiles, rounded as words tell it: few digits travel, and maps agree with words."""
        found = self.shown(measure, rung)
        if found is None or (self.is_large(measure) and rung < len(self.by_rung) - 1):
            return None
        return told(found)

    def is_large(self, measure: str) -> bool:
        """Whether a table over tiles is so large that its estimates travel at the finest stop alone."""
        return self.release.measurements[measure].values.size > _MOST_ESTIMATES


def estimates_json(carried: Carried) -> Json:
    """Everything that the script needs of the estimates."""
    release, finest = carried.release, carried.finest
    held = release.measurements
    found: Json = {
        "about": {name: spoken_of(one) for name, one in finest.tables.items()},
        "share": ["" if one is None else estimated.share_text(one) for one in carried.by_rung],
        "grids": {name: _rows(carried, held[name], None) for name in grids(release)},
        "breaks": {name: list(estimate_breaks(release, name)) for name in grids(release)},
        "plots": {},
    }
    for one in pictured(release):
        if one.whole.measure in finest.tables:
            cells = one.plot.cells + one.first
            rows = _rows(carried, one.whole, cells)
            found["plots"][one.identity] = {**rows, "tops": _tops(carried, one.whole, cells)}
    if "od_flows" in finest.tables and not release.plan.choices.splits:
        found["flows"] = _flows(carried)
    return found


def _rows(carried: Carried, measurement: Measurement, cells: NDArray[np.int64] | None) -> Json:
    """Values and ends by rung, None where they are not carried; of a table over tiles (no ``cells``) rounded."""
    name, of = measurement.measure, slice(None) if cells is None else cells
    read = carried.grid if cells is None else carried.shown
    shown = [read(name, rung) for rung in range(len(carried.by_rung))]
    return _by_rung([None if one is None else one.at(of) for one in shown])


def _by_rung(rows: list[Ranged | None]) -> Json:
    return {
        key: [None if one is None else _listed(one.columns[part]) for one in rows]
        for part, key in enumerate(("rows", "low", "high"))
    }


def told(shown: Ranged) -> Ranged:
    """Estimates rounded to the digits that words tell (``words.likely``)."""
    return Ranged(*told_numbers(*shown.columns))


def _listed(values: NDArray[np.float64]) -> list[float | None] | None:
    """Numbers as JSON. An end that is not known is None, and one None stands for a row of them."""
    unknown = np.isnan(values)
    if len(values) and unknown.all():
        return None
    rounded = np.round(np.where(unknown, 0, values), _DIGITS).tolist()
    return [
        None if absent else int(value) if value == int(value) else value
        for value, absent in zip(rounded, unknown.tolist(), strict=True)
    ]


def _tops(carried: Carried, measurement: Measurement, cells: NDArray[np.int64]) -> list[int | None]:
    """The end of the vertical axis at each stop; groups of one table share one."""
    grouped = len(measurement.keys.axes) > 1
    shown = [carried.shown(measurement.measure, rung) for rung in range(len(carried.by_rung))]
    return [None if one is None else top_of(one, None if grouped else cells) for one in shown]


def _told_words(shown: Ranged, at: int) -> str:
    """The words of an estimate that is rounded already."""
    value, low, high = shown.cell(at)
    ends = "no range is known" if np.isnan(high) else f"{LIKELY} {number(low)} to {number(high)}"
    return f"about {number(value)} ({ends})"


def flow_cells(carried: Carried) -> NDArray[np.int64]:
    """The cells of the estimated flows that travel: the strongest, the drawn ones, and the strongest of each tile."""
    found = carried.finest.tables["od_flows"]
    order = strongest(found, len(found.cell_numbers), found.cell_numbers != found.keys.size - 1)
    falling = found.cell_numbers[order]
    ends = np.unravel_index(falling, found.keys.shape)
    chosen = [falling[:MOST_FLOWS], drawn_cells(found)]
    chosen += [falling[first_few(np.asarray(end), OF_A_TILE)] for end in ends]
    return np.unique(np.concatenate(chosen))


def _flows(carried: Carried) -> Json:
    finest, cells = carried.finest.tables["od_flows"], flow_cells(carried)
    origin, destination = np.unravel_index(cells, finest.keys.shape)
    tables = [carried.table("od_flows", rung) for rung in range(len(carried.by_rung))]
    found: Json = _by_rung([None if one is None else told(ranged_at(one, cells)) for one in tables])
    at = np.searchsorted(cells, drawn_cells(finest))
    return {
        "from": origin.tolist(),
        "to": destination.tolist(),
        **found,
        "drawn": at.tolist(),
        "strongest": max([1, *(found["rows"][-1][i] for i in at.tolist())]),
        "outside": OUTSIDE,
    }


def tile_table(carried: Carried, rung: int) -> str:
    """The busiest tiles by their estimates, each with its released count."""
    release, visits = carried.release, carried.release.measurements["visits_per_tile"]
    shown = carried.grid("visits_per_tile", rung)  # as it travels: so the script finds the same order
    values = visits.values[rung].astype(float) if shown is None else shown.values
    about = spoken_of(carried.finest.tables["visits_per_tile"])
    rows = []
    for tile in np.argsort(-values[: len(release.tessellation.tile_ids)], kind="stable")[:FIRST_ROWS]:
        guess = "" if shown is None else _told_words(shown, int(tile))
        drawn = interval(int(visits.values[rung][tile]), visits.half_widths[rung])
        rows.append(row(tile_label(release, int(tile)), guess, drawn))
    head = ("tile", f"estimate, {about}", "released count (95 % of the noise)")
    return table(head, rows, "Tiles by estimated visits", 'data-rows="guessed"')


def flow_table(carried: Carried, rung: int) -> str:
    """The strongest estimated flows between tiles; none at a stop whose estimates are not carried."""
    release, one = carried.release, carried.table("od_flows", rung)
    rows = []
    if one is not None:
        cells = flow_cells(carried)
        shown = told(ranged_at(one, cells))  # as they travel: so the script finds the same order
        top = np.argsort(-shown.values, kind="stable")[:FIRST_ROWS]
        ends = np.unravel_index(cells[top], one.keys.shape)
        rows = [
            row(
                end_label(release, int(start)),
                end_label(release, int(end)),
                _told_words(shown, int(at)),
            )
            for at, start, end in zip(top, *ends, strict=True)
        ]
    head = ("from", "to", f"estimate, {spoken_of(carried.finest.tables['od_flows'])}")
    return table(head, rows, "Flows by estimated trips", 'data-rows="guessedflows"')


def ranking_table(ranking: EstimatedRanking, title: str) -> str:
    """The first ten by their estimates."""
    shown = ranking.shown
    released = ranking.released or ("",) * len(ranking.names)
    rows = [
        row(
            f"{i + 1}. {name}",
            likely(*shown.cell(i)),
            *([drawn] if ranking.released else []),
        )
        for i, (name, drawn) in enumerate(zip(ranking.names, released, strict=True))
    ]
    head = ("", f"estimate, {ranking.about}", *(("released count",) if ranking.released else ()))
    return table(head, rows, title, titled=False)


def districts_table(carried: Carried, rung: int) -> str:
    """Flows between districts: estimate and released count, the largest first."""
    drawn = carried.release.measurements["od_districts"]
    one, keys = carried.table(drawn.measure, rung), drawn.keys.labels(drawn.cell_numbers)
    order = np.argsort(-drawn.values[rung], kind="stable") if one is None else strongest(one, drawn.keys.size)
    shown = None if one is None else ranged(one)
    released = released_of_cells(carried.release, drawn.measure, drawn.cell_numbers, rung)
    rows = [
        row(
            f"{keys['origin'][at]} to {keys['destination'][at]}",
            "" if shown is None else likely(*shown.cell(at)),
            released[at],
        )
        for at in order[:_MOST_PAIRS]
    ]
    about = spoken_of(carried.finest.tables[drawn.measure])
    head = ("districts", f"estimate, {about}", "released count (95 % of the noise)")
    return table(head, rows, "Flows between districts")


def above(carried: Carried, rung: int) -> str:
    """Share and assumption, for the head of the file."""
    found = carried.by_rung[rung]
    if found is None:
        return f'<p class="warned">{escape(NOT_HERE if carried.computed else NOT_COMPUTED)}</p>'
    warned = ' class="warned"' if estimated.doubtful(found) else ""
    said = escape(estimated.about_estimates(carried.release.plan, found))
    return f"<p{warned}>{said}</p>"
