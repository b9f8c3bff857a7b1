"""What an owner chooses is declared once: option, argument and words of a choice agree."""

from __future__ import annotations

import argparse
import inspect
import re
from dataclasses import replace
from datetime import date
from enum import Enum
from types import SimpleNamespace

import pytest

import dpcore
from dpcore import wings
from dpcore.measures.keys import Period
from dpcore.planning.choice import Choice, add_options, arguments_of, given_arguments, whole, words_of
from tests.docs.options import PARSERS, options_of

KINDS = [pytest.param(kind, id=kind.name) for kind in wings.kinds()]


def of_plan(kind):
    return getattr(dpcore, kind.made_by.removeprefix("dpcore."))


@pytest.mark.parametrize("kind", KINDS)
def test_every_choice_is_an_argument_of_the_plan_and_is_explained_there(kind):
    arguments = {*inspect.signature(of_plan(kind)).parameters} - {"bound", "epsilon"}
    named = {one.name for one in kind.choices if one.name}
    assert named == arguments
    explained = re.findall(r"^ +(\w+): ", of_plan(kind).__doc__, re.MULTILINE)
    assert arguments <= {*explained}


@pytest.mark.parametrize("kind", KINDS)
def test_help_names_the_default_of_the_plan(kind):
    told = {one.name: re.search(r"default: ([\w-]+)$", one.about) for one in kind.choices}
    for name, argument in inspect.signature(of_plan(kind)).parameters.items():
        if type(argument.default) in {int, str}:
            assert told[name][1] == str(argument.default), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_choice_is_an_option_of_the_command(kind):
    known = options_of(PARSERS[f"synth {kind.name}"])
    assert {one.option for one in kind.choices if one.name != "tiles"} <= known


class Way(Enum):
    ON = "on"
    OFF = "off"


CHOICES = (
    Choice("minutes", "length", "N", whole),
    Choice("way", "where to", among=Way),
    Choice("period", flag="--dates"),
    Choice("names", "some", many=True),
    Choice("shares", "of each"),
    Choice("is_long", "or short", read=bool),
)
WEEK = Period(date(2024, 3, 4), date(2024, 3, 10))
PLAN = SimpleNamespace(minutes=60, way=Way.ON, period=WEEK, names=["a", "b"], shares={"a": 2}, is_long=True)


def test_a_plan_is_said_as_options_and_as_arguments():
    words = "--minutes 60 --way on --dates 2024-03-04/2024-03-10 --names a --names b --shares a=2 --is-long"
    assert words_of(PLAN, CHOICES, []) == words.split()
    assert words_of(PLAN, CHOICES, ["shares"])[:2] == ["--shares", "a=2"]
    assert arguments_of(PLAN, CHOICES) == vars(PLAN)
    other = SimpleNamespace(**vars(PLAN) | {"period": None, "shares": {}, "is_long": False})
    assert words_of(other, CHOICES, []) == ["--minutes", "60", "--way", "on", "--names", "a", "--names", "b"]


def test_options_are_read_as_arguments_and_what_is_left_out_is_not_said():
    parser = argparse.ArgumentParser()
    add_options(parser, CHOICES)
    assert given_arguments(parser.parse_args([]), CHOICES) == {"names": [], "is_long": False}
    words = ["--minutes", "1e1", "--way", "off", "--names", "a", "--names", "b", "--is-long"]
    said = {"minutes": 10, "way": "off", "names": ["a", "b"], "is_long": True}
    assert given_arguments(parser.parse_args(words), CHOICES) == said
    add_options(parser, [replace(CHOICES[0], name="", flag="--days")])
    assert given_arguments(parser.parse_args(["--days", "3"]), [replace(CHOICES[0], name="")]) == {}
