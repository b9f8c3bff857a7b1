"""The parts of charts: every kind of chart is a figure that plotly takes, and a saved one says what it is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore.comparison.curves import Band, Curve
from dpcore.comparison.known_releases import compared
from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.views.levels import contrast
from dpcore.noise.bound_choice import CellError
from dpcore.privacy import ContributionBound
from dpcore.views.charts import charts, plots, series
from dpcore.views.comparison import likeness
from dpcore.views.ground import style
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.numbers import ranking, shares, tile_facts
from dpcore.views.planning import bound_study, forecasts
from tests.release.made_releases import made_release
from tests.views.made import measurement

MARK = "Owner preview: for the owner only."
DAYS = measurement("trips_over_time", [0, 900, 800, 700, 0])
WEEK = measurement("trips_per_weekday", [-10, 20, 30, 40, 50, 60, 70])
HOURS = measurement("trips_per_hour", np.arange(96))
HELD = shares.Curve((1, 2, 3), (0.5, 0.8, 1.0), (0.4, 0.7, 1.0))
ERRORS = tuple(CellError.of(bound, 12.0, 150.0, Fraction(1, 9)) for bound in (1, 5, 20))
BANDS = tuple(Band(Fraction(n), 1 / n, 0.9 / n, 1.1 / n) for n in (1, 2, 5))


class Lengths:
    complete = np.array([0, 10, 20, 5])
    longer = 3


def marked():
    """Charts of an owner's preview, one of each kind."""
    truth = np.full(96, 7)
    yield series.over_time(drawn_of(DAYS, 1), truth[:5], MARK)
    yield plots.whole(drawn_of(WEEK, 1), truth[:7], MARK)
    yield series.per_hour(drawn_of(HOURS, 1), truth, MARK, kind="end", day_type="weekend")
    yield shares.curve_chart(HELD, "Shares", HELD, MARK)
    yield bound_study.error_chart("visits_per_tile", ERRORS, MARK)
    yield likeness.curve_chart(Curve("visits_per_tile", "emd", "metres", BANDS, 10), MARK)
    yield tree.lengths_chart(Lengths(), 2, MARK)


def public():
    """Charts of a release or of public facts."""
    release = made_release(weights={"visits_per_tile": 1})
    yield plots.whole(drawn_of(WEEK, 1), clipped=True)
    yield ranking.ranking_chart(ranking.first_of(release, "visits_per_tile", 1))
    yield tile_facts.dotplot(100, Fraction(1, 30), 90, "visits")
    yield forecasts.known_chart(compared(ContributionBound.per_user(10), Fraction(1), 28))


@pytest.mark.parametrize("chart", [*marked(), *public()], ids=lambda chart: chart.name)
def test_plotly_takes_every_chart_by_day_and_by_night(chart):
    """The app hands figures over without this check, which costs more than all else of a chart."""
    for dark in (False, True):
        figure = charts.styled(chart, dark=dark)
        assert len(go.Figure(figure).data) == len(figure["data"])


@pytest.mark.parametrize("chart", [*marked(), *public()], ids=lambda chart: chart.name)
def test_every_chart_has_words_and_a_name_for_its_file(chart):
    assert chart.alt
    assert chart.name == charts.file_name(chart.name)


@pytest.mark.parametrize("chart", [*marked()], ids=lambda chart: chart.name)
def test_a_picture_of_a_preview_holds_its_mark_and_has_room_for_it(chart):
    layout = chart.figure["layout"]
    assert layout["title"]["text"] == MARK
    assert layout["margin"]["t"] >= style.template()["layout"]["title"]["font"]["size"] + 8


def test_a_saved_chart_is_called_by_its_measure_and_epsilon():
    assert plots.whole(drawn_of(WEEK, 1)).name == f"trips_per_weekday-epsilon-{float(WEEK.rungs[1]):g}"
    hours = series.per_hour(drawn_of(HOURS, 0), kind="start", day_type="weekday")
    assert hours.name.startswith("trips_per_hour-start-weekday-epsilon-")


@pytest.mark.parametrize("dark", [False, True])
def test_letters_can_be_read_on_the_ground_of_a_picture(dark):
    layout = style.template(dark=dark)["layout"]
    assert contrast(layout["font"]["color"], layout["paper_bgcolor"]) >= 7
    assert contrast(layout["title"]["font"]["color"], layout["paper_bgcolor"]) >= 4.5


def test_names_are_shown_letter_by_letter():
    axis = charts.named_places(["<b>Mitte</b>", "x" * 40])
    assert axis["ticktext"][0] == "&lt;b&gt;Mitte&lt;/b&gt;"
    assert len(axis["ticktext"][1]) == 26


def test_pictures_in_one_figure_keep_lines_words_and_what_holds_for_a_whole_figure():
    def part(name):
        drawn = charts.figure(
            [charts.bars(["a"], [1], [name])],
            height=200,
            x=charts.axis(name),
            y=charts.axis(),
            shapes=[charts.upright("a"), charts.level(1)],
            above=["words"],
            hovermode="closest",
            bargap=0.12,
        )
        return name, charts.Chart(pd.DataFrame({"at": ["a"]}), drawn, name)

    layout = charts.beside([part("one"), part("two"), part("three")]).figure["layout"]
    assert (layout["hovermode"], layout["bargap"]) == ("closest", 0.12)
    assert [(shape["xref"], shape["yref"]) for shape in layout["shapes"]] == [
        ("x", "y domain"),
        ("x domain", "y"),
        ("x2", "y2 domain"),
        ("x2 domain", "y2"),
        ("x3", "y3 domain"),
        ("x3 domain", "y3"),
    ]
    words = [note for note in layout["annotations"] if note["text"] == "words"]
    assert [note["yref"] for note in words] == ["y domain", "y2 domain", "y3 domain"]
    titles = [note for note in layout["annotations"] if note["text"] == "two"]
    assert titles[0]["yshift"] > 0, "a title stands above such words"
    go.Figure(data=[], layout=layout)
