"""What a widget starts with reaches the browser in every run, so also where somebody types into a half-sent page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app import OWNER
from dpcore.privacy import PrivacyUnit
from pages.owner.parts.state.session import index_of
from tests.conftest import ROOT

KINDS = (
    "button_group", "checkbox", "date_input", "multiselect", "number_input", "radio", "select_slider", "selectbox",
    "slider", "text_area", "text_input", "toggle",
)  # fmt: skip


def widgets(app):
    return [widget for kind in KINDS for widget in app.get(kind)]


def sent_once(app) -> list[str]:
    """Labels of widgets whose value comes with this run alone: a run that is cut short loses it."""
    return [widget.label for widget in widgets(app) if widget.proto.set_value]


@pytest.mark.parametrize("page", OWNER)
def test_no_page_of_the_owner_starts_a_widget_with_a_value_that_is_sent_once(page):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    app.switch_page(page).run()
    assert not app.exception
    assert widgets(app) or page == "pages/owner/report.py", "which has none before something was published"
    assert sent_once(app) == []


def test_a_value_that_is_put_into_the_state_would_be_noticed():
    def script():
        import streamlit as st

        st.session_state.setdefault("title", "Trips in 2024")
        st.text_input("Title", key="title")
        st.text_input("Note", "none", key="note")

    app = AppTest.from_function(script, default_timeout=120).run()
    assert sent_once(app) == ["Title"]
    app.run()
    assert sent_once(app) == []
    assert app.text_input(key="title").proto.default == "", "what a browser shows that missed the first run"
    assert app.text_input(key="note").proto.default == "none"


def test_what_was_typed_becomes_what_a_page_starts_with_again():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    app.switch_page("pages/owner/release.py").run()
    app.text_input(key="release tables title").set_value("A week in May").run()
    app.number_input(key="release max trips").set_value(7).run()
    app.run()
    assert app.text_input(key="release tables title").proto.default == "A week in May"
    assert app.number_input(key="release max trips").proto.default == 7
    app.switch_page("pages/owner/explore.py").run()
    app.switch_page("pages/owner/release.py").run()
    assert app.text_input(key="release tables title").value == "A week in May"
    assert app.number_input(key="release max trips").value == 7


@pytest.mark.parametrize(("value", "found"), [("a", 0), ("b", 1), ("c", None), (None, None)])
def test_a_choice_stands_where_its_option_does(value, found):
    assert index_of(["a", "b"], value) is found
    assert index_of([None, "a"], None) == 0


def test_what_another_tab_chose_is_sent_in_every_run_too():
    one, other = (AppTest.from_file(str(ROOT / "app.py"), default_timeout=60) for _ in range(2))
    for app in (one, other):
        app.switch_page("pages/owner/release.py").run()
        labelled(app, "Title").set_value("A week in May").run()
    labelled(one, "Trips counted").set_value(7).run()
    labelled(other, "Title").set_value("A week in June").run()
    assert labelled(other, "Trips counted").value == 7
    assert labelled(other, "Title").value == "A week in June", (
        "a field that is shown still, with the move that was made on it"
    )
    assert sent_once(other) == []
    labelled(other, "Hide").set_value(PrivacyUnit.TRIP).run()
    one.run()
    assert labelled(one, "Hide").value is PrivacyUnit.TRIP
    assert sent_once(one) == []


def labelled(app, label: str):
    return next(widget for widget in widgets(app) if widget.label.startswith(label))
