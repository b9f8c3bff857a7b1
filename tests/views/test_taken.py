"""What is taken along: pictures of views, and stories as PDF, PowerPoint and HTML. Numbers are the Viewer's; words of others stay words."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from io import BytesIO
from itertools import product
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import numpy as np
import pytest
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Emu
from shapely import Point
from shapely import box as rectangle

from dpcore import limits
from dpcore.comparison.change import changes
from dpcore.errors import InputError, StoryError
from dpcore.estimates.words import likely
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import decimal_text
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Tessellation
from dpcore.views.comparison import changes as told_changes
from dpcore.views.ground.reading import coloured_from
from dpcore.views.ground.selection import NOTHING, Selection, districts_shown
from dpcore.views.ground.shown import ranged
from dpcore.views.ground.style import DROWNED, FEW
from dpcore.views.maps.address import Address, address
from dpcore.views.maps.context_message import GROUND
from dpcore.views.numbers.estimated import estimate_breaks, note_of_map
from dpcore.views.numbers.guarantee import TERMS, can_be_found, promise_of
from dpcore.views.numbers.hundred import hundred_svg
from dpcore.views.numbers.ranking import first_of
from dpcore.views.numbers.told_tiles import told_of
from dpcore.views.pictures import DRAWN, can_be_drawn, change_of, slide_of
from dpcore.views.pictures.charts import days_of_week, promise_dots
from dpcore.views.pictures.drawn import draw, height_of
from dpcore.views.pictures.files import drawn_png, layout, page, png, svg
from dpcore.views.pictures.maps import MOST_ARROWS, MOST_NAMES, Places
from dpcore.views.pictures.sentences import sentence_of
from dpcore.views.pictures.sheet import Box, Sheet, drawable, drawing, fitted, pdf, width
from dpcore.views.pictures.slide import BY_AUTHOR, DrawnCharts, DrawnMap, Slide
from dpcore.views.story.slides import slides
from dpcore.views.story.story import CHANGE, PROMISE, NamedRelease, Step, Story
from dpcore.views.story.taken import FORMS, picture_of, taken
from tests.context.made_layers import made_context
from tests.release.made_releases import WEEK, drawn_as, grid, made_release

HOSTILE = '</title><script>alert(1)</script> $\\frac{x$ & "quoted" \x00\x1b\x08 \ud83d \N{CJK UNIFIED IDEOGRAPH-6F22}'
VIEWS = [view for view in DRAWN if view != "change"]
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def release():
    measures = (
        "visits_per_tile",
        "visits_per_time_tile",
        "od_flows",
        "trips_over_time",
        "trips_per_hour",
        "travel_time",
        "trips_per_user",
    )
    return made_release(weights=dict.fromkeys(measures, 1), epsilon="10")


@pytest.fixture(scope="module")
def large():
    """A grid with districts and long names."""
    tiles = grid()
    named = tuple(f"A quarter around the old station of the north {one}" for one in tiles.tile_ids)
    return made_release(
        tessellation=Tessellation(tiles.tile_ids, named, tiles.polygons),
        weights={
            "visits_per_tile": 2,
            "od_districts": 1,
            "trips_over_time": 1,
            "trips_per_hour": 1,
            "total_trips": 1,
        },
        epsilon="10",
        title=("A title that is long " * 50)[: limits.MAX_TITLE_CHARACTERS],
    )


def seen(release, view: str, said: str | None = None, **link: str) -> Slide:
    at, notes = address({"view": "guarantee" if view == "promise" else view, **link}, release)
    return slide_of(release, at, said, notes)


def story_of(release, *steps: Step, title: str = "A story") -> Story:
    return Story(
        title,
        (NamedRelease(release.id, DIGEST),),
        steps or tuple(Step(view, release.id, "") for view in ("map", "flows", "rhythm", PROMISE)),
    )


def find_in(*releases):
    there = {release.id: release for release in releases}

    def find(shown: NamedRelease):
        if shown.id not in there:
            raise StoryError("its release is not here", "releases of the story", "Give its bundle too.")
        return there[shown.id]

    return find


def boxes(slide: Slide) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every word that a page shows, and where it stands in pixels."""
    with drawing():
        sheet = page(slide, "200 / 200")
        renderer = (
            sheet.figure.canvas.get_renderer() if hasattr(sheet.figure.canvas, "get_renderer") else None
        )
        sheet.figure.draw_without_rendering()
        found = [*sheet.figure.texts]
        for axes in sheet.figure.axes:
            if axes.axison:
                for axis in (axes.xaxis, axes.yaxis):
                    low, high = sorted(axis.get_view_interval())
                    found += [
                        label
                        for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
                        if low <= at <= high
                    ]
        return [
            (text.get_text(), tuple(text.get_window_extent(renderer).extents))
            for text in found
            if text.get_text() and not text.get_rotation()
        ]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_an_svg_that_asks_nobody(release, view):
    slide = seen(release, view)
    text = svg(slide)
    root = ET.fromstring(text)
    assert root.tag.endswith("}svg")
    assert root.get("aria-label") == slide.title
    assert root.find("{http://www.w3.org/2000/svg}title") is None, "browsers lay it over the picture"
    assert slide.source in root.find("{http://www.w3.org/2000/svg}desc").text
    assert "<script" not in text
    assert "<!DOCTYPE" not in text
    links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', text)
    assert all((one or other).startswith("#") for one, other in links)


def test_a_picture_has_more_than_1920_pixels_and_equal_pictures_are_equal_files(release):
    first, again = (seen(release, "flows") for _ in range(2))
    drawn = png(first)
    assert struct.unpack(">II", drawn[16:24]) == (2560, 1440)
    assert drawn == png(again)
    assert svg(first) == svg(again)


def test_a_picture_says_what_it_shows_of_whom_and_by_how_much_it_may_be_off(release):
    slide = seen(release, "map", rung="1")
    estimates = estimates_of(release, 5, of=("visits_per_tile",))
    assert note_of_map(release.measurements["visits_per_tile"], estimates)[1:] in slide.told
    assert release.id in slide.source
    assert "2024-05-01" in slide.source
    assert "(\N{GREEK SMALL LETTER EPSILON} = 10)" in slide.source, "the promise is that of the whole release"
    assert "shown at its stop of \N{GREEK SMALL LETTER EPSILON} = 1." in slide.source
    first = first_of(release, "visits_per_tile", 5, estimates)
    assert slide.drawn.listed.rows[0] == (f"1. {first.names[0]}", likely(*first.shown.numbers.cell(0)))
    tiles = release.tessellation
    ranks = [name for name, _ in slide.drawn.names]
    assert ranks == [str(rank) for rank in range(1, len(slide.drawn.listed.rows) + 1)]
    for name, (_, point) in zip(first.names, slide.drawn.names, strict=False):
        assert tiles.polygons[tiles.tile_names.index(name)].contains(Point(point)), "ranks lie on tiles"
    assert slide.drawn.key.unit.startswith("Visits per tile, ")


def test_the_map_is_grey_where_the_number_is_hidden(large):
    estimate, counted = (
        seen(large, "map", rung="0.1").drawn,
        seen(large, "map", rung="0.1", numbers="released").drawn,
    )
    shown = ranged(estimates_of(large, 0, of=("visits_per_tile",)).tables["visits_per_tile"])
    many = len(large.tessellation.tile_ids)
    hidden = ((shown.high - shown.low) / 2 >= shown.values)[:many]
    few = shown.high[:many] < estimate_breaks(large, "visits_per_tile")[1]
    assert [estimate.colours[one] == FEW for one in estimate.which] == few.tolist()
    assert [estimate.colours[one] == DROWNED for one in estimate.which] == (hidden & ~few).tolist()
    visits = large.measurements["visits_per_tile"]
    drowned = np.array([counted.colours[one] == DROWNED for one in counted.which])
    assert (visits.values[0][:many][~drowned & (counted.which != 1)] >= coloured_from(visits, 0)).all()
    assert (visits.values[0][:many][drowned] < coloured_from(visits, 0)).all()


def test_flows_that_cannot_be_told_from_none_are_counted_and_not_drawn(large):
    between_tiles = made_release(sparse=True)
    for numbers in ("estimates", "released"):
        slide = seen(between_tiles, "flows", numbers=numbers)
        drawn = slide.drawn
        assert re.search("[0-9,]+ flows between (districts|tiles) are drawn, the strongest of ", slide.told)
        assert len(drawn.arrows.sizes) == MOST_ARROWS
        assert (drawn.arrows.sizes > 0).all()
        assert (np.diff(drawn.arrows.sizes) <= 0).all(), "the largest first"
        by = "estimate" if numbers == "estimates" else "released count"
        assert slide.sentence.startswith(f"By {by} the busiest flow between ")
        assert drawn.arrows.sure.all() == (numbers == "released") != ("no range is known" in slide.told)
    hidden = seen(drawn_as(large, "od_districts", 0), "flows", rung="0.1", numbers="released")
    assert (hidden.sentence, hidden.drawn.listed.rows) == (
        "Noise hides all flows: none is surely more than zero.",
        (),
    )
    assert re.search("No flow is drawn: none of the [0-9,]+ can be told from zero", hidden.told)
    tile = between_tiles.tessellation.tile_ids[0]
    chosen = seen(between_tiles, "flows", tile=tile)
    assert chosen.title.startswith(f"Flows: {tile}")
    assert isinstance(chosen.drawn, DrawnMap)


@pytest.mark.parametrize("name", ["sum_duration", "mean_duration"])
@pytest.mark.parametrize("visits", [0, 1], ids=["alone", "beside visits"])
def test_a_map_of_sums_has_their_classes_ranges_and_unit(name, visits):
    made = made_release(
        period=None,
        weights={name: 1, **({"visits_per_tile": 1} if visits else {})},
        choices=KeyChoices(sums={"duration": "0:90:1"}, by="visits_per_tile"),
    )
    for rung in range(len(made.plan.rungs)):
        link = {"rung": decimal_text(made.plan.rungs[rung]), **({"colours": name} if visits else {})}
        slide = seen(made, "map", **link)
        told = told_of(made, name, rung)
        assert slide.title.startswith(f"{'Sum' if name.startswith('sum') else 'Mean'} of duration by tile")
        assert slide.drawn.key.unit.endswith(" of duration by tile, in minutes")
        assert slide.drawn.which.tolist() == told.which.tolist()
        assert slide.drawn.key.colours[-1] == (DROWNED, told.grey)
        assert ("too few" in told.grey) == name.startswith("mean")
        words = [words for _, words in slide.drawn.listed.rows]
        assert words == [told.words(tile) for tile in told.largest(8)]
        assert all("minutes; 95 % range" in one for one in words)
        assert "no estimates" in slide.told
        chosen = seen(made, "map", tile=made.tessellation.tile_ids[1], **link)
        assert chosen.sentence.endswith(told.words(1))
    ET.fromstring(svg(slide))


MODES = (Categories("mode", ("bus", "rail")),)
HELD = {
    "visits": {"weights": {"visits_per_tile": 1}},
    "flows": {"weights": {"od_flows": 1}},
    "districts": {"weights": {"od_districts": 1}},
    "visits and districts": {"weights": {"visits_per_tile": 1, "od_districts": 1}},
    "dates": {"weights": {"trips_over_time": 1}},
    "people": {"weights": {"trips_per_user": 1}},
    "total": {"weights": {"total_trips": 1}},
    "sums": {
        "weights": {"sum_fare": 1},
        "choices": KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile"),
    },
    "split": {"weights": {"visits_per_tile": 1}, "choices": KeyChoices(WEEK, splits=MODES)},
}


@pytest.mark.parametrize("held", HELD)
def test_what_is_offered_can_be_drawn_and_nothing_else_can(held):
    made = made_release(epsilon="1", **HELD[held])
    tiles = made.tessellation
    known = districts_shown(made.plan, tiles)
    choices = [NOTHING, Selection((0,)), *([Selection((0,), True)] if known is not None else [])]
    parts = ((), (("mode", "bus"),)) if held == "split" else ((),)
    for view, released, chosen, part in product((*VIEWS, "download"), (False, True), choices, parts):
        at = Address(view, 0, chosen, released=released, part=part)
        try:
            drawn = slide_of(made, at).drawn is not None
        except InputError:
            drawn = False
        assert can_be_drawn(made, at) is drawn, at


def test_pages_of_a_pdf_let_other_pictures_in_between(release):
    """While a page is awaited nobody holds the sheet; else this would never end."""
    made = seen(release, "promise")

    def pages():
        for _ in range(2):
            assert drawn_png(made).startswith(b"\x89PNG")
            yield lambda: page(made)

    assert pdf(pages(), "Two", made.created).startswith(b"%PDF")


@pytest.mark.parametrize(("year", "kept"), [(1975, 1980), (2024, 2024), (2150, 2107)])
def test_a_powerpoint_file_has_the_nearest_date_that_a_zip_can_hold(release, year, kept):
    made = replace(seen(release, "promise"), created=datetime(year, 2, 3, tzinfo=UTC))
    with ZipFile(BytesIO(taken([made], "Old", ".pptx"))) as file:
        assert {one.date_time[0] for one in file.infolist()} == {kept}


def test_what_is_chosen_has_its_number_beside_the_map(large):
    tile = large.tessellation.tile_ids[3]
    slide, number = seen(large, "map", tile=tile), f"{large.tessellation.tile_names[3]} ({tile}): about "
    assert tile in slide.title
    assert slide.sentence.startswith(number)
    assert seen(large, "map", "Our own words.", tile=tile).told.startswith(number)
    assert len(slide.drawn.outlined) == 1
    assert "unknown" not in slide.told
    assert "does not have" in seen(large, "map", tile="nowhere").told


def test_a_change_is_that_of_the_command_with_both_sources(large):
    values = {
        name: replace(
            one,
            values=one.values
            + (3_000 if name == "visits_per_tile" else 0) * (np.arange(one.values.shape[1]) == 5),
        )
        for name, one in large.measurements.items()
    }
    other = replace(large, id="four-tiles-9-abcdef", drawn=replace(large.drawn, measurements=values))
    found = changes(large, other)
    slide = change_of(large, other)
    assert slide.sentence == told_changes.sentence(found)
    assert told_changes.FALSE_WORDS in slide.told
    claimed = change_of(large, other, said="Trips grew by 40 %.")
    assert claimed.sentence == "Trips grew by 40 %."
    assert claimed.told.startswith(slide.sentence), "what was counted stands beside what was claimed"
    assert large.id in slide.source
    assert other.id in slide.source
    assert slide.drawn.key.unit == "More or fewer visits than before"
    sizes = [size for _, said in slide.drawn.key.colours for size in re.findall(r"[\d,.]+", said)]
    assert sizes
    assert all(
        size.replace(",", "").replace(".", "").strip("0") in {"", "1", "2", "4", "5", "25"} for size in sizes
    ), "round numbers"
    names = [name for name, _ in slide.drawn.listed.rows]
    first = told_changes.names_of(found.cells, large.tessellation, told_changes.announced(found.cells)[:8])
    assert names == [f"{rank}. {name}" for rank, name in enumerate(first, 1)]
    assert isinstance(change_of(large, other, "trips_per_hour").drawn, DrawnCharts | None)
    png(slide)


def test_the_promise_is_said_out_of_a_hundred(release):
    small = made_release(epsilon="0.5")
    times = seen(small, "promise").drawn.times
    promise = promise_of(small)
    assert [one.right for one in times] == [63], "one figure leads"
    assert [one.said for one in times] == [promise.presence.right_text]
    assert [one.right for one in seen(release, "promise").drawn.times] == [100], "never rounded down"


@pytest.mark.parametrize(("right", "squares", "rings"), [(50, 0, 50), (74, 24, 26), (100, 50, 0)])
def test_a_hundred_guesses_are_told_apart_by_shape_and_not_by_colour_alone(right, squares, rings):
    root = ET.fromstring(hundred_svg(right, dark=True))
    kinds = [(one.tag.rpartition("}")[2], one.get("fill")) for one in root]
    assert sum(kind == "rect" for kind, _ in kinds) == squares
    assert kinds.count(("circle", "none")) == rings
    assert len(kinds) == 100


def test_the_promise_explains_the_terms_of_small_print_whole(release):
    with drawing():
        for wide, high in ((1168, 420), (380, height_of(promise_dots(promise_of(release))))):
            sheet = Sheet(wide, high)
            draw(sheet, Box(0, 0, wide, high), promise_dots(promise_of(release)))
            seen_words = " ".join(text.get_text() for text in sheet.figure.texts)
            assert all(term in seen_words for term in TERMS)


def test_no_word_of_a_page_covers_another_or_leaves_the_page(large, release):
    said = "A sentence of many words that goes on. " * 15
    pages = [
        seen(large, view, said) for view in ("map", "flows", "rhythm", "rankings", "accuracy", "promise")
    ]
    pages += [seen(release, view) for view in VIEWS]
    for slide in pages:
        placed = boxes(slide)
        for text, (left, bottom, right, top) in placed:
            assert -1 <= left < right <= 1281, text
            assert -1 <= bottom < top <= 721, text
        boxes_of = np.array([box for _, box in placed])
        for at, (text, box) in enumerate(placed):
            rest = boxes_of[at + 1 :]
            over = np.minimum(rest[:, 2:], box[2:]) - np.maximum(rest[:, :2], box[:2])
            covered = np.flatnonzero((over > 1.5).all(axis=1))
            assert [placed[at + 1 + one][0] for one in covered] == [], (slide.title, text)


def test_words_are_made_smaller_and_then_cut_but_never_leave_their_box():
    with drawing():
        for text in ("word " * 400, "x" * 4000, "a \N{LEFT-TO-RIGHT OVERRIDE}b\n\tc"):
            found = fitted(text, 300, 100, 20, least=10)
            assert found.high <= 100
            assert all(width(line, found.size) <= 300 for line in found.lines)
    assert drawable("a \N{LEFT-TO-RIGHT OVERRIDE}b\n\tc\x00") == "a b c"
    assert fitted("short", 300, 100, 20).lines == ("short",)


def test_words_of_others_stay_words_in_every_file(release):
    named = Tessellation(
        release.tessellation.tile_ids,
        tuple(f"<b>{one}</b> $a_1$ & \x0b" for one in release.tessellation.tile_ids),
        release.tessellation.polygons,
    )
    hostile = replace(release, title="<i>T</i> $y^2$", tessellation=named)
    steps = (
        Step("map", release.id, HOSTILE),
        Step("rankings", release.id, HOSTILE),
        Step("map", "gone", HOSTILE),
    )
    made = slides(Story(HOSTILE, (NamedRelease(release.id, DIGEST),), steps), find_in(hostile))
    files = {form: taken(made, HOSTILE, form) for form in FORMS}
    page_text = files[".html"].decode()
    assert page_text.count("<script>") == 1
    assert "<b>" not in page_text
    assert "&lt;script&gt;alert(1)" in page_text
    assert not re.search("[\x00\x08\x1b]", page_text)
    assert not re.search(rb"/(JavaScript|JS|OpenAction|AA|URI|Launch)\b", files[".pdf"])
    deck = Presentation(BytesIO(files[".pptx"]))
    texts = [shape.text_frame.text for shape in deck.slides[0].shapes if shape.has_text_frame]
    assert any(text.startswith("</title><script>alert(1)</script> $\\frac{x$ &") for text in texts)
    for slide in made[:2]:
        ET.fromstring(svg(slide))
    with ZipFile(BytesIO(files[".pptx"])) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                ET.fromstring(archive.read(name))
                assert b"hlinkClick" not in archive.read(name)


def test_a_picture_and_a_step_of_a_story_say_the_same_of_a_view(large):
    for view, link in product(
        ("map", "flows", "rhythm", "rankings"), ({}, {"numbers": "released"}, {"rung": "0.5"})
    ):
        at, _ = address({"view": view, **link}, large)
        assert slide_of(large, at).sentence == sentence_of(large, at)
        told = link.get("numbers") == "released" and "likely range" in sentence_of(large, at)
        assert not told, "beside released counts stands no estimate"


def test_a_step_without_a_sentence_has_none_in_files(large):
    named = NamedRelease(large.id, DIGEST)
    for view in ("map", "promise", "rhythm"):
        (slide,) = slides(Story("A story", (named,), (Step(view, large.id, ""),)), find_in(large))
        assert slide.sentence == ""
        assert BY_AUTHOR not in slide.told
        assert all(taken([slide], "A story", form) for form in FORMS)


@pytest.mark.parametrize("sentence", [None, "It hides. " * 60], ids=["ours", "of an author"])
def test_what_is_promised_to_a_person_with_many_trips_is_whole_in_every_file(sentence):
    by_trip = made_release(unit="trip", epsilon="1")
    promise = can_be_found(promise_of(by_trip))
    assert "at most 74 of 100 times" in promise
    assert promise.endswith("20 trips of yours are, practically every time.")
    step = Step(PROMISE, by_trip.id, promise if sentence is None else sentence)
    made = slides(Story("A story", (NamedRelease(by_trip.id, DIGEST),), (step,)), find_in(by_trip))
    assert promise in taken(made, "A story", ".html").decode()
    (slide,) = Presentation(BytesIO(taken(made, "A story", ".pptx"))).slides
    assert any(promise in one.text_frame.text for one in slide.shapes if one.has_text_frame)
    with drawing():
        drawn = [text.get_text() for text in page(made[0]).figure.texts]
    assert promise in " ".join(drawn), "what the PDF shows"
    assert [one.right for one in made[0].drawn.times] == [74, 100], "the dots show both"
    assert all(term in " ".join(drawn) for term in TERMS)


def test_what_a_link_names_and_the_release_does_not_have_is_said_beside_the_promise(large):
    at, notes = address({"view": "guarantee", "rung": "77"}, large)
    assert notes
    assert slide_of(large, at, None, notes).told.startswith(notes[0])


def test_a_story_is_one_page_a_step_and_equal_stories_are_equal_files(release):
    made = slides(story_of(release), find_in(release))
    assert len(made) == 4
    for form in FORMS:
        first = taken(made, "A story", form)
        assert first == taken(slides(story_of(release), find_in(release)), "A story", form), form
        if form == ".pdf":
            assert len(re.findall(rb"/Type\s*/Page\b", first)) == 4
            assert b"D:20240501123000" in first
        elif form == ".html":
            assert first.count(b"<section ") == 4
        else:
            deck = Presentation(BytesIO(first))
            assert len(deck.slides) == 4
            assert (deck.slide_width, deck.slide_height) == (Emu(12192000), Emu(6858000)), "16:9"


def test_the_words_of_powerpoint_can_be_edited_and_its_pictures_are_described(release):
    made = slides(story_of(release), find_in(release))
    deck = Presentation(BytesIO(taken(made, "A story", ".pptx")))
    for slide, shown in zip(made, deck.slides, strict=True):
        assert slide.title
        assert shown.shapes.title.text_frame.text == slide.title
        named = {shape.name: shape for shape in shown.shapes}
        for name, text in (("Sentence", slide.sentence), ("Range", slide.told), ("Source", slide.source)):
            assert named[name].text_frame.text == " ".join(text.split())
        picture = named["Picture of the view"]
        assert picture._element.nvPicPr.cNvPr.get("descr") == slide.alt
        assert picture.image.size[0] >= 1920
        assert picture.left >= 0
        assert picture.left + picture.width <= deck.slide_width
        assert picture.top + picture.height <= named["Range"].top


def test_every_page_says_the_title_of_its_story_once(release):
    made = slides(replace(story_of(release), title="Fewer trips by night"), find_in(release))
    assert all(slide.source.endswith(". From the story: Fewer trips by night") for slide in made)
    given = slides(replace(story_of(release), title=release.title), find_in(release))
    assert all("From the story" not in slide.source for slide in given if release.title in slide.title)


def test_nothing_of_a_slide_leaves_it_whatever_is_said(large, release):
    said = "A sentence of many words that goes on. " * 15
    views = [view for view in VIEWS if view != "download"]
    made = [seen(large, view, said) for view in ("map", "flows", "rhythm", "rankings", "promise")]
    made += [seen(release, view) for view in views]
    made += slides(story_of(release, Step("map", "gone", said)), find_in(release))
    deck = Presentation(BytesIO(taken(made, "A story", ".pptx")))
    for slide, shown in zip(made, deck.slides, strict=True):
        assert shown.shapes.title.text_frame.text
        pictures = [shape for shape in shown.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
        assert len(pictures) == (slide.drawn is not None)
        assert all(one._element.nvPicPr.cNvPr.get("descr") for one in pictures)
        assert slide.sentence.strip() in {
            shape.text_frame.text for shape in shown.shapes if shape.has_text_frame
        }
        assert not shown.has_notes_slide, "all that is told stands on the slide"
        for shape in shown.shapes:
            assert shape.left >= 0, shape.name
            assert shape.top >= 0, shape.name
            assert shape.width > 0, shape.name
            assert shape.left + shape.width <= deck.slide_width, shape.name
            assert shape.top + shape.height <= deck.slide_height, shape.name


def test_the_page_allows_its_own_script_and_no_request(release):
    text = taken(slides(story_of(release), find_in(release)), "A story", ".html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    script = re.search(r"<script>(.*)</script>", text, re.DOTALL).group(1)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';")
    urls = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert urls <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}, (
        "names of formats, never fetched"
    )
    assert not re.search(r'\b(?:src|href)="(?!#)', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids)), "pictures in one page do not share ids"


def test_a_step_that_cannot_be_shown_says_why_and_the_rest_is_there(release):
    steps = (
        Step("map", "gone", "Where it was."),
        Step("download", release.id, "Files."),
        Step(CHANGE, release.id, "It fell.", before=release.id),
        Step("map", release.id, "Here.", {"tile": "nowhere", "rung": "77"}),
    )
    made = slides(story_of(release, *steps), find_in(release))
    assert [one.drawn is None for one in made] == [True, True, True, False]
    assert "no step of the story" in made[0].told
    assert "no picture" in made[1].told
    assert made[2].told
    assert made[3].told.startswith("The link names an")
    assert [one.sentence for one in made] == [step.sentence for step in steps]
    for form in FORMS:
        assert taken(made, "A story", form)


def test_a_release_whose_tables_are_split_is_drawn_part_by_part():
    split = made_release(
        weights={"visits_per_tile": 1, "trips_per_hour": 1},
        choices=KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),)),
    )
    with pytest.raises(InputError, match="tables of this release are split"):
        seen(split, "map")
    assert "mode bus" in seen(split, "map", part="mode:bus").title
    assert seen(split, "promise").drawn.times


def test_the_page_of_a_part_says_no_number_of_trips_of_all_parts():
    choices = KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),))
    tables = {"visits_per_tile": 1, "trips_per_hour": 1}
    made = made_release(weights={**tables, "total_trips": 1}, choices=choices, epsilon="10")
    of_all = replace(
        made.measurements["total_trips"], values=made.measurements["total_trips"].values + 50_000
    )
    held = {**made.measurements, "total_trips": of_all}
    split = replace(made, drawn=replace(made.drawn, measurements=held))
    source = seen(split, "map", part="mode:bus").source
    assert " trips of mode bus counted" in source
    assert "50," not in source


@pytest.mark.parametrize("view", ["rhythm", "rankings"])
@pytest.mark.parametrize("numbers", ["estimated", "released"])
def test_axes_end_at_a_number_that_no_mark_or_range_exceeds(release, view, numbers):
    panels = seen(release, view, numbers=numbers).drawn.panels
    for panel in panels:
        with drawing():
            sheet = Sheet(1280, 600)
            draw(sheet, Box(0, 0, 1280, 600), DrawnCharts((panel,)))
            axes = sheet.figure.axes[0]
            of = "x" if panel.look == "dots" else "y"
            first, last = axes.get_xlim() if of == "x" else axes.get_ylim()
            lines = axes.get_xticks() if of == "x" else axes.get_yticks()
        assert np.isclose(lines, first).any()
        assert np.isclose(lines, last).any()
        assert last >= np.nanmax([panel.shown.values, panel.shown.high])
        assert first <= panel.shown.values.min()


def test_a_listed_district_is_found_on_the_map_by_its_name(large):
    drawn = seen(large, "flows").drawn
    written = {f"District {name}" for name, _ in drawn.names}
    assert {end for row, _ in drawn.listed.rows for end in row.split(" \N{RIGHTWARDS ARROW} ")} <= written
    for (_, point), border in zip(drawn.names, drawn.outlined, strict=True):
        assert border.contains(Point(point))
    with drawing():
        sheet = Sheet(1280, 600)
        draw(sheet, Box(0, 0, 1280, 600), drawn)
        texts = {text.get_text() for text in sheet.figure.axes[0].texts}
    assert texts == {name for name, _ in drawn.names}


def test_names_of_many_districts_are_not_written():
    many = MOST_NAMES + 1
    shapes = tuple(rectangle(at, 0, at + 1, 1) for at in range(many))
    names, points = tuple(f"District {at}" for at in range(many)), np.zeros((many, 2))
    assert Places(names, points, "between districts", shapes).on_map == ()
    assert len(Places(names[1:], points[1:], "between districts", shapes[1:]).on_map) == MOST_NAMES
    assert Places(names, points, "between tiles").on_map == ()


def test_weekdays_that_sum_unequal_numbers_of_days_say_so():
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    april = Period(date(2017, 4, 1), date(2017, 4, 30))
    assert days_of_week(april, names) == "; Sat, Sun: 5 days each, others: 4"
    assert days_of_week(Period(date(2017, 4, 3), date(2017, 4, 16)), names) == ""
    assert days_of_week(None, names) == ""
    longer = made_release(weights={"trips_over_time": 1}, period=april)
    (week,) = (one for one in seen(longer, "rhythm").drawn.panels if "weekday" in one.title)
    assert week.unit == "trips; Sat, Sun: 5 days each, others: 4"


def test_hours_are_told_as_a_clock_does(release):
    by_hour = [panel for panel in seen(release, "rhythm").drawn.panels if "by hour" in panel.title]
    assert by_hour
    assert {panel.names for panel in by_hour} == {tuple(f"{hour:02}:00" for hour in range(24))}


def test_a_window_and_merged_tiles_are_drawn_as_the_viewer_has_them(large, release):
    assert seen(release, "map", window="weekday.6-10").title.startswith("Arrivals per tile")
    merged = seen(large, "map", merge="10", rung="0.1").drawn
    single = seen(large, "map", rung="0.1").drawn
    drowned = [sum(one.colours[tile] in {DROWNED, FEW} for tile in one.which) for one in (merged, single)]
    assert drowned[0] <= drowned[1]


def test_an_area_is_outlined_as_one_shape(large):
    at, _ = address({"view": "map"}, large)
    slide = slide_of(large, replace(at, chosen=Selection((0, 1, 2))))
    assert slide.title.startswith("Visits per tile: Area of 3 tiles")
    assert len(slide.drawn.outlined) == 1


def test_what_cannot_be_written_is_refused_with_what_can(release):
    slide = seen(release, "map")
    with pytest.raises(InputError, match=r"\.png, \.svg"):
        picture_of(slide, ".gif")
    with pytest.raises(InputError, match=r"\.pdf, \.pptx, \.html"):
        taken([slide], "x", ".doc")
    with pytest.raises(InputError, match="Choose another view"):
        seen(made_release(weights={"visits_per_tile": 1}), "rhythm")


def test_all_that_is_drawn_has_room_whatever_is_said(large):
    with drawing():
        for said in ("Short.", "A sentence of many words that goes on. " * 15):
            place = layout(seen(large, "map", said))
            assert place.drawn.high > 300
            assert place.sentence.top + place.sentence.high <= place.drawn.top
            assert place.drawn.top + place.drawn.high <= place.told.top
            assert place.told.top + place.told.high <= place.source.top


@pytest.mark.parametrize("view", ["map", "flows"])
def test_a_map_shows_the_water_and_streets_of_its_release_and_says_whose_they_are(release, view):
    around = replace(release, context=made_context(release.tessellation))
    bare, shown = seen(release, view), seen(around, view)
    assert "Water, parks and streets: \N{COPYRIGHT SIGN} Somebody." in shown.told
    assert "Somebody" not in bare.told
    assert (shown.drawn.which == bare.drawn.which).all(), "no tile changes its colour"
    water = f"#{bytes(GROUND['light']['water']).hex()}"
    assert water in svg(shown)
    assert water not in svg(bare)
    assert svg(shown) == svg(shown)
