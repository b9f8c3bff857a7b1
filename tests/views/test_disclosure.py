"""Every sentence about one rung counts all that shows there."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from dpcore.views.disclosure import protection_at, protection_text_at
from dpcore.views.guarantee import facts
from dpcore.views.report import report_html
from dpcore.views.sentences import protection
from dpcore.views.summary import summary_html
from pages.released.parts.pictures import pictures, rungs
from tests.release.made_releases import made_release

WEIGHTS = {"travel_time": 2, "user_time_delta": 1, "visits_per_tile": 1}


@pytest.fixture(scope="module")
def bought():
    return made_release(weights=WEIGHTS, epsilon="1", five_numbers=4, ranges=Fraction(1, 5))


def test_where_nothing_was_bought_the_sentence_is_that_of_the_rung():
    release = made_release(weights=WEIGHTS, epsilon="1")
    for number, rung in enumerate(release.plan.rungs):
        assert protection_at(release, number) == protection(release.plan.bound, rung)


def test_the_sentence_of_a_lower_rung_counts_bought_bins(bought):
    said = protection_text_at(bought, 0)
    assert "At ε = 0.24, " in said  # 0.1 x 0.4 for counts, 0.2 for bins
    assert "All that shows here costs ε = 0.24: the counts, and ε = 0.2 for the bins of " in said
    assert "Bought five-number summaries show from ε = 1 on." in said
    assert "At ε = 1, " in protection_text_at(bought, len(bought.plan.rungs) - 1)


def test_the_report_and_the_summary_say_the_sum_at_every_rung(bought):
    whole = report_html(bought, 0)
    head = whole[whole.index('class="promise"') : whole.index("</header>")]
    assert re.findall(r"At ε = ([0-9.]+),", head) == ["0.24", "0.28", "0.32", "0.4", "0.5", "1"]
    assert "At ε = 0.24," in summary_html(bought, 0)


def test_the_facts_name_every_mechanism_and_who_made_the_bins(bought):
    told = facts(bought)
    assert "exponential mechanism (permute-and-flip)" in dict(told)["Mechanism"]
    assert not any("owner chose the bins" in value for _, value in told)
    assert any("was bought with epsilon" in value for _, value in told)
    assert "exponential" not in dict(facts(made_release(weights=WEIGHTS)))["Mechanism"]


def test_the_sentence_says_when_finer_counts_chose_what_is_listed():
    sparse = made_release(sparse=True, epsilon="1", weights={"od_flows": 1})
    assert "are listed was decided at ε = 1." in protection_text_at(sparse, 0)
    assert "listed" not in protection_text_at(sparse, len(sparse.plan.rungs) - 1)


def test_the_slider_and_the_maps_of_the_viewer_say_the_same_sum(bought):
    said = [protection_text_at(bought, rung) for rung in range(len(bought.plan.rungs))]
    assert rungs(bought, 0).sentences == said
    assert said[0].encode() in pictures(bought).visits
