"""Work is kept: what was loaded and chosen comes back after a reload, in a second tab and by a link; the clean way comes first."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.api import owner, studies
from dpcore.measures.keys import Period
from dpcore.privacy import RUNGS, PrivacyUnit
from pages.owner.parts.compare.pictures import CURVES_BUTTON
from pages.owner.parts.state.draft import Look
from tests.app.test_pages import TILES, look, texts, trips
from tests.app.test_roles import served
from tests.conftest import ROOT

DATA, EXPLORE, RELEASE = (f"pages/owner/{page}.py" for page in ("data", "explore", "release"))
CLEAN = "Before anyone looked at the data"
PLAN = "Go on with this plan"


def tab(project: str | None = None, page: str = DATA) -> AppTest:
    """A new visit: a reload, another tab, or the first one after a restart. All that it knows is in the private folder."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if project:
        app.query_params["project"] = project
    return app.switch_page(page).run()


def widget(widgets, label: str):
    return next(one for one in widgets if one.label == label)


def press(app: AppTest, label: str) -> None:
    widget(app.button, label).click().run()
    assert not app.exception, app.exception


def loaded(app: AppTest, content: bytes | None = None) -> AppTest:
    app.file_uploader[0].set_value(("trips.csv", content or trips(users=40), "text/csv")).run()
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/geo+json")).run()
    widget(app.selectbox, "Time zone of the city").set_value("Europe/Berlin").run()
    press(app, "Load")
    return app


def saved() -> list[studies.Project]:
    return [one.project for one in studies.projects.recent("")]


def shared(app: AppTest) -> tuple[object, ...]:
    draft = app.session_state["atlas"].draft()
    return draft.unit, draft.max_trips, draft.epsilon, RUNGS[draft.rung]


def test_the_default_path_decides_before_any_exact_count_is_shown_and_survives_a_reload():
    app = loaded(tab())
    assert not app.metric
    assert "200" not in texts(app), "how many trips there are"
    assert any(one.label == r"Project: trips\.csv" for one in app.expander)
    assert widget(app.button, PLAN).disabled, "nothing is declared"
    widget(app.number_input, "Trips, about").set_value(5_000).run()
    widget(app.number_input, "People, about").set_value(900).run()
    assert not widget(app.button, PLAN).disabled
    app.switch_page(EXPLORE).run()
    assert "You have not looked at these trips yet" in texts(app) + app.info[0].value
    app.switch_page("pages/owner/compare.py").run()
    assert CURVES_BUTTON not in [one.label for one in app.button], "curves of own trips are a look"
    app = tab(page=RELEASE)
    assert app.session_state["atlas"].data.trips.name == "trips.csv"
    assert [widget(app.number_input, one).value for one in ("Trips, about", "People, about")] == [5_000, 900]
    widget(app.radio, "How were ε, M, tiles and dates chosen?").set_value("before_data").run()
    for label, text in (("Name of the data set", "trams"), ("Who is in the data", "riders")):
        widget(app.text_input, label).set_value(text).run()
    widget(app.number_input, "Trips counted per person, at most (1 to 500)").set_value(9).run()
    app = tab(page=RELEASE)
    draft = app.session_state["atlas"].draft()
    assert (draft.dataset, draft.population, draft.max_trips, draft.way) == (
        "trams",
        "riders",
        9,
        "before_data",
    )
    assert widget(app.number_input, "Trips counted per person, at most (1 to 500)").value == 9

    press(app.switch_page(EXPLORE).run(), "Look first")
    app = tab(page=RELEASE)
    assert CLEAN not in app.radio[0].options
    assert app.session_state["atlas"].draft().way == "after_preview"
    assert Look.PREVIEW.value in texts(app)


def test_whoever_looks_first_sees_the_counts_and_the_release_says_so():
    app = loaded(tab())
    look(app)
    assert widget(app.metric, "Trips").value == "200"
    app.switch_page(RELEASE).run()
    assert CLEAN not in app.radio[0].options
    assert Look.REPORT.value in texts(app)
    app.switch_page(DATA).run()
    app.button(key=f"delete project {app.session_state['atlas'].project.id}").click().run()
    assert saved() == []
    app = loaded(tab())
    assert widget(app.metric, "Trips").value == "200", "it was looked at, whatever became of the project"
    assert CLEAN not in app.switch_page(RELEASE).run().radio[0].options


def test_no_project_keeps_a_number_that_was_read_off_the_trips(own_home):
    app = loaded(tab())
    widget(app.number_input, "Trips, about").set_value(5_000).run()
    look(app)
    press(app, "Use the first and last day of the trips …")
    press(app, "Use 2024-04-01 to 2024-04-05")
    press(app.switch_page(RELEASE).run(), "Use the true numbers")
    assert [widget(app.number_input, one).value for one in ("Trips, about", "People, about")] == [200, 40]
    (place,) = (own_home / "private" / "projects").rglob("*.project")
    content = place.read_bytes()
    assert b"2024-04-0" not in content
    assert not {b"200", b"40"} & set(re.split(rb"[^0-9a-z]+", content))
    app = tab(page=RELEASE)
    data = app.session_state["atlas"].data
    assert (data.period, data.period_observed) == (Period(date(2024, 4, 1), date(2024, 4, 5)), True)
    assert [widget(app.number_input, one).value for one in ("Trips, about", "People, about")] == [5_000, None]
    assert Look.NUMBERS.value in texts(app)


def test_half_chosen_data_wait_until_the_owner_comes_back(tmp_path, monkeypatch):
    (tmp_path / "rides.csv").write_bytes(trips())
    (tmp_path / "zones.geojson").write_bytes(TILES)
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path))
    app = tab()
    app.file_uploader[0].set_value(("week.csv", trips(), "text/csv")).run()
    widget(app.button_group, "Tiles from").set_value("Data folder").run()
    widget(app.selectbox, "Tiles file").set_value("zones.geojson").run()
    widget(app.date_input, "First day (public)").set_value(date(2024, 4, 1)).run()
    widget(app.text_input, "Time windows begin at").set_value("0, 12").run()
    widget(app.checkbox, "Leave out bad records instead of refusing the file").check().run()

    def chosen(app):
        return (
            widget(app.selectbox, "Tiles file").value,
            widget(app.date_input, "First day (public)").value,
            widget(app.text_input, "Time windows begin at").value,
            widget(app.checkbox, "Leave out bad records instead of refusing the file").value,
        )

    wanted = ("zones.geojson", date(2024, 4, 1), "0, 12", True)
    app.switch_page("pages/learn/glossary.py").run()
    app.switch_page(DATA).run()
    assert chosen(app) == wanted
    assert any("is read as" in said.value for said in app.success), "an upload waits in memory"
    app = tab()
    assert chosen(app) == wanted
    assert "Before, you uploaded week.csv" in texts(app).replace("\\", "")
    widget(app.button_group, "Trips from").set_value("Data folder").run()
    widget(app.multiselect, "Trips files and folders").set_value(["rides.csv"]).run()
    app = tab()
    assert widget(app.multiselect, "Trips files and folders").value == ["rides.csv"]
    assert chosen(app) == wanted


def test_unit_bound_and_epsilon_go_from_explore_to_release_and_back():
    press(loaded(tab()).switch_page(EXPLORE).run(), "Look first")
    app = tab(page=EXPLORE)
    widget(app.number_input, "Trips counted per person, at most (1 to 500)").set_value(6).run()
    app.switch_page(RELEASE).run()
    assert shared(app) == (PrivacyUnit.USER, 6, 1, 1)
    widget(app.number_input, "Trips counted per person, at most (1 to 500)").set_value(8).run()
    app.select_slider[0].set_value(Fraction(2)).run()
    app.switch_page(EXPLORE).run()
    assert shared(app) == (PrivacyUnit.USER, 8, 2, 2)
    assert "ε = 2" in texts(app)
    assert shared(tab(page=EXPLORE)) == (PrivacyUnit.USER, 8, 2, 2)


def test_two_tabs_that_change_different_things_lose_nothing_and_the_last_one_stands():
    one = tab(page=RELEASE)
    widget(one.text_input, "Title").set_value("Trams").run()
    other = tab(page=RELEASE)
    widget(one.number_input, "Trips counted per person, at most (1 to 500)").set_value(3).run()
    widget(other.text_input, "Title").set_value("Buses").run()
    assert widget(other.number_input, "Trips counted per person, at most (1 to 500)").value == 3
    widget(one.number_input, "Trips counted per person, at most (1 to 500)").set_value(4).run()
    assert widget(one.text_input, "Title").value == "Buses"
    (project,) = saved()
    assert project.choices["release max_trips"] == 4
    assert project.choices["release text title tables"] == "Buses"


def test_the_counts_of_a_refused_file_are_a_look_that_every_project_remembers():
    content, waiting = trips(users=3, bad="north"), tab()
    app = loaded(tab(), content)
    assert "15 x not a number" in " ".join(one.value for one in (*app.error, *app.markdown))
    press(app, "New project")
    widget(app.text_input, "Time windows begin at").set_value("0, 12").run()
    for app in (waiting, tab()):
        assert not app.session_state["atlas"].ahead, "another project is open, or none"
        widget(app.checkbox, "Leave out bad records instead of refusing the file").check().run()
        loaded(app, content)
        assert Look.REPORT in app.session_state["atlas"].seen
        assert "before_data" not in app.session_state["atlas"].draft().ways


def test_projects_are_opened_renamed_and_deleted_and_a_link_comes_back_to_its_own(visited):
    app = loaded(tab())
    first = app.session_state["atlas"].project.id
    press(app, "New project")
    widget(app.text_input, "Time windows begin at").set_value("0, 12").run()
    assert app.session_state["atlas"].data is None or app.session_state["atlas"].data.is_demo
    assert [one.name for one in saved()] == ["Built-in city", "trips.csv"]
    assert tab().session_state["atlas"].project.id != first, "the last one"
    app = tab(first)
    assert app.session_state["atlas"].data.trips.name == "trips.csv"
    widget(app.text_input, "Name of this project").set_value("Trams 2024").run()
    press(app, "Rename")
    assert any(one.label == "Project: Trams 2024" for one in app.expander)
    other = tab(first)
    app.button(key=f"delete project {first}").click().run()
    assert not app.exception
    assert app.session_state["atlas"].data is None or app.session_state["atlas"].data.is_demo
    assert [one.name for one in saved()] == ["Built-in city"]
    other.run()
    assert "deleted in another tab" in texts(other) + " ".join(one.value for one in other.error)
    missing = tab(first)
    assert "no such project" in missing.error[0].value
    (left,) = studies.projects.recent("")
    visited(served())  # another owner, who logged in
    stranger = tab(left.id)
    assert "no such project" in stranger.error[0].value
    assert widget(stranger.text_input, "Time windows begin at").value != "0, 12"


def test_a_project_names_what_a_refused_loading_prepared_so_that_it_is_deleted_too(own_home):
    before = {path.name for path in (own_home / "private" / "cache").glob("*")}
    app = tab()
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/geo+json")).run()
    widget(app.selectbox, "Time zone of the city").set_value("Europe/Rome").run()
    files = [trips(users=3), trips(users=4, bad="x")]
    app.file_uploader[0].set_value(
        [(f"{number}.csv", content, "text/csv") for number, content in enumerate(files)]
    ).run()
    press(app, "Load")
    assert "1\\.csv" in app.error[0].value
    (one,) = studies.projects.recent("")
    (folder,) = one.project.derived
    assert folder not in before
    place = own_home / "private" / "cache" / folder
    assert place.is_dir()
    app.button(key=f"delete project {one.id}").click().run()
    assert not app.exception
    assert not place.exists()


def test_a_damaged_project_is_said_in_words_and_nothing_else_is_lost(own_home):
    app = loaded(tab())
    (place,) = (own_home / "private" / "projects").rglob("*.project")
    whole = place.read_bytes()
    for content in (b"{", whole.replace(b'"version": 1', b'"version": 99')):
        place.write_bytes(content)
        app = tab()
        assert not app.exception
        assert "A damaged project" in texts(app) or "another version" in texts(app)
        assert app.session_state["atlas"].data is None or app.session_state["atlas"].data.is_demo
    place.write_bytes(whole)
    odd = {
        "data zone": 3,
        "data visits": -5,
        "release max_trips": 10**9,
        "release epsilon": "1/0",
    }
    odd |= {"data first day": "never", "release unit": ["USER"], "explore merged": "x"}
    studies.projects.changed_project("", place.stem, lambda now: replace(now, choices=odd))
    app = tab()
    assert not app.exception
    assert widget(app.selectbox, "Time zone of the city").value is None
    assert not app.switch_page(RELEASE).run().exception
    owner.forget()
    app = tab()
    assert "not kept any more" in app.error[0].value


def test_without_a_folder_for_projects_every_page_works_and_says_so(own_home):
    folder = own_home / "private" / "projects"
    folder.mkdir(parents=True, exist_ok=True)
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("")
    try:
        app = tab()
        assert not app.exception
        assert "private folder cannot be written" in app.error[0].value
        widget(app.text_input, "Time windows begin at").set_value("0, 12").run()
        assert not app.exception
    finally:
        folder.unlink()
    app.run()  # tells what the run before could not save
    assert not app.run().error
    assert saved()[0].choices["data windows"] == "0, 12", "it is saved as soon as it can be"


def test_choices_of_other_pages_come_back():
    app = loaded(tab())
    app.switch_page("pages/owner/trajectories.py").run()
    widget(app.number_input, "Tiles that count (height h)").set_value(4).run()
    app.switch_page("pages/owner/synthesize.py").run()
    widget(app.button_group, "Mode").set_value("As published (study only)").run()
    app = tab(page="pages/owner/synthesize.py")
    assert widget(app.button_group, "Mode").value == "As published (study only)"
    app.switch_page("pages/owner/trajectories.py").run()
    assert widget(app.number_input, "Tiles that count (height h)").value == 4


@pytest.mark.parametrize("page", ["report", "compare", "synthesize", "trajectories"])
def test_a_reload_looks_at_nothing_that_was_not_looked_at(page):
    loaded(tab())
    app = tab(page=f"pages/owner/{page}.py")
    assert not app.exception
    assert app.session_state["atlas"].data.trips.name == "trips.csv"
    assert app.session_state["atlas"].seen == set()
