"""The strip of marks before a release: as many as there are tiles, and words that say what each kind means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore.estimates.known import known_tiles
from dpcore.estimates.result import Ranged
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import _tiles, visits_forecast
from dpcore.noise.forecast import LIKELY, Facts
from dpcore.privacy import ContributionBound
from dpcore.views.planning.known_strip import (
    MOST_MARKS,
    strip_counts,
    strip_svg,
    strip_words,
    tiles_of_a_mark,
)

VISITS = "visits_per_tile"


def forecast(epsilon: str = "1", tiles: int = 150, trips: int = 300_000):
    plan = Plan.up_to(ContributionBound.per_trip(), {VISITS: 1}, Fraction(epsilon))
    return visits_forecast(plan, Facts(trips, trips // 10, tiles))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize(("tiles", "trips"), [(1, 100), (150, 300_000), (60_000, 50_000)])
def test_every_tile_is_of_one_kind(epsilon, tiles, trips):
    found = forecast(epsilon, tiles, trips)
    counts = strip_counts(found)
    assert min(counts) >= 0
    assert sum(counts) == tiles
    drawn = strip_svg(found)
    marks = drawn.count("<circle") + drawn.count("<rect") // 2
    assert marks == -(-tiles // tiles_of_a_mark(tiles)) <= MOST_MARKS


def test_words_and_marks_agree():
    found = forecast("0.1", trips=20_000)
    known, roughly, hidden = strip_counts(found)
    drawn = strip_svg(found)
    assert drawn.count("<circle") == hidden > 0
    assert drawn.count("<rect") == 2 * (known + roughly)
    assert f"{known:,} known within 25 %" in strip_words(found)
    assert f"{hidden:,} nearly empty or hidden" in strip_words(found)
    assert "no map" in strip_words(found)


def test_more_epsilon_hides_fewer_tiles():
    hidden = [forecast(epsilon, trips=20_000).hidden for epsilon in ("0.1", "0.5", "2", "10")]
    assert hidden == sorted(hidden, reverse=True)
    assert hidden[0] > hidden[-1]


def test_hidden_means_what_it_means_after_the_release():
    """The forecast counts tiles as ``known_tiles`` does: those whose likely range holds 0."""
    facts, bound = Facts(20_000, 2_000, 150), ContributionBound.per_trip()
    plan = Plan.up_to(bound, {VISITS: 1}, Fraction(1, 10))
    counts, errors = _tiles(
        plan.measure(VISITS), bound, plan.rho(VISITS, plan.epsilon), facts, share=1.0, of_total=0.0
    )
    reach = 1.96 * errors
    open_tiles = [
        known_tiles(Ranged(*(part[at : at + 1] for part in (counts, counts - reach, counts + reach)))).open
        for at in range(0, len(counts), 40)
    ]
    expected = float(LIKELY[::40] @ open_tiles / LIKELY[::40].sum())
    assert forecast("0.1", trips=20_000).hidden / 150 == pytest.approx(expected, abs=0.02)


def test_a_part_is_named():
    assert "of an average part" in strip_words(replace(forecast(), of_part=True))
