"""The glossary: every word once, found by its letters, one click away from where it is used."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.owner.parts.state import words
from pages.parts.glossary import PAGE, TERMS, explained
from tests.conftest import ROOT


def opened(page, **query):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def test_every_word_is_explained_briefly():
    assert len(TERMS) >= 35
    for term, text in TERMS.items():
        assert text.endswith(".")
        assert len(text) <= 330, term


def test_what_pages_explain_is_what_the_glossary_says():
    for paragraph in words.GLOSSARY.split("\n\n"):
        term, text = paragraph.split("  \n")
        assert TERMS[term.strip("*")] == text
    with pytest.raises(KeyError):
        explained(["Enigma"])


def test_a_word_is_found_by_its_letters_and_a_link_keeps_them():
    app = opened(PAGE)
    assert all(f"**{term}**" in app.markdown[0].value for term in TERMS)
    found = opened(PAGE, word="rungs").markdown[0].value
    assert "**Stops, rungs**" in found
    assert "**Outside**" not in found


def test_letters_that_no_word_has_are_answered():
    assert "Clear the field" in opened(PAGE, word="qqq").info[0].value


def test_explore_leads_to_all_words():
    app = opened("pages/owner/explore.py")
    (explained,) = [text.value for text in app.markdown if words.GLOSSARY.strip() in text.value]
    assert "[All words](glossary)" in explained
