"""The Trajectories page: levels of chosen tiles or of a file, both numbers of the promise, trees for looking, publishing."""

from __future__ import annotations

from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.api import studies
from dpcore.kinds.tree.choices import Outside, Source
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.views.walked import BY_LEVEL
from dpcore.privacy import PrivacyUnit
from dpcore.release import read_bundle
from dpcore.views.ground.selection import Selection, districts_shown
from pages.owner.parts.state.draft import Look
from pages.owner.parts.trajectories import words
from pages.owner.parts.trajectories.choices import PlaceLevels
from tests.app.own_trips import given
from tests.app.test_pages import CANARY, TILES, payloads, texts, trips
from tests.conftest import ROOT
from tests.curator.asking_synthetic import synthetic_releases

PAGE = "pages/owner/trajectories.py"
OTHER_TILES = TILES.replace(b'"W"', b'"V"')
NO_USERS = (
    b"started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
    + b"2024-04-01 08:00:00,2024-04-01 09:00:00,0.5,0.5,0.5,1.5\n" * 20
)


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


@pytest.fixture
def own(app):
    """Trips of the owner's own file on two tiles, W and E."""
    return opened(given(app, trips()))


def opened(app):
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def widget(found, label: str):
    return next(one for one in found if one.label.startswith(label))


def choose(app, label: str, value) -> None:
    widget([*app.get("button_group"), *app.selectbox, *app.select_slider], label).set_value(value).run()
    assert not app.exception


def press(app, label: str) -> None:
    widget(app.button, label).click().run()
    assert not app.exception


def listed(app, tiles: list[str], level: str) -> None:
    """Set levels as somebody does who cannot see the map."""
    ids = app.session_state["atlas"].data.tessellation.tile_ids
    widget(app.multiselect, "Click a tile").set_value([ids.index(tile) for tile in tiles]).run()
    next(one for one in app.selectbox if one.label == "Level").set_value(level).run()
    press(app, words.SET_LEVEL)


def owner_of_levels(app) -> PlaceLevels:
    return app.session_state["trajectories painting"]


def levels(app) -> dict[str, str]:
    return owner_of_levels(app).named


def cards(app) -> dict[str, str]:
    return {metric.label.replace("\\", ""): metric.value for metric in app.metric}


def seen(app) -> set[Look]:
    return app.session_state["atlas"].draft().looked


def test_it_opens_with_every_place_critical_and_nothing_looked_at(own):
    assert levels(own) == {}
    assert words.PUBLIC_LEVELS in [one.value for one in own.info]
    assert words.ALL_CRITICAL in texts(own)
    found = cards(own)
    assert found["Critical"] == found["The whole record; this is charged"] == "ε 1"  # 5 days of 0.2
    assert not seen(own) & {Look.LENGTHS, Look.COMPARED}
    assert "Owner preview: for the owner only" in texts(own)
    assert CANARY.encode() not in payloads(own)


def test_a_low_level_raises_what_the_whole_record_may_show_and_what_is_charged(own):
    listed(own, ["W"], "Low")
    found = cards(own)
    assert (found["Critical"], found["Low"]) == ("ε 1", "ε 2.5")
    assert found["The whole record; this is charged"] == "ε 2.5"
    assert "exclusion attack" in texts(own).lower()
    choose(own, "ε along a path", Strategy.UNIFORM)
    assert cards(own)["The whole record; this is charged"] == "ε 1"


def test_levels_outlive_the_page_and_other_trips_but_not_other_tiles(own):
    listed(own, ["E"], "Public-ish")
    own.switch_page("pages/owner/data.py").run()
    opened(own)
    assert levels(own) == {"E": "Public-ish"}
    assert levels(opened(given(own, trips(users=20)))) == {"E": "Public-ish"}
    assert levels(opened(given(own, trips(), OTHER_TILES))) == {}


def test_one_click_makes_all_critical(own):
    listed(own, ["W", "E"], "Medium")
    press(own, "All Critical")
    assert levels(own) == {}


def test_critical_takes_a_level_away_and_what_is_set_is_no_longer_chosen(own):
    listed(own, ["W", "E"], "Low")
    assert owner_of_levels(own).chosen == Selection()
    listed(own, ["W"], "Critical")
    assert levels(own) == {"E": "Low"}


def test_nothing_is_set_before_tiles_and_a_level_are_chosen(own):
    button = widget(own.button, words.SET_LEVEL)
    assert button.disabled
    widget(own.multiselect, "Click a tile").set_value([0]).run()
    assert widget(own.button, words.SET_LEVEL).disabled
    next(one for one in own.selectbox if one.label == "Level").set_value("Low").run()
    assert not widget(own.button, words.SET_LEVEL).disabled
    assert levels(own) == {}


def test_all_tiles_of_a_district_get_one_level(app):
    opened(app)
    data = app.session_state["atlas"].data
    choose(app, "Choose", "Districts")
    widget(app.multiselect, "Click a district").set_value([1, 2]).run()
    next(one for one in app.selectbox if one.label == "Level").set_value("High").run()
    press(app, words.SET_LEVEL)
    of_tiles = districts_shown(app.session_state["atlas"].plan(), data.tessellation).of_tiles
    wanted = [
        tile
        for tile, district in zip(data.tessellation.tile_ids, of_tiles, strict=True)
        if district in {1, 2}
    ]
    assert levels(app) == dict.fromkeys(wanted, "High")
    assert owner_of_levels(app).chosen == Selection(districts=True)  # more districts may follow


def test_tiles_that_the_map_tells_are_chosen_in_the_list_and_what_is_none_is_left(own):
    def told(number: int, value: object) -> list[int]:
        own.session_state["trajectories map"] = {"chosen": {"number": number, "order": None, "value": value}}
        own.run()
        assert not own.exception
        return widget(own.multiselect, "Click a tile").value

    assert told(1, {"places": [1, 0], "other": None, "districts": False}) == [1, 0]
    assert told(2, {"places": [2], "other": None, "districts": False}) == [1, 0]
    assert told(3, "strokes") == [1, 0]
    assert told(4, {"places": [1], "other": None, "districts": False}) == [1]


def test_a_file_of_levels_is_taken_whole_and_a_wrong_one_is_refused(own):
    upload = own.file_uploader[0]
    upload.set_value(("levels.csv", b"tile_id,privacy\nW,High\n", "text/csv")).run()
    press(own, "Take these levels")
    assert levels(own) == {"W": "High"}
    own.file_uploader[0].set_value(("levels.csv", b"tile_id,privacy\nNowhere,High\n", "text/csv")).run()
    press(own, "Take these levels")
    assert "does not exist" in own.error[0].value
    assert levels(own) == {"W": "High"}


def test_a_file_that_names_outside_is_refused_until_that_is_a_place(own):
    own.file_uploader[0].set_value(("levels.csv", b"tile_id,privacy\noutside,Low\n", "text/csv")).run()
    press(own, "Take these levels")
    assert "do not count as a place" in own.error[0].value
    assert levels(own) == {}
    choose(own, "A visit outside the tiles", Outside.PLACE)
    press(own, "Take these levels")
    assert levels(own) == {"outside": "Low"}


def test_every_section_has_its_number_before_a_tree_is_grown(own):
    assert [one.value for one in own.subheader] == [
        words.MAKING_TITLE,
        words.LEVELS_TITLE,
        words.PROMISE_TITLE,
        words.GROW_TITLE,
        words.ASK_TITLE,
        words.PUBLISH_TITLE,
    ]
    assert words.NOTHING_TO_ASK in texts(own)


def test_an_epsilon_that_is_no_short_decimal_is_said_in_one_way(own):
    listed(own, ["W", "E"], "Medium")
    assert cards(own)["Medium"] == cards(own)["The whole record; this is charged"] == "ε 1.67"
    assert "Critical" not in cards(own)  # no place has it
    said = "\n".join(str(table.value.to_dict("list")) for table in own.table)
    assert "1.67" in said
    assert "1.666" not in said


def test_the_truth_beside_a_range_is_that_of_those_who_count(own):
    widget(own.number_input, "Days counted per person").set_value(1).run()
    choose(own, "ε of Critical", Fraction(10))
    press(own, "Grow the tree")
    widget(own.multiselect, "Places").set_value(["W", "E"]).run()
    counted = int(cards(own)["Truth"])
    said = texts(own)
    if counted == 200:
        assert "All of them count." in said
    else:
        assert f"Of 200 in all: {counted / 2:.0f} % count under M." in said


def test_the_level_of_what_lies_on_no_map_is_said_beside_it(own):
    assert words.LEVEL_OUTSIDE not in {one.label for one in own.selectbox}
    choose(own, "A visit outside the tiles", Outside.PLACE)
    assert widget(own.selectbox, words.LEVEL_OUTSIDE).value == "Critical"
    choose(own, words.LEVEL_OUTSIDE, "High")
    assert widget(own.selectbox, words.LEVEL_OUTSIDE).value == "High"
    assert levels(own) == {"outside": "High"}


def test_the_losses_say_of_whom_they_are_and_what_a_missing_trajectory_shows(own):
    (losses,) = [table.value for table in own.table if "of whom" in table.value]
    assert {"a person (5 times one trajectory)", "one trajectory"} < {*losses["of whom"]}
    assert "another one takes its place" in "".join(losses["if"])
    assert BY_LEVEL in texts(own)


def test_the_help_says_how_a_vehicles_day_is_made():
    assert "`bikeid`) to `user_id`" in words.SOURCE_HELP
    assert "one *vehicle*" in words.SOURCE_HELP


def test_what_the_total_leaves_out_is_said_beside_it(app):
    opened(app)  # the built-in city at a small epsilon: many ways are too rare
    press(app, "Grow the tree")
    said = texts(app)
    assert "; M leaves out the others." in said
    assert "began at a tile that is too rare to be kept." in said
    assert "went on in ways that are too rare to be kept" in said


def test_each_promise_offers_the_allocations_that_are_proved_for_it(own):
    choose(own, "Protects by level", Definition.RECORD)
    box = widget(own.selectbox, "ε along a path")
    assert box.options == ["By the end", "Uniform"]
    choose(own, "Protects by level", Definition.LOCATION)
    assert widget(own.selectbox, "ε along a path").value is Strategy.ADAPTIVE


def test_lengths_are_counted_only_when_asked_for_and_then_remembered_as_seen(own):
    assert not own.get("plotly_chart")
    own.session_state["trajectories lengths"] = True
    own.run()
    assert not own.exception
    assert "**200** trajectories count" in texts(own)
    assert own.get("plotly_chart")
    assert Look.LENGTHS in seen(own)


def test_what_levels_buy_over_epsilon_is_shown_on_demand_for_the_own_trips(own):
    listed(own, ["W"], "Low")
    press(own, words.STUDY_BUTTON)
    assert Look.COMPARED in seen(own)
    assert words.STUDY_READ in [one.value for one in own.caption]


def test_a_tree_is_grown_on_demand_and_asked_beside_the_truth(own):
    listed(own, ["W"], "Public-ish")
    choose(own, "ε of Critical", Fraction(10))
    press(own, "Grow the tree")
    assert Look.COMPARED in seen(own)
    widget(own.multiselect, "Places").set_value(["W", "E"]).run()
    assert not own.exception
    found = cards(own)
    assert found["Truth"] == "200"
    assert 190 <= int(found["The tree"].removeprefix("about ")) <= 210
    assert own.get("plotly_chart")
    shown = "\n".join(str(table.value.to_dict("list")) for table in own.dataframe)
    assert "West *side*" in shown
    assert CANARY not in shown + texts(own)
    choose(own, "How many trajectories", next(iter(words.KINDS)))
    press(own, "All Critical")
    assert words.CHANGED in texts(own)
    assert not own.get("plotly_chart")


def test_typed_questions_are_answered_and_wrong_ones_refused_in_words(own):
    choose(own, "ε of Critical", Fraction(10))
    press(own, "Grow the tree")
    widget(own.toggle, "Type it").set_value(True).run()
    widget(own.text_input, "How many trajectories").set_value("E > W").run()
    assert cards(own)["Truth"] == "0"
    widget(own.text_input, "How many trajectories").set_value("^ W E").run()
    assert cards(own)["Truth"] == "200"
    widget(own.text_input, "How many trajectories").set_value("W > Nowhere").run()
    assert not own.exception
    assert "does not exist" in own.error[0].value


def test_wildcards_stand_between_places_and_not_before_them(own):
    choose(own, "ε of Critical", Fraction(10))
    press(own, "Grow the tree")
    kinds = list(words.KINDS)
    choose(own, "How many trajectories", kinds[2])
    widget(own.multiselect, "Places").set_value(["W", "E"]).run()
    assert cards(own)["Truth"] == "200"
    choose(own, "Between two of them", "*")
    assert cards(own)["Truth"] == "0"
    choose(own, "Between two of them", "**")
    assert cards(own)["Truth"] == "200"
    choose(own, "Between two of them", "*")
    widget(own.multiselect, "Places").set_value(["W"]).run()
    assert cards(own)["Truth"] == "200"  # nothing lies before W


def test_trips_without_users_have_no_days_of_a_person(app):
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[0].set_value(("trips.csv", NO_USERS, "text/csv")).run()
    choose(app, "What is one row?", "A trip, with coordinates")
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/geo+json")).run()
    choose(app, "Time zone of the city", "Europe/Berlin")
    press(app, "Load")
    opened(app)
    assert widget(app.get("button_group"), "A trajectory is").value is Source.TRIP
    assert words.NO_USERS in texts(app)
    assert "Whether one trip is in the data at all" in texts(app)
    assert app.session_state["atlas"].draft().unit is PrivacyUnit.TRIP


def test_what_was_drawn_goes_with_the_trips(own):
    widget(own.number_input, "Tiles that count").set_value(3).run()
    press(own, "Grow the tree")
    assert own.session_state["atlas"].kept.by_kind["tree"]
    given(own, trips(users=20)).run()
    assert "tree" not in own.session_state["atlas"].kept.by_kind
    assert widget(opened(own).number_input, "Tiles that count").value == 3, "which is no choice about trips"


def test_publishing_repeats_both_numbers_and_charges_the_whole_record(app):
    opened(app)
    listed(app, ["D001"], "Low")
    assert cards(app)["Price"] == "ε 2.5"
    next(iter(app.radio)).set_value("before_data").run()
    press(app, "Review and publish")
    said = texts(app).replace("\\", "")
    assert "Critical ε 1, Low ε 2.5" in said  # levels that no place has are left out
    assert "5 days of each person" in said
    assert not curator.default_ledger().accounts()  # nothing was spent yet
    press(app, "Publish and charge ε 2.5")
    assert not app.error
    assert "Charged ε 2.5. Left: ε 7.5" in texts(app)
    folder = app.session_state["atlas"].drafted.of_kinds["trajectory-tree"].receipt.folder
    (release,) = (one for one in synthetic_releases() if one.id == read_bundle(folder).id)
    assert dict(release.plan.named) == {"D001": "Low"}
    assert read_bundle(folder).plan == release.plan


def test_another_tab_takes_what_was_chosen_and_keeps_what_it_chose_itself(app):
    opened(app)
    widget(app.number_input, "Tiles that count").set_value(3).run()
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    other.query_params["project"] = app.session_state["atlas"].project.id
    other.switch_page("pages/owner/trajectories.py").run()
    choose(other, "Protects by level", Definition.RECORD)
    choose(other, "ε along a path", Strategy.UNIFORM)
    widget(app.number_input, "Days counted").set_value(2).run()
    assert widget(app.get("button_group"), "Protects by level").value is Definition.RECORD
    assert widget(app.selectbox, "ε along a path").value is Strategy.UNIFORM
    listed(app, ["D001"], "Low")
    other.run()
    assert levels(other) == {"D001": "Low"}
    listed(other, ["D002"], "High")
    app.run()
    assert levels(app) == {"D001": "Low", "D002": "High"}
    assert [widget(other.number_input, one).value for one in ("Tiles that count", "Days counted")] == [3, 2]
    assert widget(other.selectbox, "ε along a path").value is Strategy.UNIFORM


def test_a_project_that_kept_both_allocations_together_still_opens(app):
    before = {"LOCATION": "NON_ADAPTIVE", "RECORD": "ADAPTIVE"}  # the second has no meaning there
    kept = {"trajectories strategy": before, "trajectories height": 7, "trajectories days": -1}
    studies.projects.new_project("", studies.Project("Before", choices=kept), None)
    opened(app)
    assert widget(app.selectbox, "ε along a path").value is Strategy.NON_ADAPTIVE
    assert widget(app.number_input, "Tiles that count").value == 7
    assert widget(app.number_input, "Days counted").value == 5
    choose(app, "Protects by level", Definition.RECORD)
    assert widget(app.selectbox, "ε along a path").value is Strategy.RECORD
    again = opened(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120))
    choose(again, "Protects by level", Definition.LOCATION)
    assert widget(again.selectbox, "ε along a path").value is Strategy.NON_ADAPTIVE
