"""Every sentence about one stop of a release states the promise of the whole: all stops are public."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import decimal_text
from dpcore.views.numbers.guarantee import facts, protection_at, protection_text_at
from dpcore.views.numbers.sentences import protection
from dpcore.views.report import report_html
from pages.released.parts.pictures import pictures, rungs
from tests.release.made_releases import made_release

WEIGHTS = {"travel_time": 2, "user_time_delta": 1, "visits_per_tile": 1}


@pytest.fixture(scope="module")
def bought():
    return made_release(weights=WEIGHTS, epsilon="1", five_numbers=4, ranges=Fraction(1, 5))


@pytest.mark.parametrize("unit", ["user", "trip"])
def test_every_stop_states_the_guarantee_of_the_whole_release(unit):
    release = made_release(weights=WEIGHTS if unit == "user" else {"travel_time": 1}, epsilon="2", unit=unit)
    whole = protection(release.plan.bound, Fraction(2))
    assert protection_at(release, len(release.plan.rungs) - 1) == whole
    for number, rung in enumerate(release.plan.rungs[:-1]):
        said = protection_at(release, number)
        assert said.startswith(whole)
        assert f"Shown at ε = {decimal_text(rung)}: coarser numbers, but no more privacy" in said


def test_at_a_lower_stop_the_stated_numbers_hold_for_a_reader_of_all_stops():
    release = made_release(weights=WEIGHTS, epsilon="2")
    said = protection_text_at(release, release.plan.rungs.index(1))
    assert "becomes right at most 89 times" in said
    assert "at most 74 times" not in said  # as a reader who slides on to 2 would find untrue


def test_bought_summaries_are_announced_below_the_stop_where_they_show(bought):
    assert "Bought five-number summaries show from ε = 1 on." in protection_text_at(bought, 0)
    assert "five-number" not in protection_text_at(bought, len(bought.plan.rungs) - 1)


def test_the_report_and_the_summary_state_the_whole_at_every_rung(bought):
    for rung in range(len(bought.plan.rungs)):
        page = report_html(bought, rung, static=True)
        sheet, head = page[: page.index("<header>")], page[page.index("<header>") : page.index("</header>")]
        for part in (sheet, head):
            assert re.findall(r", at ε = ([0-9.]+)\.", part[part.index('class="promise"') :]) == ["1"]


def test_the_ends_of_the_slider_of_a_release_are_coarser_and_finer(bought):
    assert rungs(bought, 0).ends == ("coarser", "finer")


def test_the_facts_name_every_mechanism_and_who_made_the_bins(bought):
    told = facts(bought)
    assert "Trips" not in dict(told)
    cut = made_release(weights=WEIGHTS, trip_rule=TripRule.by_gap("2h"))
    assert "no point for more than 2 hours" in dict(facts(cut))["Trips"]
    assert "exponential mechanism (permute-and-flip)" in dict(told)["Mechanism"]
    assert not any("owner chose the bins" in value for _, value in told)
    assert any("was bought with epsilon" in value for _, value in told)
    assert "exponential" not in dict(facts(made_release(weights=WEIGHTS)))["Mechanism"]


def test_the_slider_and_the_maps_of_the_viewer_say_the_same(bought):
    said = [protection_text_at(bought, rung) for rung in range(len(bought.plan.rungs))]
    assert rungs(bought, 0).sentences == said
    assert said[0].encode() in pictures(bought).visits
