"""Lesson 10: floating-point noise gives its secret away, the attacker is never wrong, and integers give nothing."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.lessons import attacks, broken, tiny_bits
from dpcore.lessons.dice import Dice


@pytest.mark.parametrize("bits", [6, 10])
def test_the_combs_of_few_digits_hardly_meet(bits):
    outputs = tiny_bits.reachable(bits, 1.0)
    assert outputs.telling > 0.99
    assert len(outputs.values) == 2 * (2**bits - 1)  # two teeth would make one if they met


def test_marks_of_outputs_are_those_of_a_search_through_all_fractions():
    outputs = tiny_bits.reachable(6, 1.0)
    fractions = np.arange(1, 64) / 64
    for value, mark in zip(outputs.values, outputs.of, strict=True):
        from_counts = [
            bool((count + broken.from_fraction(fractions, 1.0) == value).any()) for count in (0, 1)
        ]
        assert from_counts == [mark in {0, tiny_bits.BOTH}, mark in {1, tiny_bits.BOTH}]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("count", [0, 1, 9, 1_000])
def test_the_attack_always_finds_the_fraction_that_was_drawn(epsilon, count):
    answers = broken.float_answers(count, epsilon, 2_000, Dice(3))
    assert attacks.fits(answers, count, epsilon).all()


@pytest.mark.parametrize(("low", "least", "most"), [(0, 0.7, 0.9), (1, 0.45, 0.7), (1_000, 0, 0.02)])
def test_with_all_digits_small_counts_are_told_and_never_wrongly(low, least, most):
    found = tiny_bits.attacked_answers(low, 1.0, 5_000, Dice(4))
    assert found.wrong == 0
    assert least <= found.betrayed / found.asked <= most


def test_the_noise_is_laplace_noise_on_paper():
    noise = broken.float_answers(0, 2.0, 100_000, Dice(5))
    assert np.abs(noise).mean() == pytest.approx(0.5, abs=0.01)
    assert np.median(noise) == pytest.approx(0, abs=0.01)


def test_noise_in_whole_numbers_tells_nothing():
    shown = tiny_bits.whole_numbers(6)
    assert shown.telling == 0
    noise = Dice().discrete_laplace(Fraction(1), 100_000)
    assert {*shown.values} <= {*(noise + 0)} & {*(noise + 1)}
