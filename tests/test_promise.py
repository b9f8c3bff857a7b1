"""Every sentence about a guess, against the best attack there is: never passed, and reached; all laws enumerated exactly.

A result moves the odds of two data sets by ``P(result | one) / P(result | other)``. Noise of a cell is discrete Laplace on
its own, so the largest of all results is known: the sum, over all cells, of rate times difference.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import exp
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.views import persons_table
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measure import Engine
from dpcore.measures.plan import Plan
from dpcore.privacy import (
    ContributionBound,
    Loss,
    Promise,
    at_most_percent,
    beliefs_table,
    delta_text,
    posterior,
)
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.release import kind_of, statements
from dpcore.views.numbers.guarantee import can_be_found, can_you_be_found, you_in_this_data
from pages.owner.parts.state.words import UNIT_HELP
from pages.parts.glossary import TERMS
from tests.cities import Trip, four_tiles, private
from tests.engines import count
from tests.release.made_releases import WEEK, made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.test_ladder import joint_law

USER, TRIP = ContributionBound.per_user(3), ContributionBound.per_trip()
EPSILONS = [Fraction(text) for text in ("1/10", "1/2", "1", "2", "5")]
NEAR = 1e-9
REACH = 400


def promise_of(choices):
    return kind_of(choices).promised(choices)


def stated(words):
    """The shares that a promise states, in the order in which they stand."""
    found = re.findall(r"at most ([0-9,]+)(?: of ([0-9,]+))? times", words)
    return [float(times.replace(",", "")) / float((of or "100").replace(",", "")) for times, of in found]


def pmf(rate, shift=0):
    values = np.arange(-60, 61) - shift
    q = exp(-float(rate))
    return (1 - q) / (1 + q) * q ** np.abs(values)


def both(epsilon, move=1):
    """Laws of the counts of clinic and square, all rungs of two: nobody there, somebody at the clinic, or at the square."""
    show = 5
    law = joint_law([epsilon / 2, epsilon], (120, 70), show)
    away, there = law[move:, move:], law[:-move, :-move]
    return (np.multiply.outer(one, other) for one, other in ((away, away), (there, away), (away, there)))


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_the_best_attack_on_all_rungs_reaches_both_numbers_and_passes_neither(epsilon):
    away, clinic, square = both(epsilon)
    presence, doings = (
        max((one / (one + other)).max(), (other / (one + other)).max())
        for one, other in ((clinic, away), (clinic, square))
    )
    of_presence, of_doings = stated(Promise.of(USER, epsilon).words)
    assert of_presence - 0.01 < presence <= of_presence
    assert of_doings - 0.01 < doings <= of_doings
    assert stated(can_be_found(Promise.of(USER, epsilon))) == [of_presence], "a story tells this one figure"
    # what was said before, e^epsilon of anything, is passed: by far, and in many draws
    said_before = float(at_most_percent(posterior(epsilon, 0.5)).split()[2]) / 100
    belief = clinic / (clinic + square)
    assert presence <= said_before < doings
    assert (
        clinic[belief > said_before + 0.05].sum() > 0.15
    )  # of all draws; those beyond the enumerated ones are not in it


@pytest.mark.parametrize("most", [1, 3, 8])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_person_with_all_trips_in_one_place_reaches_both_numbers(epsilon, most):
    promised = Promise.of(ContributionBound.per_user(most), epsilon)
    here, away = pmf(epsilon / most, most), pmf(epsilon / most)
    move = np.log(here / away).max()
    of_presence, of_doings = stated(promised.words)
    assert of_presence - 0.01 < posterior(move, 0.5) <= of_presence + NEAR
    (told,) = stated(can_be_found(promised))
    assert told - 0.01 < posterior(move, 0.5) <= told + NEAR
    assert of_doings - 0.01 < posterior(2 * move, 0.5) <= of_doings + NEAR  # two counts, noised on their own
    assert posterior(2 * move, 0.5) > float(at_most_percent(posterior(epsilon, 0.5)).split()[2]) / 100


WEIGHTS = {
    "visits_per_tile": 2,
    "od_flows": 2,
    "trips_per_hour": 1,
    "trips_over_time": 1,
    "trips_per_user": 1,
}


def moved(plan, here, there):
    """By how much the most telling result moves the odds, as a logarithm: of all measures of a plan, drawn as it says."""
    tables = []
    for trips in (here, there):
        measures = [plan.measure(name) for name in plan.weights]
        answers = ExactAnswers(count(bounded(private(trips), plan.bound), measures, Engine.COMPILED))
        tables.append({one.name: answers.dense(one, one.keys(four_tiles().tile_ids)) for one in measures})
    return sum(
        plan.share(name)
        * plan.epsilon
        / plan.measure(name).sensitivity(plan.bound)
        * int(np.abs(tables[0][name] - tables[1][name]).sum())
        for name in plan.weights
    )


@pytest.mark.parametrize(
    ("bound", "trips"), [(USER, 3), (ContributionBound.per_user(1), 1), (TRIP, 1), (TRIP, 4)]
)
def test_files_that_differ_in_one_person_are_told_apart_as_far_as_the_promise_says(bound, trips):
    names = {name: n for name, n in WEIGHTS.items() if bound is not TRIP or name != "trips_per_user"}
    plan = Plan.up_to(bound, names, Fraction(1), KeyChoices(WEEK))
    rest = [Trip("other", "A", "D") for _ in range(2)]
    clinic = [Trip("me", "A", "B", "2024-04-02 08:00", "2024-04-02 08:30") for _ in range(trips)]
    square = [Trip("me", "C", "D", "2024-04-03 17:00", "2024-04-03 17:30") for _ in range(trips)]
    promised = Promise.of(bound, Fraction(1))
    units = trips if bound is TRIP else 1
    assert moved(plan, rest + clinic, rest) == units * promised.presence.epsilon
    told = moved(plan, rest + clinic, rest + square)
    # trips per person are as many in both
    assert told == units * promised.doings.epsilon - (
        2 * plan.share("trips_per_user") if "trips_per_user" in names else 0
    )
    assert told > units * plan.epsilon
    if units > 1:
        assert told > promised.doings.epsilon  # of a person the numbers of one trip are passed, as it says
        assert "A person with k trips is protected by k times epsilon only" in promised.words


def test_at_trip_level_the_example_is_what_a_person_with_twenty_trips_reaches():
    promised = Promise.of(TRIP, Fraction(1, 2))
    here, away = pmf(Fraction(1, 2), 20), pmf(Fraction(1, 2))
    move = np.log(here / away).max()
    assert move == pytest.approx(10)
    assert promised.person == (  # other words would refuse every bundle that was written with these
        "Both are about one trip. A person with k trips is protected by k times epsilon only: with 20 trips by epsilon 10, and for "
        "where they went by 20."
    )
    assert promised.person in promised.words
    *_, of_many = stated(promised.in_full)
    assert of_many - 1e-5 < posterior(move, 0.5) <= of_many, "the bound for many trips is reached, and holds"
    assert posterior(move, 0.5) > stated(promised.words)[1]  # more than both numbers of a single trip
    found = can_be_found(promised)
    assert "One trip alone: hardly. 20 trips of one person: assume yes." in found
    assert found.endswith("whether 20 trips of yours are, at most 99,996 of 100,000 times.")
    assert beliefs_table(promised)["50 % before"][2] == "at most 99.996 %", "the table says the same"


@pytest.mark.parametrize("bound", [USER, TRIP])
def test_a_story_says_hardly_only_where_three_of_four_guesses_at_most_are_right(bound):
    """Of presence and of doings: the milder of the two numbers alone was read as harmless."""
    said = {text: can_be_found(Promise.of(bound, Fraction(text))) for text in ("1/2", "1", "2", "3", "12")}
    before = "? " if bound is USER else "One trip alone: "
    for answer, where in (("hardly", {"1/2"}), ("perhaps", {"1"}), ("assume yes", {"2", "3", "12"})):
        told = {text for text, words in said.items() if f"{before}{answer}. ".lower() in words.lower()}
        assert told == where, answer
    assert "at most 74 of 100 times instead of 50" in said["1"]
    assert ("20 trips" in said["1"]) == (bound is TRIP)
    assert "practically every time" in said["12"]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("bound", [USER, TRIP, ContributionBound.per_user(1)])
def test_the_box_of_a_reader_tells_both_numbers_and_of_a_trip_those_of_many(bound, epsilon):
    promise = Promise.of(bound, epsilon)
    first, second = can_you_be_found(promise)
    there, did = promise.presence.right_of, promise.doings.right_of
    assert f"is right {there} instead of 50" in first
    assert did.removesuffix(" of 100 times") in first.partition(" instead of ")[2]
    if bound is TRIP:
        assert second.endswith(f": a guess by 20 trips is right {promise.presence.times(20).right_of}.")
    else:
        assert second.startswith("This holds for all your trips")
    assert [*you_in_this_data(promise)][:2] == [first, second], "the files carry the same box"


def test_of_a_thousand_guesses_about_drawn_counts_no_more_are_right_than_a_story_says():
    """The best attack, simulated: a coin puts somebody into the data, and the guess is whoever makes the count likelier."""
    random, promised, many = np.random.default_rng(7), Promise.of(USER, Fraction(1)), 100_000
    there = random.integers(0, 2, many)
    q = exp(-1 / USER.max_trips)
    noise = random.geometric(1 - q, many) - random.geometric(1 - q, many)
    counts = 50 + USER.max_trips * there + noise
    right = ((counts - 50 > USER.max_trips / 2) == there).mean()
    (told,) = stated(can_be_found(promised))
    assert 0.6 < right <= told
    surest = (
        counts >= 50 + USER.max_trips
    )  # where the guess is surest it is right as often as it is said, and no more
    assert told - 0.02 < there[surest].mean() <= told + 0.01


def advantage(one, other):
    """How often the best guess between two laws is right."""
    return (1 + np.abs(one - other).sum() / 2) / 2


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.2])
def test_with_delta_the_best_guess_is_reached_by_a_mechanism_and_passed_by_none(epsilon, delta):
    p = posterior(epsilon, 0.5)
    worst = np.array([delta, (1 - delta) * p, (1 - delta) * (1 - p), 0])
    loss = Loss(epsilon, delta)
    assert advantage(worst, worst[::-1]) == pytest.approx(loss.right, abs=1e-12)
    assert stated(loss.right_text) == [] or stated(loss.right_text)[0] >= loss.right
    dice = np.random.default_rng(7)
    for _ in range(200):  # any two laws: with the least delta that they have, none is told apart better
        one, other = dice.dirichlet(np.full(5, 0.5), 2)
        least = max(np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))
        assert advantage(one, other) <= Loss(epsilon, float(least)).right + 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-3), (1.0, 1e-6), (1.0, 0.02)])
def test_two_steps_cost_both_epsilons_and_the_second_delta_grown_and_no_less_will_do(epsilon, delta):
    twice = Loss(Fraction(epsilon), delta).times(2)
    assert twice.epsilon == 2 * Fraction(epsilon)
    assert twice.delta == pytest.approx((1 + exp(epsilon)) * delta)
    small = 0.01
    middle = exp(epsilon) * small + delta
    large = exp(epsilon) * middle + delta
    for one, other in (
        (large, middle),
        (middle, small),
    ):  # chances of one result; the other result has the rest
        assert one <= exp(epsilon) * other + delta + 1e-15
        assert 1 - other <= exp(epsilon) * (1 - one) + delta + 1e-15
    assert large == pytest.approx(exp(2 * epsilon) * small + twice.delta)


def shown(plan, one, before, others=200):
    """Law of what a key of a count shows: hidden, or its noisy value from the threshold on. No key without a trip."""
    if before == 0:
        law = np.zeros(2 * REACH + 2)
        law[0] = 1
        return law
    values = np.arange(-REACH, REACH + 1) + others
    q = exp(-float(plan.rho(one)))
    law = (1 - q) / (1 + q) * q ** np.abs(values - before)
    seen = np.where(values >= plan.threshold(one), law, 0)
    return np.concatenate([[1 - seen.sum()], seen])


def choices(variant, bound=TRIP, epsilon=Fraction(2), delta=Fraction(1, 100_000)):
    return StabilityChoices(
        bound=bound,
        epsilon=epsilon,
        delta=delta,
        combinations=(("on_loc",), ("off_loc",)),
        variant=variant,
        minutes=60,
    )


def pairs(*laws):
    result = np.array([1.0])
    for law in laws:
        result = np.multiply.outer(result, law).ravel()
    return result


@pytest.mark.parametrize("variant", [Variant.ADD_REMOVE, Variant.TIGHT, Variant.OPAL])
def test_large_counts_tell_presence_and_doings_as_the_promise_of_their_variant_says(variant):
    chosen = choices(variant)
    plan, promised = chosen.plan(), promise_of(chosen)
    assert promised.replaces == (variant is not Variant.ADD_REMOVE)
    one = plan.combinations[0]
    # one trip on a key of many: both columns of the plan move, each on its own
    with_it, without = shown(plan, one, 201), shown(plan, one, 200)
    inside = (with_it > 1e-250) & (without > 1e-250)
    move = np.abs(np.log(with_it[inside] / without[inside])).max()
    assert 2 * move == pytest.approx(float(promised.presence.epsilon))
    assert 4 * move == pytest.approx(float(promised.doings.epsilon))  # taken from one key, put on another
    # one trip on a key of its own: shown with delta at most
    alone = shown(plan, one, 1)
    assert 0 < 1 - alone[0] <= float(one.delta)
    attack = advantage(pairs(alone, with_it), pairs(shown(plan, one, 0), without))
    assert attack <= promised.presence.right
    single = alone / (alone + shown(plan, one, 0) + 1e-300)
    # a single result may tell all, so the sentence speaks of all on average
    assert single.max() == pytest.approx(1)
    assert "With a delta both hold on average over all results" in promised.words


def test_a_promise_about_replacing_says_that_it_promises_nothing_about_presence():
    opal, plain = promise_of(choices(Variant.OPAL)), promise_of(choices(Variant.ADD_REMOVE))
    assert "about replacing one trip by another, which says nothing about presence" in opal.words
    assert "replacing" not in plain.exact
    assert (opal.doings.epsilon, opal.presence.epsilon) == (2, 1)
    assert (plain.doings.epsilon, plain.presence.epsilon) == (4, 2)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("8", 7.5e-7), ("4", 7.5e-7), ("0.01", 1e-6), ("1000", 1e-6), ("2", 0.6)]
)
def test_from_the_trips_that_are_named_on_nothing_is_promised_and_with_one_less_there_is(epsilon, delta):
    one = Loss(Fraction(epsilon), delta)
    assert one.times(one.void_from).delta == 1
    assert one.void_from == 1 or one.times(one.void_from - 1).delta < 1
    assert one.times(3).delta == pytest.approx(
        min(1, delta * (1 + exp(min(700, one.epsilon)) + exp(min(700, 2 * one.epsilon))))
    )
    assert Loss(Fraction(epsilon)).void_from is None


@pytest.mark.parametrize("variant", [Variant.ADD_REMOVE, Variant.TIGHT, Variant.OPAL])
def test_no_epsilon_of_twenty_trips_is_told_where_nothing_is_promised_to_them(variant):
    release = made_synthetic(stability_choices(bound=TRIP, variant=variant))
    promised = promise_of(release.plan)
    told = [*kind_of(release.plan).not_protected(release), promised.words, promised.in_full]
    assert not any("ith 20 trips" in said for said in told)
    for k in (promised.presence.void_from, promised.doings.void_from):
        assert k < 20
        assert any(f"rom {k} trips on, nothing" in said for said in told)
    assert sum("trips on, nothing is promised to that person" in said for said in told) == 1
    assert persons_table(promised.presence)["δ for the person"][2] == "void: nothing is promised"


def test_a_person_of_large_counts_is_promised_both_with_a_delta_that_grew():
    chosen = choices(Variant.USER, ContributionBound.per_user(2), Fraction(1), Fraction(1, 100_000))
    promised = promise_of(chosen)
    assert promised.doings.delta == pytest.approx((1 + exp(1)) / 100_000)
    assert (
        "epsilon 1, delta 1e-05 for presence, and epsilon 2, delta 3.72e-05 for what somebody did"
        in promised.exact
    )
    plan = chosen.plan()
    one = plan.combinations[0]
    # both trips on one key of many, or on keys of their own: never more than is said
    for here, there in ((202, 200), (2, 0)):
        attack = advantage(pairs(shown(plan, one, here)), pairs(shown(plan, one, there)))
        assert attack <= promised.presence.right


@pytest.mark.parametrize("epsilon", [*EPSILONS, Fraction(20), Fraction(1000)])
@pytest.mark.parametrize("bound", [USER, TRIP])
def test_no_number_in_words_is_below_what_it_bounds(epsilon, bound):
    promised = Promise.of(bound, epsilon)
    for loss in (promised.presence, promised.doings):
        share = stated(loss.right_text)
        assert share or loss.right > 0.99999
        assert not share or loss.right <= share[0] < 1
    assert "100 times becomes right at most 100" not in promised.words
    table = beliefs_table(promised)
    assert {len(column) for column in table.values()} == {4 if bound is TRIP else 2}
    assert "100 %" not in "".join(text for column in table.values() for text in column)


def test_the_sentence_at_epsilon_one_reads_as_it_should():
    assert Promise.of(USER, Fraction(1)).words == (
        "Whether somebody is in the data: a guess that is right 50 of 100 times becomes right at most 74 times. "
        "What somebody who is in the data did (clinic or square?): at most 89 times."
    )
    assert statements.promise(Promise.of(USER, Fraction(1))).endswith(
        "The odds change by factors of at most 2.72 and 7.39 (e to the power of epsilon)."
    )


def test_beliefs_are_rounded_up_and_deltas_are_and_none_is_given_where_there_is_no_bound():
    table = beliefs_table(Promise.of(USER, Fraction(2)))
    assert table["1 % before"] == ["at most 7 %", "at most 36 %"]
    assert table["50 % before"] == ["at most 89 %", "at most 99 %"]
    assert beliefs_table(Promise.of(TRIP, Fraction(2)))["50 % before"][2:] == ["practically certain"] * 2
    assert delta_text(Fraction(1001, 10**9)) == "1.01e-06"
    assert Loss(Fraction(1000), 0.1).times(20).delta == 1
    with pytest.raises(ValueError):
        beliefs_table(Promise.of(USER, Fraction(1), Fraction(1, 1000)))


def test_delta_is_not_the_probability_of_passing_epsilon_and_the_glossary_says_so():
    """Gaussian noise of deviation s on a count: the loss is normal, of mean ``1 / 2s^2`` and deviation ``1 / s``."""
    law, epsilon, s = NormalDist(), 0.1, 5.0
    passing = 1 - law.cdf(epsilon * s - 1 / (2 * s))
    delta = passing - exp(epsilon) * (1 - law.cdf(epsilon * s + 1 / (2 * s)))
    assert 0 < 5 * delta < passing
    assert "it is not the probability of passing ε" in TERMS["δ (delta)"]


@pytest.mark.parametrize("variant", [Variant.ADD_REMOVE, Variant.TIGHT, Variant.OPAL])
def test_of_large_counts_only_a_key_of_one_alone_passes_epsilon_and_with_delta_at_most(variant):
    """So both readings of delta hold, as docs/explanation/synthesis.md says: with probability 1 - delta, and in general."""
    plan = choices(variant).plan()
    one = plan.combinations[0]
    rate = float(plan.rho(one))
    for before in (1, 2, 200):  # a key that others have too, whatever is shown of it
        there, away = shown(plan, one, before + 1), shown(plan, one, before)
        inside = (there > 1e-250) & (away > 1e-250)
        assert np.abs(np.log(there[inside] / away[inside])).max() <= rate + 1e-9
    alone, nobody = shown(plan, one, 1), shown(plan, one, 0)
    assert nobody[1:].sum() == 0 < alone[1:].sum() <= float(one.delta)
    assert abs(np.log(alone[0] / nobody[0])) <= rate
    page = (Path(__file__).parents[1] / "docs" / "explanation" / "synthesis.md").read_text(encoding="utf-8")
    said = " ".join(page.split())
    assert "*with probability 1 - delta*" in said
    assert (
        "Gaussian noise passes epsilon more often than delta says" in said
    )  # as the test before this one computes


def test_the_local_sensitivity_of_a_median_is_no_bound_for_other_data():
    equal = [10.0] * 9
    assert np.median([*equal, 1_440.0]) == np.median(equal) == np.median(equal[1:])
    ends = [[0.0] * few + [1_440.0] * many for few in range(6) for many in range(6) if few + many]
    most = max(abs(np.median([*one, more]) - np.median(one)) for one in ends for more in (0.0, 1_440.0))
    assert most == 720, "half a day"
    assert "the global one half a day" in TERMS["Local sensitivity"]
    for term in ("Local sensitivity", "Reconstruction", "Intimate stalker", "Cramér's V"):
        assert term in TERMS
    assert "*item level*" in TERMS["User level, trip level"]
    assert "(*item* in the literature)" in UNIT_HELP


@pytest.mark.parametrize("place", ["README.md", "docs/explanation/promise.md"])
def test_the_tables_of_the_promise_are_computed(place):
    text = (Path(__file__).parents[1] / place).read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([0-9.]+) \| (?:right )?(at most \d+ times) \| (?:right )?(at most \d+ times) \|$",
        text,
        re.MULTILINE,
    )
    assert len(rows) == 3
    for epsilon, presence, doings in rows:
        promised = Promise.of(USER, Fraction(epsilon))
        assert (presence, doings) == (promised.presence.right_text, promised.doings.right_text)


def test_what_is_drawn_in_floating_point_and_what_no_epsilon_covers_is_said():
    bought = made_release(weights={"travel_time": 1}, five_numbers=1)
    assert "Its mean is a floating-point number that is rounded up" in statements.mechanism(bought)
    assert "floating" not in statements.mechanism(made_release())
    page = Path(__file__).parents[1] / "docs" / "explanation" / "promise.md"
    promise = " ".join(page.read_text(encoding="utf-8").split())
    assert "drawn by OpenDP, whose scale of noise is a floating-point number, rounded up" in promise
    refused = "That a release was refused or failed"
    assert refused in promise
    assert any(refused in sentence for sentence in statements.not_protected(bought))
