"""Privacy levels go into a file and come back, and what is no such file is refused in plain words."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from dpcore import limits
from dpcore.errors import AtlasError, InputError, PrivacyError
from dpcore.kinds.tree.levels import DESCRIPTORS, MAX_DESCRIPTORS, Descriptor
from dpcore.kinds.tree.levels_file import read_levels, write_levels
from dpcore.measures.keys import OUTSIDE
from dpcore.tiles import read_tessellation
from tests.cities import four_tiles
from tests.conftest import ROOT
from tests.synthesis.tree.growing import TWO_LEVELS
from tests.synthetic_release.made_tree import LEVELS

TWO = (("A", "Low"), ("C", "Low"))


@pytest.mark.parametrize(
    ("named", "scale"),
    [((), DESCRIPTORS), (LEVELS, DESCRIPTORS), (TWO, TWO_LEVELS), ((*LEVELS, (OUTSIDE, "Low")), DESCRIPTORS)],
)
def test_levels_come_back_from_the_file_that_was_written(named, scale):
    data = write_levels(four_tiles(), named, scale)
    assert read_levels(data, four_tiles()) == (named, scale)
    assert read_levels(b"\xef\xbb\xbf" + data, four_tiles()) == (named, scale)


def test_the_two_descriptors_of_the_reference_are_read_from_its_own_example():
    page = (
        (ROOT / "docs" / "reference" / "files.md")
        .read_text(encoding="utf-8")
        .partition("## Levels of places")[2]
    )
    example = page.partition("```\n")[2].partition("```")[0]
    two = (Descriptor("Low", Fraction(1, 10)), Descriptor("Critical", Fraction(1)))
    assert read_levels(example.encode(), four_tiles()) == ((("A", "Low"),), two)
    assert f"1 to {MAX_DESCRIPTORS} of them" in page


def test_the_file_is_geojson_of_the_tiles_that_any_map_can_paint():
    data = write_levels(four_tiles(), LEVELS, DESCRIPTORS)
    assert read_tessellation(data, name="levels.geojson").digest == four_tiles().digest
    features = json.loads(data)["features"]
    assert [one["properties"] for one in features] == [
        {"tile_id": "A", "privacy": "Low"},
        {"tile_id": "B", "privacy": "High"},
        {"tile_id": "C", "privacy": "Low"},
        {"tile_id": "D", "privacy": "Critical"},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "tile_id,privacy\nA,Low\nB,High\nC,Low\n",
        "privacy;name;tile_id\r\nLow;x;A\r\n\r\nHigh;y;B\r\nLow;z;C\r\nCritical;;D\r\n",
        "\ufeffTile_ID\tPrivacy\nC\tLow\nB\t High \nA\tLow\nA\tLow\nD\t\n",
    ],
)
def test_a_table_is_read_too(text):
    assert read_levels(text.encode(), four_tiles()) == (LEVELS, DESCRIPTORS)


def test_names_of_levels_are_read_whatever_the_case():
    data = b"tile_id,privacy\nA,LOW\nB,high\nC,lOw\nD,CRITICAL\n"
    assert read_levels(data, four_tiles()) == (LEVELS, DESCRIPTORS)
    alike = (Descriptor("low", Fraction(1, 2)), Descriptor("Low", Fraction(1)))
    assert read_levels(b"tile_id,privacy\nA,low\n", four_tiles(), scale=alike)[0] == (("A", "low"),)


def test_a_level_of_outside_is_refused_where_that_is_no_place():
    data = f"tile_id,privacy\nA,Low\n{OUTSIDE},{{}}\n"
    low, critical = data.format("Low").encode(), data.format("critical").encode()
    assert read_levels(low, four_tiles())[0] == (("A", "Low"), (OUTSIDE, "Low"))
    with pytest.raises(InputError, match="do not count as a place"):
        read_levels(low, four_tiles(), outside=False)
    assert read_levels(critical, four_tiles(), outside=False)[0] == (("A", "Low"),)


@pytest.mark.parametrize("line", ["x" * 500 + ",Low", "A," + "x" * 500])
def test_a_long_name_that_nobody_knows_is_cut_short_in_the_error(line):
    with pytest.raises(AtlasError, match=r"does not exist|unknown") as refused:
        read_levels(f"tile_id,privacy\n{line}\n".encode(), four_tiles())
    assert "x" * 39 in str(refused.value)
    assert "x" * 41 not in str(refused.value)


def test_a_table_takes_the_scale_that_is_in_use():
    data = b"tile_id,privacy\nA,Low\nC,Low\n"
    assert read_levels(data, four_tiles(), scale=TWO_LEVELS) == (TWO, TWO_LEVELS)


def test_whole_numbers_name_tiles_and_decimal_weights_are_exact():
    feature = {"type": "Feature", "geometry": None, "properties": {"tile_id": "A", "privacy": "Low"}}
    scale = [{"name": "Low", "weight": 0.1}, {"name": "Critical", "weight": 1}]
    data = json.dumps({"type": "FeatureCollection", "features": [feature], "descriptors": scale}).encode()
    named, descriptors = read_levels(data, four_tiles())
    assert named == (("A", "Low"),)
    assert [one.weight for one in descriptors] == [Fraction(1, 10), 1]


def collection(*features, **more):
    return json.dumps({"type": "FeatureCollection", "features": list(features), **more}).encode()


def feature(**properties):
    return {"type": "Feature", "geometry": None, "properties": properties}


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "columns tile_id and privacy"),
        (b"\xff\xfe", "UTF-8"),
        (b"{", "not JSON"),
        (b'{"type": NaN}', "not JSON"),
        (b'{"a":' * 100_000, "not JSON"),
        (b"{}", "FeatureCollection"),
        (b'{"type": "FeatureCollection"}', "list of features"),
        (collection(3), "without tile_id"),
        (collection(feature(privacy="Low")), "without tile_id"),
        (collection(feature(tile_id=None, privacy="Low")), "a tile or its privacy level is missing"),
        (collection(feature(tile_id="A", privacy=3)), "a tile or its privacy level is missing"),
        (collection(feature(tile_id="Q", privacy="Low")), "'Q'"),
        (collection(feature(tile_id="A", privacy="Secret")), "'Secret'"),
        (collection(feature(tile_id="A", privacy="Low"), feature(tile_id="A", privacy="High")), "feature 2"),
        (collection(descriptors=[]), "scale"),
        (collection(descriptors="x"), "scale"),
        (collection(descriptors=[{"name": "a"}]), "weight"),
        (collection(descriptors=[{"name": "a", "weight": "1/0"}]), "weight"),
        (collection(descriptors=[{"name": "a", "weight": 1e-300}]), "weight"),
        (collection(descriptors=[{"name": "a", "weight": "1/2"}]), "end with 1"),
        (b"tile,level\nA,Low\n", "columns tile_id and privacy"),
        (b"tile_id,privacy\nA\n", "line 2"),
        (b'tile_id,privacy\n"A,Low\n', "not CSV"),
        (b"tile_id,privacy\nQ,Low\n", "'Q'"),
        (b"tile_id,privacy\nA,Secret\n", "'Secret'"),
        (b"tile_id,privacy\nA,Low\nA,High\n", "line 3"),
    ],
)
def test_what_is_no_file_of_levels_is_refused_in_plain_words(data, match):
    with pytest.raises(AtlasError, match=match) as refused:
        read_levels(data, four_tiles(), name="/secret/levels.csv")
    assert isinstance(refused.value, InputError | PrivacyError)


def test_all_faults_of_a_file_are_told_at_once():
    scale = [{"name": "Low", "weight": "much"}, {"weight": 1}]
    features = (feature(privacy="Low"), feature(tile_id="A", privacy=3), feature(tile_id="B", privacy="Low"))
    with pytest.raises(InputError, match="And 4 more") as refused:
        read_levels(
            collection(*features, feature(tile_id="B", privacy="High"), descriptors=scale), four_tiles()
        )
    assert [fault.split(": ", 1)[1] for fault in refused.value.faults] == [
        "levels, descriptors 1, weight.",
        "levels, descriptors 2, name.",
        "levels, feature 1.",
        "levels, feature 2.",
        "levels, feature 4.",
    ]
    with pytest.raises(InputError, match="And 1 more"):
        read_levels(b"tile_id,privacy\nA\nB,Low\nB,High\n", four_tiles())


def test_a_file_that_is_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TESSELLATION_BYTES", 10)
    with pytest.raises(InputError, match="too large"):
        read_levels(b"tile_id,privacy\n", four_tiles())
