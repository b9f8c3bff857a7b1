"""Zones of tiles by a public table: what it may say, what is refused, and the tiles that come of it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from dpcore import limits
from dpcore.errors import InputError
from dpcore.kinds.stability.zones import checked, read_zones, tiles_of_zones, zone_terms, zones_of
from dpcore.release.canonical import canonical
from dpcore.tiles.drawn import as_drawn
from tests.cities import four_tiles

WHOLE = "tile_id,zone\nA,2000\nB,2000\nC,C\nD,2001\n"
ZONES = (("A", "2000"), ("B", "2000"), ("C", "C"), ("D", "2001"))


def read(text, *, outside=False):
    data = text if isinstance(text, bytes) else text.encode()
    return read_zones(data, four_tiles(), name="stops.csv", outside=outside)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "\ufeff" + WHOLE,
        WHOLE.replace(",", ";"),
        WHOLE.replace(",", "\t").replace("\n", "\r\n"),
        'name,zone,tile_id\nx,2000,A\ny,2000,B\n\nz,C,C\n\'quo,"2001", D \n',
    ],
)
def test_a_table_of_every_tile_gives_its_zones(text):
    assert read(text) == ZONES


def test_what_only_one_side_knows_is_refused_or_outside():
    strange, short = f"{WHOLE}Z,2000\nZZ,2000\n", "tile_id,zone\nA,2000\nD,2001\n"
    with pytest.raises(InputError, match=r"2 lines name no tile: stops.csv, first: line 6"):
        read(strange)
    assert read(strange, outside=True) == ZONES
    with pytest.raises(InputError, match=r"2 of 4 tiles have no zone: stops.csv"):
        read(short)
    assert read(short, outside=True) == (("A", "2000"), ("D", "2001"))
    with pytest.raises(InputError, match="no tile has a zone"):
        read("tile_id,zone\nZ,2000\n", outside=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{WHOLE}A,2000\n", "named twice: stops.csv, line 6"),
        (f"{WHOLE}A,2001\n", "named twice: stops.csv, line 6"),
        (f"{WHOLE}Z,1\nZ,2\n", "named twice: stops.csv, line 7"),
        (WHOLE.replace("2001", "=HYPERLINK(1)"), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "<b>x</b>"), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "\u202e2001"), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "UNKNOWN"), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "Outside"), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", ""), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "x" * 81), "no zone can have: stops.csv, line 5"),
        (WHOLE.replace("2001", "A"), "name of a tile that lies in another zone"),
        (WHOLE + "D\n", "other columns than the header: stops.csv, line 6"),
        (WHOLE + 'D,"2001\n', "other columns than the header: stops.csv, line 6"),
        ("tile_id,postcode\nA,2000\n", "columns tile_id and zone are missing"),
        ("A,2000\n", "columns tile_id and zone are missing"),
        ("", "columns tile_id and zone are missing"),
        (b"tile_id,zone\nA,\xff\n", "not UTF-8"),
    ],
)
@pytest.mark.parametrize("outside", [False, True])
def test_a_table_that_is_none_is_refused_by_its_line(text, says, outside):
    with pytest.raises(InputError, match=says):
        read(text, outside=outside)


def test_a_zone_takes_no_name_of_a_tile_that_lies_in_no_zone():
    with pytest.raises(InputError, match=r"name of a tile that lies in no zone: zone .B"):
        read("tile_id,zone\nA,B\n", outside=True)
    with pytest.raises(InputError, match="lies in no zone"):
        tiles_of_zones(four_tiles(), checked((("A", "B"),)))
    assert read("tile_id,zone\nA,A\nB,A\n", outside=True) == (("A", "A"), ("B", "A"))


def test_no_refusal_repeats_what_stands_in_the_table():
    with pytest.raises(InputError) as refused:
        read(WHOLE.replace("2001", "=SECRET()"))
    assert "SECRET" not in str(refused.value)


def test_a_tile_in_two_zones_is_refused_of_a_mapping_too():
    with pytest.raises(InputError, match="named twice"):
        checked((("A", "2000"), ("A", "2001")))


def test_zones_come_back_from_their_terms():
    assert zones_of(zone_terms(ZONES)) == ZONES
    for wrong in (None, [], {}, {"2000": "A"}, {"2000": "99A"}, {"2000": ["00A"]}, {"2000": 7}):
        with pytest.raises((TypeError, ValueError)):
            zones_of(wrong)


def test_the_stops_of_a_large_city_fit_into_an_entry_of_the_ledger():
    rng = np.random.default_rng(1)
    stops = tuple(f"{number}" for number in range(200_000, 230_000))
    zones = checked(tuple(zip(stops, map(str, np.sort(rng.integers(2_000, 2_310, len(stops)))), strict=True)))
    terms = zone_terms(zones)
    assert len(canonical(terms)) < limits.MAX_ENTRY_CHARACTERS * 0.8
    assert zones_of(terms) == zones


def test_a_zone_is_the_union_of_its_tiles_and_merging_again_changes_nothing():
    tiles = tiles_of_zones(four_tiles(), checked(ZONES))
    assert tiles.tile_ids == ("2000", "2001", "C")
    assert tiles.polygons[0].equals(shapely.box(0, 0, 2, 1))
    assert tiles_of_zones(as_drawn(tiles), checked(ZONES)).digest == tiles.digest
    alone = tiles_of_zones(four_tiles(), (("A", "2000"), ("D", "2001")))
    assert alone.tile_ids == ("2000", "2001")
    with pytest.raises(InputError, match="not those of these tiles"):
        tiles_of_zones(four_tiles(), (("Z", "2000"),))
