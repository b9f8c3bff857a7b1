"""Pictures of views: their numbers are the Viewer's, and all that is drawn has room."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from datetime import date
from itertools import product
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_hex
from shapely import Point
from shapely import box as rectangle

from dpcore.comparison.change import changes
from dpcore.errors import InputError
from dpcore.estimates.words import likely
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import decimal_text
from dpcore.release.estimates import estimates_of
from dpcore.views.comparison import changes as told_changes
from dpcore.views.ground.reading import coloured_from
from dpcore.views.ground.selection import NOTHING, Selection, districts_shown
from dpcore.views.ground.shown import ranged
from dpcore.views.ground.style import DROWNED, FEW, FLOW
from dpcore.views.maps.address import Address, address
from dpcore.views.maps.context_message import GROUND
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.numbers.estimated import estimate_breaks, note_of_map
from dpcore.views.numbers.guarantee import TERMS, promise_of
from dpcore.views.numbers.hundred import hundred_svg
from dpcore.views.numbers.ranking import first_of
from dpcore.views.numbers.told_tiles import told_of
from dpcore.views.pictures import can_be_drawn, change_of, slide_of
from dpcore.views.pictures.charts import days_of_week, promise_dots
from dpcore.views.pictures.drawn import draw, height_of
from dpcore.views.pictures.files import layout, png, svg
from dpcore.views.pictures.maps import MOST_ARROWS, MOST_NAMES, Places
from dpcore.views.pictures.sheet import Box, Sheet, drawing
from dpcore.views.pictures.slide import DrawnCharts
from tests.context.made_layers import made_context
from tests.release.made_releases import WEEK, drawn_as, made_release
from tests.views.conftest import VIEWS, seen


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_an_svg_that_asks_nobody(release, view):
    slide = seen(release, view)
    text = svg(slide)
    root = ET.fromstring(text)
    assert root.tag.endswith("}svg")
    assert root.get("aria-label") == slide.title
    assert root.find("{http://www.w3.org/2000/svg}title") is None, "browsers lay it over the picture"
    assert slide.source in root.find("{http://www.w3.org/2000/svg}desc").text
    assert "<script" not in text
    assert "<!DOCTYPE" not in text
    links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', text)
    assert all((one or other).startswith("#") for one, other in links)


def test_a_picture_has_more_than_1920_pixels_and_equal_pictures_are_equal_files(release):
    first, again = (seen(release, "flows") for _ in range(2))
    drawn = png(first)
    assert struct.unpack(">II", drawn[16:24]) == (2560, 1440)
    assert drawn == png(again)
    assert svg(first) == svg(again)


def test_a_picture_says_what_it_shows_of_whom_and_by_how_much_it_may_be_off(release):
    slide = seen(release, "map", rung="1")
    estimates = estimates_of(release, 5, of=("visits_per_tile",))
    assert note_of_map(release.measurements["visits_per_tile"], estimates)[1:] in slide.told
    assert release.id in slide.source
    assert "2024-05-01" in slide.source
    assert "(\N{GREEK SMALL LETTER EPSILON} = 10)" in slide.source, "the promise is that of the whole release"
    assert "shown at its stop of \N{GREEK SMALL LETTER EPSILON} = 1." in slide.source
    first = first_of(release, "visits_per_tile", 5, estimates)
    assert slide.drawn.listed.rows[0] == (f"1. {first.names[0]}", likely(*first.shown.numbers.cell(0)))
    tiles = release.tessellation
    ranks = [name for name, _ in slide.drawn.names]
    assert ranks == [str(rank) for rank in range(1, len(slide.drawn.listed.rows) + 1)]
    for name, (_, point) in zip(first.names, slide.drawn.names, strict=False):
        assert tiles.polygons[tiles.tile_names.index(name)].contains(Point(point)), "ranks lie on tiles"
    assert slide.drawn.key.unit.startswith("Visits per tile, ")


def test_the_map_is_grey_where_the_number_is_hidden(large):
    estimate, counted = (
        seen(large, "map", rung="0.1").drawn,
        seen(large, "map", rung="0.1", numbers="released").drawn,
    )
    shown = ranged(estimates_of(large, 0, of=("visits_per_tile",)).tables["visits_per_tile"])
    many = len(large.tessellation.tile_ids)
    hidden = ((shown.high - shown.low) / 2 >= shown.values)[:many]
    few = shown.high[:many] < estimate_breaks(large, "visits_per_tile")[1]
    assert [estimate.colours[one] == FEW for one in estimate.which] == few.tolist()
    assert [estimate.colours[one] == DROWNED for one in estimate.which] == (hidden & ~few).tolist()
    visits = large.measurements["visits_per_tile"]
    drowned = np.array([counted.colours[one] == DROWNED for one in counted.which])
    assert (visits.values[0][:many][~drowned & (counted.which != 1)] >= coloured_from(visits, 0)).all()
    assert (visits.values[0][:many][drowned] < coloured_from(visits, 0)).all()


def test_no_pale_rim_hides_a_thin_flow_on_paper(large):
    """Readers of PDF draw no line thinner than a pixel: a rim that is paler than the flow would hide all of it."""
    drawn = replace(seen(large, "flows").drawn, outlined=(), names=())
    with drawing():
        sheet = Sheet(1280, 720)
        draw(sheet, Box(0, 0, 1000, 600), drawn)
        (axes,) = [one for one in sheet.figure.axes if len(one.patches) >= len(drawn.arrows.sizes)]
        flows = axes.patches[-len(drawn.arrows.sizes) :]
        for one in flows:
            assert one.get_linewidth() == 0 or to_hex(one.get_edgecolor()) == FLOW


def test_flows_that_cannot_be_told_from_none_are_counted_and_not_drawn(large):
    between_tiles = made_release(sparse=True)
    for numbers in ("estimates", "released"):
        slide = seen(between_tiles, "flows", numbers=numbers)
        drawn = slide.drawn
        assert re.search("[0-9,]+ flows between (districts|tiles) are drawn, the first of ", slide.told)
        assert len(drawn.arrows.sizes) == MOST_ARROWS
        assert (drawn.arrows.sizes > 0).all()
        assert (np.diff(drawn.arrows.sizes) <= 0).all(), "the largest first"
        by = "estimate" if numbers == "estimates" else "released count"
        assert slide.sentence.startswith(f"By {by} the busiest flow between ")
        assert (
            drawn.arrows.sure.all() == (numbers == "released") != ("Dashed: not known within" in slide.told)
        )
    hidden = seen(drawn_as(large, "od_districts", 0), "flows", rung="0.1", numbers="released")
    assert (hidden.sentence, hidden.drawn.listed.rows) == (
        "Noise hides all flows: none is surely more than zero.",
        (),
    )
    assert re.search("No flow is drawn: none of the [0-9,]+ can be told from zero", hidden.told)
    tile = between_tiles.tessellation.tile_ids[0]
    chosen = seen(between_tiles, "flows", tile=tile)
    assert chosen.title.startswith(f"Flows: {tile}")
    assert isinstance(chosen.drawn, DrawnMap)


@pytest.mark.parametrize("name", ["sum_duration", "mean_duration"])
@pytest.mark.parametrize("visits", [0, 1], ids=["alone", "beside visits"])
def test_a_map_of_sums_has_their_classes_ranges_and_unit(name, visits):
    made = made_release(
        period=None,
        weights={name: 1, **({"visits_per_tile": 1} if visits else {})},
        choices=KeyChoices(sums={"duration": "0:90:1"}, by="visits_per_tile"),
    )
    for rung in range(len(made.plan.rungs)):
        link = {"rung": decimal_text(made.plan.rungs[rung]), **({"colours": name} if visits else {})}
        slide = seen(made, "map", **link)
        told = told_of(made, name, rung)
        assert slide.title.startswith(f"{'Sum' if name.startswith('sum') else 'Mean'} of duration by tile")
        assert slide.drawn.key.unit.endswith(" of duration by tile, in minutes")
        assert slide.drawn.which.tolist() == told.which.tolist()
        assert slide.drawn.key.colours[-1] == (DROWNED, told.grey)
        assert ("too few" in told.grey) == name.startswith("mean")
        words = [words for _, words in slide.drawn.listed.rows]
        assert words == [told.words(tile) for tile in told.largest(8)]
        assert all("minutes; 95 % range" in one for one in words)
        assert "no estimates" in slide.told
        chosen = seen(made, "map", tile=made.tessellation.tile_ids[1], **link)
        assert chosen.sentence.endswith(told.words(1))
    ET.fromstring(svg(slide))


MODES = (Categories("mode", ("bus", "rail")),)


HELD = {
    "visits": {"weights": {"visits_per_tile": 1}},
    "flows": {"weights": {"od_flows": 1}},
    "districts": {"weights": {"od_districts": 1}},
    "visits and districts": {"weights": {"visits_per_tile": 1, "od_districts": 1}},
    "dates": {"weights": {"trips_over_time": 1}},
    "people": {"weights": {"trips_per_user": 1}},
    "total": {"weights": {"total_trips": 1}},
    "sums": {
        "weights": {"sum_fare": 1},
        "choices": KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile"),
    },
    "split": {"weights": {"visits_per_tile": 1}, "choices": KeyChoices(WEEK, splits=MODES)},
}


@pytest.mark.parametrize("held", HELD)
def test_what_is_offered_can_be_drawn_and_nothing_else_can(held):
    made = made_release(epsilon="1", **HELD[held])
    tiles = made.tessellation
    known = districts_shown(made.plan, tiles)
    choices = [NOTHING, Selection((0,)), *([Selection((0,), True)] if known is not None else [])]
    parts = ((), (("mode", "bus"),)) if held == "split" else ((),)
    for view, released, chosen, part in product((*VIEWS, "download"), (False, True), choices, parts):
        at = Address(view, 0, chosen, released=released, part=part)
        try:
            drawn = slide_of(made, at).drawn is not None
        except InputError:
            drawn = False
        assert can_be_drawn(made, at) is drawn, at


def test_what_is_chosen_has_its_number_beside_the_map(large):
    tile = large.tessellation.tile_ids[3]
    slide, number = seen(large, "map", tile=tile), f"{large.tessellation.tile_names[3]} ({tile}): about "
    assert tile in slide.title
    assert slide.sentence.startswith(number)
    assert seen(large, "map", "Our own words.", tile=tile).told.startswith(number)
    assert len(slide.drawn.outlined) == 1
    assert "unknown" not in slide.told
    assert "does not have" in seen(large, "map", tile="nowhere").told


def test_a_change_is_that_of_the_command_with_both_sources(large):
    values = {
        name: replace(
            one,
            values=one.values
            + (3_000 if name == "visits_per_tile" else 0) * (np.arange(one.values.shape[1]) == 5),
        )
        for name, one in large.measurements.items()
    }
    other = replace(large, id="four-tiles-9-abcdef", drawn=replace(large.drawn, measurements=values))
    found = changes(large, other)
    slide = change_of(large, other)
    assert slide.sentence == told_changes.sentence(found)
    assert told_changes.FALSE_WORDS in slide.told
    claimed = change_of(large, other, said="Trips grew by 40 %.")
    assert claimed.sentence == "Trips grew by 40 %."
    assert claimed.told.startswith(slide.sentence), "what was counted stands beside what was claimed"
    assert large.id in slide.source
    assert other.id in slide.source
    assert slide.drawn.key.unit == "More or fewer visits than before"
    sizes = [size for _, said in slide.drawn.key.colours for size in re.findall(r"[\d,.]+", said)]
    assert sizes
    assert all(
        size.replace(",", "").replace(".", "").strip("0") in {"", "1", "2", "4", "5", "25"} for size in sizes
    ), "round numbers"
    names = [name for name, _ in slide.drawn.listed.rows]
    first = told_changes.names_of(found.cells, large.tessellation, told_changes.announced(found.cells)[:8])
    assert names == [f"{rank}. {name}" for rank, name in enumerate(first, 1)]
    assert isinstance(change_of(large, other, "trips_per_hour").drawn, DrawnCharts | None)
    png(slide)


def test_the_promise_is_said_out_of_a_hundred(release):
    small = made_release(epsilon="0.5")
    times = seen(small, "promise").drawn.times
    promise = promise_of(small)
    assert [one.right for one in times] == [63, 74], "presence, and what somebody did"
    assert [one.said for one in times] == [promise.presence.right_text, promise.doings.right_text]
    assert [one.right for one in seen(release, "promise").drawn.times] == [100, 100], "never rounded down"


@pytest.mark.parametrize(("right", "squares", "rings"), [(50, 0, 50), (74, 24, 26), (100, 50, 0)])
def test_a_hundred_guesses_are_told_apart_by_shape_and_not_by_colour_alone(right, squares, rings):
    root = ET.fromstring(hundred_svg(right, dark=True))
    kinds = [(one.tag.rpartition("}")[2], one.get("fill")) for one in root]
    assert sum(kind == "rect" for kind, _ in kinds) == squares
    assert kinds.count(("circle", "none")) == rings
    assert len(kinds) == 100


def test_the_promise_explains_the_terms_of_small_print_whole(release):
    with drawing():
        for wide, high in ((1168, 420), (380, height_of(promise_dots(promise_of(release))))):
            sheet = Sheet(wide, high)
            draw(sheet, Box(0, 0, wide, high), promise_dots(promise_of(release)))
            seen_words = " ".join(text.get_text() for text in sheet.figure.texts)
            assert all(term in seen_words for term in TERMS)


def test_what_a_link_names_and_the_release_does_not_have_is_said_beside_the_promise(large):
    at, notes = address({"view": "guarantee", "rung": "77"}, large)
    assert notes
    assert slide_of(large, at, None, notes).told.startswith(notes[0])


def test_a_release_whose_tables_are_split_is_drawn_part_by_part():
    split = made_release(
        weights={"visits_per_tile": 1, "trips_per_hour": 1},
        choices=KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),)),
    )
    with pytest.raises(InputError, match="tables of this release are split"):
        seen(split, "map")
    assert "mode bus" in seen(split, "map", part="mode:bus").title
    assert seen(split, "promise").drawn.times


def test_the_page_of_a_part_says_no_number_of_trips_of_all_parts():
    choices = KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),))
    tables = {"visits_per_tile": 1, "trips_per_hour": 1}
    made = made_release(weights={**tables, "total_trips": 1}, choices=choices, epsilon="10")
    of_all = replace(
        made.measurements["total_trips"], values=made.measurements["total_trips"].values + 50_000
    )
    held = {**made.measurements, "total_trips": of_all}
    split = replace(made, drawn=replace(made.drawn, measurements=held))
    source = seen(split, "map", part="mode:bus").source
    assert " trips of mode bus counted" in source
    assert "50," not in source


@pytest.mark.parametrize("view", ["rhythm", "rankings"])
@pytest.mark.parametrize("numbers", ["estimated", "released"])
def test_axes_end_at_a_number_that_no_mark_or_range_exceeds(release, view, numbers):
    panels = seen(release, view, numbers=numbers).drawn.panels
    for panel in panels:
        with drawing():
            sheet = Sheet(1280, 600)
            draw(sheet, Box(0, 0, 1280, 600), DrawnCharts((panel,)))
            axes = sheet.figure.axes[0]
            of = "x" if panel.look == "dots" else "y"
            first, last = axes.get_xlim() if of == "x" else axes.get_ylim()
            lines = axes.get_xticks() if of == "x" else axes.get_yticks()
        assert np.isclose(lines, first).any()
        assert np.isclose(lines, last).any()
        assert last >= np.nanmax([panel.shown.values, panel.shown.high])
        assert first <= panel.shown.values.min()


def test_a_listed_district_is_found_on_the_map_by_its_name(large):
    drawn = seen(large, "flows").drawn
    written = {f"District {name}" for name, _ in drawn.names}
    assert {end for row, _ in drawn.listed.rows for end in row.split(" \N{RIGHTWARDS ARROW} ")} <= written
    for (_, point), border in zip(drawn.names, drawn.outlined, strict=True):
        assert border.contains(Point(point))
    with drawing():
        sheet = Sheet(1280, 600)
        draw(sheet, Box(0, 0, 1280, 600), drawn)
        texts = {text.get_text() for text in sheet.figure.axes[0].texts}
    assert texts == {name for name, _ in drawn.names}


def test_names_of_many_districts_are_not_written():
    many = MOST_NAMES + 1
    shapes = tuple(rectangle(at, 0, at + 1, 1) for at in range(many))
    names, points = tuple(f"District {at}" for at in range(many)), np.zeros((many, 2))
    assert Places(names, points, "between districts", shapes).on_map == ()
    assert len(Places(names[1:], points[1:], "between districts", shapes[1:]).on_map) == MOST_NAMES
    assert Places(names, points, "between tiles").on_map == ()


def test_weekdays_that_sum_unequal_numbers_of_days_say_so():
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    april = Period(date(2017, 4, 1), date(2017, 4, 30))
    assert days_of_week(april, names) == "; Sat, Sun: 5 days each, others: 4"
    assert days_of_week(Period(date(2017, 4, 3), date(2017, 4, 16)), names) == ""
    assert days_of_week(None, names) == ""
    longer = made_release(weights={"trips_over_time": 1}, period=april)
    (week,) = (one for one in seen(longer, "rhythm").drawn.panels if "weekday" in one.title)
    assert week.unit == "trips; Sat, Sun: 5 days each, others: 4"


def test_hours_are_told_as_a_clock_does(release):
    by_hour = [panel for panel in seen(release, "rhythm").drawn.panels if "by hour" in panel.title]
    assert by_hour
    assert {panel.names for panel in by_hour} == {tuple(f"{hour:02}:00" for hour in range(24))}


def test_a_window_and_merged_tiles_are_drawn_as_the_viewer_has_them(large, release):
    assert seen(release, "map", window="weekday.6-10").title.startswith("Arrivals per tile")
    merged = seen(large, "map", merge="10", rung="0.1").drawn
    single = seen(large, "map", rung="0.1").drawn
    drowned = [sum(one.colours[tile] in {DROWNED, FEW} for tile in one.which) for one in (merged, single)]
    assert drowned[0] <= drowned[1]


def test_an_area_is_outlined_as_one_shape(large):
    at, _ = address({"view": "map"}, large)
    slide = slide_of(large, replace(at, chosen=Selection((0, 1, 2))))
    assert slide.title.startswith("Visits per tile: Area of 3 tiles")
    assert len(slide.drawn.outlined) == 1


def test_all_that_is_drawn_has_room_whatever_is_said(large):
    with drawing():
        for said in ("Short.", "A sentence of many words that goes on. " * 15):
            place = layout(seen(large, "map", said))
            assert place.drawn.high > 300
            assert place.sentence.top + place.sentence.high <= place.drawn.top
            assert place.drawn.top + place.drawn.high <= place.told.top
            assert place.told.top + place.told.high <= place.source.top


@pytest.mark.parametrize("view", ["map", "flows"])
def test_a_map_shows_the_water_and_streets_of_its_release_and_says_whose_they_are(release, view):
    around = replace(release, context=made_context(release.tessellation))
    bare, shown = seen(release, view), seen(around, view)
    assert "Water, parks and streets: \N{COPYRIGHT SIGN} Somebody." in shown.told
    assert "Somebody" not in bare.told
    assert (shown.drawn.which == bare.drawn.which).all(), "no tile changes its colour"
    water = f"#{bytes(GROUND['light']['water']).hex()}"
    assert water in svg(shown)
    assert water not in svg(bare)
    assert svg(shown) == svg(shown)
