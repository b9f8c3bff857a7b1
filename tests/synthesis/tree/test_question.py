"""Typed questions: every sign, quoting, names, and what is refused with which words."""

from __future__ import annotations

import pytest

from dpcore.errors import InputError
from dpcore.kinds.tree.queries import ANY_ONE, ANY_RUN
from dpcore.kinds.tree.question import (
    MAX_PLACES,
    ONE,
    RUN,
    Kind,
    Question,
    typed_question,
    typed_questions,
)

TILES = ("A", "B", "C", "Old town", "a,b", "c > d", "x(1)&#'", "8.5:9/2")


@pytest.mark.parametrize(
    ("text", "kind", "places"),
    [
        ("A", Kind.SET, ("A",)),
        ("A, B", Kind.SET, ("A", "B")),
        ("A,B,C", Kind.SET, ("A", "B", "C")),
        ("A > B", Kind.ORDER, ("A", "B")),
        ("A>B  >C ", Kind.ORDER, ("A", "B", "C")),
        ("A B", Kind.EXACT, ("A", "B")),
        ("A * B", Kind.EXACT, ("A", ONE, "B")),
        ("A*B", Kind.EXACT, ("A", ONE, "B")),
        ("A ** B", Kind.EXACT, ("A", RUN, "B")),
        ("A * * B", Kind.EXACT, ("A", ONE, ONE, "B")),
        ("A*** B", Kind.EXACT, ("A", RUN, ONE, "B")),
        ("* A", Kind.EXACT, (ONE, "A")),
        ("*", Kind.EXACT, (ONE,)),
        ("**", Kind.EXACT, (RUN,)),
        ("^ A B", Kind.PREFIX, ("A", "B")),
        ("^A", Kind.PREFIX, ("A",)),
        ("^ A * B", Kind.PREFIX, ("A", ONE, "B")),
        ("^ * B", Kind.PREFIX, (ONE, "B")),
        ('"Old town", B', Kind.SET, ("Old town", "B")),
        ('"Old town">"c > d"', Kind.ORDER, ("Old town", "c > d")),
        ('"a,b" A', Kind.EXACT, ("a,b", "A")),
        ('^ "Old town" ** "a,b"', Kind.PREFIX, ("Old town", RUN, "a,b")),
        ("x(1)&#', 8.5:9/2", Kind.SET, ("x(1)&#'", "8.5:9/2")),
        ("A\n,\tB", Kind.SET, ("A", "B")),
    ],
)
def test_a_text_is_read_as_its_signs_say(text, kind, places):
    assert typed_question(text, TILES) == Question(kind, places)
    assert typed_question(Question(kind, places).text, TILES) == Question(kind, places)


@pytest.mark.parametrize(
    ("text", "kind", "before"),
    [
        ("?", Kind.SET, ()),
        ("A, ? ", Kind.SET, ("A",)),
        ("A > ?", Kind.ORDER, ("A",)),
        ("A ?", Kind.EXACT, ("A",)),
        ("^A * ?", Kind.PREFIX, ("A", ONE)),
        ('^ "Old town"?', Kind.PREFIX, ("Old town",)),
    ],
)
def test_a_question_mark_at_the_end_stands_for_one_place_after_another(text, kind, before):
    asked = typed_questions(text, TILES)
    assert asked == tuple(Question(kind, (*before, tile)) for tile in TILES)
    assert [typed_question(one.text, TILES) for one in asked] == [*asked]


@pytest.mark.parametrize("text", ["? > A", "A ? B", "A?", '"?"', "A > ? > ?", "??"])
def test_a_question_mark_elsewhere_or_in_quotes_is_a_place_that_is_not_there(text):
    with pytest.raises(InputError, match="names a tile that does not exist"):
        typed_questions(text, TILES)


def test_a_text_without_a_question_mark_is_one_question():
    assert typed_questions("A > B", TILES) == (typed_question("A > B", TILES),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs places"),
        ("   ", "needs places"),
        ("A, B > C", "mixes signs"),
        ("A, B C", "mixes signs"),
        ("A > B C", "mixes signs"),
        ("^ A, B", "mixes signs"),
        ("^ A > B", "mixes signs"),
        ("A ^ B", "only allowed before the first place"),
        ("A,", "no place after ,"),
        ("A >", "no place after >"),
        ("^", "no place after ^"),
        (", A", "no place before ,"),
        ("> A", "no place before >"),
        ("A,, B", "no place before ,"),
        ("^^ A", "no place before ^"),
        ('"A', "quotation mark is missing"),
        ('A, B"', "quotation mark is missing"),
        ("A, *", "only allowed between neighbours"),
        ("A > ** > B", "only allowed between neighbours"),
        ("Z", "tile 'Z'"),
        ("^ A Z", "tile 'Z'"),
        ('""', "tile ''"),
        ('"*"', "tile '*'"),
        ("Old, B", "tile 'Old'"),
        (", ".join("A" for _ in range(MAX_PLACES + 1)), "Name 1 to 30 tiles"),
    ],
)
def test_what_is_no_question_is_refused_and_told_how_to_mend_it(text, words):
    with pytest.raises(InputError) as refused:
        typed_question(text, TILES)
    assert words in str(refused.value)


def test_an_unknown_tile_is_named_with_one_that_differs_in_its_capitals_alone():
    with pytest.raises(InputError, match=r"tile 'old TOWN'\. Use a tile id, such as Old town\."):
        typed_question('"old TOWN"', TILES)


def test_a_name_that_one_tile_alone_has_stands_for_it_and_an_id_comes_first():
    names = {"A": "Harbour", "B": "Quay", "C": "Quay", "a,b": "A"}
    assert typed_question('Harbour > "Old town"', TILES, names).places == ("A", "Old town")
    assert typed_question("A", TILES, names).places == ("A",)  # not the tile that is called so
    with pytest.raises(InputError, match="tile 'Quay'"):
        typed_question("Quay", TILES, names)


def test_numbers_are_symbols_and_an_unknown_place_is_named():
    assert Question(Kind.EXACT, ("C", ONE, RUN, "A")).numbers(TILES) == [2, ANY_ONE, ANY_RUN, 0]
    with pytest.raises(InputError, match="tile 'elsewhere'"):
        Question(Kind.SET, ("A", "elsewhere")).numbers(TILES)


@pytest.mark.parametrize("kind", [Kind.SET, Kind.ORDER])
def test_a_chosen_question_is_refused_as_a_typed_one(kind):
    with pytest.raises(InputError, match="between neighbours"):
        Question(kind, ("A", ONE))
    with pytest.raises(InputError, match="needs places"):
        Question(kind, ())
