"""What lessons say agrees with what they show: figures in texts, and one way of writing per cent."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, exp, log, pi

import numpy as np
import pytest
from scipy import integrate

from dpcore.lessons import bill, ghosts, places, shapes, tidying
from dpcore.lessons import trips_nobody_made as nobody
from dpcore.lessons.city import city
from dpcore.lessons.hiding import Promise
from dpcore.privacy import PrivacyUnit, best_guess, posterior
from pages.learn.parts.catalogue import lessons
from tests.app.test_lessons import opened
from tests.conftest import ROOT

SOURCES = {one.number: (ROOT / one.page).read_text(encoding="utf-8") for one in lessons()}
PAGES = {one.number: one.page for one in lessons()}
TEXTS = {number: re.sub(r'"\n\s*f?"', "", source) for number, source in SOURCES.items()}
"""With sentences that go over several lines of the source in one piece."""
SHAPES, TRIPS = SOURCES[6], SOURCES[13]
"""With the teacher's notes."""


def said(number: int, **query: str) -> str:
    """All texts of a lesson as it is shown."""
    app = opened(PAGES[number], **query)
    return "\n".join(part.value for part in (*app.markdown, *app.caption))


def shown(number: int, **query: str) -> dict[str, str]:
    """The numbers of a lesson as they are shown."""
    return {metric.label: metric.value for metric in opened(PAGES[number], **query).metric}


def up(share: float, digits: int = 1) -> str:
    """A bound in per cent, rounded up."""
    return f"{ceil(100 * share * 10**digits) / 10**digits:.{digits}f} %"


def test_the_two_crossovers_are_those_that_the_notes_explain():
    assert (shapes.crossover(Fraction(1), 1e-6), bill.crossover(Fraction(1), 1e-6)) == (9, 11)
    assert "from 9 counts on" in SHAPES
    assert "says 11" in SHAPES
    assert "from 11 answers on" in SOURCES[9]
    assert "says 9" in SOURCES[9]


def test_an_empty_cell_keeps_what_the_lesson_says():
    q = exp(-0.45)
    assert f"q / (1 - q x q) = {q / (1 - q * q):.2f} trips" in SOURCES[13]


def test_the_article_is_named_and_nothing_is_claimed_beyond_what_was_shown():
    assert "Roy, Kantarcioglu and Sweeney (2016)" in SOURCES[13]
    assert "cannot" not in SOURCES[13]
    assert "table of dates alone" in TRIPS


def test_per_cent_is_written_in_one_way():
    for path in (ROOT / "pages/learn").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r":\.\d%\}|\d%", text), path


def test_texts_name_no_side_and_no_hyphen_stands_for_a_minus_sign():
    """On a phone pictures stand one above the other; all pages write numbers alike."""
    for number, text in TEXTS.items():
        assert not re.search(r"\b(Left|Right)(, [^:]*)?: ", text), number
        prose = "\n".join(re.findall(r'"[^"\n]*"', re.sub(r"\$[^$]*\$", "", text)))
        assert not re.search(r"(?<=[\s(])-(?=[\dε])", prose), number


def test_a_standard_deviation_is_no_half_width():
    """What other pages write with ± holds 95 % of the noise."""
    part = {"6-part": "Many counts"}
    for number, label, at in ((6, "Geometric noise", part), (9, "Geometric noise of each", {})):
        (found,) = (one for one in opened(PAGES[number], **at).metric if one.label == label)
        assert found.delta == "standard deviation"
        assert "±" not in found.value


def noise(rate: float, reach: int = 400) -> np.ndarray:
    """Chances of geometric noise from ``-reach`` to ``reach``."""
    q = exp(-rate)
    return (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1))


def best(one: np.ndarray, other: np.ndarray, prior: float = 0.5) -> float:
    """How often the best guess between two laws is right."""
    return float(np.maximum(prior * one, (1 - prior) * other).sum())


def test_the_bound_on_guesses_is_said_with_its_coin_and_for_presence_alone():
    away, there = noise(1.0), np.roll(noise(1.0), 1)
    assert best(there, away) == pytest.approx(exp(1) / (1 + exp(1)))
    assert best(there, away, prior=0.9) > 0.89, "without the coin the bound is another"
    assert best(np.outer(there, away), np.outer(away, there)) > exp(1) / (1 + exp(1)), "one of two tiles"
    assert "a fair coin decides whether a trip is in the data" in TEXTS[1]
    assert f"e / (1 + e), at most {up(best_guess(1))}" in TEXTS[1]
    assert f"twice ε, at most {up(best_guess(2))}" in TEXTS[1]
    assert "fair coin decides whether the trip is in the data" in said(1, **{"1-answers": "With noise"})
    assert f"from 50 % to at most {up(best_guess(2))} at ε = 1, not {up(best_guess(1))}" in TEXTS[3]


def test_more_is_believed_of_what_somebody_did_than_of_their_presence():
    x, y = np.mgrid[
        -5:6, -5:6
    ]  # noisy counts of two tiles, epsilon 1: one trip to the first, or to the second
    odds = (np.abs(x) + np.abs(y - 1)) - (np.abs(x - 1) + np.abs(y))
    assert odds.max() == 2
    assert posterior(Fraction(2), 0.5) == best_guess(2) > best_guess(1)


def test_a_person_with_one_trip_is_shown_epsilon_over_m():
    mine = Promise(PrivacyUnit.USER, Fraction(5), 8)
    seen = shown(3, **{"3-hide": "A person", "3-epsilon": "5", "3-most": "8", "3-trips": "1"})
    assert seen["Certainty of 50 % can grow to"] == up(mine.certainty(1), 2) == "65.14 %"
    assert seen["99 % can be reached from"] == "8 trips"
    assert "0.625" in seen.values()
    assert f"5 / 8 = 0.625, so from 50 % to at most {up(best_guess(5 / 8))}" in TEXTS[3]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-2), (1.0, 1e-2), (1.0, 1e-6)])
def test_more_answers_pass_epsilon_than_delta_says_and_delta_is_what_is_added(epsilon, delta):
    deviation = shapes.gaussian_deviation(epsilon, delta)
    line = epsilon * deviation**2 + 0.5  # beyond it an answer tells more than epsilon

    def beyond(middle: float) -> float:
        law = lambda x: exp(-0.5 * ((x - middle) / deviation) ** 2) / (deviation * (2 * pi) ** 0.5)  # noqa: E731
        return integrate.quad(law, line, line + 40 * deviation, epsabs=0, epsrel=1e-11)[0]

    there, away = beyond(1.0), beyond(0.0)
    assert shapes.passes(epsilon, delta) == pytest.approx(there, rel=1e-6)
    assert there > 2 * delta
    assert there - exp(epsilon) * away == pytest.approx(delta, rel=1e-5)


def test_the_share_of_answers_that_pass_epsilon_is_on_the_screen():
    passed = shapes.passes(0.1, 1e-2)
    text = said(6, **{"6-epsilon": "0.1", "6-delta": "1 in 100"})
    assert f"With the trip in the data, {100 * passed:.2g} % of its answers" in text
    assert f"{100 * passed:.0f} %" == "18 %"
    assert "δ is not the chance of passing ε" in text
    assert "while δ is 1 in 1,000,000" in said(6)
    away = (passed - 1e-2) / exp(0.1)
    assert f"{100 * passed:.1f} % - e^0.1 x {100 * away:.1f} % is 1 %" in TEXTS[6]
    assert "18 % at" in SHAPES
    for text in (SHAPES, *TEXTS.values()):
        assert "hardly ever is" not in text
        assert "pays for that" not in text


def test_the_phantom_trips_of_the_ghosts_are_as_many_as_is_said():
    truth = ghosts.by_trips(500)
    phantoms = ghosts.expected(truth, Fraction(1), 1).ghost_trips
    assert (
        f"about {phantoms / 1000:.0f},000 with 500 districts and ε = 1, a quarter of the true ones"
        in TEXTS[7]
    )
    assert phantoms / float(truth @ np.arange(len(truth))) == pytest.approx(1 / 4, abs=0.01)


def test_a_bound_that_was_read_off_the_data_keeps_no_epsilon_and_no_lesson_asks_for_one():
    *_, second, most = np.sort(city().trips_per_person).tolist()
    assert most == 490
    far = 100_000  # the ratio of two Laplace laws of widths 490 and 482 at epsilon 1, far out
    assert abs(log(second / most) + far * (1 / second - 1 / most)) > 1
    for number in (4, 5):
        assert "must be wide enough for 490" not in TEXTS[number]
        assert "was read off the data" in TEXTS[number]
    assert "So M is chosen beforehand, for everybody" in TEXTS[5]
    assert "For real data choose M beforehand" in TEXTS[4]


def test_the_bill_tells_one_person_from_the_promise_to_everybody():
    assert bill.group_loss(Fraction(1, 10), 30) == 3
    assert bill.group_loss(Fraction(1, 10), 720) == 72
    assert '"3 and 72"' in TEXTS[9]
    app = opened(PAGES[9])
    app.radio[-1].set_value("3 and 72").run()
    assert app.success[-1].value.startswith("Yes.")


def test_rounding_is_explained_where_its_sum_is_shown():
    drawn = {step: tidying.effect(tidying.tidied(city().flows, step, cut=True)).total for step in (10, 50)}
    assert drawn[50] < drawn[10] < 0
    small = (city().flows[city().flows > 0] < 25).mean()
    text = said(11, **{"11-round": "50"})
    assert "pushes sums **down**" in text
    assert f"{100 * small:.0f} % of the flows that have trips have fewer than 25" in text
    assert "pushes sums" not in said(11)


def test_clinic_or_square_has_the_sum_of_both_epsilons():
    for others, times in ((places.NAMES[0], 5), (places.NAMES[0], 100), (places.NAMES[4], 5)):
        judged = places.judged(places.NAMES[4], others, times, Fraction(1, 2))
        square = places.numbers()[places.SQUARE]
        both = judged.loss(judged.clinic) + judged.loss(square)
        assert judged.rate(judged.clinic) + judged.rate(square) <= both
    assert both == 1 == 2 * judged.price.record, "with all places Critical the bound is twice the epsilon"
    assert "0.5 + 2.5 = 3 here" in said(12)
    for untrue in ("said it all along", "no attack gets beyond"):
        assert untrue not in TEXTS[12]


def test_what_synthetic_trips_miss_without_noise_is_chance_and_is_said_beside_the_picture():
    trips = len(nobody.true_trips())
    for question, changed in zip(nobody.QUESTIONS[:6], nobody.without_noise().changed, strict=False):
        share = nobody.true_table(question.axes).ravel() / trips
        by_chance = np.sqrt(2 * share * (1 - share) / (pi * trips)).sum() / 2
        assert changed == pytest.approx(by_chance, rel=0.25), question.name
    start_and_end = nobody.without_noise().changed[4]
    assert f"even then {100 * start_and_end:.1f} % must be changed for start and end" in said(13)


def test_the_auditor_says_on_how_many_trials_it_judged():
    text = said(14)
    assert "chose this event on the first 90 of the 300 trials and judged it on the other 210" in text
    assert "of 210 trials" in text


def test_a_mean_comes_nearer_on_average_and_not_with_every_answer():
    assert "On average every fresh answer" in TEXTS[2]
    assert "pulls the mean" not in TEXTS[2]


@pytest.mark.parametrize("number", PAGES)
def test_no_place_is_called_by_its_id_alone(number):
    """As on Explore: the name first, the id behind it."""
    app = opened(PAGES[number])
    texts = [part.value for part in (*app.markdown, *app.caption)]
    texts += [metric.label for metric in app.metric]
    texts += [option for part in (*app.selectbox, *app.multiselect) for option in part.options]
    assert texts
    assert not [text for text in texts if re.search(r"(?<!\()\bD\d{3}\b", text)]
