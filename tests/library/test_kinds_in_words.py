"""dpcore as a library: plans and releases of every kind in words, and what is refused in words."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

import dpcore
from dpcore.errors import (
    BudgetExceededError,
    BundleError,
    InputError,
    PrivacyError,
)
from dpcore.privacy import decimal_text
from dpcore.release import kind_of
from tests.library.made_kinds import KINDS, PEOPLE, WEEKS, plan_of


def test_plans_are_told_in_plain_words_and_never_in_floats(city, tmp_path):
    _, tiles = city
    made = (
        lambda epsilon: dpcore.model_plan(PEOPLE, epsilon, WEEKS),
        lambda epsilon: dpcore.stability_plan(PEOPLE, epsilon),
        lambda epsilon: dpcore.tree_plan(PEOPLE, epsilon),
    )
    for plan in made:
        assert plan("0.5") == plan(Fraction(1, 2))
        for wrong in (1.0, "much", None):
            with pytest.raises(PrivacyError, match="epsilon"):
                plan(wrong)
    assert dpcore.stability_plan(PEOPLE, "1", delta="1e-6") == dpcore.stability_plan(
        PEOPLE, "1", delta=Fraction(1, 10**6)
    )
    for wrong in (1e-6, "0", "some"):
        with pytest.raises(PrivacyError, match="delta"):
            dpcore.stability_plan(PEOPLE, "1", delta=wrong)
    with pytest.raises(InputError, match="unknown variant"):
        dpcore.stability_plan(PEOPLE, "1", variant="best")
    with pytest.raises(InputError, match=r"unknown trajectory.*trip, day"):
        dpcore.tree_plan(PEOPLE, "1", trajectory="week")
    with pytest.raises(PrivacyError, match="day of a person is not a trip"):
        dpcore.tree_plan(dpcore.ContributionBound.per_trip(), "1", trajectory="day")
    assert dpcore.tree_plan(PEOPLE, "1", promise="record").strategy.value == "record"
    (tmp_path / "levels.csv").write_text(f"tile_id,privacy\n{tiles.tile_ids[0]},Low\n", encoding="utf-8")
    of_file = dpcore.tree_plan(PEOPLE, "0.5", levels=tmp_path / "levels.csv", tiles=tiles, height=3)
    assert of_file == plan_of("tree", tiles)
    with pytest.raises(InputError, match="a file of levels names tiles"):
        dpcore.tree_plan(PEOPLE, "1", levels=str(tmp_path / "levels.csv"))
    with pytest.raises(InputError, match="tile that does not exist"):
        dpcore.tree_plan(PEOPLE, "1", levels={"nowhere": "Low"}, tiles=tiles)
    with pytest.raises(InputError, match="zip"):
        dpcore.model_plan(PEOPLE, "1", WEEKS, zips=["=1+1"])


def test_expected_errors_of_other_kinds_are_those_of_their_releases(walked, city):
    _, tiles = city
    for kind in ("model", "stability"):
        expected = dpcore.expected_errors(plan_of(kind, tiles), tiles).set_index("measure")
        release = walked[kind].release
        assert tuple(expected.index) == kind_of(release.plan).tables(release)
        for name in expected.index:
            found = dpcore.table(release, name)
            assert set(found["half_width_95"]) == {expected.loc[name, "half_width_95"]}
            assert len(found) <= expected.loc[name, "cells"]
            assert kind == "model" or found["value"].min() >= expected.loc[name, "stands_out_from"]
        assert expected["epsilon"].sum() == pytest.approx(float(release.plan.epsilon))
        assert set(expected["sensitivity"]) == {3}
        assert expected["readable_share"].isna().all()
    with pytest.raises(InputError, match="no list of tables"):
        dpcore.expected_errors(plan_of("tree", tiles), tiles)
    with pytest.raises(InputError, match="no plan of a release"):
        dpcore.expected_errors({"od_flows": 1}, tiles)


def test_only_a_plan_of_tables_is_previewed(city):
    trips, tiles = city
    for kind in KINDS[1:]:
        with pytest.raises(InputError, match="only a plan of tables is previewed"):
            dpcore.preview(trips, plan_of(kind, tiles))


def test_what_is_no_plan_is_refused_before_anything_is_charged(city):
    trips, tiles = city
    ledger = dpcore.open_ledger()
    dpcore.register(ledger, "poor", unit="user", total_budget="1")
    before = ledger.head()
    for wrong in ({"od_flows": 1}, None, "model"):
        with pytest.raises(InputError, match="no plan of a release"):
            dpcore.price(wrong, "user")
        with pytest.raises(InputError, match="no plan of a release"):
            dpcore.publish(trips, tiles, wrong, ledger=ledger, dataset="poor", nonce="wrong")
    much = dpcore.model_plan(PEOPLE, "2", WEEKS)
    with pytest.raises(BudgetExceededError):
        dpcore.publish(trips, tiles, much, ledger=ledger, dataset="poor", nonce="too much")
    assert ledger.head() == before


def test_a_receipt_and_a_path_stand_for_their_release_wherever_one_is_read(walked):
    paid, tree = walked["tables"], walked["tree"]
    visits = dpcore.table(paid.release, "visits_per_tile")
    assert list(dpcore.compare(paid, paid.folder)["measure"])
    for source in (paid, paid.folder, str(paid.folder)):
        pd.testing.assert_frame_equal(dpcore.table(source, "visits_per_tile"), visits)
        assert len(dpcore.geodataframe(source, "visits_per_tile")) == len(visits) - 1
        assert "Visits" in repr(dpcore.deck(source, "visits_per_tile"))
        assert dpcore.chart(source, "travel_time").data
        assert "<!doctype html>" in dpcore.report_html(source, static=True)
    for source in (tree, tree.folder, str(tree.folder)):
        assert dpcore.ask(source, "^ ?").equals(dpcore.ask(tree.release, "^ ?"))
        assert len(dpcore.synthetic_trips(source)) > 0


@pytest.mark.parametrize("source", [None, 3, pd.DataFrame({"value": [1]})])
def test_what_is_no_release_is_refused_in_words(source):
    for take in (dpcore.table, dpcore.geodataframe, dpcore.deck, dpcore.chart):
        with pytest.raises(InputError, match="this is no release"):
            take(source, "visits_per_tile")
    for take in (dpcore.report_html, dpcore.synthetic_trips, lambda one: dpcore.ask(one, "A")):
        with pytest.raises(InputError, match="this is no release"):
            take(source)


def test_a_path_without_a_bundle_and_a_preview_where_none_is_read_are_refused_in_words(city, home):
    look = dpcore.preview(city[0], plan_of("tables", city[1]))
    with pytest.raises(InputError, match="this is no release"):
        dpcore.ask(look, "A")
    with pytest.raises(InputError, match="this is no release"):
        dpcore.report_html(look)
    with pytest.raises(BundleError):
        dpcore.table(home / "nothing", "visits_per_tile")


def test_levels_of_places_are_named_in_upper_or_lower_case(city):
    tile = city[1].tile_ids[0]
    plans = [dpcore.tree_plan(PEOPLE, "0.1", levels={tile: name}) for name in ("Public-ish", "public-ISH")]
    assert plans[0] == plans[1]
    assert dpcore.price(plans[1], "user").epsilon == Fraction("0.1") * 3 * 5, "M times five"


@pytest.mark.parametrize("number", [1, 0.5])
def test_an_epsilon_and_a_delta_that_are_numbers_are_refused_with_how_to_write_them(number):
    with pytest.raises(PrivacyError, match=r"epsilon must be text, not a number.*quotes"):
        dpcore.stability_plan(PEOPLE, number)
    with pytest.raises(PrivacyError, match=r"delta must be text, not a number.*quotes"):
        dpcore.stability_plan(PEOPLE, "1", delta=number * 1e-6)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("tables", "Plan of visits_per_tile"),
        ("model", "Plan of synthetic trips: "),
        ("stability", "Plan of large counts ("),
        ("tree", "Plan of a trajectory tree of height "),
    ],
)
def test_a_release_says_its_kind_in_words_and_the_epsilon_that_was_charged(walked, kind, words):
    release = walked[kind].release
    charged = decimal_text(walked[kind].charged)
    assert repr(release) == f"<Release {release.id} of {release.plan!r}>"
    assert f"epsilon {charged}" in repr(release)
    assert repr(release.plan).startswith(f"<{words}")
    assert len(repr(release.plan)) < 130


@pytest.mark.parametrize(
    ("kind", "words"),
    [("model", "synthetic trips"), ("stability", "large counts"), ("tree", "trajectory tree")],
)
def test_what_has_no_pictures_says_so_by_its_kind(walked, kind, words):
    for draw in (dpcore.chart, dpcore.deck, dpcore.geodataframe):
        with pytest.raises(InputError, match=f"of the kind {words} has no such picture.*Use table"):
            draw(walked[kind].release, "visits_per_tile")


def test_an_epsilon_or_a_total_that_is_a_number_is_asked_for_as_text(walked, tmp_path):
    release, ledger = walked["tables"].release, dpcore.open_ledger(tmp_path / "numbers.db")
    for number in (0.5, 1):
        for call in (
            lambda given: dpcore.Plan.up_to(PEOPLE, {"od_flows": 1}, given),
            lambda given: dpcore.model_plan(PEOPLE, given, WEEKS),
            lambda given: dpcore.table(release, "visits_per_tile", given),
            lambda given: dpcore.chart(release, "visits_per_tile", given),
            lambda given: dpcore.register(ledger, "number", unit="user", total_budget=given),
        ):
            with pytest.raises(PrivacyError, match=r'text, in quotes, such as "0\.5"'):
                call(number)


def test_a_period_that_is_text_is_refused_at_once():
    with pytest.raises(PrivacyError, match="two dates, not text"):
        dpcore.Period("2024-03-04", "2024-03-31")
    with pytest.raises(PrivacyError, match="this is no period"):
        dpcore.model_plan(PEOPLE, "1", "2024-03-04/2024-03-31")
    for make in (dpcore.stability_plan, dpcore.tree_plan):
        with pytest.raises(PrivacyError, match="this is no period"):
            make(PEOPLE, "1", period="2024-03-04/2024-03-31")
