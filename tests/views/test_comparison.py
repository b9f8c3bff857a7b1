"""Comparisons as words, charts and pictures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from html import unescape
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dpcore.comparison import METRICS, CountTable, Score, matched
from dpcore.comparison.curves import Band, Curve
from dpcore.lessons import dice
from dpcore.tiles import Box, square_grid
from dpcore.views.comparison import difference_map, likeness
from tests.cities import four_tiles

NAMES = ("A: truth", "B: <b>&")


def visits(*values):
    return CountTable.of("visits_per_tile", {"tile_id": ["A", "B", "C", "D", "outside"]}, values)


def test_the_table_says_which_direction_is_better_and_leaves_no_answer_open():
    table = likeness.score_table(
        [
            Score("visits_per_tile", "emd", 1234.5, "metres"),
            Score("od_flows", "kendall_tau", None, note="why"),
        ]
    )
    assert table["value"] == ["1,234 metres", likeness.NO_ANSWER]
    assert table["better"] == ["lower is better", "higher is better"]
    assert table["note"] == ["", "why"]
    assert [label for label, _, _ in likeness.headline([Score("visits_per_tile", "emd", 3.0, "metres")])]
    assert likeness.headline([Score("visits_per_tile", "emd", None)]) == []


def test_every_metric_has_an_explanation_with_its_range():
    text = likeness.explanations().replace("\\", "")
    for metric in METRICS.values():
        assert metric.title in text
        assert metric.reach in text


def test_the_scale_of_differences_follows_from_the_number_of_tiles_alone():
    found = difference_map.differences(
        matched(visits(10, 10, 0, 0, 99), visits(0, 10, 0, 10, 0)), four_tiles()
    )
    assert found.size.tolist() == [-2, 0, 0, 2]  # half of all visits is twice an equal share
    more = difference_map.differences(
        matched(visits(1000, 1000, 0, 0, 0), visits(0, 7, 0, 7, 5)), four_tiles()
    )
    assert more.size.tolist() == found.size.tolist()
    assert not found.noisy
    assert not found.within_noise.any()
    assert (
        difference_map.differences(matched(visits(1, 0, 0, 0, 0), visits(0, 0, 0, 0, 5)), four_tiles())
        is None
    )


def gaps(*sizes, within=(False,) * 4):
    return difference_map.Differences(np.array(sizes), np.array(within), noisy=any(within))


def colours(svg):
    paths = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    return {path.get("fill"): path.get("d").count("M") for path in paths}


def test_the_picture_is_well_formed_carries_its_mark_and_turns_with_its_sides():
    tiles, change = four_tiles(), gaps(-3.0, 0.0, 0.05, 3.0)
    text = difference_map.difference_svg(tiles, change, NAMES, "Owner preview: <not> private")
    root = ET.fromstring(text)
    assert "Owner preview: <not> private" in "".join(root.itertext())
    assert "<b>" not in text

    assert colours(text) == {"#7f3b08": 1, "#f7f7f7": 2, "#053061": 1}
    fewer = colours(difference_map.difference_svg(tiles, gaps(-3.0, 0.0, 0.0, 0.0), NAMES, ""))
    assert fewer == {"#053061": 1, "#f7f7f7": 3}, "blue is fewer, as on the other maps"
    turned = difference_map.difference_svg(tiles, gaps(3.0, 0.0, -0.05, -3.0), NAMES, "")
    assert colours(turned) == colours(text)


def test_the_map_of_differences_follows_the_page_and_its_legend_has_a_size_of_its_own():
    tiles, change = four_tiles(), gaps(-3.0, 0.0, 0.05, 3.0)
    by_night = difference_map.difference_svg(tiles, change, NAMES, "", dark=True)
    assert "#f7f7f7" not in by_night
    assert "<rect" not in by_night, "no ground of its own"
    for dark in (False, True):
        legend = ET.fromstring(difference_map.legend_svg(dark=dark))
        assert legend.get("width") == legend.get("viewBox").split()[2] == "360"
        assert int(legend.get("font-size")) >= 11
        assert ("#f7f7f7" in ET.tostring(legend, "unicode")) is not dark
        assert "A has more" in "".join(legend.itertext())


@pytest.mark.parametrize("dark", [False, True])
def test_the_mark_of_a_difference_stands_above_the_tiles(dark):
    root = ET.fromstring(
        difference_map.difference_svg(four_tiles(), gaps(0, 0, 0, 0), NAMES, "mark", dark=dark)
    )
    (mark,) = root.iter("{http://www.w3.org/2000/svg}text")
    assert int(root.get("viewBox").split()[1]) < int(mark.get("y")) < 0


def test_a_pointer_reads_value_range_and_unit_of_both_sides():
    keys = {"weekday": [str(n) for n in range(7)]}
    truth = CountTable.of("trips_per_weekday", keys, [100] * 7)
    noisy = replace(truth, rate=Fraction(1, 10))
    for as_shares, exact, about in (
        (False, "Mon: 100 trips", "Mon: about 100 trips<br>95 % range of the noise 70 to 130"),
        (
            True,
            "Mon: 14.29 % of all trips",
            "Mon: about 14.29 % of all trips<br>95 % range of the noise ",
        ),
    ):
        ((_, chart),) = likeness.overlays(truth, noisy, ("A", "B"), "", as_shares=as_shares)
        said = [trace["hovertext"][0].split("<br>", 1)[1] for trace in chart.figure["data"]]
        assert said[0] == exact
        assert said[1].startswith(about)


@pytest.mark.parametrize("as_shares", [True, False])
def test_overlays_hold_both_sides_and_the_mark(as_shares):
    keys = {"kind": ["start", "end"] * 2, "day_type": ["weekday"] * 4, "hour": ["8", "8", "10", "10"]}
    one, other = (CountTable.of("trips_per_hour", keys, values) for values in ([3, 1, 4, 0], [1, 1, -2, 6]))
    drawn = likeness.overlays(one, other, NAMES, "mark", as_shares=as_shares)
    assert sorted(title for title, _ in drawn) == ["ends on weekdays", "starts on weekdays"]
    for _, chart in drawn:
        assert set(chart.table["side"]) == set(NAMES)
        assert chart.figure["layout"]["title"]["text"] == "mark"
        assert [unescape(trace["name"]) for trace in chart.figure["data"]] == [*NAMES]
        assert list(chart.table["at"][:2]) == ["8", "10"]
        assert (chart.table["value"].min() < 0) == (not as_shares and "starts" in _title(drawn, chart))


def _title(drawn, chart):
    return next(title for title, one in drawn if one is chart)


def test_bins_and_days_have_their_names():
    bins = CountTable.of(
        "travel_time", {"bin_start": ["5", "-inf", "7.5"], "bin_end": ["7.5", "5", "inf"]}, [1, 2, 3]
    )
    ((_, chart),) = likeness.overlays(bins, bins, NAMES, "", as_shares=True)
    assert list(chart.table["at"][:3]) == ["under 5", "5 to under 7.5", "7.5 or more"]
    week = CountTable.of("trips_per_weekday", {"weekday": [str(n) for n in range(7)]}, range(7))
    ((_, chart),) = likeness.overlays(week, week, NAMES, "", as_shares=False)
    assert list(chart.table["at"][:2]) == ["Mon", "Tue"]
    days = CountTable.of("trips_over_time", {"date": ["2024-04-02", "before", "2024-04-01"]}, [1, 2, 3])
    ((_, chart),) = likeness.overlays(days, days, NAMES, "", as_shares=False)
    assert {str(day)[:10] for day in chart.table["at"]} == {
        "2024-04-01",
        "2024-04-02",
    }  # no date is before or after


def test_two_months_stand_on_their_own_dates_without_zeros_and_without_lines_between():
    april, june = (
        CountTable.of("trips_over_time", {"date": dates}, values)
        for dates, values in (
            (("2024-04-01", "2024-04-02", "2024-04-05"), (1, 2, 3)),
            (("2024-06-01", "2024-06-02"), (4, 5)),
        )
    )
    ((_, chart),) = likeness.overlays(april, june, NAMES, "", as_shares=False)
    drawn = {
        side: [(f"{row.at:%m-%d}", row.value, row.run) for row in rows.itertuples()]
        for side, rows in chart.table.groupby("side")
    }
    assert drawn == {
        NAMES[0]: [("04-01", 1, 0), ("04-02", 2, 0), ("04-05", 3, 1)],
        NAMES[1]: [("06-01", 4, 0), ("06-02", 5, 0)],
    }
    lines = {
        unescape(trace["name"]): [*zip(trace["x"], trace["y"], strict=True)] for trace in chart.figure["data"]
    }
    gap = ("2024-04-02", None)  # no number: the line is broken there
    assert lines[NAMES[0]] == [("2024-04-01", 1), ("2024-04-02", 2), gap, ("2024-04-05", 3)]
    assert lines[NAMES[1]] == [("2024-06-01", 4), ("2024-06-02", 5)]


def noisy(tiles, truth, rate, seed):
    noise = dice.seeded_laplace(rate, len(truth), np.random.default_rng(seed))
    table = CountTable.of("visits_per_tile", {"tile_id": [*tiles.tile_ids, "outside"]}, truth + noise)
    return replace(table, rate=rate)


def test_what_noise_alone_makes_is_within_it_and_what_stands_out_is_not():
    """Simulated: two releases of one truth differ by noise alone; at most 5 of 100 tiles may be coloured."""
    tiles = square_grid(Box(13.0, 52.0, 13.3, 52.2), 1_000)
    truth = np.append(np.random.default_rng(1).integers(0, 2_000, len(tiles.tile_ids)), 50)
    coloured, looked_at = 0, 0
    for rate in (Fraction(1, 20), Fraction(1, 100), Fraction(1, 1000)):
        for seed in range(20):
            pair = matched(noisy(tiles, truth, rate, seed), noisy(tiles, truth, rate / 2, 1_000 + seed))
            found = difference_map.differences(pair, tiles)
            coloured += int((~found.within_noise).sum())
            looked_at += len(found.within_noise)
    assert looked_at > 10_000
    assert coloured < 0.05 * looked_at
    other = truth.copy()
    other[3] += 5_000
    pair = matched(noisy(tiles, truth, Fraction(1, 20), 7), noisy(tiles, other, Fraction(1, 20), 8))
    found = difference_map.differences(pair, tiles)
    assert not found.within_noise[3]
    assert found.within_noise.sum() > 0.9 * len(found.within_noise)


def test_what_lies_within_noise_has_a_colour_of_its_own_and_the_legend_names_it():
    text = difference_map.difference_svg(
        four_tiles(), gaps(-3.0, 0.0, 3.0, 3.0, within=(True, True, True, False)), NAMES, ""
    )
    assert colours(text) == {"#b4bcc4": 3, "#7f3b08": 1}
    for dark in (False, True):
        assert "within noise" in difference_map.legend_svg(dark=dark, noisy=True)
        assert "within noise" not in difference_map.legend_svg(dark=dark)


def test_the_tiles_that_may_be_chance_are_named_in_words_and_by_numbers_on_the_map():
    """The largest difference first, with the name that the tile has wherever it stands."""
    tiles = replace(four_tiles(), tile_names=("Old <town>", "B", "Harbour", "D"))
    found = replace(gaps(-3.0, 0.1, 0.5, 3.0, within=(True, True, True, False)), by_chance=(0, 2, 1))
    assert difference_map.chance_names(found, tiles) == ["Old <town> (A)", "Harbour (C)", "B"]
    words = difference_map.chance_words(found, tiles)
    assert "the difference of 3 tiles" in words
    assert "1: Old <town> (A); 2: Harbour (C); 3: B." in words
    drawn = {
        numbered: [
            part.text
            for part in ET.fromstring(
                difference_map.difference_svg(tiles, found, NAMES, "", numbered=numbered)
            ).iter("{http://www.w3.org/2000/svg}text")
            if part.text in {"1", "2", "3"}
        ]
        for numbered in (False, True)
    }
    assert drawn == {False: [], True: ["1", "2", "3"]}
    assert difference_map.chance_words(gaps(1.0, 1.0, 1.0, 1.0), tiles) == ""


def test_what_may_be_chance_is_what_lies_within_noise():
    tiles = square_grid(Box(13.0, 52.0, 13.3, 52.2), 5_000)
    truth = np.append(np.full(len(tiles.tile_ids), 100), 0)
    other = truth + 5_000 * (np.arange(len(truth)) == 3)
    pair = matched(noisy(tiles, truth, Fraction(1, 20), 7), noisy(tiles, other, Fraction(1, 20), 8))
    found = difference_map.differences(pair, tiles)
    assert {*found.by_chance} == {*np.flatnonzero(found.within_noise).tolist()}
    sizes = np.abs(found.size)[[*found.by_chance]]
    assert (np.diff(sizes) <= 0).all()
    assert 3 not in found.by_chance


def test_a_curve_says_how_it_was_made():
    bands = tuple(Band(Fraction(n), 1 / n, 0.9 / n, 1.1 / n) for n in (1, 2, 5))
    chart = likeness.curve_chart(Curve("visits_per_tile", "emd", "metres", bands, 10), "mark")
    assert chart.table["epsilon"].tolist() == [1, 2, 5]
    layout = chart.figure["layout"]
    assert layout["title"]["text"] == "mark"
    assert "metres" in layout["annotations"][0]["text"]
    assert "title" not in layout["yaxis"], "beside the axis it would be longer than the plot is high"
    assert "10 throw-away previews" in likeness.curve_words(Curve("x", "emd", "", bands, 10))
