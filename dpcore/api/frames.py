"""A measure as a GeoDataFrame, a map of pydeck or a figure of plotly: of a release, or of an owner's preview.

Each of these packages is imported only when it is needed, because the imports take up to a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.api.offered import offered
from dpcore.api.plans import rung_asked
from dpcore.api.public import (
    Previewed,
    Released,
    estimated_frame,
    estimates_at,
    released_or_previewed,
    table,
)
from dpcore.context import Context, fitted
from dpcore.context.reading import read_context
from dpcore.errors import InputError
from dpcore.estimates import Estimated
from dpcore.measures import MEASURES, Kind, Measure, measure_named
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.sums import sum_named
from dpcore.privacy import decimal_text, rung_number
from dpcore.release import AnyRelease, Release
from dpcore.release.estimates import estimated_at
from dpcore.release.kinds import kind_of
from dpcore.release.kinds.tables import TABLES
from dpcore.release.one_part import must_be_whole
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts, plots
from dpcore.views.ground.reading import trusted
from dpcore.views.ground.shown import drawn, estimated
from dpcore.views.numbers.ranking import ranking_chart, ranking_of
from dpcore.views.numbers.sentences import OWNER_MARK, protection_text

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    import plotly.graph_objects
    import pydeck

COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tile_id": "id of the tile",
        "tile_name": "what people call the tile",
        "day_type": "weekday or weekend",
        "window": "hours of the day, such as 6-10",
        "origin": "id of the tile where the trips start",
        "destination": "id of the tile where they end",
        "value": "noisy count; may be negative",
        "half_width_95": "95 % half width of the noise of one value",
        "low_95": "value less half_width_95",
        "high_95": "value plus half_width_95",
        "estimate": "estimated count; never negative, and sums agree",
        "low": "lower end of the likely range of the estimate",
        "high": "upper end of the likely range of the estimate",
        "stands_out": "whether noise alone could hardly have made the value",
        "truth": "for the owner only: the true count",
        "mark": "says in every row that this is for the owner of the trips only",
        "geometry": "shape of the tile, or line from a point inside the origin to one inside the destination",
    }
)
"""Columns of ``geodataframe`` and what they mean."""


@dataclass(frozen=True)
class _Shown:
    """One measure at one rung."""

    measure: Measure
    measurement: Measurement
    rung: int
    promised: Fraction | None
    """Epsilon of the whole release; None for a preview, which promises nothing."""

    @property
    def mark(self) -> str:
        """The mark of a preview; empty for a release."""
        return OWNER_MARK if self.promised is None else ""


_Rows = tuple["pd.DataFrame", KeySet, NDArray[np.int64], dict[str, object]]
"""Rows with keys first, the keys, the cell of each row, and ``attrs``."""


@offered
def geodataframe(
    source: Released | Previewed,
    measure: str,
    epsilon: Fraction | str | None = None,
    *,
    estimate: str | None = None,
) -> gpd.GeoDataFrame:
    """One measure over places at one rung, as a GeoDataFrame: the columns of ``table`` and the shape of every row.

    Measures over tiles have one row a tile (``visits_per_time_tile``: a tile, day type and window) with its polygon. Flows
    have one row a pair of tiles that is listed, with a line from a point inside the origin to a point inside the
    destination. A flow from a tile to itself is that point. A shapefile cannot hold lines and points together: write a GeoPackage. What lies outside all tiles has no place and is left out here;
    ``table`` has it. Shapes are in WGS84 (EPSG:4326), longitude first.

    Columns: the keys as text; of tiles also ``tile_name``; ``value`` (a noisy whole number, may be negative);
    ``half_width_95``; ``low_95`` and ``high_95``, the ends of the 95 % range; ``stands_out``, whether noise alone could
    hardly have made the value; ``geometry``. A preview has two more, for the owner only: ``truth``, and ``mark``, which
    says so in every row, for files that are written of the frame.

    With ``estimate`` the columns ``estimate``, ``low`` and ``high`` stand in place of those of the noisy counts, see ``table``; flows
    are then the pairs that are estimated at 0.5 or more, wherever visits were released.

    ``attrs`` hold in words ``title``, ``unit`` (what a value counts), ``epsilon`` of the rung, ``promise`` (of the whole
    release), ``columns`` (what each means), and for a preview ``mark``.

    Args:
        source: a release of tables, its receipt or the place of its bundle; or the owner's preview, and then all of this is for the owner alone.
        measure: ``visits_per_tile``, ``visits_per_time_tile`` or ``od_flows``.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        estimate: None for the noisy counts; ``counted`` or ``all`` for estimates of the trips that count, or of all trips.

    Raises:
        InputError: there is no such measure, it counts on no places, or it has no such estimate.
        PrivacyError: that rung was not released.

    """
    import geopandas  # noqa: PLC0415 - half a second, for those who ask

    source = released_or_previewed(source)
    tiles = _tiles(source, measure)
    frame, keys, cells, facts = (
        _noisy_rows(source, measure, epsilon)
        if estimate is None
        else _estimated_rows(source, measure, epsilon, estimate)
    )
    positions = np.unravel_index(cells, keys.shape)
    ends = list(positions[-2 if measure_named(measure).layout.kind is Kind.FLOWS else -1 :])
    if len(ends) == 1:
        names = np.array([*tiles.tile_names, ""], dtype=object)
        frame.insert(len(keys.columns), "tile_name", names[ends[0]])
    placed = np.logical_and.reduce([end < len(tiles.tile_ids) for end in ends])
    framed = geopandas.GeoDataFrame(
        frame[placed].reset_index(drop=True),
        geometry=_shapes(tiles, [end[placed] for end in ends]),
        crs=4326,
    )
    framed.attrs.update(facts)
    framed.attrs["columns"] = {str(name): COLUMNS[str(name)] for name in framed.columns}
    return framed


def _noisy_rows(source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None) -> _Rows:
    """The noisy counts of a measure with their ranges."""
    shown, _ = _placed(source, measure, epsilon)
    frame = table(source, measure, epsilon)
    after = [*frame.columns].index("half_width_95") + 1
    frame.insert(after, "low_95", frame["value"] - frame["half_width_95"])
    frame.insert(after + 1, "high_95", frame["value"] + frame["half_width_95"])
    frame.insert(after + 2, "stands_out", trusted(shown.measurement, shown.rung))
    measurement = shown.measurement
    return frame, measurement.keys, measurement.cell_numbers, _facts(source, shown.measure, shown.rung)


def _estimated_rows(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None, estimate: str
) -> _Rows:
    """The estimates of a measure, which need not be among the released ones."""
    if not _has_places(measure):
        _placed(source, measure, epsilon)  # refuses it
    frame, found = estimated_frame(source, measure, rung_asked(epsilon), estimate)
    facts = _facts(source, measure_named(measure), found.rung)
    said = {name: frame.attrs[name] for name in ("share", "note")}
    table = found.tables[measure]
    return frame, table.keys, table.cell_numbers, facts | said


@offered
def deck(
    source: Released | Previewed,
    measure: str,
    epsilon: Fraction | str | None = None,
    *,
    where: Mapping[str, str] | None = None,
    estimate: str | None = None,
    context: str | Path | Context | bool = True,
    attribution: str = "",
) -> pydeck.Deck:
    """A map of one measure at one rung as a ``pydeck.Deck`` that needs no network: show it in a notebook, or ``to_html``.

    Tiles have the colours of the app's map: viridis, with the same classes at every epsilon, and grey where noise alone
    could have made the count. Flows are the 150 strongest arcs between two tiles. A pointer shows the count with its 95 %
    range in words. Streets, water and names come from the release or from your file, and never from the network: loading a street
    map would tell somebody else where you look. A preview's map has its mark inside the picture; it holds no true counts, and is
    for the owner of the trips alone.

    Args:
        source: a release of tables, its receipt or the place of its bundle; or the owner's preview.
        measure: ``visits_per_tile``, ``visits_per_time_tile`` or ``od_flows``.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        where: keys besides the tile, for ``visits_per_time_tile``: ``{"day_type": "weekday", "window": "6-10"}``.
        estimate: None for the noisy counts; ``counted`` or ``all`` for estimates with their likely ranges, see ``table``. Grey is
            then what has a likely range wider to each side than the estimate.
        context: what lies under the tiles: True for what the release holds, False for nothing, or a file of water, parks,
            streets, railways and names (GeoJSON, GeoPackage, ``.osm.pbf``).
        attribution: whose work that file is, where it does not say so.

    Raises:
        ContextError: the file cannot be used, or does not say whose work it is.
        InputError: there is no such measure or estimate, it counts on no places, or ``where`` names no single map.
        PrivacyError: that rung was not released.

    """
    from dpcore.views.maps.deck import flow_deck, tile_deck  # noqa: PLC0415 - imports pydeck, for those who ask
    from dpcore.views.maps.deck_context import with_context  # noqa: PLC0415 - as above

    source = released_or_previewed(source)
    if estimate is not None:
        made, tiles = (
            _estimated_deck(source, measure, epsilon, estimate, where or {}),
            _tiles(source, measure),
        )
    else:
        shown, tiles = _placed(source, measure, epsilon)
        group = _group(shown.measure, shown.measurement.keys, where or {})
        flows = shown.measure.layout.kind is Kind.FLOWS
        made = (
            flow_deck(_of_group(shown.measurement, group), shown.rung, tiles, shown.mark)
            if flows
            else tile_deck(shown.measurement, shown.rung, tiles, group, shown.mark)
        )
    under = _under(source, tiles, context, attribution)
    return made if under is None else with_context(made, under)


def _under(
    source: AnyRelease | Previewed, tiles: Tessellation, wanted: str | Path | Context | bool, attribution: str
) -> Context | None:
    """What lies under a map of these tiles."""
    if isinstance(wanted, bool):
        return source.context if wanted and isinstance(source, Release) else None
    if isinstance(wanted, Context):
        return fitted(wanted, (*tiles.bounds,))
    place = Path(wanted)
    return read_context(place, place.name, (*tiles.bounds,), attribution)


def _estimated_deck(
    source: AnyRelease | Previewed,
    measure: str,
    epsilon: Fraction | str | None,
    estimate: str,
    where: Mapping[str, str],
) -> pydeck.Deck:
    """The estimates as a map; those of the finest rung give the colours of all rungs their breaks."""
    from dpcore.views.maps.deck import ShownEstimates, estimated_flow_deck, estimated_tile_deck  # noqa: PLC0415 - imports pydeck

    if not _has_places(measure):
        _placed(source, measure, epsilon)  # refuses it
    every = estimate == "all"
    frame, found = estimated_frame(source, measure, rung_asked(epsilon), estimate)
    table, shown = estimated_at(found, measure, all_trips=every)
    tiles, plan = _tiles(source, measure), source.plan
    told = ShownEstimates(
        shown,
        table.counts,
        _whose(estimate),
        f"ε = {decimal_text(plan.rungs[found.rung])} per {plan.bound}",
        frame.attrs["note"],
        "" if isinstance(source, Release) else OWNER_MARK,
    )
    group = _group(measure_named(measure), table.keys, where)
    if measure_named(measure).layout.kind is Kind.FLOWS:
        of_group = _of_group(table, group)
        return estimated_flow_deck(of_group, replace(told, shown=of_group.of(every)), tiles)
    _, finest = estimated_at(estimates_at(source, measure, None), measure, all_trips=every)
    return estimated_tile_deck(table, told, finest, tiles, group)


@offered
def chart(
    source: Released | Previewed,
    measure: str,
    epsilon: Fraction | str | None = None,
    *,
    estimate: str | None = None,
) -> plotly.graph_objects.Figure:
    """One measure at one rung as a figure of plotly: bars or lines with the 95 % range of the noise of every count.

    It is a ``plotly.graph_objects.Figure``: ``show()`` shows it, and ``write_html("chart.html")`` writes a page that needs no
    network and whose title says what it shows.

    Measures of several groups (``trips_per_hour``) have all their pictures in one figure. Measures over tiles and flows are
    maps (``deck``); here they are a ranking: the ten largest noisy counts of tiles, or of pairs of different tiles. Its top
    is lifted by noise more often than lowered, and where two ranges overlap the order is open. Pictures of a release draw a
    count below zero at zero, with a triangle; a pointer says the value as it was released.

    A preview has the true counts beside the noisy ones, except in rankings, and its mark inside the picture: it is for the
    owner of the trips alone.

    Args:
        source: a release of tables, its receipt or the place of its bundle; or the owner's preview.
        measure: name of a measure that it holds.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        estimate: None for the noisy counts; ``counted`` or ``all`` for estimates with their likely ranges, see ``table``.

    Raises:
        InputError: there is no such measure or estimate, or it is a release of another kind than tables.
        PrivacyError: that rung was not released.

    """
    from dpcore.views.charts.titled_figure import TitledFigure  # noqa: PLC0415 - imports plotly, for those who ask

    source = released_or_previewed(source)
    draw = _noisy_chart if estimate is None else partial(_estimated_chart, estimate=estimate)
    made, rung, about = draw(source, measure, epsilon)
    mark = "" if isinstance(source, Release) else OWNER_MARK
    at = decimal_text(source.plan.rungs[rung])
    title = f"{measure_named(measure).title}{about}, ε = {at} per {source.plan.bound}"
    figure = TitledFigure(charts.styled(charts.titled(made, title)))
    figure.update_layout(meta={"title": f"{mark} {title}".strip()})
    return figure


def _noisy_chart(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None
) -> tuple[charts.Chart, int, str]:
    """The noisy counts as a chart, its rung, and what its title says of them."""
    shown = _shown(source, measure, epsilon)
    if _has_places(measure):
        first = ranking_of(drawn(shown.measurement, shown.rung), _tiles(source, measure))
        return ranking_chart(first, shown.mark), shown.rung, ""
    truth = None if isinstance(source, Release) else source.truth[measure]
    made = plots.whole(shown.measurement, shown.rung, truth, shown.mark, clipped=truth is None)
    return made, shown.rung, ""


def _estimated_chart(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None, *, estimate: str
) -> tuple[charts.Chart, int, str]:
    """The estimates as a chart, its rung, and what its title says of them."""
    _, found = estimated_frame(source, measure, rung_asked(epsilon), estimate)
    table, numbers = estimated_at(found, measure, all_trips=estimate == "all")
    whose = _whose(estimate)
    about = f": estimate of {whose}"
    mark = "" if isinstance(source, Release) else OWNER_MARK
    if _has_places(measure):
        first = ranking_of(estimated(table, all_trips=estimate == "all"), _tiles(source, measure))
        return ranking_chart(first, mark), found.rung, about
    truth = None if isinstance(source, Release) else source.truth[measure]
    drawn = source.measurements[measure]
    made = plots.whole(drawn, found.rung, truth, mark, clipped=truth is None, shown=numbers)
    return made, found.rung, about


def _whose(estimate: str) -> str:
    return "all trips" if estimate == "all" else "the trips that count"


def _shown(source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None) -> _Shown:
    promised = None
    if isinstance(source, Release):
        kind = kind_of(source.plan)
        if kind is not TABLES:
            raise InputError(
                f"a release of the kind {kind.words or kind.name} has no such picture",
                source.id,
                kind.instead,
            )
        must_be_whole(source)
        promised = source.plan.epsilon
    if measure not in source.measurements:
        raise InputError.unknown("measure in this release or preview", measure, [*source.measurements])
    if sum_named(measure, source.plan.choices.sums):
        raise InputError(
            "sums and means have no picture", measure, "Use table, which gives them with ranges."
        )
    measurement = source.measurements[measure]
    rung = rung_number(measurement.rungs, rung_asked(epsilon))
    return _Shown(measure_named(measure), measurement, rung, promised)


def _placed(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None
) -> tuple[_Shown, Tessellation]:
    """As ``_shown``, with the tiles; a measure that counts on no places is refused."""
    shown = _shown(source, measure, epsilon)
    if not _has_places(measure):
        placed = [name for name in source.measurements if _has_places(name)]
        raise InputError(
            "this measure counts on no places",
            measure,
            f"Use table or chart. Measures with places here: {', '.join(placed) or 'none'}.",
        )
    return shown, _tiles(source, measure)


def _tiles(source: AnyRelease | Previewed, measure: str) -> Tessellation:
    if source.tessellation is None:
        raise InputError(
            "the tiles of this preview are not known", measure, "Load the trips with load_trips."
        )
    return source.tessellation


def _has_places(measure: str) -> bool:
    return measure in MEASURES and measure_named(measure).layout.kind in {Kind.TILES, Kind.FLOWS}


def _group(measure: Measure, keys: KeySet, where: Mapping[str, str]) -> tuple[str, ...]:
    """The keys before the tile, one for each axis."""
    axes = {axis.column: axis.labels for axis in keys.axes if axis.column in measure.layout.groups}
    choices = "; ".join(f"{name}: {', '.join(labels)}" for name, labels in axes.items())
    if where.keys() != axes.keys() or any(where[name] not in labels for name, labels in axes.items()):
        raise InputError(
            "where names no single map" if axes else "this measure has one map alone",
            measure.name,
            f"Give where one of each: {choices}." if axes else "Leave where out.",
        )
    return tuple(where[name] for name in axes)


_Grouped = TypeVar("_Grouped", Measurement, Estimated)


def _of_group(found: _Grouped, group: tuple[str, ...]) -> _Grouped:
    """The cells of one group, whose keys are the first of the table, as a table of their own."""
    first, rest = found.keys.axes[: len(group)], KeySet(found.keys.axes[len(group) :])
    number = 0
    for axis, label in zip(first, group, strict=True):
        number = number * len(axis.labels) + axis.labels.index(label)
    return found.part(rest, number)


def _shapes(tiles: Tessellation, ends: list[NDArray[np.int64]]) -> NDArray[np.object_]:
    """The polygon of each row, or its line; a point where it starts and ends in one tile."""
    polygons = np.array(tiles.polygons, dtype=object)
    if len(ends) == 1:
        return np.asarray(polygons[ends[0]])
    inside = shapely.point_on_surface(polygons)
    here, there = (inside[end] for end in ends)
    lines = shapely.linestrings(
        np.stack([shapely.get_coordinates(here), shapely.get_coordinates(there)], axis=1)
    )
    return np.asarray(np.where(ends[0] == ends[1], here, lines))


def _facts(source: AnyRelease | Previewed, measure: Measure, rung: int) -> dict[str, object]:
    """The ``attrs`` of the frame, but for its columns."""
    plan: Plan = source.plan
    released = isinstance(source, Release)
    promise = (
        protection_text(plan.bound, plan.epsilon)
        if released
        else "None: this is a preview, and its noise was not paid for."
    )
    facts: dict[str, object] = {
        "measure": measure.name,
        "title": measure.title,
        "unit": measure.counts,
        "epsilon": decimal_text(plan.rungs[rung]),
        "promise": promise,
    }
    return facts if released else facts | {"mark": OWNER_MARK}
