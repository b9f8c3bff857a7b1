"""Ids of trips that no tile has: told to the owner with what mends it, matched by a public rule on demand, and never in silence."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest
import shapely

import dpcore
from dpcore.api import owner
from dpcore.command_line.main import main
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.private.source import BadRecords, TripsFile
from dpcore.tiles import Tessellation
from dpcore.tiles.id_rules import RULES
from tests.engines import count

HEADER = "user_id,started_at,ended_at,start_tile,end_tile\n"
CELL = "8a2a1072b59ffff"


def trips_of(*ends: tuple[str, str]) -> str:
    days = (f"2024-03-{1 + number:02}" for number in range(len(ends)))
    return HEADER + "".join(
        f"u{number},{day} 08:00,{day} 08:20,{start},{end}\n"
        for number, (day, (start, end)) in enumerate(zip(days, ends, strict=True))
    )


def tiles_of(*ids: str) -> str:
    squares = [shapely.geometry.mapping(shapely.box(x, 0, x + 1, 1)) for x in range(len(ids))]
    features = [
        {"type": "Feature", "properties": {"tile_id": tile, "name": f"Place {tile}"}, "geometry": square}
        for tile, square in zip(ids, squares, strict=True)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


CASES = {
    "zeros are lost": (
        ("0610", "0620"),
        [("610", "620")] * 2,
        "leading-zeros",
        "2 different ids of 2 trips are",
    ),
    "zeros are added": (("646", "526"), [("00646", "526")], "leading-zeros", "1 id of 1 trip is"),
    "a point is added": (
        ("361", "362"),
        [("361", "362"), ("361.0", "362.0")],
        "decimals",
        "2 different ids of 1 trip",
    ),
    "a zero is lost behind": (("5.10", "5.01"), [("5.1", "5.01")], "decimals", "1 id of 1 trip is"),
    "a name stands before": (
        ("31101", "31102"),
        [("Oak & 4th (31101)", "Elm (31102)")],
        "brackets",
        "2 different",
    ),
    "letters are decomposed": (("Zürich", "Bern"), [("Zu\u0308rich", "Bern")], "letters", "1 id of 1 trip"),
    "cells are numbers": ((CELL, "7"), [(str(int(CELL, 16)), "7")], "cells", "1 id of 1 trip"),
    "zeros are lost and a point is added": (
        ("007", "012"),
        [("7.0", "12.0")] * 2,
        "leading-zeros,decimals",
        "2 different ids of 2 trips are",
    ),
    "two ways at once": (
        ("07", "8"),
        [("7", "8.0"), ("7", "8")],
        "leading-zeros,decimals",
        "2 different ids of 2",
    ),
}


@pytest.fixture
def place(tmp_path):
    def written(tiles, ends):
        (tmp_path / "tiles.geojson").write_text(tiles_of(*tiles), encoding="utf-8")
        (tmp_path / "trips.csv").write_text(trips_of(*ends), encoding="utf-8")
        return tmp_path

    return written


def exact(capsys, place, *options):
    files = ("--trips", str(place / "trips.csv"), "--tiles", str(place / "tiles.geojson"))
    code = main(["exact", "visits_per_tile", *files, "--timezone", "Europe/Berlin", *options])
    told = capsys.readouterr()
    assert code == 0, told.err
    return told.out, told.err


def visits(out: str) -> dict[str, int]:
    return {row.rpartition(",")[0]: int(row.rpartition(",")[2]) for row in out.split()[1:]}


@pytest.mark.parametrize("case", CASES)
def test_the_owner_is_told_how_many_and_what_mends_it_and_obeying_does(capsys, place, case):
    tiles, ends, rules, many = CASES[case]
    here = place(tiles, ends)
    out, told = exact(capsys, here)
    assert visits(out)["outside"] > 0
    assert many in told
    assert (
        f'say --match-ids {rules} (in a notebook: match_ids="{rules}"; on the Data page: Ids that are' in told
    )
    assert "another city" not in told
    out, told = exact(capsys, here, "--match-ids", rules)
    assert visits(out) == {**Counter(dict.fromkeys(tiles, len(ends))), "outside": 0}
    assert "of no tile" not in told


@pytest.mark.parametrize(
    ("tiles", "ends", "said"),
    [
        (
            ("101", "0101"),
            [("00101", "101")],
            "No rule for ids finds a tile",
        ),  # the rule takes both tiles for one
        (("1", "2"), [("Place 1", "Place 2")], "2 of them are names of tiles: take that property"),
        (("1", "2"), [("8", "9"), ("8", "8")], "2 different ids of 2 trips are those of no tile"),
    ],
)
def test_what_no_rule_finds_is_told_too(capsys, place, tiles, ends, said):
    _, told = exact(capsys, place(tiles, ends))
    assert said in told
    assert "--match-ids" not in told


def test_rules_are_refused_where_they_take_two_tiles_for_one_or_nothing_is_read_by_id(capsys, place):
    here = place(("101", "0101"), [("101", "101")])
    files = ("--trips", str(here / "trips.csv"), "--tiles", str(here / "tiles.geojson"), "--timezone", "UTC")
    assert main(["exact", "od_flows", *files, "--match-ids", "leading-zeros"]) == 2
    assert "differ only by zeros at the beginning: --match-ids leading-zeros" in capsys.readouterr().err
    header = HEADER.replace("start_tile,end_tile", "start_lat,start_lng,end_lat,end_lng")
    (here / "trips.csv").write_text(f"{header}u,2024-03-01 08:00,2024-03-01 09:00,0.5,0.5,0.5,1.5\n")
    assert main(["exact", "od_flows", *files, "--match-ids", "decimals"]) == 2
    assert "the file has coordinates" in capsys.readouterr().err


def test_a_release_is_told_before_it_is_charged_and_nothing_where_nobody_looked(capsys, place):
    here = place(("0610", "0620"), [("0610", "0620")] * 3 + [("610", "0620")])
    common = [
        *("release", "--trips", str(here / "trips.csv"), "--tiles", str(here / "tiles.geojson")),
        *("--timezone", "Europe/Berlin", "--privacy-unit", "trip", "--epsilon", "1"),
        *("--measures", "visits_per_tile", "--total-budget", "9", "--ledger", str(here / "ledger.jsonl")),
    ]
    unseen = [*common, "--dataset", "a", "--out", str(here / "a"), "--parameters-chosen", "before_data"]
    assert main(unseen) == 0
    assert "of no tile" not in capsys.readouterr().err
    assert main([*common, "--dataset", "b", "--out", str(here / "b")]) == 0
    told = capsys.readouterr().err
    assert "note: for your eyes only: 1 id of 1 trip is that of no tile" in told
    assert told.index("of no tile") < told.index("note: ", told.index("of no tile") + 1)


def test_the_library_says_the_same(place):
    here = place(("0610", "0620"), [("610", "0620")])
    tiles = dpcore.load_tiles(here / "tiles.geojson")
    (here / "more").mkdir()
    for number in (1, 2):  # an id of two files is one id
        (here / "more" / f"{number}.csv").write_text(trips_of(*[("610", "0620")] * number))
    trips = dpcore.load_trips(here / "more", tiles, timezone="UTC")
    with pytest.warns(UserWarning, match="1 id of 3 trips is that of no tile"):
        dpcore.exact_table(trips, "visits_per_tile")
    matched = dpcore.load_trips(here / "more", tiles, timezone="UTC", match_ids="leading-zeros")
    table = dpcore.exact_table(matched, "visits_per_tile")
    assert [*table["value"]] == [3, 3, 0]


IDS = ("07", "5379.10", "Zürich", CELL, "31101")
WRITTEN = {
    *IDS, "7", "007", "5379.1", "5379.100", "Zu\u0308rich", "ZÜRICH", str(int(CELL, 16)), CELL.upper(), "Oak (31101)", "(07)",
    "Oak (7)", "nowhere", "", "31101.0", "=1+1", "0",
}  # fmt: skip
"""Ids as they may stand in files, some of no tile by any rule."""


def neighbours_city() -> Tessellation:
    squares = [shapely.box(x, 0, x + 1, 1) for x in range(len(IDS))]
    return Tessellation.of(IDS, [""] * len(IDS), squares, "five tiles")


def counts(rows: list[tuple], bound: ContributionBound, tiles: Tessellation) -> dict[str, object]:
    text = HEADER + "".join(",".join(row) + "\n" for row in rows)
    file = TripsFile.uploaded("trips.csv", text.encode())
    seen = replace(owner.inspect(file), match=tuple(RULES))
    trips = owner.load(file, seen, tiles, timezone="UTC", bad_records=BadRecords.DROP)
    asked = {name: measure_named(name) for name in ("visits_per_tile", "od_flows")}
    answers = ExactAnswers(count(bounded(trips, bound), [*asked.values()]))
    return {name: answers.dense(one, one.keys(tiles.tile_ids)).ravel() for name, one in asked.items()}


@pytest.mark.parametrize("unit", ["user", "trip"])
def test_neighbouring_files_differ_by_no_more_than_one_unit_may(unit):
    """Brute force: a person, or one trip, comes and goes with ids written in any way; the others keep their tiles."""
    rng, tiles, most = random.Random(7), neighbours_city(), 3
    bound = ContributionBound.per_user(most) if unit == "user" else ContributionBound.per_trip()
    reach = most if unit == "user" else 1
    for _ in range(12):
        rows = [
            (f"u{rng.randrange(4)}", f"2024-03-0{1 + day} 08:00", f"2024-03-0{1 + day} 09:00", *ends)
            for day in range(7)
            for ends in [rng.choices(sorted(WRITTEN), k=2)]
        ]
        gone = rng.choice(rows)
        fewer = [row for row in rows if (row[0] != gone[0] if unit == "user" else row is not gone)]
        one, other = counts(rows, bound, tiles), counts(fewer, bound, tiles)
        assert abs(one["visits_per_tile"] - other["visits_per_tile"]).sum() <= 2 * reach
        assert abs(one["od_flows"] - other["od_flows"]).sum() <= reach


def test_every_cell_is_read_alone():
    """Any two cells give the tiles that each gives in a file of its own."""
    tiles, bound = neighbours_city(), ContributionBound.per_trip()
    alone = {
        cell: counts([("u", "2024-03-01 08:00", "2024-03-01 09:00", cell, cell)], bound, tiles)["od_flows"]
        for cell in sorted(WRITTEN)
    }
    rows = [("u", "2024-03-01 08:00", "2024-03-01 09:00", cell, cell) for cell in sorted(WRITTEN)]
    assert (counts(rows, bound, tiles)["od_flows"] == sum(alone.values())).all()
    assert sum(alone.values()).sum() == len(WRITTEN) - 1  # a trip without ends is no flow


def test_an_unknown_rule_is_named():
    with pytest.raises(InputError, match="unknown rule for ids"):
        dpcore.load_trips("trips.csv", neighbours_city(), timezone="UTC", match_ids="zeros")
