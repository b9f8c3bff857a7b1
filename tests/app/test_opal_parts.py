"""The tab of large counts: parts by an attribute that was kept, and the real week of 2016 beside an invented one."""

from __future__ import annotations

from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.kinds.stability.plan import Variant
from dpcore.privacy import PrivacyUnit
from dpcore.release import read_bundle
from pages.owner.parts.synthesize import opal, words
from tests.app.test_columns_by_hand import give, widget
from tests.app.test_pages import TILES, texts
from tests.app.test_synthesize_page import PAGE, cards, choose, dated, open_tab, press, scripts, tables
from tests.conftest import ROOT

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,mode\n"
ROWS = "".join(
    f"u{number},2024-04-0{1 + number % 7} 08:00,2024-04-0{1 + number % 7} 09:00,0.5,0.5,0.5,0.5,{mode}\n"
    for number in range(1_400)
    for mode in ("bus", "rail", "secret way")
)


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))


@pytest.fixture
def own():
    """An owner's trips with modes, on the tab of large counts."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page("pages/owner/data.py").run()
    give(app, f"{HEADER}{ROWS}".encode(), "trips.csv")
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(app.selectbox, "Time zone").set_value("UTC").run()
    widget(app.text_input, "mode: column").set_value("bus,rail").run()
    widget(app.button, "Load").click().run()
    app.session_state["atlas"].agreed = True
    app.switch_page(PAGE).run()
    dated(app)
    open_tab(app, words.OPAL_TAB)
    choose(app, "Hide", PrivacyUnit.TRIP)
    choose(app, "Budget counts", PrivacyUnit.TRIP)
    return app


def test_modes_are_counted_apart_on_each_date_at_no_further_cost_and_published_so(own):
    for label, text in (
        ("Name of the data set", "cards"),
        ("Who is in the data", "nobody"),
        ("Title", "Cards"),
    ):
        widget(own.text_input, label).set_value(text).run()
    before = cards(own)["Price"]
    widget(own.multiselect, "Count each category apart").set_value(["mode"]).run()
    choose(own, "Promise and noise", Variant.OPAL)
    assert not own.exception
    assert "14 parts (mode x date) are counted side by side" in texts(own)
    assert before.startswith("ε 8")
    assert cards(own)["Price"].startswith("ε 4")  # replacing one costs 8, adding or removing one half of it
    assert "--parts mode=bus,rail" in scripts(own)
    assert "parts={'mode': ['bus', 'rail']}" in scripts(own)
    assert "'mode': ['bus'" in tables(own)  # the draw has the column of the part
    assert "secret way" not in tables(own) + texts(own)
    own.radio[0].set_value("after_preview").run()
    press(own, "Review and publish")
    press(own, "Publish and charge ε 4")
    assert not [one.value for one in own.error]
    receipt = own.session_state["atlas"].drafted.of_kinds["stability"].receipt
    assert read_bundle(receipt.folder).drawn.tables.plan.partition_by == ("mode", "date")


def test_a_share_of_epsilon_is_chosen_for_each_column(own):
    widget(own.multiselect, "Counted together").set_value([("on_time",), ("on_loc",)]).run()
    widget(own.number_input, opal.column_words("on_loc")).set_value(3).run()
    assert not own.exception
    assert "--shares on_loc=3" in scripts(own)
    assert "shares={'on_loc': 3}" in scripts(own)


def test_days_between_two_weeks_are_left_out_and_stay_so_when_the_page_is_left(own):
    widget(own.date_input, "Left out from").set_value(date(2024, 4, 3)).run()
    assert "6 parts (date) are counted side by side" in texts(own)
    assert "2024-04-03/2024-04-03" in scripts(own)
    widget(own.date_input, "Left out to").set_value(date(2024, 4, 5)).run()
    assert "--skip-dates 2024-04-03/2024-04-05" in scripts(own)
    assert "4 parts (date) are counted side by side" in texts(own)
    assert "2024-04-02" in tables(own)
    assert "2024-04-04" not in tables(own)
    own.switch_page("pages/owner/data.py").run()
    own.switch_page(PAGE).run()
    open_tab(own, words.OPAL_TAB)
    assert "--skip-dates 2024-04-03/2024-04-05" in scripts(own)
    widget(own.date_input, "Left out to").set_value(date(2024, 4, 2)).run()
    assert not own.exception
    assert "the period is empty" in own.error[0].value.lower()


def test_tiles_are_merged_by_a_pasted_table_and_one_that_is_none_is_refused_in_words(own):
    tile, *others = own.session_state["atlas"].data.tessellation.tile_ids
    table = "\n".join(["tile_id,zone", f"{tile},north", *(f"{one},south" for one in others)])
    widget(own.text_area, "Table of zones").set_value(table).run()
    assert not [one.value for one in own.error]
    assert "--zones ZONES" in scripts(own)
    choose(own, "Rows of", "on_loc")
    assert "'on_loc': ['south', 'south'" in tables(own)
    widget(own.text_area, "Table of zones").set_value(f"{table}\nnowhere,=1+1").run()
    assert "A name that no zone can have" in own.error[0].value
    widget(own.text_area, "Table of zones").set_value(f"tile_id,zone\n{tile},north").run()
    assert "tiles have no zone" in own.error[0].value
    widget(own.toggle, "Count as outside").set_value(True).run()
    assert not [one.value for one in own.error]


def test_the_real_week_stands_beside_an_invented_one_when_asked(own):
    assert "8,605" not in tables(own)
    widget(own.toggle, opal.WEEK_TOGGLE).set_value(True).run()
    assert not own.exception
    shown = tables(own)
    assert "'rows, real': ['4,107', '3,618', '551', '329', '8,605']" in shown
    assert "'smallest, ours'" in shown
    assert opal.WEEK in texts(own)
