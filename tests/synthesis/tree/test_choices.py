"""The choices of a tree: what they cost, what they refuse, and that they come back from what was written down."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import limits
from dpcore.errors import AtlasError, InputError, PrivacyError
from dpcore.kinds.tree.choices import Making, Outside, Source
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor, named_of, named_terms
from dpcore.kinds.tree.plan import Definition, Strategy, price_of_tree
from dpcore.ledger.entries import check_size
from dpcore.measures.keys import OUTSIDE
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation
from dpcore.tiles.tile_ids import lengthened, shortened
from tests.cities import four_tiles
from tests.curator.asking_synthetic import WEEK
from tests.synthesis.small import choices_of_terms
from tests.synthesis.tree.growing import PROMISES, TWO_LEVELS
from tests.synthetic_release.made_tree import LEVELS, day_choices, tree_choices


@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
@pytest.mark.parametrize("bound", [ContributionBound.per_trip(), ContributionBound.per_user(4)])
@pytest.mark.parametrize("named", [(), LEVELS, (("A", "Public-ish"),), tuple((t, "Medium") for t in "ABCD")])
def test_the_loss_is_what_a_record_can_lose_on_the_tiles(definition, strategy, bound, named):
    choices = tree_choices(bound=bound, named=named, definition=definition, strategy=strategy)
    price = price_of_tree(choices.plan(four_tiles()), bound)
    assert choices.price() == price
    assert choices.loss == (price.record, 0)


def test_all_critical_costs_epsilon_and_a_lower_level_costs_more():
    assert tree_choices(named=()).loss == (1, 0)
    assert tree_choices(named=(("A", "Critical"),)).loss == (1, 0)
    assert tree_choices(named=(("A", "Low"),)).loss == (Fraction(5, 2), 0)
    assert day_choices(named=(("A", "Low"),)).loss == (5, 0)


def test_equal_choices_are_equal_however_they_were_listed():
    assert tree_choices(named=LEVELS[::-1]) == tree_choices()
    assert tree_choices(named=(*LEVELS, ("D", "Critical"))) == tree_choices()
    assert hash(tree_choices(named=list(LEVELS[::-1]))) == hash(tree_choices())


def test_the_day_of_a_person_is_no_trip():
    with pytest.raises(PrivacyError, match="not a trip"):
        tree_choices(making=Making(Source.DAY))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"height": 0}, "whole number from 1 to 64"),
        ({"height": 1_000_000}, "whole number from 1 to 64"),
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"epsilon": Fraction(21)}, "epsilon"),
        ({"named": (("A", "Secret"),)}, "unknown privacy level"),
        ({"named": (("A", "Low"), ("A", "High"))}, "two privacy levels"),
        ({"definition": Definition.RECORD}, "does not keep the promise"),
        ({"strategy": Strategy.RECORD}, "does not keep the promise"),
        ({"descriptors": (), "named": ()}, "descriptors"),
        ({"descriptors": (Descriptor("Critical", Fraction(1, 2)),), "named": ()}, "end with 1"),
        ({"descriptors": (Descriptor("=1+1", Fraction(1)),), "named": ()}, "plain name"),
        ({"descriptors": (Descriptor("x" * 41, Fraction(1)),), "named": ()}, "plain name"),
        ({"descriptors": (Descriptor("a", Fraction(1, 10**7)), DESCRIPTORS[-1])}, "too many decimals"),
    ],
)
def test_what_has_no_meaning_is_refused_before_any_tile_is_known(changes, match):
    with pytest.raises(AtlasError, match=match):
        tree_choices(**changes)


def test_a_level_of_a_tile_that_is_not_there_is_refused_with_its_name():
    with pytest.raises(InputError, match="'Q'"):
        tree_choices(named=(("Q", "Low"),)).plan(four_tiles())
    with pytest.raises(InputError, match="'outside'"):
        tree_choices(named=((OUTSIDE, "Low"),)).plan(four_tiles())


def test_outside_is_one_more_place_and_critical_unless_it_is_named():
    place = Making(outside=Outside.PLACE)
    assert tree_choices().tiles(four_tiles()) == ("A", "B", "C", "D")
    choices = tree_choices(making=place)
    assert choices.tiles(four_tiles()) == ("A", "B", "C", "D", OUTSIDE)
    assert choices.levels(four_tiles()).level.tolist() == [2, 4, 2, 5, 5]
    assert replace(choices, named=((OUTSIDE, "Low"),)).levels(four_tiles()).level[-1] == 2
    tiles = four_tiles()
    forged = Tessellation(("A", "B", "C", OUTSIDE), tiles.tile_names, tiles.polygons)
    with pytest.raises(InputError, match="outside the tiles"):
        choices.plan(forged)


EVERY = [
    tree_choices(),
    tree_choices(named=(), period=WEEK, descriptors=TWO_LEVELS),
    day_choices(definition=Definition.RECORD, strategy=Strategy.RECORD),
]


@pytest.mark.parametrize("choices", EVERY)
def test_choices_come_back_from_what_was_written_down(choices):
    written = json.loads(json.dumps(choices.terms()))
    assert choices_of_terms(written) == choices
    for name in written:
        for wrong in (None, 3.5, [[]], {"a": 1}, "\0", True):
            if wrong is None and name in {"max_trips", "period"}:
                continue  # nothing means trip by trip, or all days
            with pytest.raises((KeyError, TypeError, ValueError, AtlasError)):
                choices_of_terms({**written, name: wrong})


@pytest.mark.parametrize(
    "wrong",
    [["00A", "02B"], ["A"], ["0"], ["-1A"], ["00" + "x" * 81], ["\u0660\u0660A"], ["00A", "010"] * 40_000],
)
def test_shortened_tiles_that_were_never_written_are_refused(wrong):
    with pytest.raises((TypeError, ValueError)):
        named_of({"Low": wrong})


def test_shortened_tiles_come_back_whatever_they_share():
    words = sorted(
        {"".join(one) for n in range(1, 5) for one in itertools.product("ab0", repeat=n)} | {"x" * 80}
    )
    assert lengthened(shortened(words)) == words
    assert named_of(named_terms(tuple((word, "Low") for word in words))) == tuple((w, "Low") for w in words)


def test_the_levels_of_ten_thousand_hexagons_fit_into_one_line_of_the_ledger():
    tiles = sorted(f"89{number * 7919 % 0xFFFFFFF:08x}fffff" for number in range(10_000))
    names = [one.name for one in DESCRIPTORS[:4]]
    choices = tree_choices(named=tuple((tile, names[at * 7 % 4]) for at, tile in enumerate(tiles)))
    body = {"terms": {"choices": choices.terms(), "note": "x" * limits.MAX_NOTE_CHARACTERS}}
    check_size(body)
    assert len(json.dumps(body)) < 0.9 * limits.MAX_ENTRY_CHARACTERS
    assert choices_of_terms(choices.terms()) == choices
