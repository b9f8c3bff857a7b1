"""``dpcore.chart``: every measure as a figure of plotly, with its mark where only the owner may see it."""

from __future__ import annotations

import json
import re

import plotly.graph_objects as go
import pytest
import shapely

import dpcore
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.tiles import Tessellation
from dpcore.views.charts.plots import plots
from dpcore.views.charts.series import NOISY_NAME, TRUE_NAME
from dpcore.views.numbers.sentences import OWNER_MARK
from tests.release.made_releases import made_release
from tests.test_library import loaded, records


@pytest.fixture(scope="module")
def release():
    return made_release(weights=dict.fromkeys(MEASURES, 1), epsilon="10")


@pytest.fixture
def preview():
    weights = dict.fromkeys(("visits_per_tile", "od_flows", "trips_per_weekday", "trips_per_hour"), 1)
    bound = dpcore.ContributionBound.per_user(2)
    return dpcore.preview(loaded(records()), dpcore.Plan.up_to(bound, weights, "1"))


def words(figure: go.Figure) -> list[str]:
    """All that stands in a picture besides its axes."""
    return [figure.layout.title.text or "", *(note.text for note in figure.layout.annotations)]


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_is_a_figure_with_title_and_words_for_the_pointer(release, measure):
    figure = dpcore.chart(release, measure)
    assert isinstance(figure, go.Figure)
    assert any("ε = 10 per person, at most 3 trips" in text for text in words(figure))
    said = [trace.hovertext for trace in figure.data if trace.hovertext is not None]
    assert said
    assert any("95 %" in text for texts in said for text in texts)
    assert OWNER_MARK not in figure.to_json()


def test_the_pictures_of_all_groups_stand_in_one_figure_and_none_covers_another(release):
    figure = dpcore.chart(release, "trips_per_hour")
    drawn = plots(release.measurements["trips_per_hour"])
    assert {plot.title for plot in drawn} < set(words(figure))
    layout = figure.layout.to_plotly_json()
    boxes = [(*layout[f"xaxis{n}"]["domain"], *layout[f"yaxis{n}"]["domain"]) for n in ("", "2", "3", "4")]
    for i, (west, east, south, north) in enumerate(boxes):
        assert 0 <= west < east <= 1
        assert 0 <= south < north <= 1
        for left, right, bottom, top in boxes[:i]:
            assert east < left or right < west or north < bottom or top < south
    assert {trace.xaxis for trace in figure.data} == {"x", "x2", "x3", "x4"}
    for trace in figure.data:
        assert trace.xaxis[1:] == trace.yaxis[1:]


def test_the_heights_are_the_released_values_and_what_is_below_zero_stands_at_zero(release):
    figure = dpcore.chart(release, "trips_per_weekday")
    values = dpcore.table(release, "trips_per_weekday")["value"]
    assert list(figure.data[0].y) == values.clip(lower=0).tolist()
    coarse = dpcore.chart(release, "trips_per_weekday", "0.1")
    assert (
        list(coarse.data[0].y)
        == dpcore.table(release, "trips_per_weekday", "0.1")["value"].clip(lower=0).tolist()
    )


@pytest.mark.parametrize("measure", ["visits_per_tile", "od_flows", "visits_per_time_tile"])
def test_places_are_ranked_by_their_noisy_counts(release, measure):
    figure = dpcore.chart(release, measure)
    table = dpcore.table(release, measure)
    for column in ("tile_id", "origin", "destination"):
        if column in table:
            table = table[table[column] != "outside"]
    if measure == "od_flows":
        table = table[table["origin"] != table["destination"]]
    first = table["value"].sort_values(ascending=False)[:10]
    assert list(figure.data[0].x) == first.clip(lower=0).tolist()
    if measure == "visits_per_time_tile":
        assert all("week" in text for text in figure.data[0].hovertext)


@pytest.fixture(scope="module")
def of_trips():
    weights = {"visits_per_tile": 3, "visits_per_time_tile": 1, "trips_per_hour": 1, "trips_per_weekday": 1}
    return made_release(weights=weights, unit="trip", sparse=True)


@pytest.mark.parametrize("whose", ["counted", "all"])
@pytest.mark.parametrize("measure", ["trips_per_weekday", "trips_per_hour"])
def test_estimates_are_drawn_with_their_likely_ranges(of_trips, measure, whose):
    figure = dpcore.chart(of_trips, measure, "1", estimate=whose)
    wanted = dpcore.table(of_trips, measure, "1", estimate=whose)["estimate"].tolist()
    drawn = [trace for trace in figure.data if trace.hovertext is not None]
    assert all("likely range" in text for trace in drawn for text in trace.hovertext)
    assert [value for trace in drawn for value in trace.y] == pytest.approx(wanted, abs=0.01)
    said = " ".join(words(figure))
    assert ("all trips" if whose == "all" else "the trips that count") in said
    assert "ε = 1 per trip" in said


@pytest.mark.parametrize("measure", ["visits_per_tile", "visits_per_time_tile", "od_flows"])
def test_places_are_ranked_by_their_estimates(of_trips, measure):
    figure = dpcore.chart(of_trips, measure, estimate="all")
    table = dpcore.table(of_trips, measure, estimate="all")
    for column in ("tile_id", "origin", "destination"):
        if column in table:
            table = table[table[column] != "outside"]
    if measure == "od_flows":
        table = table[table["origin"] != table["destination"]]
    first = table["estimate"].sort_values(ascending=False)[:10]
    assert list(figure.data[0].x) == pytest.approx(first.tolist(), abs=0.01)
    assert all("range" in text for text in figure.data[0].hovertext)


@pytest.mark.parametrize("measure", ["trips_per_weekday", "visits_per_tile", "od_flows"])
def test_estimates_of_a_preview_have_its_mark_in_the_picture(preview, measure):
    figure = dpcore.chart(preview, measure, estimate="counted")
    assert figure.layout.title.text == OWNER_MARK
    with pytest.raises(InputError, match="how many trips"):
        dpcore.chart(preview, measure, estimate="all")


@pytest.mark.parametrize("measure", ["trips_per_weekday", "trips_per_hour", "visits_per_tile", "od_flows"])
def test_a_preview_has_its_mark_in_the_picture(preview, measure):
    figure = dpcore.chart(preview, measure)
    assert figure.layout.title.text == OWNER_MARK
    truth = [trace for trace in figure.data if trace.name == TRUE_NAME]
    assert bool(truth) is measure.startswith("trips")
    assert figure.layout.showlegend is bool(truth)
    named = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert not truth or sorted(named) == [NOISY_NAME, TRUE_NAME], "one line of the legend for each look"


def test_refusals(release, preview):
    with pytest.raises(InputError, match="unknown measure"):
        dpcore.chart(preview, "travel_time")
    with pytest.raises(InputError, match="unknown measure"):
        dpcore.chart(release, "five_numbers")
    with pytest.raises(PrivacyError, match="rung"):
        dpcore.chart(release, "travel_time", "3.3")


def test_a_name_out_of_a_file_is_text():
    name = "<a href='https://example.org'>Mitte</a>"
    squares = [shapely.box(x, 0, x + 1, 1) for x in range(4)]
    tiles = Tessellation.of(list("abcd"), [name] * 4, squares, "test")
    release = made_release(weights={"visits_per_tile": 1, "od_flows": 1}, tessellation=tiles)
    for measure in release.measurements:
        figure = json.dumps(dpcore.chart(release, measure).to_dict(), default=list)
        assert "<a" not in figure
        assert "&lt;a" in figure


@pytest.mark.parametrize("number", [1, 2.0, 0.1])
def test_a_number_that_is_no_fraction_names_no_rung_anywhere(release, number):
    for show in (dpcore.table, dpcore.chart, dpcore.deck, dpcore.geodataframe):
        with pytest.raises(PrivacyError):
            show(release, "visits_per_tile", number)
    with pytest.raises(PrivacyError):
        dpcore.report_html(release, number)


def test_a_plan_needs_an_epsilon():
    with pytest.raises(PrivacyError, match="epsilon"):
        dpcore.stability_plan(dpcore.ContributionBound.per_user(2), None)


def test_a_page_of_a_chart_is_named_and_bins_have_their_unit(release, tmp_path):
    for measure, unit in (("travel_time", "minutes"), ("jump_length", "km")):
        figure = dpcore.chart(release, measure)
        assert figure.layout.xaxis.title.text == unit
        figure.write_html(tmp_path / "chart.html")
        page = (tmp_path / "chart.html").read_text(encoding="utf-8")
        title = re.search(r"<title>(.+?)</title>", page)[1]
        assert re.fullmatch(rf".+ \({unit}\), ε = 10 per .+", title), title
        assert f"<title>{title}</title>" in figure.to_html()
        assert "<title>" not in figure.to_html(full_html=False, include_plotlyjs=False)
