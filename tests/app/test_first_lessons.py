"""Lessons 1, 2, 3 and 5: what their controls do, and that a link restores them."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.learn.parts.catalogue import lesson
from tests.conftest import ROOT


def opened(file, **query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(lesson(file).page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def test_subtracting_two_tables_names_somebody():
    app = opened("01_why_counting_is_not_enough", **{"1-map": "Second minus first", "1-day": "20"})
    assert int(metrics(app)["Tiles with exactly one trip"]) > 0
    assert "On Wed 20 March" in app.warning[0].value


@pytest.mark.parametrize(
    ("file", "query"),
    [
        ("01_why_counting_is_not_enough", {"1-answers": "With noise", "1-epsilon": "2"}),
        ("02_the_slider_that_leaks", {"2-slider": "The ladder"}),
        ("03_whom_do_we_hide", {"3-hide": "A person", "3-trips": "16"}),
    ],
)
def test_a_class_sees_the_same_noise_and_others_do_not(file, query):
    one, other = (metrics(opened(file, **{"class": "7"}, **query)) for _ in range(2))
    assert one == other
    assert any(metrics(opened(file, **query)) != one for _ in range(3))


def test_the_noise_of_one_trip_is_below_its_bound():
    shown = metrics(opened("01_why_counting_is_not_enough", **{"1-answers": "With noise", "1-epsilon": "2"}))
    assert shown["Nobody gets above"] == "88.1 %"
    assert float(shown["Knowing all other trips"].rstrip(" %")) < 88.1


def test_asking_twenty_times_hits_about_58_percent_and_costs_10():
    app = opened("02_the_slider_that_leaks", **{"2-asked": "20"})
    assert metrics(app)["What it really cost"] == "ε 10"
    assert [metric.delta for metric in app.metric][1] == "expected: 58 %"
    assert [metric.delta for metric in opened("02_the_slider_that_leaks", **{"2-asked": "200"}).metric][
        1
    ] == "expected: 99 %"


def test_two_stops_of_the_smooth_slider_are_enough():
    assert metrics(opened("02_the_slider_that_leaks", **{"2-slider": "The smooth slider"})) == {
        "Tiles hit exactly after two stops": "100 %"
    }


def test_trips_add_up_and_people_do_not():
    trips = metrics(opened("03_whom_do_we_hide"))
    assert trips["99 % can be reached from"] == "7 trips"
    assert "21.12" in trips.values()
    people = metrics(opened("03_whom_do_we_hide", **{"3-hide": "A person"}))
    assert people["99 % can be reached from"] == "nobody"
    assert people["Certainty of 50 % can grow to"] == "65.93 %"


@pytest.mark.parametrize("table", ["Tiles", "Flows", "Hours"])
def test_taking_a_person_out_moves_the_counts_by_what_is_said(table):
    there, away = (
        opened("05_what_one_person_can_do", **{"5-table": table, "5-there": state}).metric
        for state in ("true", "false")
    )
    for one, other in zip(there, away, strict=True):
        moved = int(one.value.replace(",", "")) - int(other.value.replace(",", ""))
        assert one.delta.startswith(f"{moved} by ")
        assert moved > 0


def test_the_ladder_holds_at_the_stop_that_was_paid_for():
    held = {"2-slider": "The ladder", "class": "7"}
    at_one, at_ten = (
        float(
            metrics(opened("02_the_slider_that_leaks", **held, **paid))[
                "The finest stop alone: off by"
            ].split()[0]
        )
        for paid in ({}, {"2-paid": "10"})
    )
    assert 0.6 < at_one < 1.2, "2q / (1 - q^2) = 0.85 at epsilon 1"
    assert at_ten < 0.05


def test_ends_outside_the_map_are_mentioned():
    assert any(
        "2 ends of these trips lie outside" in text.value
        for text in opened("05_what_one_person_can_do").caption
    )


def test_another_day_offers_other_tiles_and_a_link_brings_the_tile():
    app = opened("01_why_counting_is_not_enough", **{"1-map": "Second minus first", "1-day": "20"})
    offered = app.selectbox(key="1-from").options
    chosen = app.selectbox(key="1-from").select_index(len(offered) - 1).run().selectbox(key="1-from").value
    for day in (21, 9, 30):
        app.slider(key="1-day").set_value(day).run()
        assert not app.exception, app.exception
        assert app.warning
    link = opened("01_why_counting_is_not_enough", **{"1-day": "20", "1-from": offered[-1]})
    assert link.selectbox(key="1-from").value == chosen
