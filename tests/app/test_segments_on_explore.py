"""Explore shows the hours of each mode of the built-in city with one scale, marked and beside the truth."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

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
    app.switch_page("pages/owner/report.py").run()
    app.switch_page("pages/owner/explore.py").run()
    assert next(one for one in app.selectbox if one.label.startswith("Segments")).value == "mode"
