"""Pictures, tables and sentences of trajectory trees: what they hold, what they escape, and that levels can be told apart."""

from __future__ import annotations

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from dpcore.kinds.tree import views
from dpcore.kinds.tree.answers import Answer, AskableTree
from dpcore.kinds.tree.levels import DESCRIPTORS, Levels
from dpcore.kinds.tree.paths import Lengths, Pattern, PatternComparison, paths_of
from dpcore.kinds.tree.plan import Definition, Strategy, price_of_tree
from dpcore.kinds.tree.question import ONE, RUN, Kind, Question
from dpcore.kinds.tree.tree import Consistency, consistent, exact_weights
from dpcore.kinds.tree.views.levels import contrast, luminance
from dpcore.kinds.tree.views.tables import RIGHT
from dpcore.privacy import ContributionBound
from tests.cities import four_tiles
from tests.synthesis.tree.growing import five_levels, grown, planned, walks

TILES = 30
HOSTILE = "<b>Hill</b> *x*"
IDS = tuple(str(at) for at in range(TILES))
NAMES = {"1": HOSTILE, "2": "=1+1", "3": "Quay"}


@pytest.fixture(scope="module")
def asked():
    plan = planned(five_levels(TILES), "2", 4)
    how = Consistency.EQUAL
    return AskableTree.of(consistent(grown(walks(20_000, TILES, 6), plan), how), IDS, how)


def matrix(*rows):
    return np.array(rows)


BLINDNESS = {  # Machado, Oliveira, Fernandes 2009, at full strength, on linear light
    "none": np.eye(3),
    "no red cones": matrix((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green cones": matrix((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue cones": matrix((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip


def seen(colour, eyes):
    """CIE L*a*b* of a colour as some eyes see it."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    linear = np.clip(BLINDNESS[eyes] @ linear, 0, 1)
    xyz = matrix((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)) @ linear
    x, y, z = (
        np.cbrt(xyz / (0.9505, 1.0, 1.089))
        if (xyz > 0.01).all()
        else np.cbrt(xyz / (0.9505, 1.0, 1.089) + 1e-4)
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", BLINDNESS)
@pytest.mark.parametrize("dark", [False, True])
def test_all_eyes_can_tell_five_levels_apart(eyes, dark):
    colours = [one.on(dark=dark) for one in views.level_colours(5)]
    for one, other in itertools.combinations(colours, 2):
        assert np.linalg.norm(seen(one, eyes) - seen(other, eyes)) > 12, (one, other)


@pytest.mark.parametrize("levels", [1, 2, 3, 5, 20])
def test_lightness_orders_the_levels_and_letters_can_be_read(levels):
    colours = views.level_colours(levels)
    light, dark = ([luminance(one.on(dark=on)) for one in colours] for on in (False, True))
    assert light == sorted(light, reverse=True)
    assert dark == sorted(dark)
    assert len({one.light for one in colours}) == len({one.dark for one in colours}) == levels
    for one in colours:
        assert contrast(one.light, views.ink_on(one.light)) > 4.4
        assert contrast(one.dark, views.ink_on(one.dark)) > 4.4
    assert contrast(colours[-1].light, "#ffffff") > 10  # Critical stands out of the page
    assert contrast(colours[-1].dark, "#14181d") > 10


def test_an_icicle_holds_the_largest_nodes_each_below_its_parent_and_says_how_many_are_left_out(asked):
    drawn = views.icicle(asked, NAMES, most=200)
    ids = [box.id for box in drawn.boxes]
    assert len(ids) == len(set(ids)) == 201
    assert drawn.left_out == len(asked.tree) - 201
    assert drawn.rest.startswith(f"Drawn are the 200 largest of {len(asked.tree) - 1:,} nodes")
    boxes = {box.id: box for box in drawn.boxes}
    inside = dict.fromkeys(boxes, 0)
    for box in drawn.boxes[1:]:
        assert boxes[box.parent].size >= box.size > 0
        inside[box.parent] += box.size
        assert 0 <= box.low <= box.count <= box.high
    assert all(inside[box.id] <= box.size for box in drawn.boxes)
    smallest = min(box.size for box in drawn.boxes)
    more = views.icicle(asked, NAMES, most=10**6)
    assert sum(box.size > smallest for box in more.boxes) <= 201
    assert sum(inside[box.id] == 0 for box in drawn.boxes) > 0
    assert more.boxes[0].size == sum(box.size for box in more.boxes if box.parent == "0")


def test_a_box_has_the_highest_level_of_its_path_and_ends_have_none(asked):
    level = five_levels(TILES).level
    for box in views.icicle(asked, {}).boxes[1:]:
        tiles = [part for part in box.path.split(" \N{RIGHTWARDS ARROW} ") if part.isdigit()]
        ends = not box.label.isdigit()
        assert box.level == (0 if ends else max(level[int(tile)] for tile in tiles))


def test_a_box_that_may_be_nobody_begins_at_zero(asked):
    boxes = [box for box in views.icicle(asked, {}, most=10**6).boxes[1:] if asked.doubtful[int(box.id)]]
    assert boxes
    assert {box.low for box in boxes} == {0}


def test_intervals_of_boxes_hold_the_truth(asked):
    """Of the first tiles, which noise alone moves: 95 of 100, as they are independent; here 20 at least of them."""
    true = np.bincount([one[0] for one in walks(20_000, TILES, 6) if len(one)], minlength=TILES)
    first = [box for box in views.icicle(asked, {}).boxes if box.parent == "0"]
    assert sum(box.low <= true[int(box.label)] <= box.high for box in first) >= 0.8 * len(first)


def test_the_figure_is_one_that_plotly_takes_and_nothing_of_it_is_markup(asked):
    drawn = views.icicle(asked, NAMES, most=300)
    for dark in (False, True):
        made = views.icicle_figure(drawn, five_levels(TILES), dark=dark, mark="Demo <data>")
        figure = go.Figure(made)
        _, trace = made["data"]
        texts = [*trace["labels"], *(told for row in trace["customdata"] for told in row)]
        assert not any("<" in one for one in texts)
        assert any(one.startswith("&lt;b&gt;Hill") for one in trace["labels"])
        assert figure.data[1].branchvalues == "total"
        assert "%{customdata[2]}" in trace["hovertemplate"]
        whole = trace["customdata"][0]
        assert whole[2].removeprefix("about ").startswith(f"{whole[1]} trajectories")
        assert all("95 % range of the noise" in words[2] for words in trace["customdata"][1:4])
        assert figure.layout.title.text == "Demo &lt;data&gt;"


def test_the_table_is_the_icicle_and_no_cell_is_a_formula(asked):
    drawn = views.icicle(asked, NAMES)
    table = views.icicle_table(drawn, [one.name for one in DESCRIPTORS])
    assert {len(column) for column in table.values()} == {len(drawn.boxes) - 1}
    assert not any(cell.startswith("=") for column in table.values() for cell in column)
    assert {"Critical", "Public-ish", ""} <= set(table["level"])


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(1312.4, 1262, 1363, 1156, 3732), "**about 1,310** trajectories: 1,160 to 3,730. The noise alone would leave 1,260 to 1,360."),
        (Answer(-3.2, -9, 3, -20, 41), "**about 0** trajectories: 0 to 41. The noise alone would leave 0 to 3."),
        (Answer(0, 0, 0, 0, 0), "**about 0** trajectories: 0 to 0."),
    ],
)  # fmt: skip
def test_an_answer_shows_nothing_below_zero_and_no_more_digits_than_it_bears(answer, text):
    assert views.reply(answer) == text
    assert text == f"**{views.about(answer)}** trajectories: {views.between(answer)}"


def test_where_nothing_was_kept_no_number_is_told_as_if_it_were_counted():
    rare = Answer(0.0, 0, 0, 0, 27_709)
    assert views.about(rare) == "not kept"
    assert views.reply(rare) == (
        "**not kept**. Trajectories: 0 to 27,709. What is asked for was too rare to be kept, so nothing was counted."
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (Question(Kind.SET, ("3",)), "Trajectories that pass Quay"),
        (Question(Kind.SET, ("3", "4")), "Trajectories that pass Quay and 4, in whatever order"),
        (Question(Kind.ORDER, ("3", "4")), "Trajectories that pass Quay, then 4, others between them or not"),
        (Question(Kind.EXACT, ("3", ONE, "4")), "Trajectories that pass Quay, next any one tile, next 4"),
        (Question(Kind.PREFIX, ("3", RUN, "4")), "Trajectories that begin with Quay, next any number of tiles or none, next 4"),
        (Question(Kind.SET, ("1",)), r"Trajectories that pass \<b\>Hill\</b\> \*x\*"),
    ],
)  # fmt: skip
def test_a_question_is_said_in_words_and_names_are_no_markup(question, text):
    assert views.asked_for(question, NAMES) == text


def test_patterns_have_names_and_true_numbers_beside_them():
    found = [Pattern((1, 3), 12.0), Pattern((0,), 3.0)]
    plain = views.patterns_table(found, IDS, NAMES)
    assert plain["pattern"] == [f"{HOSTILE} > Quay", "0"]
    assert "true" not in plain
    table = views.patterns_table(found, IDS, NAMES, [Pattern((0,), 4.0), Pattern((2,), 2.0)])
    assert table["true"] == ["not among them", "4"]
    text = views.patterns_text(PatternComparison(8, 2, 2, 0.123))
    assert text.startswith("**8** of 10")
    assert "12.3 %" in text
    assert "off by" not in views.patterns_text(PatternComparison(0, 2, 2, 0.0))


def test_missing_patterns_keep_their_true_rank_and_their_numbers_are_no_estimates():
    true = [Pattern((1,), 9.0), Pattern((3,), 7.0), Pattern((0,), 4.0)]
    assert views.missing_table(true, [Pattern((3,), 6.0)], IDS, NAMES) == {
        "true rank": ["1", "3"],
        "pattern": [HOSTILE, "0"],
        "true": ["9", "4"],
    }


def test_a_level_that_no_place_has_is_left_out_of_the_price_or_marked():
    plan, bound = planned(Levels.of(("a", "b"), {"a": "Medium"}), "2"), ContributionBound.per_trip()
    table = views.price_table(plan, bound)
    assert table["level"] == ["Critical", "Medium", "the whole record", "replaced by another"]
    assert table["ε"] == ["2", "3.34", "3.34", "6.67"]
    every = views.price_table(plan, bound, every=True)
    assert every["places"] == ["1", "none", "1", "none", "none", "2", ""]
    assert "Public-ish" not in "".join(views.losses_table(plan, bound)["if"])


def test_prices_show_every_level_and_the_whole_record():
    plan, bound = planned(five_levels(TILES), "0.5", 3), ContributionBound.per_user(4)
    table = views.price_table(plan, bound, every=True)
    assert table["level"][:-1] == ["Critical", "High", "Medium", "Low", "Public-ish", "the whole record"]
    assert table["ε"][0] == "2"
    record = price_of_tree(plan, bound).record
    assert table["ε"][-2:] == [str(record), str(2 * record)]
    assert table["places"][-2:] == [str(TILES), ""]
    assert sum(int(many) for many in table["places"][:-2] if many != "none") == TILES
    losses = views.losses_table(plan, bound)
    assert losses["if"][0].startswith("Everything about a person")
    assert losses["ε at most"][:2] == table["ε"][-2:]
    assert {len(column) for column in losses.values()} == {14}
    assert losses["of whom"][0] == "a person (4 times one trajectory)"
    assert {*losses["of whom"][2:]} == {
        "one trajectory",
        "one trajectory of a person with more than 4",
    }


def test_each_level_says_what_is_guessed_and_the_record_both_questions():
    plan, bound = planned(five_levels(TILES), "1", 3), ContributionBound.per_trip()
    table = views.price_table(plan, bound)
    assert table[RIGHT][0] == "at most 74 times"
    assert table[RIGHT][-2:] == ["at most 994 of 1,000 times", "at most 99,996 of 100,000 times"]
    said = views.right_words(plan, bound)
    assert "whether a trajectory *went on to* such a place or ended before it" in said
    assert "whether one trip is in the data" in said
    whole = planned(five_levels(TILES), "1", 3, Definition.RECORD, Strategy.UNIFORM)
    assert "whether a trajectory that visits nothing above it is in the data" in views.right_words(
        whole, bound
    )


class TrueLengths:
    complete = np.array([0, 10, 20, 5, 2, 0, 1] + [0] * 20)
    longer = 3


def test_true_lengths_show_what_the_height_cuts():
    chart = views.lengths_chart(TrueLengths(), 3, mark="Demo data")
    kinds = dict(zip(chart.table["tiles"], chart.table["kind"], strict=True))
    assert kinds == {"1": "counted whole", "2": "counted whole", "3": "counted whole", "4": "cut", "5": "cut", "6": "cut", "7+": "cut"}  # fmt: skip
    assert chart.table["count"].sum() == 41
    assert chart.figure["layout"]["title"]["text"] == "Demo data"


@pytest.mark.parametrize("height", [1, 24, 30, 64])
def test_true_lengths_add_up_at_every_height(height):
    class Long:
        complete = np.arange(65)
        longer = 7

    chart = views.lengths_chart(Long(), height)
    assert chart.table["count"].sum() == np.arange(65).sum() + 7
    assert len(chart.table) <= max(height, 24) + 1
    assert (
        chart.table.loc[chart.table["kind"] == "counted whole", "count"].sum()
        == np.arange(min(height, 64) + 1).sum()
    )


def test_noisy_lengths_are_those_of_the_tree(asked):
    found = Lengths.of(paths_of(asked.tree, exact_weights(asked.tree)))
    table = views.noisy_lengths_chart(found).table
    assert table["count"].sum() == pytest.approx(found.complete.sum() + found.longer + found.unknown.sum())
    assert (table["drawn"] >= 0).all()


@pytest.mark.parametrize("dark", [False, True])
def test_the_map_of_levels_colours_every_tile_and_names_every_level(dark):
    tiles = four_tiles()
    named = {tiles.tile_ids[0]: "Low", tiles.tile_ids[1]: "High"}
    levels = Levels.of((*tiles.tile_ids, "outside"), named)
    drawn = views.levels_svg(tiles, levels, "Demo <data>", dark=dark)
    colours = [one.on(dark=dark) for one in views.level_colours(5)]
    assert all(f'fill="{colours[at]}"' in drawn for at in (1, 3, 4))
    for text in ("Critical: 3", "High: 1", "Medium: 0", "Low: 1", "Public-ish: 0", "Demo &lt;data&gt;"):
        assert text in drawn
    assert drawn.count("<path") == 3


@pytest.mark.parametrize("dark", [False, True])
def test_the_legend_of_boxes_names_every_level_with_its_colour_and_its_places(asked, dark):
    levels = five_levels(TILES)
    legend, _ = views.icicle_figure(views.icicle(asked, NAMES), levels, dark=dark)["data"]
    names = [label.rpartition(": ")[0] for label in legend["labels"]]
    assert names == [one.name for one in reversed(DESCRIPTORS)]
    assert sum(int(label.rpartition(": ")[2]) for label in legend["labels"]) == TILES
    assert legend["marker"]["colors"] == [one.on(dark=dark) for one in reversed(views.level_colours(5))]


def test_every_place_is_listed_with_its_level():
    levels = Levels.of(("a", "b"), {"a": "Low"})
    assert views.places_table(levels, {"b": "=x"}) == {
        "id": ["a", "b"],
        "name": ["a", "'=x"],
        "level": ["Low", "Critical"],
    }
