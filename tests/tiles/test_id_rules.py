"""Public rules for ids that are written differently: what each takes for one id, and when it is not offered."""

from __future__ import annotations

import unicodedata

import pytest

from dpcore.errors import InputError
from dpcore.tiles.id_rules import RULES, IdMatcher, read_rules, rules_of

ZURICH = "Zürich 1"
NUMBER = str(int("8a2a1072b59ffff", 16))


@pytest.mark.parametrize(
    ("rule", "tiles", "cell", "tile"),
    [
        ("leading-zeros", ["06075010100", "7"], "6075010100", "06075010100"),
        ("leading-zeros", ["646", "7"], "00646", "646"),
        ("leading-zeros", ["0", "7"], "000", "0"),
        ("leading-zeros", ["01A", "7"], "1A", "01A"),
        ("leading-zeros", ["0.5", "7"], "00.5", "0.5"),
        ("leading-zeros", ["646", "7"], "6460", None),
        ("decimals", ["36061000100", "7"], "36061000100.0", "36061000100"),
        ("decimals", ["5379.10", "5379.01"], "5379.1", "5379.10"),
        ("decimals", ["5379.1", "5379.01"], "5379.100", "5379.1"),
        ("decimals", ["5379", "7"], "5379.1", None),
        ("decimals", ["100", "7"], "1", None),
        ("letters", [ZURICH, "7"], unicodedata.normalize("NFD", ZURICH), ZURICH),
        (
            "letters",
            [unicodedata.normalize("NFD", ZURICH), "7"],
            ZURICH,
            unicodedata.normalize("NFD", ZURICH),
        ),
        ("letters", [ZURICH, "7"], "zürich 1", None),
        ("capitals", ["8a2a1072b59ffff", "7"], "8A2A1072B59FFFF", "8a2a1072b59ffff"),
        ("brackets", ["31101", "31102"], "Oak & 4th St NW (31101)", "31101"),
        ("brackets", ["Oak St (31101)", "7"], "31101", "Oak St (31101)"),
        ("brackets", ["31101", "7"], "Oak (North) St ( 31101 )", "31101"),
        ("brackets", ["31101", "7"], "Oak St 31101", None),
        ("cells", ["8a2a1072b59ffff", "7"], NUMBER, "8a2a1072b59ffff"),
        ("cells", [NUMBER, "7"], "8a2a1072b59ffff", NUMBER),
        ("cells", ["8a2a1072b59ffff", "7"], str(int("112233445566778", 16)), None),
    ],
)
def test_a_rule_finds_the_tile_whose_id_has_the_same_form(rule, tiles, cell, tile):
    found = IdMatcher(tiles, [rule]).tile(cell)
    assert (tiles[found] if found >= 0 else None) == tile


@pytest.mark.parametrize(
    ("rule", "tiles"),
    [
        ("leading-zeros", ["101", "0101"]),
        ("decimals", ["5379.1", "5379.10"]),
        ("decimals", ["7", "7.0"]),
        ("letters", [ZURICH, unicodedata.normalize("NFD", ZURICH)]),
        ("capitals", ["A", "a"]),
        ("brackets", ["1", "Oak St (1)"]),
        ("cells", ["8a2a1072b59ffff", NUMBER]),
    ],
)
def test_a_rule_that_takes_two_tiles_for_one_is_not_offered_and_refused(rule, tiles):
    assert rule not in rules_of(tiles)
    with pytest.raises(InputError, match="two tiles have ids that differ only by") as caught:
        IdMatcher(tiles, [rule])
    assert caught.value.options == {"--match-ids"}
    assert len(rules_of(["north", "south"])) == len(RULES)


def test_two_rules_together_find_what_none_finds_alone_unless_they_take_two_tiles_for_one():
    tiles = ["007", "012", "5"]
    both = IdMatcher(tiles, ["leading-zeros", "decimals"])
    assert [both.tile(text) for text in ("7.0", "12.0", "05.00", "7.5", "70")] == [0, 1, 2, -1, -1]
    assert [IdMatcher(tiles, [rule]).tile("7.0") for rule in ("leading-zeros", "decimals")] == [-1, -1]
    assert both.found_by("7.0") == (("leading-zeros", "decimals"),)
    apart = ["Oak (07)", "7"]  # each rule keeps them apart, both together do not
    assert {*rules_of(apart)} >= {"leading-zeros", "brackets"}
    assert IdMatcher(apart, ["leading-zeros", "brackets"]).tile("Elm (7)") == 1
    assert IdMatcher(apart, ["leading-zeros", "brackets"]).tile("Elm (007)") == -1


def test_several_rules_are_tried_in_one_order():
    assert read_rules("brackets, leading-zeros") == ("leading-zeros", "brackets")
    matcher = IdMatcher(["31101", "7"], read_rules("brackets,leading-zeros"))
    assert [matcher.tile(text) for text in ("0031101", "Oak (31101)", "Oak (031101)", "Oak (7)")] == [
        0,
        0,
        0,
        1,
    ]
    with pytest.raises(InputError, match="unknown rule for ids"):
        read_rules("zeros")
