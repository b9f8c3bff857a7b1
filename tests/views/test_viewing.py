"""What viewers read: dots, cards, tile facts, tables, the guarantee and the summary, from a release alone."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dpcore.measures import MEASURES
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.sums import sum_of
from dpcore.release.estimates import estimates_of
from dpcore.views.charts import plots, series
from dpcore.views.charts.charts import larger
from dpcore.views.ground import reading, style
from dpcore.views.ground.selection import Selection
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.address import (
    UNKNOWN_RELEASE,
    UNKNOWN_RUNG,
    UNKNOWN_SECTION,
    UNKNOWN_TILE,
    UNKNOWN_VIEW,
    Address,
    address,
    first_view,
    release_named,
)
from dpcore.views.maps.projection import tile_paths
from dpcore.views.maps.window_message import windows_of
from dpcore.views.numbers import estimated, ranking, sentences, tile_facts
from dpcore.views.numbers.guarantee import guarantee
from dpcore.views.numbers.ranking import NONE_RANKED
from dpcore.views.numbers.told_tiles import sums_in_all
from dpcore.views.report import report_html, summary
from tests.release.made_releases import made_release
from tests.views.made import measurement

HOSTILE = "<script>alert(1)</script> & \"x\" 'y' ![p](http://evil.example)"


@pytest.fixture(scope="module")
def release():
    return made_release()


@pytest.fixture(scope="module")
def sparse():
    return made_release(sparse=True, period=None)


def test_each_dot_is_one_chance_in_twenty():
    rho = Fraction(1, 50)
    at = tile_facts.dots(1_000, rho)
    assert len(at) == tile_facts.DOTS
    assert list(at) == sorted(at)
    for i, dot in enumerate(at):
        below = 1 - tile_facts.chance_at_least(1_000, int(dot) + 1, rho)
        assert below == pytest.approx((i + 0.5) / 20, abs=0.011)


def test_the_chance_of_being_over_a_line_is_the_law_of_the_noise():
    rate, q = 0.7, exp(-0.7)
    chances = {v: (1 - q) / (1 + q) * q ** abs(v) for v in range(-80, 81)}
    for line in (5, 9, 10, 11, 16):
        wanted = sum(p for v, p in chances.items() if 10 - v >= line)
        assert tile_facts.chance_at_least(10, line, rate) == pytest.approx(wanted)


def test_dots_are_never_drawn_below_zero_and_the_answer_counts_them():
    rho = Fraction(1, 30)
    chart = tile_facts.dotplot(10, rho, 50, "visits")
    assert chart.table["count"].min() == 0
    over = int((chart.table["over"] == "yes").sum())
    assert tile_facts.answer(10, rho, 50, "visits").startswith(f"{over} of 20 dots")
    assert f"{over} of them" in chart.alt
    assert tile_facts.answer(10, rho, 0, "visits") == "A count is never below zero."


def test_a_link_and_its_address_are_each_other_s_inverse(release):
    there = Address("rhythm", 3, Selection((1,)), present=True)
    query = there.link(release, "four")
    assert query == {"release": "four", "view": "rhythm", "rung": "0.5", "tile": "B", "present": "1"}
    assert address(query, release) == (there, ())
    there = Address("measures", 0, section="od")
    assert address(there.link(release, "four"), release) == (there, ())


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ({"view": "../../etc"}, UNKNOWN_VIEW),
        ({"tile": "<script>alert(1)</script>"}, UNKNOWN_TILE),
        ({"tile": "outside"}, UNKNOWN_TILE),
        ({"tile": "0"}, UNKNOWN_TILE),
        ({"rung": "3"}, UNKNOWN_RUNG),
        ({"rung": "1e999"}, UNKNOWN_RUNG),
        ({"rung": "-1"}, UNKNOWN_RUNG),
        ({"rung": "0.50"}, UNKNOWN_RUNG),
        ({"section": "../od"}, UNKNOWN_SECTION),
    ],
)
def test_what_a_link_names_wrongly_falls_back_with_a_note_that_repeats_nothing(release, query, note):
    found, notes = address(query, release)
    assert notes == (note,)
    assert found == Address("map", len(release.plan.rungs) - 1)
    assert not any(value in note for value in query.values() if len(value) > 3)


def test_an_unknown_release_is_the_first_one_with_a_note():
    assert release_named({"release": "../secret"}, ["a", "b"]) == ("a", UNKNOWN_RELEASE)
    assert release_named({"release": "b"}, ["a", "b"]) == ("b", "")
    assert release_named({}, ["a", "b"]) == ("a", "")


def test_a_release_without_a_map_begins_where_it_has_something():
    people = made_release(weights={"trips_per_user": 1}, period=None)
    flows = made_release(weights={"od_flows": 1}, period=None)
    assert address({}, people)[0].view == "rhythm"
    assert address({}, flows)[0].view == "read"
    assert address({"rung": "2"}, flows)[0].view == "flows", "a link to a stop opens its numbers"


def test_cards_speak_of_what_was_released_only(release):
    labels = [card.label for card in sentences.release_cards(release, 0)]
    assert labels == ["Readable tiles", "Noise of a tile", "Flows that stand out"]
    assert sentences.release_cards(made_release(weights={"trips_per_user": 1}), 0) == ()
    loud = measurement("visits_per_tile", [1, 2, 3, 4])
    assert sentences.noise_card(loud, 0).note == "No tile stands out of it."
    assert sentences.readable_card(loud, 0).value == "0 of 3"
    assert sentences.readable_card(measurement("visits_per_tile", [900, 900, 900, 0]), 2).note.startswith(
        "None"
    )
    assert "no flow stands out" in sentences.flow_sentence(measurement("od_flows", [0] * 16), 0).lower()
    assert "**1 flow** stands" in sentences.flow_sentence(measurement("od_flows", [9_000] + [0] * 15), 2)
    assert "**2 flows** stand" in sentences.flow_sentence(measurement("od_flows", [9_000] * 2 + [0] * 14), 2)


def test_an_absent_pair_is_explained(release, sparse):
    od = sparse.measurements["od_flows"]
    words = sentences.absent_pairs(od)
    assert f"below {od.threshold:,}" in words
    assert "not none" in words
    assert "Every pair" in sentences.absent_pairs(release.measurements["od_flows"])


def test_a_tile_says_its_count_and_its_rank(release):
    finest = len(release.plan.rungs) - 1
    facts = tile_facts.tile_facts(release, finest, 0)
    value = int(release.measurements["visits_per_tile"].values[finest][0])
    wide = release.measurements["visits_per_tile"].half_widths[finest]
    low, middle, high = (
        int(n.replace(",", "").replace("\N{MINUS SIGN}", "-"))
        for n in re.search(r"\(([\S]+) to", facts.visits).groups()
        + re.search(r"about (\S+)", facts.visits).groups()
        + re.search(r"to (\S+)\)", facts.visits).groups()
    )
    assert abs(middle - value) <= wide / 3
    assert low < middle < high
    assert re.match(r"Rank \d of 4", facts.rank)


def test_a_tile_of_a_release_without_visits_keeps_its_parts_empty():
    people = made_release(weights={"trips_per_user": 1})
    assert tile_facts.tile_facts(people, 0, 0) == tile_facts.TileFacts("", False, "")
    assert tile_facts.negative(3) == ""
    assert "is below zero" in tile_facts.negative(-3)


def test_names_of_tiles_are_plain_text_in_facts_and_tables(release):
    tiles = release.tessellation
    named = type(tiles)(tiles.tile_ids, ("=1+1", "[a](http://b)", "C", "D"), tiles.polygons)
    hostile = made_release(tessellation=named)
    table = estimated.visits_table(hostile, estimates_of(hostile, 2))
    assert "'=1+1" in set(table["name"])
    flat = str(ranking.ranking_table(ranking.first_of(hostile, "visits_per_tile", 2)))
    assert "[a]" not in flat
    assert tile_facts.tile_label(hostile, 1) == "[a](http://b) (B)"
    assert tile_facts.tile_label(hostile, 2) == "C"


def test_tables_hold_the_released_values_below_zero_too(release):
    visits = release.measurements["visits_per_tile"]
    for rung in range(len(release.plan.rungs)):
        table = estimated.visits_table(release, estimates_of(release, rung))
        assert sorted(table["released count"]) == sorted(visits.values[rung].tolist())
        assert table["tile"].iloc[-1] == "outside"
        assert ((table["noise to"] - table["noise from"]) == 2 * visits.half_widths[rung]).all()
    shares = [float(share.rstrip(" %")) for share in reading.accuracy_table(release, 0)["share of ε"]]
    assert sum(shares) == pytest.approx(100, abs=2)
    ladder = reading.ladder_table(release)
    assert len(ladder["ε"]) == len(release.plan.rungs)


def test_pictures_are_clipped_with_a_mark_and_tables_are_not():
    low = measurement("trips_per_weekday", [-40, 5, 80, 90, 70, 60, 50])
    chart = plots.whole(drawn_of(low, 2), clipped=True)
    assert chart.table["drawn"].min() == 0
    assert chart.table["noisy"].min() == -40
    assert triangles(chart) == ["Mon"]
    assert chart.figure["layout"]["yaxis"]["range"][0] == 0
    high = plots.whole(drawn_of(measurement("trips_per_weekday", [9] * 7), 2), clipped=True)
    assert not triangles(high)
    assert series.chart_table(chart)["about"].min() == -40


def triangles(chart):
    marks = [
        trace for trace in chart.figure["data"] if trace.get("marker", {}).get("symbol") == "triangle-down"
    ]
    return [place for trace in marks for place in trace["x"]]


def test_every_clipped_chart_begins_at_zero_and_holds_its_band(release):
    draw = {
        "trips_over_time": series.over_time,
        "trips_per_weekday": plots.whole,
    }
    for name, picture in draw.items():
        charts = [
            picture(drawn_of(release.measurements[name], r), clipped=True)
            for r in range(len(release.plan.rungs))
        ]
        for chart in charts:
            low, high = chart.figure["layout"]["yaxis"]["range"]
            assert low == 0
            assert chart.table["top"].max() <= high
    days = series.chart_table(
        series.over_time(drawn_of(release.measurements["trips_over_time"], 0), clipped=True)
    )
    assert days["at"].iloc[0] == "2024-04-01"
    wall = larger(charts[0], 300, 16).figure["layout"]
    assert (wall["font"]["size"], wall["height"]) == (16, 300)


def test_bins_are_named_as_a_person_reads_them():
    people = made_release(weights={"trips_per_user": 1}).measurements["trips_per_user"]
    names = series.bin_names(people.keys.axes[0])
    assert names[0] == "under 2"
    assert names[1] == "2"
    assert names[-1].endswith("or more")
    assert any(" to " in name for name in names)
    assert series._bin_name("0.5", "1.5") == "0.5 to under 1.5"
    times = made_release(weights={"travel_time": 1}).measurements["travel_time"]
    named = plots.whole(drawn_of(times, 0), clipped=True).table["at"].tolist()
    assert named[:2] == ["under 5", "5 to under 10"]  # nine and a half minutes have their place
    chart = plots.whole(drawn_of(people, 0), clipped=True)
    assert chart.table["at"].tolist() == names


def test_the_guarantee_names_its_parameters_and_where_it_was_charged(release):
    said = guarantee(release)
    facts = dict(said.facts)
    assert facts["ε (epsilon) in all"] == "2"
    assert facts["Hidden"].startswith("a person (M: at most 3")
    assert facts["Days of the series"] == "2024-04-01 to 2024-04-07"
    assert dict(said.ledger)["Charged"] == "ε 2 of 10"
    assert said.digests[0][1] == release.anchor.hash
    assert "at most 89 times" in said.promise[1]  # whether somebody is there, at epsilon 2
    assert "(clinic or square?): at most 99 times" in said.promise[1]
    trip = guarantee(made_release(unit="trip", period=None, raised_from="first-1"))
    assert dict(trip.facts)["Hidden"] == "one trip"
    assert dict(trip.facts)["Continues the ladder of"] == "first-1"
    assert "Days of the series" not in dict(trip.facts)
    assert any("20 trips" in sentence for sentence in trip.not_protected)


def sheet_of(page: str) -> str:
    """The summary with which a report begins on paper."""
    return page[page.index('<div class="sheet">') : page.index("<header>")]


@pytest.mark.parametrize("made", [{}, {"period": None}, {"weights": {"trips_per_user": 1}}, {"unit": "trip"}])
def test_the_summary_and_its_report_without_charts_have_no_script_or_request(made):
    page = report_html(made_release(title=HOSTILE, note=HOSTILE * 5, **made), 1, static=True)
    assert "<script" not in page.lower()
    assert "script-src 'none'" in page
    assert not re.search(r"(src|url|@import)\s*[=(]|href=[\"'][^#]", page)
    assert "http://evil.example" not in re.sub(r"http://evil\.example\)", "", page)
    assert "&lt;script&gt;" in sheet_of(page)
    assert page.count("<html") == 1
    assert "@media print" in page
    assert "A4" in page
    assert page.startswith("<!doctype html>")


def test_the_summary_of_a_note_that_is_empty_has_no_empty_paragraph():
    assert "<p></p>" not in report_html(made_release(note=""), 0, static=True)


def test_the_colours_of_the_map_on_paper_mean_the_same_at_every_stop(release):
    assert len(set(style.class_colours(8))) == 8
    legends = {
        re.search('<ul class="legend".*?</ul>', sheet_of(report_html(release, rung, static=True))).group()
        for rung in range(3)
    }
    assert len(legends) == 1


def test_the_summary_tells_its_series_in_numbers_that_add_up():
    every = made_release(weights=dict.fromkeys(MEASURES, 1))
    page = sheet_of(report_html(every, 2, static=True))
    tables = [
        [
            [
                int(cell.replace(",", "").replace("\N{MINUS SIGN}", "-"))
                for cell in re.findall(r"<td>([^<]*)</td>", row)
            ]
            for row in re.findall(r"<tr>.*?</tr>", table)[1:]
        ]
        for table in re.findall(r'<table class="numbers">.*?</table>', page)
    ]
    assert all(len(estimated) == len(released) for estimated, released in tables)
    assert page.count("released (±") == 5, (
        "of two rankings and three series: no released count without its noise"
    )
    days, weekdays, hours = (released for _, released in tables)
    for shown, name, cells in (
        (days, "trips_over_time", slice(1, -1)),
        (weekdays, "trips_per_weekday", slice(None)),
        (hours, "trips_per_hour", slice(0, 24)),
    ):
        measurement = every.measurements[name]
        values = measurement.values[2][cells].reshape(len(shown), -1).sum(axis=1)
        wide = measurement.half_widths[2]
        assert np.abs(np.array(shown) - values).max() <= wide / 3, "no digit is lost that the noise allows"
    assert len(hours) == 12
    assert page.count("three quarters below") == 1
    assert "<svg" in page
    assert "polyline" not in page, "no chart is drawn by hand"


def test_a_list_without_a_row_says_why(release):
    estimates = estimates_of(release, of=("visits_per_tile",))
    found = ranking.first_of(release, "visits_per_tile", 2, estimates)
    assert "<table>" in summary._list("Most visits", found)
    none = replace(found, names=(), beside={}, shown=found.shown.at(np.arange(0)))
    assert summary._list("Most visits", none) == (
        f'<div><h2>Most visits</h2><p class="small">{NONE_RANKED}</p></div>'
    )


def test_holes_of_tiles_stay_holes_on_paper():
    import shapely

    from dpcore.tiles import Tessellation

    ring = shapely.Polygon(
        [(0, 0), (1, 0), (1, 1), (0, 1)], [[(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)]]
    )
    tiles = Tessellation.of(["A"], [None], [ring], "test")
    (path,) = tile_paths(tiles)
    assert path.count("z") == 2
    assert re.fullmatch(r"([Ml]-?\d+ -?\d+|z)+", path)


def test_what_is_split_and_what_holds_sums_alone_have_an_address_too():
    mode = Categories("mode", ("bus", "rail"))
    split = made_release(
        weights={"visits_per_tile": 1, "visits_per_time_tile": 1}, choices=KeyChoices(splits=(mode,))
    )
    at, notes = address({}, split)
    assert (at.view, notes) == ("read", ())
    assert at.link(split, "split")["view"] == "read"
    assert first_view(split) == "map"
    assert len(windows_of(split.plan)) == 12
    duration = sum_of("duration=0:30:0.5")
    sums = made_release(weights={"sum_duration": 1}, choices=KeyChoices(sums=(duration,)))
    assert address({}, sums)[0].view == "read"
    assert first_view(sums) == "measures"
    with_total = made_release(
        weights={"sum_duration": 1, "total_trips": 1}, choices=KeyChoices(sums=(duration,))
    )
    assert first_view(with_total) == "measures", "a total has no rhythm"
    (said,) = sums_in_all(sums)
    assert re.fullmatch(r"Sum of duration: about .* minutes; 95 % range .* to .*\.", said)
