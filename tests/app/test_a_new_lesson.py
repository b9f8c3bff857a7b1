"""A new lesson is a page and one computing file: it is found, opened, and listed without a change anywhere else."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from streamlit.testing.v1 import AppTest

from pages.learn.parts import catalogue, frame
from tests.conftest import ROOT

PAGE = '''"""Is a coin fair?

How often must one toss to know?

3 minutes, :material/toll:

A lesson that only a test knows.
"""

from dpcore.lessons import coins
from pages.learn.parts import frame

mine = frame.opening(__file__)
frame.metrics(("Tosses", f"{coins.needed(0.5):,}"))
frame.what_happened("One tosses more than one thought.")
frame.why("Noise falls with the root of the number of tosses.")
frame.check("Is 1 toss enough?", ["Yes", "No"], 1, "It tells one side only.", key="15")
frame.closing(mine, "Nothing to add.", ("Nobody, 2024",))
'''


@pytest.fixture
def coins(tmp_path, monkeypatch):
    """The page beside the others, and what it computes."""
    made = ModuleType("dpcore.lessons.coins")
    made.needed = lambda share: round(1_000 / share)
    monkeypatch.setitem(sys.modules, "dpcore.lessons.coins", made)
    monkeypatch.setattr("dpcore.lessons.coins", made, raising=False)
    folder = tmp_path / "learn"
    folder.mkdir()
    (folder / "15_a_fair_coin.py").write_text(PAGE, encoding="utf-8")
    listed = catalogue.lessons()
    mine = catalogue.Lesson.of(folder / "15_a_fair_coin.py")
    monkeypatch.setattr(
        catalogue.Lesson,
        "page",
        property(lambda one: str(folder / f"{one.file}.py") if one == mine else f"pages/learn/{one.file}.py"),
    )
    for module in (catalogue, frame):
        monkeypatch.setattr(module, "lessons", lambda: (*listed, mine))
    return mine


def test_a_page_tells_its_title_its_question_and_its_time(coins):
    told = (coins.number, coins.title, coins.question, coins.minutes, coins.icon)
    assert told == (15, "Is a coin fair?", "How often must one toss to know?", 3, ":material/toll:")


def test_a_page_that_does_not_say_so_is_no_lesson(tmp_path):
    page = tmp_path / "15_silent.py"
    page.write_text('"""A page.\n\nA question?\n\nFor an hour, or two\n"""\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"15_silent\.py|too many"):
        catalogue.Lesson.of(page)


def test_the_new_lesson_opens_after_the_last_one(coins):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(coins.page)
    app.run()
    assert not app.exception, app.exception
    assert app.title[0].value == "Is a coin fair?"
    assert app.metric[0].value == "2,000"
    assert any("Lesson 15 of 15, about 3 minutes" in text.value for text in app.caption)
    assert "Find the broken mechanism" in [link.proto.label for link in app.get("page_link")]
