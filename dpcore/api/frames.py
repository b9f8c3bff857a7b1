"""A measure as a GeoDataFrame, a map of pydeck or a figure of plotly: of a release, or of an owner's preview.

Each of these packages is imported only when it is needed, because the imports take up to a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.api.offered import offered
from dpcore.api.plans import rung_asked
from dpcore.api.public import (
    Previewed,
    Released,
    estimated_frame,
    released_or_previewed,
    table,
)
from dpcore.context import Context, fitted
from dpcore.context.reading import read_context
from dpcore.errors import InputError
from dpcore.measures import MEASURES, Kind, Measure, measure_named
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.sums import sum_named
from dpcore.privacy import decimal_text, rung_number
from dpcore.release import AnyRelease, Release
from dpcore.release.kinds import kind_of
from dpcore.release.kinds.tables import TABLES
from dpcore.release.one_part import must_be_whole
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts, plots
from dpcore.views.ground.reading import breaks_of_counts, trusted
from dpcore.views.ground.shown import Shown, estimated_numbers, released_numbers
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
    measurement, rung = _measurement_on_places(source, measure, epsilon)
    frame = table(source, measure, epsilon)
    after = [*frame.columns].index("half_width_95") + 1
    frame.insert(after, "low_95", frame["value"] - frame["half_width_95"])
    frame.insert(after + 1, "high_95", frame["value"] + frame["half_width_95"])
    frame.insert(after + 2, "stands_out", trusted(measurement, rung))
    return frame, measurement.keys, measurement.cell_numbers, _facts(source, measure_named(measure), rung)


def _estimated_rows(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None, estimate: str
) -> _Rows:
    """The estimates of a measure, which need not be among the released ones."""
    if not _has_places(measure):
        _measurement_on_places(source, measure, epsilon)  # refuses it
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
    from dpcore.views.maps.deck import Said, flow_deck, tile_deck  # noqa: PLC0415 - imports pydeck, for those who ask
    from dpcore.views.maps.deck_context import with_context  # noqa: PLC0415 - as above

    source = released_or_previewed(source)
    if estimate is None or not _has_places(measure):
        _measurement_on_places(source, measure, epsilon)  # refuses what has no map
    shown, rung, note = _shown_at(source, measure, epsilon, estimate)
    tiles, plan = _tiles(source, measure), source.plan
    group = _group(measure_named(measure), shown.keys, where or {})
    said = Said(f"ε = {decimal_text(plan.rungs[rung])} per {plan.bound}", note, _mark(source))
    if measure_named(measure).layout.kind is Kind.FLOWS:
        made = flow_deck(_of_group(shown, group), tiles, said)
    else:  # the finest rung gives the colours of all rungs their breaks
        finest = shown.finest or _shown_at(source, measure, None, estimate)[0].numbers
        made = tile_deck(shown, breaks_of_counts(np.rint(finest.values).astype(np.int64)), tiles, said, group)
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


def _shown_at(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None, estimate: str | None
) -> tuple[Shown, int, str]:
    """What is asked for, its rung, and what is known of estimates."""
    if estimate is None:
        drawn_there, rung = _measurement_and_rung(source, measure, epsilon)
        return released_numbers(drawn_there, rung), rung, ""
    frame, guessed = estimated_frame(source, measure, rung_asked(epsilon), estimate)
    held = source.measurements.get(measure)
    released = None if held is None else released_numbers(held, guessed.rung)
    found = estimated_numbers(guessed.tables[measure], released, all_trips=estimate == "all")
    return found, guessed.rung, frame.attrs["note"]


def _mark(source: AnyRelease | Previewed) -> str:
    """The mark of a preview; empty for a release."""
    return "" if isinstance(source, Release) else OWNER_MARK


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
    shown, rung, _ = _shown_at(source, measure, epsilon, estimate)
    mark, at = _mark(source), decimal_text(source.plan.rungs[rung])
    if _has_places(measure):
        made = ranking_chart(ranking_of(shown, _tiles(source, measure)), mark)
    else:
        truth = None if isinstance(source, Release) else source.truth[measure]
        made = plots.whole(shown, truth, mark, clipped=truth is None)
    about = "" if shown.is_drawn else f": estimate of {shown.about}"
    title = f"{measure_named(measure).title}{about}, ε = {at} per {source.plan.bound}"
    figure = TitledFigure(charts.styled(charts.titled(made, title)))
    figure.update_layout(meta={"title": f"{mark} {title}".strip()})
    return figure


def _measurement_and_rung(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None
) -> tuple[Measurement, int]:
    """The noisy counts of a measure of tables, and the number of the rung."""
    if isinstance(source, Release):
        kind = kind_of(source.plan)
        if kind is not TABLES:
            raise InputError(
                f"a release of the kind {kind.words or kind.name} has no such picture",
                source.id,
                kind.instead,
            )
        must_be_whole(source)
    if measure not in source.measurements:
        raise InputError.unknown("measure in this release or preview", measure, [*source.measurements])
    if sum_named(measure, source.plan.choices.sums):
        raise InputError(
            "sums and means have no picture", measure, "Use table, which gives them with ranges."
        )
    measurement = source.measurements[measure]
    return measurement, rung_number(measurement.rungs, rung_asked(epsilon))


def _measurement_on_places(
    source: AnyRelease | Previewed, measure: str, epsilon: Fraction | str | None
) -> tuple[Measurement, int]:
    """As ``_held``; a measure that counts on no places is refused."""
    found = _measurement_and_rung(source, measure, epsilon)
    if not _has_places(measure):
        placed = [name for name in source.measurements if _has_places(name)]
        raise InputError(
            "this measure counts on no places",
            measure,
            f"Use table or chart. Measures with places here: {', '.join(placed) or 'none'}.",
        )
    return found


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


def _of_group(shown: Shown, group: tuple[str, ...]) -> Shown:
    """The cells of one group, whose keys are the first of the table, as a table of their own."""
    first, rest = shown.keys.axes[: len(group)], KeySet(shown.keys.axes[len(group) :])
    number = 0
    for axis, label in zip(first, group, strict=True):
        number = number * len(axis.labels) + axis.labels.index(label)
    return shown.part(rest, number)


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
