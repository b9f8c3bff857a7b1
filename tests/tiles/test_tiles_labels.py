import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import labels

GOOD = {
    "T01": "T01",
    "007": "007",
    "Mitte, Nord (alt) & 'neu'": "Mitte, Nord (alt) & 'neu'",
    "a_b-c.d:e/f#g": "a_b-c.d:e/f#g",
    "Köln": "Köln",
    "東京": "東京",
    "हिन्दी": "हिन्दी",
    56: "56",
    57.0: "57",
    "x" * limits.MAX_TILE_ID_CHARACTERS: "x" * limits.MAX_TILE_ID_CHARACTERS,
}
BAD = [
    None,
    True,
    False,
    "",
    " ",
    " T1",
    "T1 ",
    1.5,
    float("nan"),
    float("inf"),
    1e300,
    -1,
    "-1",
    "+1",
    "=1+1",
    "@SUM(A1)",
    "\tT1",
    "\rT1",
    "T\n1",
    "T\x001",
    "<script>",
    "a<script>",
    "<img onerror>",
    "[x](javascript:alert(1))",
    "![](http://example.org)",
    "a![](http://example.org)",
    "{uid}",
    "$x$",
    "a$x$",
    ":smile:",
    "a`b`",
    "a*b",
    'a"b',
    "a\\b",
    "a|b",
    "a;b",
    "a%b",
    "\u202eT1",
    "T\u202e1",
    "T\u200b1",
    "T\u00ad1",
    "T\ufe0f1",
    "T\u31641",
    "T\ud800",
    "\u0301T",
    "😀",
    "x" * (limits.MAX_TILE_ID_CHARACTERS + 1),
    "x" * 10_000,
    10**100,
    ["T1"],
    {"id": 1},
    b"T1",
    "outside",
    "OUTSIDE",
]


@pytest.mark.parametrize(("value", "text"), GOOD.items())
def test_an_id_is_the_text_of_the_value(value, text):
    assert labels.is_tile_id(value)
    assert labels.tile_id(value, "tiles.geojson") == text


@pytest.mark.parametrize("value", BAD, ids=lambda value: ascii(value)[:30])
def test_what_is_no_id_is_refused_in_one_printable_line(value):
    assert not labels.is_tile_id(value)
    with pytest.raises(TessellationError) as refused:
        labels.tile_id(value, "tiles.geojson, feature 3")
    said = str(refused.value)
    assert said.encode().decode().isprintable()
    assert "tiles.geojson, feature 3" in said
    assert len(said) < 400


def test_the_word_outside_is_taken():
    with pytest.raises(TessellationError, match="stands for every place without a tile"):
        labels.tile_id("outside", "tiles.geojson")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Mitte", "Mitte"),
        (7, "7"),
        (None, "T1"),
        (True, "T1"),
        ("", "T1"),
        (["a"], "T1"),
        ("\u202eevil\u0007", "evil"),
        ("two\nlines\tand  more ", "two lines and more"),
        ("\u200b", "T1"),
        ("\ud800x", "x"),
        ("n" * 500, "n" * 120),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_names_lose_what_cannot_be_seen_and_stay_text(value, shown):
    assert labels.tile_name(value, "T1") == shown


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_can_be_quoted_in_an_error(text):
    said = labels.quoted(text)
    assert "\n" not in said
    assert said.encode()
    assert len(said) <= 62


@given(st.text(alphabet=st.characters(), max_size=100))
def test_an_accepted_id_can_be_printed_and_begins_no_formula(text):
    if labels.is_tile_id(text):
        assert text.encode()
        assert text.isprintable()
        assert text[0] not in "=+-@\t\r'"
        assert not set(text) & set('<>[]{}$`*!"\\|;%')
