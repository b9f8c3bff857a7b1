"""Two sides in one page: what stands in it, and for whom it is."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from dpcore.comparison import side_of_release
from dpcore.errors import InputError
from dpcore.views.numbers.sentences import OWNER_MARK
from dpcore.views.report.two_reports import PUBLIC, comparison_html
from tests.release.made_releases import made_release


@pytest.fixture(scope="module")
def sides():
    return tuple(
        side_of_release(made_release(epsilon=epsilon), name=name)
        for epsilon, name in (("2", "april"), ("1", "may"))
    )


def test_it_draws_both_sides_in_each_chart_and_the_difference_of_the_maps(sides):
    page = comparison_html(*sides)
    assert page == comparison_html(*sides)
    assert {"A: april", "B: may"} <= {unescape(one) for one in re.findall(r"[AB]: (?:april|may)", page)}
    assert page.count("Plotly.newPlot(") == page.count('class="chart"') > 3
    assert page.count("<h2>Where they differ</h2>") == 1
    assert page.count('role="img" aria-label="Difference of two maps') == 2  # by day and by night
    static = comparison_html(*sides, static=True)
    assert not re.search(r"(?:src|href)=[\"']?https?:", static)


def test_two_releases_are_for_everybody_and_all_else_is_for_the_owner(sides):
    one, other = sides
    public, own = (
        comparison_html(one, other, static=True),
        comparison_html(replace(one, released=False), other),
    )
    assert PUBLIC in public
    assert OWNER_MARK not in public
    assert PUBLIC not in own
    titles = re.findall(r"Plotly.newPlot[(].*", own)
    assert titles
    assert own.count(OWNER_MARK) >= 3 + len(titles)  # the head, each map, each table, each chart


def test_without_charts_it_has_no_script(sides):
    page = comparison_html(*sides, static=True)
    assert "<script" not in page
    assert "script-src 'none'" in page
    assert "Earth mover" in page


def test_measures_and_metrics_are_chosen(sides):
    page = comparison_html(*sides, measures=["trips_per_hour"], metrics=["emd"], static=True)
    assert "Trips by hour" in page
    assert "Visits per tile" not in page
    assert "Kendall" not in page
    with pytest.raises(InputError, match="measure of both sides"):
        comparison_html(*sides, measures=["visits"])
    with pytest.raises(InputError, match="metric"):
        comparison_html(*sides, metrics=["rmse"])


def test_names_are_text(sides):
    one, other = sides
    page = comparison_html(replace(one, name="<b>x</b>&"), other, static=True)
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;&amp;" in page
