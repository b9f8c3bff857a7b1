"""What lessons say agrees with what they show: figures in texts, and one way of writing per cent."""

from __future__ import annotations

import re
from fractions import Fraction
from math import exp

from dpcore.lessons import bill, shapes
from pages.learn.parts.catalogue import LESSONS
from pages.learn.parts.notes_on_noise import SHAPES
from pages.learn.parts.notes_on_release import TRIPS
from tests.conftest import ROOT

SOURCES = {one.number: (ROOT / one.page).read_text(encoding="utf-8") for one in LESSONS}


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
