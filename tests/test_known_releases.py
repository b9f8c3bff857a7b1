"""Releases of others: facts with their sources, and one unit that never hides a guess."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf

import pytest

from dpcore.comparison.known_releases import ATTRIBUTION, _group_delta, compared, known_releases
from dpcore.privacy import ContributionBound
from dpcore.views.planning import forecasts

PERSON, TRIP = ContributionBound.per_user(10), ContributionBound.per_trip()


def everything(bound=PERSON, epsilon=Fraction(1), days=28, **options):
    options = {"only_mobility": False, "with_local": True, **options}
    return {row.name: row for row in compared(bound, epsilon, days, **options)}


def test_every_fact_has_its_unit_its_source_and_its_certainty():
    names = [(release.publisher, release.name) for release in known_releases()]
    assert len(names) == len(set(names)) > 20
    for release in known_releases():
        assert release.protects
        assert release.epsilon is not None or release.rho is not None
        assert release.sources[0]
        assert all(" " not in source for source in release.sources if source.startswith("http"))
        assert release.certainty in {"reported", "paper", "unverified"}
        assert 0 <= release.delta < 1e-3
    assert "OpenDP" in ATTRIBUTION
    assert "not certified" in ATTRIBUTION


def test_numbers_are_those_of_the_collected_facts(shared):
    import csv

    with shared("known_releases.csv").open(encoding="utf-8") as text:
        collected = {tuple(row["source"].split()): row for row in csv.DictReader(text)}
    seen = 0
    for release in known_releases():
        rows = [row for sources, row in collected.items() if set(sources) & set(release.sources)]
        numbers = {Fraction(row["epsilon"]) for row in rows if row["epsilon"]}
        rhos = {Fraction(row["rho"]) for row in rows if row["rho"]}
        if rows:
            seen += 1
            assert release.epsilon is None or release.epsilon in numbers
            assert release.rho is None or release.rho in rhos
    assert seen > 15


def test_a_day_a_week_and_a_trip_become_four_weeks():
    rows = everything(trips_in_four_weeks=32)
    assert rows["Community Mobility Reports"].epsilon == pytest.approx(2.64 * 28)
    assert rows["Mobility histograms"].epsilon == pytest.approx(8)
    assert rows["Flows between places"].epsilon == pytest.approx(0.66 * 32)
    assert rows["Mobility during hurricanes"].epsilon == 10
    assert rows["Audience engagement"].epsilon == pytest.approx(34.9)
    assert "32 trips" in rows["Flows between places"].how


def test_what_says_nothing_about_a_person_is_not_guessed():
    rows = everything()
    for name in ("Live births of 2014", "Page views since 2023", "Popular emoji", "OnTheMap commuting"):
        assert rows[name].epsilon is None
        assert "Cannot be compared" in rows[name].how


def test_a_void_delta_is_said_and_has_no_number():
    opal = everything()["Opal tap-on and tap-off"]
    assert opal.epsilon is None
    assert "160" in opal.how
    assert "promises nothing" in opal.how
    one = next(release for release in known_releases() if release.name == "Flows between places")
    assert _group_delta(one, 20) == pytest.approx(2.1e-29 * (exp(13.2) - 1) / (exp(0.66) - 1))
    assert _group_delta(one, 1000) == inf


def test_zcdp_is_read_as_epsilon_only_with_its_delta_beside_it():
    census = everything()["2020 Census: redistricting data"]
    assert census.epsilon == pytest.approx(2.63 + 2 * (2.63 * 23.02585) ** 0.5, rel=1e-4)
    assert "weaker promise" in census.how


def test_our_plan_is_one_more_row_and_the_order_is_not_by_epsilon():
    rows = compared(TRIP, Fraction(2), 7, only_mobility=False)
    assert rows[0].ours
    assert not any(row.ours for row in rows[1:])
    assert rows[0].epsilon == 40
    assert "4 times as much" in rows[0].how
    assert compared(PERSON, Fraction(2), 28)[0].epsilon == 2
    assert compared(PERSON, Fraction(2), None)[0].epsilon == 2
    order = [row.name for row in rows[1:]]
    assert order == [row.name for row in compared(PERSON, Fraction(20), 28, only_mobility=False)[1:]]
    numbers = [row.epsilon for row in rows if row.epsilon is not None]
    assert numbers != sorted(numbers)
    assert numbers != sorted(numbers, reverse=True)


def test_noise_on_the_device_and_other_subjects_are_hidden_unless_asked_for():
    names = {row.name for row in compared(PERSON, Fraction(1), 28)}
    assert "Popular emoji" not in names
    assert "Broadband coverage" not in names
    assert "Opal tap-on and tap-off" in names
    assert "Popular emoji" not in everything(with_local=False)
    assert everything()["Popular emoji"].local


def test_the_picture_shows_what_can_be_compared_and_the_table_all_of_it():
    rows = compared(PERSON, Fraction(1), 28, only_mobility=False, with_local=True)
    chart = forecasts.known_chart(rows)
    assert len(chart.table) == sum(row.epsilon is not None for row in rows)
    (marks,), layout = chart.figure["data"], chart.figure["layout"]
    assert layout["xaxis"]["type"] == "log"
    assert marks["x"] == chart.table["epsilon"].tolist()
    assert len(layout["yaxis"]["ticktext"]) == len(chart.table)
    assert layout["yaxis"]["range"][0] > layout["yaxis"]["range"][1], "the first stands above"
    hollow = [symbol == "circle-open" for symbol in marks["marker"]["symbol"]]
    assert hollow == (chart.table["what"] == "unverified").tolist()
    assert any(hollow)
    columns = forecasts.known_columns(rows)
    assert {len(column) for column in columns.values()} == {len(rows)}
    assert "cannot be compared" in columns["for one person over four weeks"]
    assert "cannot be compared" in forecasts.known_caption(rows)
