"""What the owner sees before synthetic trips or large counts are published: throw-away draws beside the truth."""

import copy
import pickle
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy import owner as roy_owner
from dpcore.kinds.roy.article import Outliers
from dpcore.kinds.roy.choices import RoyChoices, domain_of
from dpcore.kinds.roy.private import paper as of_paper
from dpcore.kinds.stability import owner as stability_owner
from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.plan import Variant
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from tests.cities import Trip, four_tiles, private
from tests.synthesis.test_trip_tables import drawn_trips

PERIOD = Period(date(2024, 4, 1), date(2024, 4, 14))
TILES = four_tiles()
PER_TRIP = ContributionBound.per_trip()
EPSILON = Fraction(2)


@pytest.fixture
def trips():
    return private(drawn_trips(1_500) + [Trip("u1", None, "outside")] * 15)


def plan(bound=PER_TRIP, epsilon=EPSILON, period=PERIOD):
    return RoyChoices(bound, epsilon, period).plan(TILES)


def stability(bound=PER_TRIP, variant=Variant.ADD_REMOVE, epsilon="8", **choices):
    return StabilityChoices(
        bound, Fraction(epsilon), Fraction(6, 8_000_000), variant, period=PERIOD, **choices
    )


def test_a_preview_holds_the_truth_and_a_draw_near_it(trips):
    seen = roy_owner.synthesis_preview(trips, TILES, plan())
    assert seen.beside.original.trips == 1_500
    assert abs(len(seen.trips) - 1_500) < 150
    assert seen.within == pytest.approx(1_500 / 1_515)
    assert seen.counted == 1
    assert abs(seen.beside.synthetic.outgoing - seen.beside.original.outgoing).max() < 8
    measures = {score.measure for score in seen.beside.scores}
    assert {"visits_per_tile", "od_flows", "trips_over_time", "trips_per_hour", "travel_time"} <= measures
    assert any(score.metric == "ssim" for score in seen.beside.scores)


def test_the_bound_decides_how_many_trips_count_and_the_truth_stays_all_of_them(trips):
    seen = roy_owner.synthesis_preview(trips, TILES, plan(ContributionBound.per_user(10), Fraction(20)))
    assert seen.counted == pytest.approx(200 / 1_500)  # 20 people with far more than ten trips each
    assert seen.beside.original.trips == 1_500
    assert len(seen.trips) < 500


def test_each_preview_draws_afresh(trips):
    first, second = (roy_owner.synthesis_preview(trips, TILES, plan()).beside.synthetic for _ in range(2))
    assert first.routes.tolist() != second.routes.tolist()


def test_more_epsilon_brings_the_trips_nearer(trips):
    def off(epsilon):
        seen = roy_owner.synthesis_preview(trips, TILES, plan(epsilon=Fraction(epsilon)))
        return abs(seen.beside.synthetic.routes - seen.beside.original.routes).mean()

    assert np.mean([off("20") for _ in range(3)]) < np.mean([off("0.01") for _ in range(3)])


def test_progress_rises_to_one_in_every_preview(trips):
    domain = plan().domain
    for look in (
        lambda tell: roy_owner.synthesis_preview(trips, TILES, plan(), progress=tell),
        lambda tell: roy_owner.synthesis_runs(trips, TILES, plan(), runs=3, progress=tell),
        lambda tell: roy_owner.paper_study(trips, TILES, domain, EPSILON, progress=tell),
        lambda tell: roy_owner.paper_variants(trips, TILES, domain, EPSILON, progress=tell),
        lambda tell: stability_owner.stability_preview(trips, TILES, stability(), progress=tell),
    ):
        told = []
        look(told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0


def test_runs_vary_by_noise_around_the_truth(trips):
    wide, narrow = (
        roy_owner.synthesis_runs(trips, TILES, plan(epsilon=Fraction(e)), runs=6) for e in ("0.05", "20")
    )
    rows = {(row.table, row.label): row for row in narrow.rows}
    total = rows["trips", "number of trips"]
    assert total.original == 1_500
    assert total.mean == pytest.approx(1_500, abs=10)
    spread = {(row.table, row.label): row.sigma for row in wide.rows}
    assert spread["trips", "number of trips"] > 5 * total.sigma
    assert all(row.original is None for row in narrow.distances)
    assert {row.table for row in narrow.distances} == {
        "Stations, out",
        "Stations, in",
        "Routes",
        "Days",
        "Hours",
    }


@pytest.mark.parametrize("runs", [0, 1, 201])
def test_a_number_of_runs_that_makes_no_sense_is_refused(trips, runs):
    with pytest.raises(InputError, match="Choose 2 to 200"):
        roy_owner.synthesis_runs(trips, TILES, plan(), runs=runs)


def test_no_trip_in_the_period_is_said_without_a_fact_about_the_trips(trips):
    elsewhere = plan(period=Period(date(2020, 1, 1), date(2020, 1, 7)))
    with pytest.raises(InputError, match="no trip lies within the tiles and the dates"):
        roy_owner.synthesis_preview(trips, TILES, elsewhere)


def test_people_cannot_be_hidden_where_there_are_none():
    nobody = private(drawn_trips(50), has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        roy_owner.synthesis_preview(nobody, TILES, plan(ContributionBound.per_user(5)))
    with pytest.raises(PrivacyError, match="no user column"):
        stability_owner.stability_preview(
            nobody, TILES, stability(ContributionBound.per_user(5), Variant.USER)
        )


def test_other_tiles_than_those_of_the_trips_are_refused(trips):
    from dpcore.tiles import Box, square_grid

    with pytest.raises(PrivacyError, match="not the tiles"):
        stability_owner.stability_preview(trips, square_grid(Box(0, 0, 2, 2), 50_000.0), stability())


def test_the_paper_costs_as_many_epsilon_as_it_has_groups(trips):
    seen = roy_owner.paper_study(trips, TILES, plan().domain, Fraction("0.9"))
    assert seen.study.cost == roy_owner.paper_cost(3, Fraction("0.9"), roy_owner.PaperNoise.FULL)
    assert seen.study.cost.replace_one == Fraction("2.7")
    assert seen.beside.original.trips == 1_500
    assert seen.beside.synthetic.trips == seen.study.cleaned


def test_phantoms_push_the_busy_days_down_unless_only_occupied_cells_have_noise():
    busy = [
        Trip("u", "A", "B", f"2024-04-0{day} 08:00", f"2024-04-0{day} 08:30")
        for day in (1, 2)
        for _ in range(60)
    ]
    seen = roy_owner.paper_variants(private(busy), TILES, plan().domain, Fraction("0.3"))
    shares = {row.noise: row.top_days for row in seen.rows}
    assert (seen.trips, seen.cells, seen.occupied) == (120, 4 * 14 * 24, 2)
    assert seen.top_days == pytest.approx(20)  # both days, over the five that rank first
    assert shares[roy_owner.PaperNoise.FULL] < 0.9 * shares[roy_owner.PaperNoise.OCCUPIED_HALF]
    assert shares[roy_owner.PaperNoise.OCCUPIED_HALF] == pytest.approx(20)
    assert [row.phantoms > 0 for row in seen.rows] == [True, True, False, False]


def test_the_variants_leave_out_the_outliers_of_the_rule_that_is_asked_for():
    """100 short trips on one route and as many long ones on another, on five days; 30 long ones on the short route on two more."""
    made = [(day, "A", "B", 10) for day in range(1, 6)] * 20
    made += [(day, "C", "D", 80) for day in range(1, 6)] * 20
    made += [(day, "A", "B", 80) for day in (6, 7)] * 15
    busy = [
        Trip("u", a, b, f"2024-04-0{day} 08:00", f"2024-04-0{day} {8 + long // 60:02}:{long % 60:02}")
        for day, a, b, long in made
    ]
    top = {}
    for rule in Outliers:
        seen = roy_owner.paper_variants(private(busy), TILES, plan().domain, Fraction(100), outliers=rule)
        top[rule] = next(one.top_days for one in seen.rows if one.noise is roy_owner.PaperNoise.OCCUPIED_HALF)
    assert top[Outliers.ATTRIBUTE] < 20  # the two other days stay empty with (200 / 230) ** 230 < 1e-13
    assert top[Outliers.PAIR] == top[Outliers.NARROW] == pytest.approx(20)


def test_the_invented_trips_show_the_same_without_any_file():
    seen = roy_owner.paper_variants_of_invented(Fraction("0.9"), 20_000)
    assert seen.trips == 20_000
    assert seen.rows[0].phantoms > 2_000_000
    assert seen.rows[0].top_days < 0.2 < seen.rows[3].top_days


def test_tables_of_the_paper_that_would_take_minutes_are_refused_before_anything_is_counted(
    trips, monkeypatch
):
    monkeypatch.setattr(of_paper, "MOST_CELLS", 100)
    with pytest.raises(PrivacyError, match="Choose coarser tiles"):
        roy_owner.paper_study(trips, TILES, domain_of(TILES, PERIOD), EPSILON)


def test_large_counts_are_shown_both_ways_and_none_is_small(trips):
    seen = stability_owner.stability_preview(trips, TILES, stability())
    assert seen.trips == 1_515  # a trip without a start counts where it ends
    for one in seen.combinations:
        large = seen.histogram.large[one.name]
        assert (large.counts >= one.stability.threshold).all()
        assert one.stability.rows == len(large.counts)
        listed = seen.listed.large[one.name]
        assert (one.listed.threshold, one.listed.rows) == (listed.threshold, len(listed.counts))
        assert one.occupied <= one.keys
        assert 0 <= one.stability.share <= 1
        assert one.listed.threshold <= one.stability.threshold  # no delta to guard against
    places = next(one for one in seen.combinations if one.name == "on_loc")
    assert places.keys == 14 * 5  # days times four tiles and the place that is not known
    assert places.stability.share > 0.9


def test_thresholds_are_those_of_the_plan_and_of_the_published_release(trips):
    def shown_from(variant, bound=PER_TRIP):
        seen = stability_owner.stability_preview(trips, TILES, stability(bound, variant))
        return {one.name: one.stability.threshold for one in seen.combinations}

    assert shown_from(Variant.OPAL)["on_time"] == 34
    assert shown_from(Variant.OPAL)["on_time+on_loc"] == 18
    assert shown_from(Variant.ADD_REMOVE)["on_time"] == 17
    assert shown_from(Variant.USER, ContributionBound.per_user(10))["on_time"] > 100


def test_wider_bins_show_more_and_the_report_of_the_chosen_bins_is_that_of_the_plan(trips):
    seen = stability_owner.stability_preview(trips, TILES, stability())
    shares = [by_name["on_time"] for by_name in seen.density.shares.values()]
    assert list(seen.density.shares) == [5, 15, 30, 60]
    assert shares == sorted(shares)
    chosen = seen.density.shares[15]
    assert chosen == {one.name: one.stability.share for one in seen.combinations}


def test_nothing_that_was_looked_at_can_leave(trips):
    domain = plan().domain
    for sealed in (
        roy_owner.synthesis_preview(trips, TILES, plan()),
        roy_owner.synthesis_preview(trips, TILES, plan()).beside,
        roy_owner.synthesis_runs(trips, TILES, plan(), runs=2),
        roy_owner.paper_study(trips, TILES, domain, EPSILON),
        roy_owner.paper_variants(trips, TILES, domain, EPSILON),
        stability_owner.stability_preview(trips, TILES, stability()),
        stability_owner.stability_preview(trips, TILES, stability()).combinations[0],
    ):
        assert repr(sealed) == f"<{type(sealed).__name__}>"
        for leave in (pickle.dumps, copy.copy):
            with pytest.raises(PrivacyError):
                leave(sealed)
