"""The lessons: every one opens, does what it says at once, and can be restored by a link."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.lessons.city import city
from pages.learn.parts.catalogue import lessons
from tests.app.open_parts import PARTS, name_of, parts_of
from tests.conftest import ROOT

PAGES = sorted((ROOT / "pages/learn").glob("[0-9]*.py"))
BUILT = lessons()


def opened(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


@pytest.fixture(scope="module", autouse=True)
def city_is_there(city_home):
    return city_home


@pytest.mark.parametrize(("one", "part"), PARTS, ids=name_of)
def test_a_lesson_opens_with_its_question_and_its_steps_and_answers_quickly(one, part):
    city()

    def open_it() -> AppTest:
        return opened(one.page, **part)

    app, took = timed(open_it)
    assert app.title[0].value == one.title
    headings = [heading.value for heading in app.subheader]
    for step in ("Try it", "What just happened", "Why", "Check yourself"):
        assert step in headings
    assert any(one.question in text.value for text in app.markdown)
    if took >= 2:  # something was compiled and counted for the first time
        app, took = timed(open_it)
    assert took < 2, "it opens quickly"
    assert any(timed(app.run)[1] < 0.3 for _ in range(3)), "it answers quickly"


def timed(run: Callable[[], AppTest]) -> tuple[AppTest, float]:
    """What a run gives, and the seconds of work that it took."""
    begins = time.process_time()
    return run(), time.process_time() - begins


@pytest.mark.parametrize(("one", "part"), PARTS, ids=name_of)
def test_a_class_sees_the_same_and_is_told_so(one, part):
    city()
    first, second = (opened(one.page, **part, **{"class": "7"}) for _ in range(2))
    assert [metric.value for metric in first.metric] == [metric.value for metric in second.metric]
    assert "class 7" in "".join(str(text.value) for text in first.markdown)


def named_in(path: Path) -> Iterator[tuple[str, str]]:
    """What is named in a file, as way of naming and name: keys of widgets and actions of draws."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        named = ast.unparse(call.func)
        if named in {"classroom.kept_draw", "classroom.turn", "classroom.next_turn"}:
            yield "action", text_of(call.args[0])
        if named == "frame.again":
            yield from (("action", text_of(action)) for action in call.args[1:])
        if named == "two_of":
            yield "key", text_of(call.args[0])
        for given in call.keywords:
            if given.arg == "key" and not (isinstance(given.value, ast.Name) and given.value.id == "key"):
                yield ("check" if named == "frame.check" else "key"), text_of(given.value)
            if (
                given.arg == "args"
                and isinstance(given.value, ast.Tuple)
                and "next_turn" in ast.unparse(call)
            ):
                yield "action", text_of(given.value.elts[0])


def text_of(node: ast.expr) -> str:
    """A text, or the beginning of one that is put together."""
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    assert isinstance(node, ast.Constant), ast.unparse(node)
    return str(node.value)


def bound_keys(page: str) -> set[str]:
    """What stands in the address of a lesson."""
    return {name for way, name in named_in(ROOT / page) if way == "key" and not name.endswith("-")} | (
        {"9-map", "9-flows", "9-hours"} if "the_bill" in page else set()
    )


def test_every_key_and_every_draw_carries_the_number_of_its_lesson():
    seen = 0
    for path in PAGES:
        number = int(path.name[:2])
        for way, name in named_in(path):
            assert name == f"{number:02}" if way == "check" else name.startswith(f"{number}-"), (path, name)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("walk", [(7, 11, 7), (1, 9, 1), (6, 10, 2, 6), (3, 4, 5, 12, 13, 3)])
def test_a_lesson_is_no_trouble_to_the_next(walk):
    city()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for number in walk:
        app.switch_page(BUILT[number - 1].page)
        app.run()
        assert not app.exception, app.exception
        for part in parts_of(BUILT[number - 1]):
            for key, title in part.items():
                app.session_state[key] = title
            app.run()
            touch_all(app)


def touch_all(app):
    for kind in ("segmented_control", "selectbox", "toggle", "slider"):
        for key in [widget.key for widget in app.get(kind) if not widget.disabled]:
            touched = [widget for widget in app.get(kind) if widget.key == key and not widget.disabled]
            for widget in touched:
                touch(widget)
                app.run()
                assert not app.exception, (key, app.exception)


def touch(widget):
    """Another value than the one it has."""
    if widget.type == "toggle":
        widget.set_value(not widget.value)
    elif widget.type == "selectbox":
        widget.select_index(len(widget.options) - 1)
    elif widget.type == "slider":
        widget.set_value(widget.min)
    else:
        widget.set_value(
            widget.options[-1].content if hasattr(widget.options[-1], "content") else widget.options[-1]
        )


@pytest.mark.parametrize(
    "text", ["", "<script>'; -- \N{INFINITY}", "9" * 10_000], ids=["empty", "hostile", "digits"]
)
@pytest.mark.parametrize(("one", "part"), PARTS, ids=name_of)
def test_nothing_in_an_address_breaks_a_lesson(one, part, text):
    city()
    keys = bound_keys(one.page)
    assert keys
    opened(one.page, **{**dict.fromkeys(keys, text), **part, "class": text})


@pytest.mark.parametrize("one", BUILT, ids=lambda one: one.file)
def test_the_next_lesson_keeps_the_class_in_its_address_and_has_the_words_at_hand(one):
    city()
    app = opened(BUILT[0].page, **{"class": "7"})
    app.query_params.clear()
    app.switch_page(one.page)
    app.run()
    assert app.query_params["class"] in ("7", ["7"])
    assert "Words" in [link.proto.label for link in app.get("page_link")]


def test_a_class_that_drifts_apart_sees_it():
    city()
    app = opened(BUILT[1].page, **{"class": "7"})
    assert "class 7, draw 1" in "".join(str(text.value) for text in app.markdown)
    next(button for button in app.button if button.label == "New noise").click().run()
    assert "class 7, draw 2" in "".join(str(text.value) for text in app.markdown)


@pytest.mark.parametrize(
    ("file", "key", "part", "seen"),
    [
        ("06_shapes_of_noise", "6-part", "Many counts", "Gaussian is narrower from"),
        ("07_ghost_flows", "7-part", "No list of flows", "Releases made just now"),
        ("10_tiny_bits", "10-part", "All digits", "Of them, told wrongly"),
    ],
)
def test_a_link_opens_a_part(file, key, part, seen):
    city()
    app = opened(f"pages/learn/{file}.py", **{key: part})
    assert app.session_state[key] == part
    assert seen in [metric.label for metric in app.metric]
