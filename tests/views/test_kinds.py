"""Views of releases of other kinds: their numbers are those of the release, each says what it is, and hostile names stay texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import dpcore
from dpcore.errors import BundleError, InputError
from dpcore.kinds.roy.released_views import SYNTHETIC, synthetic_counts
from dpcore.kinds.stability.choices import listed_texts
from dpcore.kinds.stability.plan import LargeCounts, StabilityHistogram
from dpcore.kinds.stability.private.large_counts import stability_histogram
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds
from dpcore.kinds.stability.released_views import sums_by
from dpcore.noise.accuracy import half_width, half_width_of_sum
from dpcore.release import read_bundle, write_bundle
from dpcore.release.kinds import all_kinds
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import plain
from dpcore.views.ground.style import QUIET, ground
from dpcore.views.ground.themes import PAGE_COLOURS, dark_svg
from dpcore.views.kinds import (
    has_views,
    kind_report_html,
    kind_slide,
    kind_slides,
    kind_views,
    read_rows,
    slide_tables,
)
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.pictures.files import drawn_svg, png, svg
from dpcore.views.pictures.slide import DrawnCharts
from tests.chance import at_most, must_fit
from tests.cities import four_tiles
from tests.release.made_releases import made_release
from tests.synthetic_release.made_synthetic import made_synthetic, roy_choices, stability_choices
from tests.synthetic_release.made_tree import day_choices, made_tree

HOSTILE = "<script>alert(1)</script> & $x$"


def named() -> Tessellation:
    tiles = four_tiles()
    return Tessellation(tiles.tile_ids, ("Old town", HOSTILE, "Quay", "=1+1"), tiles.polygons)


@pytest.fixture(scope="module")
def releases():
    alone = (("on_loc",), ("off_loc",), ("on_time", "off_time"))
    return {
        "roy": made_synthetic(tessellation=named()),
        "person": made_synthetic(roy_choices(bound=dpcore.ContributionBound.per_user(3)), title=HOSTILE),
        "parts": made_synthetic(stability_choices(), tessellation=named()),
        "alone": made_synthetic(stability_choices(combinations=alone, period=None)),
        "ways": made_tree(tessellation=named(), number=3_000),
        "days": made_tree(day_choices(), number=3_000),
    }


def test_every_kind_but_tables_has_views_and_an_unknown_view_is_refused_with_those_there_are(releases):
    assert {name for name in all_kinds() if has_views(name)} == {
        name for name, kind in all_kinds().items() if not kind.in_viewer
    }
    assert kind_views(made_release()) == {}
    with pytest.raises(InputError, match="map"):
        kind_slide(releases["roy"], "moon")


def test_every_view_says_its_title_its_release_and_whose_noise_it_has(releases):
    for name, release in releases.items():
        views = kind_views(release)
        assert list(views)[-1] == "promise", name
        for view, shown in zip(views, kind_slides(release), strict=True):
            assert shown.title.endswith(release.title), (name, view)
            assert release.id in shown.source
            assert "No number is exact" in shown.source
            assert (
                "each person" in shown.source
                if name in {"person", "days"}
                else "each single trip" in shown.source
            )
            assert shown.alt


def test_every_view_is_a_picture_in_which_names_are_texts(releases):
    for name, release in releases.items():
        for view in kind_views(release):
            shown = kind_slide(release, view)
            for written in (svg(shown), drawn_svg(shown, "w"), dark_svg(drawn_svg(shown, "n", narrow=True))):
                assert "<script" not in written.lower(), (name, view)
                ET.fromstring(written)
    assert png(kind_slide(releases["roy"], "map"))[:4] == b"\x89PNG"


def test_a_picture_on_a_dark_page_has_none_of_the_light_colours(releases):
    light = drawn_svg(kind_slide(releases["parts"], "map-on"), "w")
    found = dark_svg(light)
    left = {colour for colour in PAGE_COLOURS if colour in found}
    assert left <= {dark for _, dark in PAGE_COLOURS.values()}, "one that is left is a dark one of another"


def test_small_print_is_read_on_a_dark_page(releases):
    """The ink of its words is that of the dark page, and not what that would become if it were a light colour once more."""
    light = drawn_svg(kind_slide(releases["parts"], "map-on"), "w")
    assert light.count(QUIET) > 1
    quiet = PAGE_COLOURS[QUIET][1]
    assert dark_svg(light).count(quiet) == light.count(QUIET)
    assert contrast(quiet, ground(dark=True)) >= 4.5


def contrast(one, other):
    """How far two colours are apart in luminance, as WCAG has it."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_a_report_has_all_views_and_asks_for_nothing(releases):
    for release in releases.values():
        page = kind_report_html(release)
        assert page.count("<section") == len(kind_views(release))
        assert "<script>alert" not in page
        assert not [word for word in ('src="http', "url(http", "@import") if word in page]


@pytest.mark.parametrize("column", ["on_loc", "off_loc", "on_time", "date"])
def test_the_sum_of_a_column_adds_up_what_its_table_lists(releases, column):
    release = releases["parts"]
    found = sums_by(release.drawn.tables, release.tessellation.tile_ids, column)
    listed = [(name, dpcore.table(release, name)) for name in ("on_loc", "on_time+on_loc+off_loc")]
    name, table = next((name, one) for name, one in listed if column in one.columns)
    rows = Counter(table[column])
    for at, label in enumerate(found.labels):
        assert found.values[at] == table.loc[table[column] == label, "value"].sum(), label
        assert found.listed[at] == rows[label]
        if rows[label]:
            rho = release.drawn.tables.plan.rho(one_named(release, name))
            assert found.half_widths[at] == half_width_of_sum(rho, rows[label])
    assert (found.listed <= found.cells).all()
    assert found.cells == {"on_loc": 7, "off_loc": 7 * 5 * 5, "on_time": 7 * 5 * 5, "date": 5}[column]


def one_named(release, name):
    return next(one for one in release.drawn.tables.plan.combinations if one.name == name)


def test_a_single_listed_count_has_the_range_of_its_noise(releases):
    release = releases["alone"]
    found = sums_by(release.drawn.tables, release.tessellation.tile_ids, "on_loc")
    wide = half_width(release.drawn.tables.plan.rho(one_named(release, "on_loc")))
    assert found.cells == 1
    assert found.is_whole.all()
    np.testing.assert_array_equal(found.ranged.high - found.ranged.values, wide)
    assert f"{found.values[0] - wide:,}" in found.words(0).replace("about", "")


def test_where_a_count_is_missing_no_range_is_claimed_and_no_zero(releases):
    release = releases["parts"]
    large = dict(release.drawn.tables.large)
    one = large["on_loc"]
    texts = np.array(one.keys[0])
    keep = ~((one.part == 0) & (texts == "A")) & (texts != "B")
    large["on_loc"] = LargeCounts(
        one.part[keep], (tuple(texts[keep].tolist()),), one.counts[keep], one.threshold
    )
    tables = StabilityHistogram(release.drawn.tables.plan, large, "release")
    less = replace(release, drawn=replace(release.drawn, tables=tables))
    found = sums_by(tables, release.tessellation.tile_ids, "on_loc")
    assert np.isnan(found.ranged.high[0])
    assert found.words(0).startswith("at least about")
    shown = kind_slide(less, "map-on")
    assert isinstance(shown.drawn, DrawnMap)
    assert shown.drawn.which[1] == 0
    assert shown.drawn.key.colours[-1][1].startswith("not listed: below")
    assert "does not mean zero" in shown.told
    assert HOSTILE not in dict(shown.drawn.listed.rows)


def test_where_nothing_is_listed_all_is_grey_and_said(releases):
    release = releases["alone"]
    plan = release.drawn.tables.plan
    none = {
        one.name: LargeCounts(
            np.zeros(0, np.int64), ((),) * len(one.columns), np.zeros(0, np.int64), plan.threshold(one)
        )
        for one in plan.combinations
    }
    empty = replace(release, drawn=replace(release.drawn, tables=StabilityHistogram(plan, none, "release")))
    shown = kind_slide(empty, "map-on")
    assert "nothing is listed" in shown.sentence
    assert not shown.drawn.which.any()
    assert shown.drawn.listed is None
    assert len(shown.drawn.key.colours) == 1
    assert kind_slide(empty, "rankings").drawn is None
    for one in kind_slides(empty):
        svg(one)


def test_synthetic_trips_are_counted_as_they_are_and_called_synthetic(releases):
    release = releases["roy"]
    trips = dpcore.synthetic_trips(release)
    found, ids = synthetic_counts(release), release.tessellation.tile_ids
    assert found.trips == len(trips)
    starts, pairs = (
        Counter(trips["start_tile"]),
        Counter(zip(trips["start_tile"], trips["end_tile"], strict=True)),
    )
    assert found.starts.tolist() == [starts[tile] for tile in ids]
    assert found.flows.tolist() == [[pairs[one, other] for other in ids] for one in ids]
    assert found.hours.tolist() == np.bincount(trips["started_at"].dt.hour, minlength=24).tolist()
    assert found.days == {
        str(day): many for day, many in sorted(Counter(trips["started_at"].dt.date).items())
    }
    for view in ("map", "flows", "rhythm"):
        shown = kind_slide(release, view)
        assert "synthetic" in shown.title
        assert SYNTHETIC in shown.told
        assert "No range is known" in shown.told


def test_the_largest_flow_of_synthetic_trips_is_listed_first_and_a_way_back_home_is_none(releases):
    release = releases["roy"]
    flows = synthetic_counts(release).flows * ~np.eye(4, dtype=bool)
    shown = kind_slide(release, "flows").drawn
    assert shown.listed.rows[0][1] == f"{flows.max():,}"
    assert shown.arrows.sizes.tolist() == sorted(flows[flows > 0].tolist(), reverse=True)[:20]
    assert not shown.arrows.sure.any()


def test_ways_of_a_tree_have_the_ranges_of_its_answers(releases):
    release = releases["ways"]
    shown = kind_slide(release, "ways").drawn
    assert isinstance(shown, DrawnCharts)
    (panel,) = shown.panels
    table = dpcore.table(release, "frequent_ways")
    np.testing.assert_array_equal(panel.shown.values, np.maximum(table["count"], 0))
    np.testing.assert_array_equal(panel.shown.high, table["at_most"])
    assert panel.names[0].startswith("1. ")
    assert "Old town" in " ".join(panel.names)


def test_levels_of_places_have_their_prices(releases):
    shown = kind_slide(releases["days"], "levels").drawn
    assert [words for _, words in shown.key.colours] == ["Critical", "High", "Medium", "Low"]
    assert dict(shown.listed.rows)["High"].endswith("1 place")


def test_tables_of_a_picture_have_its_numbers_with_ranges_and_escape_names(releases):
    found = slide_tables(kind_slide(releases["alone"], "rankings"))
    assert list(found) == ["Where trips start", "Where trips end"]
    assert all(" to " in cell for cell in found["Where trips start"]["trip starts"])
    assert slide_tables(kind_slide(releases["alone"], "promise")) == {}
    names = slide_tables(kind_slide(releases["roy"], "map"))["The first places"][""]
    ranked = [one.replace("\\.", ".").partition(". ")[2] for one in names]  # noise decides at which rank
    assert plain(HOSTILE) in ranked


def test_the_price_of_a_release_stands_beside_every_view(releases):
    assert "ε = 2)" in kind_slide(releases["roy"], "map").source
    assert "δ = 1e-06" in kind_slide(releases["parts"], "map-on").source
    assert Fraction(1) == releases["ways"].plan.epsilon
    assert "ε = " in kind_slide(releases["ways"], "ways").source


def test_the_trips_of_a_bundle_are_counted_as_its_file_has_them_and_of_another_release_not_at_all(tmp_path):
    write_bundle(made_synthetic(id="one"), tmp_path / "one")
    write_bundle(made_synthetic(stability_choices(), id="two"), tmp_path / "two")
    release = read_bundle(tmp_path / "one")
    drawn = synthetic_counts(read_bundle(tmp_path / "one"))
    read_rows(release, tmp_path / "one")
    assert synthetic_counts(release).flows.tolist() == drawn.flows.tolist()
    assert synthetic_counts(release).days == drawn.days
    with pytest.raises(BundleError, match="changed"):
        read_rows(read_bundle(tmp_path / "one"), tmp_path / "two")
    read_rows(read_bundle(tmp_path / "two"), tmp_path / "one")  # its views need no rows


@pytest.mark.parametrize("each", [6, 9, 60])
def test_there_are_as_many_trips_as_the_views_of_large_counts_say_at_least(each):
    choices = stability_choices(combinations=(("on_loc",),))
    plan = choices.plan()
    places = listed_texts("on_loc", plan, four_tiles().tile_ids)
    cells = np.repeat(np.arange(len(plan.partitions) * len(places)), each)
    part, place = np.divmod(cells, len(places))
    ends = TripEnds(plan, part, {"on_loc": CodedColumn(place.astype(np.int32), places)})
    true, looked, below, outside, whole = each * len(plan.partitions), 0, 0, 0, 0
    for _ in range(150):
        found = sums_by(stability_histogram(ends, origin="release"), four_tiles().tile_ids, "on_loc")
        for at in range(len(found.labels)):
            looked += 1
            below += int(found.values[at]) - found.half_widths[at] > true
            if found.is_whole[at]:
                whole += 1
                outside += abs(int(found.values[at]) - true) > found.half_widths[at]
    must_fit(at_most(below, looked, 0.05))
    if each == 60:  # far above the threshold, so that nothing is missing
        assert whole == looked
        must_fit(at_most(outside, whole, 0.05))
