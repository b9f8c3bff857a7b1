"""The lessons: every one opens, does what it says at once, and can be restored by a link."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.lessons.city import city
from pages.learn.parts.catalogue import LESSONS
from tests.conftest import ROOT

BUILT = [one for one in LESSONS if (ROOT / one.page).exists()]


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


@pytest.mark.parametrize("one", BUILT, ids=lambda one: one.file)
def test_a_lesson_opens_with_its_question_and_its_steps(one):
    city()
    app = opened(one.page)
    assert app.title[0].value == one.title
    headings = [heading.value for heading in app.subheader]
    for step in ("Try it", "What just happened", "Why", "Check yourself"):
        assert step in headings
    assert any(one.question in text.value for text in app.markdown)


@pytest.mark.parametrize("one", BUILT, ids=lambda one: one.file)
def test_a_lesson_opens_and_answers_quickly(one):
    city()
    opened(one.page)  # compiled and counted once
    begins = time.perf_counter()
    app = opened(one.page)
    assert time.perf_counter() - begins < 2
    took = []
    for _ in range(3):
        begins = time.perf_counter()
        app.run()
        took.append(time.perf_counter() - begins)
    assert min(took) < 0.3


@pytest.mark.parametrize("one", BUILT, ids=lambda one: one.file)
def test_a_class_sees_the_same_and_is_told_so(one):
    city()
    first, second = (opened(one.page, **{"class": "7"}) for _ in range(2))
    assert [metric.value for metric in first.metric] == [metric.value for metric in second.metric]
    assert "class 7" in "".join(str(text.value) for text in first.markdown)
