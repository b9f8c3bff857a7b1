"""How charts of pages are saved: one choice for all of them, names without counts, a ground of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.views.charts.charts import figure, saved_as
from dpcore.views.numbers.sentences import DEMO_MARK, OWNER_MARK
from tests.app.open_parts import in_every_section
from tests.app.own_trips import given
from tests.app.test_pages import trips
from tests.conftest import ROOT


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()


def all_of(app, page: str | None) -> Iterator[str]:
    """A page as it opens, or one section of the report after the other with its numbers."""
    return in_every_section(app, numbers=True) if page and "report" in page else iter(["the page"])


def saving(app) -> list[dict[str, object]]:
    """What the camera of each chart does."""
    return [json.loads(chart.proto.config)["toImageButtonOptions"] for chart in app.get("plotly_chart")]


def test_the_camera_saves_what_was_chosen_for_every_chart(app):
    assert {one["format"] for one in saving(app)} == {"png"}
    next(c for c in app.button_group if c.label == "The camera above a chart saves").set_value("SVG").run()
    assert not app.exception
    assert {one["format"] for one in saving(app)} == {"svg"}
    app.switch_page("pages/owner/report.py").run()
    assert {one["format"] for one in saving(app)} == {"svg"}, "it holds on other pages as well"


def test_a_saved_picture_is_called_by_what_it_shows_and_by_epsilon(app):
    names = [one["filename"] for one in saving(app)]
    app.session_state["hours"] = "Ends by hour"
    names += [one["filename"] for one in saving(app.run()) if one["filename"] not in names]
    assert "trips_per_hour-start-weekend-epsilon-1" in names
    assert "trips_over_time-epsilon-1" in names
    assert "trips_per_hour-end-weekend-epsilon-1" in names
    assert len(set(names)) == len(names)


def test_a_saved_picture_of_own_trips_is_not_called_like_one_of_a_release(app):
    given(app, trips(users=400))  # so many that noise hides no section
    for page in ("pages/owner/explore.py", "pages/owner/report.py"):
        app.switch_page(page).run()
        assert not app.exception
        for _ in all_of(app, page):
            assert saving(app)
            assert all(str(one["filename"]).startswith("owner-only-") for one in saving(app))


def test_a_mark_makes_a_name_that_of_the_owner_unless_everybody_may_see_the_picture():
    plain, owners, demo = (figure([], height=100, mark=mark) for mark in ("", OWNER_MARK, DEMO_MARK))
    assert saved_as(plain, "trips", DEMO_MARK) == "trips"
    assert saved_as(demo, "trips", DEMO_MARK) == "trips"
    assert saved_as(owners, "trips", DEMO_MARK) == "owner-only-trips"


def tables(app) -> list[list[str]]:
    """The columns of each table that has a button for CSV."""
    return [[str(name) for name in table.value.columns] for table in app.dataframe]


def test_every_table_of_own_trips_says_in_what_is_saved_that_it_is_for_the_owner_only(app):
    given(app, trips(users=400))  # so many that noise hides no section
    for page in ("pages/owner/explore.py", "pages/owner/report.py", "pages/owner/compare.py"):
        app.switch_page(page).run()
        assert not app.exception
        seen = 0
        for _ in all_of(app, page):
            seen += len(tables(app))
            for table in app.dataframe:
                assert table.value.columns[-1] == "mark"
                assert set(table.value["mark"]) == {OWNER_MARK}
                mark = json.loads(table.proto.columns)["mark"]
                assert not mark.get("hidden"), "Streamlit saves no hidden column"
        assert seen


def test_tables_of_the_demo_city_carry_no_mark(app):
    for page in (None, "pages/owner/report.py", "pages/owner/compare.py"):
        if page:
            app.switch_page(page).run()
        found = [columns for _ in all_of(app, page) for columns in tables(app)]
        assert found
        assert all("mark" not in columns for columns in found)


def test_every_chart_of_an_owner_page_carries_mark_words_and_ground(app):
    for page in (None, "pages/owner/report.py", "pages/owner/compare.py"):
        if page:
            app.switch_page(page).run()
        for _ in all_of(app, page):
            assert app.get("plotly_chart")
            for chart in app.get("plotly_chart"):
                layout = json.loads(chart.proto.spec)["layout"]
                assert layout["title"]["text"] == "Demo data"
                assert layout["template"]["layout"]["paper_bgcolor"] == "#ffffff"
                assert chart.proto.alt
                assert len(json.dumps(layout["template"])) < 1_000, (
                    "Streamlit's own template has 7,000 letters"
                )
