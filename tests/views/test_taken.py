"""Stories and pictures as files: PDF, PowerPoint, HTML. Words of others stay words."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime
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

from dpcore.errors import InputError, StoryError
from dpcore.stories.slides import slides
from dpcore.stories.story import CHANGE, PROMISE, NamedRelease, Step, Story
from dpcore.stories.taken import FORMS, slides_file
from dpcore.tiles import Tessellation
from dpcore.views.maps.address import address
from dpcore.views.numbers.guarantee import TERMS, can_be_found, promise_of, you_in_this_data
from dpcore.views.pictures import slide_of
from dpcore.views.pictures.files import drawn_png, page, svg
from dpcore.views.pictures.sentences import sentence_of
from dpcore.views.pictures.sheet import drawable, drawing, fitted, pdf, width
from dpcore.views.pictures.slide import BY_AUTHOR, Slide
from dpcore.views.pictures.taken import picture_of
from tests.release.made_releases import made_release
from tests.views.conftest import VIEWS, seen

HOSTILE = '</title><script>alert(1)</script> $\\frac{x$ & "quoted" \x00\x1b\x08 \ud83d \N{CJK UNIFIED IDEOGRAPH-6F22}'


DIGEST = "0" * 64


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
    with ZipFile(BytesIO(slides_file([made], "Old", ".pptx"))) as file:
        assert {one.date_time[0] for one in file.infolist()} == {kept}


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
    files = {form: slides_file(made, HOSTILE, form) for form in FORMS}
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
        assert all(slides_file([slide], "A story", form) for form in FORMS)


@pytest.mark.parametrize("sentence", [None, "It hides. " * 60], ids=["ours", "of an author"])
def test_what_is_promised_to_a_person_with_many_trips_is_whole_in_every_file(sentence):
    by_trip = made_release(unit="trip", epsilon="1")
    promise = can_be_found(promise_of(by_trip))
    assert "at most 74 of 100 times" in promise
    assert promise.endswith("20 trips of yours are, practically every time.")
    step = Step(PROMISE, by_trip.id, promise if sentence is None else sentence)
    made = slides(Story("A story", (NamedRelease(by_trip.id, DIGEST),), (step,)), find_in(by_trip))
    assert promise in slides_file(made, "A story", ".html").decode()
    (slide,) = Presentation(BytesIO(slides_file(made, "A story", ".pptx"))).slides
    assert any(promise in one.text_frame.text for one in slide.shapes if one.has_text_frame)
    with drawing():
        drawn = [text.get_text() for text in page(made[0]).figure.texts]
    assert promise in " ".join(drawn), "what the PDF shows"
    assert [one.right for one in made[0].drawn.times] == [74, 89, 100], "the dots show all three"
    for said in you_in_this_data(promise_of(by_trip), estimated=True):
        assert said in slides_file(made, "A story", ".html").decode()
        assert said in " ".join(drawn), "the box of a reader is whole on paper too"
    assert all(term in " ".join(drawn) for term in TERMS)


def test_a_story_is_one_page_a_step_and_equal_stories_are_equal_files(release):
    made = slides(story_of(release), find_in(release))
    assert len(made) == 4
    for form in FORMS:
        first = slides_file(made, "A story", form)
        assert first == slides_file(slides(story_of(release), find_in(release)), "A story", form), form
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
    deck = Presentation(BytesIO(slides_file(made, "A story", ".pptx")))
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
    deck = Presentation(BytesIO(slides_file(made, "A story", ".pptx")))
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
    text = slides_file(slides(story_of(release), find_in(release)), "A story", ".html").decode()
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
        assert slides_file(made, "A story", form)


def test_what_cannot_be_written_is_refused_with_what_can(release):
    slide = seen(release, "map")
    with pytest.raises(InputError, match=r"\.png, \.svg"):
        picture_of(slide, ".gif")
    with pytest.raises(InputError, match=r"\.pdf, \.pptx, \.html"):
        slides_file([slide], "x", ".doc")
    with pytest.raises(InputError, match="Choose another view"):
        seen(made_release(weights={"visits_per_tile": 1}), "rhythm")
