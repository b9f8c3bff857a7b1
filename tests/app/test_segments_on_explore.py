"""Explore shows a map of one mode of the built-in city, and the hours of each with one scale, marked and beside the truth."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from dpcore.api import owner
from dpcore.measures.choices import KeyChoices
from tests.conftest import ROOT


def test_hours_by_mode_have_one_scale_and_come_back():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/owner/explore.py").run()
    before = len(app.get("plotly_chart"))
    (segments,) = [one for one in app.selectbox if one.label.startswith("Segments")]
    segments.set_value("mode").run()
    assert not app.exception
    added = [json.loads(one.proto.spec) for one in app.get("plotly_chart")]
    assert len(added) == before + 7
    small = [one for one in added if one["layout"]["yaxis"]["title"]["text"] == "starts"][-7:]
    assert len({tuple(one["layout"]["yaxis"]["range"]) for one in small}) == 1
    assert all("Demo data" in json.dumps(one) for one in small)
    said = " ".join(one.value for one in app.caption)
    assert "Split by mode, every table of trips has 7 parts" in said
    assert "walk: Drawn value: noise ±" in said
    part = next(one for one in app.selectbox if one.label == "Map of")
    assert part.options == ["walk", "bike", "bus", "rail", "car", "other", "missing"]
    part.set_value("rail").run()
    assert not app.exception
    assert "rail: Drawn value: noise ±" in " ".join(one.value for one in app.caption)
    mine = app.session_state["atlas"]
    (number, by), found = next(iter(mine.kept.by_kind["segments"].items()))
    keys = mine.plan().measure("visits_per_tile").keys(mine.data.tessellation.tile_ids)
    both = owner.exact_table(
        mine.data.trips, "visits_per_tile", None, KeyChoices(splits=found.plan.choices.splits)
    )
    rail = [n for n, mode in zip(both["value"], both["mode"], strict=True) if mode == "rail"]
    assert found.truth["visits_per_tile"][3 * keys.size : 4 * keys.size].tolist() == rail
    kept = mine.kept.by_kind["segment maps"]
    assert {*kept} == {(number, by, 0), (number, by, 3)}
    assert kept[number, by, 0].message != kept[number, by, 3].message
    app.switch_page("pages/owner/report.py").run()
    app.switch_page("pages/owner/explore.py").run()
    assert next(one for one in app.selectbox if one.label.startswith("Segments")).value == "mode"
    assert next(one for one in app.selectbox if one.label == "Map of").value == "rail"
