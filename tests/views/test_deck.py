"""Maps of pydeck: what a page of them holds, what it never holds, and that it names nobody's server."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import pairwise

import pandas as pd
import pydeck
import pytest
import shapely

import dpcore
from dpcore.errors import InputError, PrivacyError
from dpcore.estimates.words import likely
from dpcore.measures.choices import KeyChoices
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Tessellation
from dpcore.views.ground.reading import colour_breaks, coloured_from, trusted_from
from dpcore.views.ground.style import DROWNED
from dpcore.views.maps.deck import OfflineDeck, _rgb, told_deck
from dpcore.views.numbers.sentences import OWNER_MARK
from dpcore.views.numbers.told_tiles import TOO_FEW
from tests.release.made_releases import grid, made_release
from tests.test_library import loaded, plan, records

WEIGHTS = {"visits_per_tile": 2, "visits_per_time_tile": 1, "od_flows": 1, "trips_per_weekday": 1}
HOSTILE = (
    "</script><script>alert(1)</script>",
    "@@=alert(1)",
    "{colour}<img src=x onerror=alert(1)>",
    "\u2028'\"",
)


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, tessellation=grid())


@pytest.fixture
def preview():
    return dpcore.preview(loaded(records()), plan())


def layers(deck) -> dict[str, dict]:
    return {layer["id"]: layer for layer in json.loads(deck.to_json())["layers"]}


def elsewhere(page: str) -> list[str]:
    """Tags that load something."""
    head, _, after = page.partition("<script type='text/javascript'>")
    _, _, after = after.partition("const container")  # what stands between is deck.gl itself
    return re.findall(r"<(?:script|link|img)[^>]*(?:src|href)[^>]*>", head + after)


def test_it_is_a_deck_of_pydeck_without_a_map_below(release):
    deck = dpcore.deck(release, "visits_per_tile")
    assert isinstance(deck, pydeck.Deck)
    document = json.loads(deck.to_json())
    assert "mapProvider" not in document
    assert "http" not in deck.to_json()


@pytest.mark.parametrize("options", [{}, {"offline": True}])
def test_its_page_loads_nothing(release, options, tmp_path):
    deck = dpcore.deck(release, "visits_per_tile")
    page = deck.to_html(as_string=True, notebook_display=False, **options)
    assert elsewhere(page) == []
    assert elsewhere(pydeck.Deck.to_html(deck, as_string=True, offline=True)) != []  # as pydeck writes it
    deck.to_html(str(tmp_path / "map.html"), **options)
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == page
    assert deck.to_html(notebook_display=False) == page


def test_a_page_that_would_ask_others_is_refused(release):
    with pytest.raises(InputError, match="asks nobody"):
        dpcore.deck(release, "visits_per_tile").to_html(as_string=True, offline=False)


def keys(deck) -> list[tuple[str, str]]:
    """Colours and words of the legend."""
    return re.findall(r'background:(#\w+)"></i>(.*?)</span>', json.loads(deck.to_json())["description"])


def test_the_legend_of_tiles_begins_where_a_count_stands_out_and_has_no_gap(release):
    visits = release.measurements["visits_per_tile"]
    for rung, epsilon in enumerate(visits.rungs):
        below = coloured_from(visits, rung)
        (grey, drowned), *classes = [
            key for key in keys(dpcore.deck(release, "visits_per_tile", epsilon)) if "few" not in key[1]
        ]
        assert (grey, drowned) == ("#dadce1", f"below {below:,}: noise alone could have made it")
        ends = [[int(end.replace(",", "")) for end in re.findall(r"[\d,]+", words)] for _, words in classes]
        assert ends[0][0] == below
        assert all(end[-1] + 1 == following[0] for end, following in pairwise(ends))
        assert classes[-1][1].endswith(" or more")


def test_the_legend_of_flows_explains_grey(release):
    (grey, drowned), (full, sure) = keys(dpcore.deck(release, "od_flows", "0.1"))
    assert (grey, full) == ("#dadce1", "#b00058")
    flows = release.measurements["od_flows"]
    least = f"{trusted_from(flows, flows.rungs.index(Fraction(1, 10))):,}"
    assert drowned == f"below {least}: noise alone could have made it"
    assert sure == f"{least} or more"


@pytest.mark.parametrize("measure", ["visits_per_tile", "od_flows"])
def test_its_page_is_named_and_its_words_stand_above_the_map(release, preview, measure):
    page = dpcore.deck(release, measure).to_html(as_string=True)
    assert page.count("<title>") == 1
    assert re.search(
        r"<title>[A-Z][a-z ]+ tiles?: noisy \w+, ε = \d per person, at most \d trips</title>", page
    )
    assert ".deck-json-description-box{position:static!important" in page
    assert f"<title>{OWNER_MARK} " in dpcore.deck(preview, measure).to_html(as_string=True)


def test_a_row_holds_what_is_drawn_and_nothing_else(release):
    assert {*layers(dpcore.deck(release, "visits_per_tile"))["tiles"]["data"][0]} == {
        "polygon",
        "colour",
        "label",
    }
    flows = layers(dpcore.deck(release, "od_flows"))
    assert {*flows["tiles"]["data"][0]} == {"polygon"}
    assert {*flows["flows"]["data"][0]} == {"from", "to", "width", "pale", "full", "label"}


def test_a_tile_that_noise_alone_could_have_made_is_grey_and_others_have_the_colour_of_their_class(release):
    visits = release.measurements["visits_per_tile"]
    for rung in (0, len(visits.rungs) - 1):
        rows = layers(dpcore.deck(release, "visits_per_tile", visits.rungs[rung]))["tiles"]["data"]
        below = coloured_from(visits, rung)
        colours: dict[int, set] = {}
        for value, row in zip(visits.values[rung].tolist(), rows, strict=False):
            half, few = visits.half_widths[rung], colour_breaks(visits)[1]
            small = -2 if half < few and value + half < few else -1
            kind = small if value < below else sum(value >= edge for edge in colour_breaks(visits))
            colours.setdefault(kind, set()).add(tuple(row["colour"]))
            assert ("Noise alone" in row["label"]) is (kind == -1)
            assert ("few or none" in row["label"]) is (kind == -2)
        hidden = {-1: {(218, 220, 225)}, -2: {(249, 246, 236)}}  # as in pages/assets/ladder_colours.js
        assert all(found == hidden[kind] for kind, found in colours.items() if kind < 0)
        assert all(len(found) == 1 for found in colours.values())
        assert len({*map(frozenset, colours.values())}) == len(colours)


def test_a_pointer_says_value_range_and_unit(release):
    deck = dpcore.deck(release, "visits_per_tile")
    visits = release.measurements["visits_per_tile"]
    value, half = int(visits.values[-1][0]), visits.half_widths[-1]
    words = layers(deck)["tiles"]["data"][0]["label"].replace("\N{MINUS SIGN}", "-")
    assert words.startswith(
        f"Tile {release.tessellation.tile_ids[0]}\nabout {value} visits\n95 % range of the noise {value - half} to {value + half}"
    )


def test_flows_are_the_same_at_every_rung_and_start_and_end_inside_their_tiles(release):
    finest, coarsest = (
        layers(dpcore.deck(release, "od_flows", epsilon))["flows"]["data"] for epsilon in (None, "0.1")
    )
    assert [(row["from"], row["to"]) for row in finest] == [(row["from"], row["to"]) for row in coarsest]
    shapes = shapely.STRtree(release.tessellation.polygons)
    for row in finest:
        ends = re.match(r"From (\S+) to (\S+)\n", row["label"]).groups()
        for point, tile in zip((row["from"], row["to"]), ends, strict=True):
            found = shapes.query(shapely.Point(point), predicate="within")
            assert release.tessellation.tile_ids[found[0]] == tile


def test_a_map_of_windows_is_of_one_window(release):
    where = {"day_type": "weekend", "window": "6-10"}
    rows = layers(dpcore.deck(release, "visits_per_time_tile", where=where))["tiles"]["data"]
    table = dpcore.table(release, "visits_per_time_tile")
    mine = table[(table["day_type"] == "weekend") & (table["window"] == "6-10")]
    shown = [row["label"].split("\n")[1].split(" ")[1].replace(",", "") for row in rows]
    assert [int(text.replace("\N{MINUS SIGN}", "-")) for text in shown] == mine["value"][:-1].tolist()
    for wrong in (None, {"day_type": "weekend"}, {**where, "hour": "1"}, {**where, "window": "5"}):
        with pytest.raises(InputError, match="no single map") as found:
            dpcore.deck(release, "visits_per_time_tile", where=wrong)
        assert "6-10" in str(found.value)
    with pytest.raises(InputError, match="one map alone"):
        dpcore.deck(release, "visits_per_tile", where=where)


def test_refusals(release):
    with pytest.raises(InputError, match="no places"):
        dpcore.deck(release, "trips_per_weekday")
    with pytest.raises(PrivacyError, match="rung"):
        dpcore.deck(release, "visits_per_tile", "9")


@pytest.mark.parametrize("measure", ["visits_per_tile", "od_flows"])
def test_a_preview_has_its_mark_in_the_picture_and_no_true_count(preview, measure):
    deck = dpcore.deck(preview, measure)
    marks = layers(deck)["mark"]
    assert marks["@@type"] == "TextLayer"
    assert {row["text"] for row in marks["data"]} == {OWNER_MARK}
    assert OWNER_MARK in json.loads(deck.to_json())["description"]
    assert "truth" not in deck.to_json()


def test_a_release_has_no_mark(release):
    assert "mark" not in layers(dpcore.deck(release, "visits_per_tile"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_out_of_a_file_is_text_and_nothing_else(name):
    squares = [shapely.box(x, 0, x + 1, 1) for x in range(4)]
    tiles = Tessellation.of(list("abcd"), [name] * 4, squares, "test")
    release = made_release(weights={"visits_per_tile": 1, "od_flows": 1}, tessellation=tiles)
    for measure in ("visits_per_tile", "od_flows"):
        deck = dpcore.deck(release, measure)
        assert isinstance(deck, OfflineDeck)
        page = deck.to_html(as_string=True)
        assert "<" not in deck.to_json()
        assert page.count("</script>") == dpcore.deck(made_release(), "visits_per_tile").to_html(
            as_string=True
        ).count("</script>")
        texts = [
            text
            for text in _texts([layer["data"] for layer in layers(deck).values()])
            if tiles.tile_names[0][:3] in text
        ]
        assert texts
        assert all(text.startswith(("Tile ", "From ")) for text in texts)


def _texts(found: object) -> list[str]:
    if isinstance(found, str):
        return [found]
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for part in inside for text in _texts(part)]


@pytest.mark.parametrize("whose", ["counted", "all"])
def test_a_map_of_estimates_says_those_of_the_table_and_flows_follow_from_visits(whose):
    release = made_release(weights={"visits_per_tile": 1}, unit="trip", tessellation=grid())
    deck = dpcore.deck(release, "visits_per_tile", estimate=whose)
    table = dpcore.table(release, "visits_per_tile", estimate=whose)
    found = estimates_of(release, len(release.plan.rungs) - 1).tables["visits_per_tile"].of(whose == "all")
    about = {"all": "all trips", "counted": "the trips that count"}[whose]
    for at, row in enumerate(layers(deck)["tiles"]["data"]):
        said = likely(found.values[at], found.low[at], found.high[at], f"visits of {about}")
        assert row["label"].split("\n")[1] == said
    assert table.attrs["note"] in json.loads(deck.to_json())["description"]
    flows = layers(dpcore.deck(release, "od_flows", estimate=whose))["flows"]["data"]
    assert 0 < len(flows) <= 150
    assert all("likely range" in row["label"] for row in flows)


def test_colours_of_estimates_have_the_same_classes_at_every_rung(release):
    classes = [
        {colour for colour, said in keys(dpcore.deck(release, "visits_per_tile", at, estimate="counted"))}
        for at in (None, "0.1")
    ]
    assert classes[0] == classes[1]


def test_a_map_of_the_estimates_of_one_window_and_of_a_preview(release, preview):
    where = {"day_type": "weekend", "window": "6-10"}
    deck = dpcore.deck(release, "visits_per_time_tile", where=where, estimate="counted")
    assert len(layers(deck)["tiles"]["data"]) == len(release.tessellation.tile_ids)
    with pytest.raises(InputError, match="no single map"):
        dpcore.deck(release, "visits_per_time_tile", estimate="counted")
    for wrong in (
        {"measure": "trips_per_weekday", "estimate": "counted"},
        {"measure": "od_flows", "estimate": "x"},
    ):
        with pytest.raises(InputError):
            dpcore.deck(release, **wrong)
    for measure in ("visits_per_tile", "od_flows"):
        mine = dpcore.deck(preview, measure, estimate="counted")
        assert {row["text"] for row in layers(mine)["mark"]["data"]} == {OWNER_MARK}
        assert "truth" not in mine.to_json()


@pytest.mark.parametrize("which", [0, 1], ids=["sum", "mean"])
def test_a_sum_and_a_mean_colour_tiles_as_their_tables_say(which):
    choices = KeyChoices(sums={"duration": "0:90:1"}, by="visits_per_tile")
    made = made_release(
        period=None, choices=choices, epsilon="20", weights={"sum_duration": 1, "mean_duration": 1}
    )
    one, rungs = made.plan.choices.sums[0], range(len(made.plan.rungs))
    name = one.names[which]
    legends = set()
    for rung in rungs:
        deck = told_deck(made.measurements[name], one, rung, made.tessellation)
        rows = layers(deck)["tiles"]["data"]
        table = dpcore.table(made, name, made.plan.rungs[rung])
        for row, (_, told) in zip(rows, table.iterrows(), strict=False):
            value = told["value"]
            low, high = (
                (told["low_95"], told["high_95"])
                if which
                else (value - told["half_width_95"], value + told["half_width_95"])
            )
            if pd.isna(value):
                assert row["label"].endswith(TOO_FEW)
            else:
                words = f"about {value:,.9g} minutes\n95 % range {low:,.9g} to {high:,.9g}"
                assert words in row["label"]
            grey = pd.isna(value) or (not which and low <= 0 <= high)
            assert (row["colour"] == _rgb(DROWNED)) is bool(grey)
        legends.add(deck.description.partition("<br>")[2])
        assert "in minutes" in deck.description
    assert len(legends) == 1, "the colours are the same at every stop"
