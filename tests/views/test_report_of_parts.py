"""The report of a release whose tables are split: every part named, in one scale, with numbers of its own and no others."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import escape, unescape

import numpy as np
import pytest

import dpcore
from dpcore.measures.choices import KeyChoices
from dpcore.measures.split import parts_of
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_keys, part_of
from dpcore.views.charts.plots import chart, plots
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import interval
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.shown import estimated_numbers
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.map_classes import classes_of_shown
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.report import numbers, report_html
from dpcore.views.report.pictured import plot_id
from tests.release.made_releases import WEEK, made_release
from tests.views.test_report import Seen

WEIGHTS = {
    "visits_per_tile": 4,
    "visits_per_time_tile": 1,
    "od_flows": 3,
    "od_districts": 1,
    "od_flows_per_window": 1,
    "trips_per_hour": 2,
    "trips_over_time": 1,
    "travel_time": 1,
    "incomplete_trips": 1,
    "trips_per_user": 1,
    "mean_duration": 1,
    "sum_duration": 1,
}
OF_PEOPLE = ("trips_per_user",)
HOSTILE = "</script><script>alert(1)</script>&\"' *x*"
NAMES = ["bus", HOSTILE, "other", "missing"]


def split_release(modes=("bus", HOSTILE), unit="user", **more):
    found = made_release(weights={"od_districts": 1})
    choices = KeyChoices(
        WEEK,
        districts=found.plan.choices.districts,
        splits={"mode": [*modes]},
        sums={"duration": "0:90:1"},
        by="visits_per_tile",
    )
    return made_release(choices=choices, unit=unit, epsilon="0.2", **{"weights": WEIGHTS, **more})


@pytest.fixture(scope="module")
def release():
    return split_release()


@pytest.fixture(scope="module")
def page(release):
    return report_html(release)


@pytest.fixture(scope="module")
def articles(page):
    return dict(re.findall(r'<article id="(\w+)">(.*?)</article>', page, re.DOTALL))


def test_every_table_and_picture_of_a_split_table_names_its_part(page, articles):
    assert {*articles} == {*WEIGHTS}
    for name, text in articles.items():
        if name in {*OF_PEOPLE, "incomplete_trips", "visits_per_time_tile"}:
            continue
        named = re.findall(r"<figcaption>(.*?)</figcaption>|<caption[^>]*>(.*?)</caption>", text)
        named_parts = {unescape("".join(one)).partition(": ")[0] for one in named}
        assert named_parts == {*NAMES}, name
    for name in NAMES:
        assert f'<th scope="row">{escape(name)}</th>' in articles["incomplete_trips"]
    assert "<script>alert" not in page


@pytest.mark.parametrize("rung", [0, -1])
def test_maps_have_the_cells_of_their_part_and_one_scale(release, rung):
    rung %= len(release.plan.rungs)
    page, size = report_html(release, rung, static=True), part_keys(release, "visits_per_tile").size
    drawn = re.findall(r'<svg[^>]*data-map="visits_per_tile" data-part="(.*?)"[^>]*>(.*?)</svg>', page)
    assert [unescape(name) for name, _ in drawn] == NAMES
    assert 'data-map="visits_per_time_tile"' not in page
    visits, names = release.measurements["visits_per_tile"], ["grey", "few", *(f"k{i}" for i in range(8))]
    breaks = breaks_of(visits)
    released = classes_of_shown(drawn_of(visits, rung), breaks)
    guessed = classes_of_shown(
        estimated_numbers(estimates_of(release, rung).tables["visits_per_tile"]),
        estimate_breaks(release, "visits_per_tile"),
    )
    for at, (_, svg) in enumerate(drawn):
        found = {
            (one, other): path.count("M")
            for one, other, path in re.findall(r'"e-(\w+) r-(\w+)" d="(.*?)"', svg)
        }
        mine = slice(at * size, at * size + len(release.tessellation.tile_ids))
        pairs = zip(guessed[mine].tolist(), released[mine].tolist(), strict=True)
        assert found == Counter((names[one], names[other]) for one, other in pairs)


@pytest.mark.parametrize("measure", ["trips_per_hour", "trips_over_time", "travel_time"])
@pytest.mark.parametrize("rung", [0, -1])
def test_charts_hold_the_numbers_of_their_part_with_one_axis(release, measure, rung):
    rung %= len(release.plan.rungs)
    charts, whole = Seen(report_html(release, rung)).charts, release.measurements[measure]
    keys, guess = part_keys(release, measure), estimates_of(release, rung).tables[measure]
    tops = set()
    for at in range(len(NAMES)):
        part, identity = whole.part(keys, at), plot_id(measure, f"part-{at}")
        plot = plots(drawn_of(part, rung))[0]
        shown = estimated_numbers(guess.part(keys, at), drawn_of(part, rung))
        for name, drawn in (
            (identity, chart(plot, shown.released, clipped=True)),
            (f"{identity}--estimate", chart(plot, shown, clipped=True)),
        ):
            assert charts[name]["data"] == json.loads(json.dumps(drawn.figure["data"]))
        assert charts[identity]["layout"]["yaxis"]["range"] == [0, drawn_of(whole, rung).limits()[1]]
        tops.add(charts[f"{identity}--estimate"]["layout"]["yaxis"]["range"][1])
    assert len(tops) == 1


def test_the_page_begins_with_what_all_parts_are_together(release, page):
    head = page[page.index("<header>") : page.index("</header>")]
    everything = dpcore.table(release, "ds_statistics").set_index("statistic")
    each = [
        dpcore.table(part_of(release, part), "ds_statistics").set_index("statistic")
        for part in parts_of(release.plan.choices.splits)
    ]
    assert everything["value"]["trips"] == sum(one["value"]["trips"] for one in each)
    assert [unescape(name) for name in re.findall(r'<th scope="row">(.*?)</th>', head)][:5] == [
        "all parts",
        *NAMES,
    ]
    assert "Tables of people are not split" in head
    assert "nothing tells which share" in head
    assert 'id="findings"' not in page
    assert 'class="cards"' not in head


@pytest.mark.parametrize("measure", ["od_flows", "od_flows_per_window"])
def test_the_first_flows_of_a_part_are_those_of_its_own_table(release, articles, measure):
    text, names = articles[measure], dict(zip("ABCD", numbers.short_labels(release), strict=True))
    wide = release.measurements[measure].half_widths[-1]
    for part in parts_of(release.plan.choices.splits):
        mine = dpcore.part(release, measure, part)
        mine = mine[
            (mine["origin"] != mine["destination"])
            & mine["origin"].isin(names)
            & mine["destination"].isin(names)
        ]
        top = mine.sort_values("value", ascending=False, kind="stable").iloc[0]
        others = f", {top['day_type']}, {top['window']}" if "window" in top else ""
        place = f"{names[top['origin']]} → {names[top['destination']]}{others}"
        assert numbers.row(place, interval(int(top["value"]), wide)) in text
    assert len(re.findall(": the first |: none is listed", text)) == 2 * len(NAMES)


def test_of_very_many_parts_the_largest_are_shown_and_this_is_said():
    modes = [f"c{number}" for number in range(14)]
    release = split_release(modes, "trip", weights={"visits_per_tile": 1, "trips_over_time": 1})
    page = report_html(release, static=True)
    assert f"Here are the {MOST_BESIDE} parts with the largest released sums" in page
    assert page.count("data-part=") == MOST_BESIDE
    sums = release.measurements["visits_per_tile"].values[-1].reshape(16, -1).sum(axis=1)
    shown = {unescape(name) for name in re.findall(r'data-part="(.*?)"', page)}
    names = [*modes, "other", "missing"]
    assert {names[at] for at in np.argsort(-sums)[:11]} < shown


def test_a_file_without_charts_has_the_same_parts(release):
    static = report_html(release, static=True)
    assert "plotly" not in static.lower()
    assert static.count("data-part=") == len(NAMES)
    assert dpcore.report_html(release, static=True) == static
