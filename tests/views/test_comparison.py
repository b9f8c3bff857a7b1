"""Comparisons as words, charts and pictures."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dpcore.similarity import METRICS, CountTable, Score, matched
from dpcore.utility_curves import Band, Curve
from dpcore.views import comparison, comparison_charts, comparison_map
from tests.cities import four_tiles

NAMES = ("A: truth", "B: <b>&")


def visits(*values):
    return CountTable.of("visits_per_tile", {"tile_id": ["A", "B", "C", "D", "outside"]}, values)


def test_the_table_says_which_direction_is_better_and_leaves_no_answer_open():
    table = comparison.score_table(
        [
            Score("visits_per_tile", "emd", 1234.5, "metres"),
            Score("od_flows", "kendall_tau", None, note="why"),
        ]
    )
    assert table["value"] == ["1,234 metres", comparison.NO_ANSWER]
    assert table["better"] == ["lower is better", "higher is better"]
    assert table["note"] == ["", "why"]
    assert [label for label, _, _ in comparison.headline([Score("visits_per_tile", "emd", 3.0, "metres")])]
    assert comparison.headline([Score("visits_per_tile", "emd", None)]) == []


def test_every_metric_has_an_explanation_with_its_range():
    text = comparison.explanations().replace("\\", "")
    for metric in METRICS.values():
        assert metric.title in text
        assert metric.reach in text


def test_the_scale_of_differences_follows_from_the_number_of_tiles_alone():
    found = comparison_map.differences(
        matched(visits(10, 10, 0, 0, 99), visits(0, 10, 0, 10, 0)), four_tiles()
    )
    assert found.tolist() == [-2, 0, 0, 2]  # half of all visits is twice an equal share
    more = comparison_map.differences(
        matched(visits(1000, 1000, 0, 0, 0), visits(0, 7, 0, 7, 5)), four_tiles()
    )
    assert more.tolist() == found.tolist()
    assert (
        comparison_map.differences(matched(visits(1, 0, 0, 0, 0), visits(0, 0, 0, 0, 5)), four_tiles())
        is None
    )


def test_the_picture_is_well_formed_carries_its_mark_and_turns_with_its_sides():
    tiles, change = four_tiles(), np.array([-3.0, 0.0, 0.05, 3.0])
    text = comparison_map.difference_svg(tiles, change, NAMES, "Owner preview: <not> private")
    root = ET.fromstring(text)
    assert "Owner preview: <not> private" in "".join(root.itertext())
    assert "<b>" not in text

    def colours(svg):
        paths = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
        return {path.get("fill"): path.get("d").count("M") for path in paths}

    assert colours(text) == {"#7f3b08": 1, "#f7f7f7": 2, "#053061": 1}
    turned = comparison_map.difference_svg(tiles, -change, NAMES, "")
    assert colours(turned) == colours(text)


def test_the_map_of_differences_follows_the_page_and_its_legend_has_a_size_of_its_own():
    tiles, change = four_tiles(), np.array([-3.0, 0.0, 0.05, 3.0])
    by_night = comparison_map.difference_svg(tiles, change, NAMES, "", dark=True)
    assert "#f7f7f7" not in by_night
    assert "<rect" not in by_night, "no ground of its own"
    for dark in (False, True):
        legend = ET.fromstring(comparison_map.legend_svg(dark=dark))
        assert legend.get("width") == legend.get("viewBox").split()[2] == "360"
        assert int(legend.get("font-size")) >= 11
        assert ("#f7f7f7" in ET.tostring(legend, "unicode")) is not dark
        assert "A has more" in "".join(legend.itertext())


@pytest.mark.parametrize("as_shares", [True, False])
def test_overlays_hold_both_sides_and_the_mark(as_shares):
    keys = {"kind": ["start", "end"] * 2, "day_type": ["weekday"] * 4, "hour": ["8", "8", "10", "10"]}
    pair = matched(
        CountTable.of("trips_per_hour", keys, [3, 1, 4, 0]),
        CountTable.of("trips_per_hour", keys, [1, 1, -2, 6]),
    )
    drawn = comparison_charts.overlays(pair, NAMES, "mark", as_shares=as_shares)
    assert sorted(title for title, _ in drawn) == ["ends on weekdays", "starts on weekdays"]
    for _, chart in drawn:
        assert set(chart.table["side"]) == set(NAMES)
        assert chart.spec["title"]["text"] == "mark"
        assert list(chart.table["at"][:2]) == ["8", "10"]
        assert (chart.table["value"].min() < 0) == (not as_shares and "starts" in _title(drawn, chart))


def _title(drawn, chart):
    return next(title for title, one in drawn if one is chart)


def test_bins_and_days_have_their_names():
    bins = CountTable.of(
        "travel_time", {"bin_start": ["5", "-inf", "7.5"], "bin_end": ["7.5", "5", "inf"]}, [1, 2, 3]
    )
    ((_, chart),) = comparison_charts.overlays(matched(bins, bins), NAMES, "", as_shares=True)
    assert list(chart.table["at"][:3]) == ["under 5", "5 to under 7.5", "7.5 or more"]
    week = CountTable.of("trips_per_weekday", {"weekday": [str(n) for n in range(7)]}, range(7))
    ((_, chart),) = comparison_charts.overlays(matched(week, week), NAMES, "", as_shares=False)
    assert list(chart.table["at"][:2]) == ["Mon", "Tue"]
    days = CountTable.of("trips_over_time", {"date": ["2024-04-02", "before", "2024-04-01"]}, [1, 2, 3])
    ((_, chart),) = comparison_charts.overlays(matched(days, days), NAMES, "", as_shares=False)
    assert {str(day)[:10] for day in chart.table["at"]} == {
        "2024-04-01",
        "2024-04-02",
    }  # no date is before or after


def test_a_curve_says_how_it_was_made():
    bands = tuple(Band(Fraction(n), 1 / n, 0.9 / n, 1.1 / n) for n in (1, 2, 5))
    chart = comparison_charts.curve_chart(Curve("visits_per_tile", "emd", "metres", bands, 10), "mark")
    assert chart.table["epsilon"].tolist() == [1, 2, 5]
    assert "metres" in str(chart.spec["title"]["subtitle"])
    titles = [layer["encoding"]["y"]["title"] for layer in chart.spec["layer"]]
    assert titles == [None, None], "beside the axis it would be longer than the plot is high"
    assert "10 throw-away previews" in comparison_charts.curve_words(Curve("x", "emd", "", bands, 10))
    assert "Worked out" in comparison_charts.curve_words(Curve("x", "jsd", "", bands))
