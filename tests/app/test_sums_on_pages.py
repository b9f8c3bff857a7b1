"""Sums and means: asked on the Release page, shown in the Viewer, of one part and of all."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.release import write_bundle
from dpcore.release.one_part import tables_of
from dpcore.release.sums import told_table
from tests.app.test_release_page import REVIEW, labels
from tests.conftest import ROOT

PAGE = "pages/owner/release.py"
VIEWER = "pages/released/viewer.py"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "releases"))


def field(app, label: str):
    return next(
        one for one in (*app.multiselect, *app.text_input, *app.selectbox) if one.label.startswith(label)
    )


def test_sums_are_asked_published_with_a_split_and_shown(tmp_path):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page(PAGE).run()
    field(app, "Sums and means").set_value(["duration"]).run()
    assert not app.exception
    field(app, "Bounds of duration").set_value("120").run()
    assert not app.exception
    assert REVIEW not in labels(app)
    field(app, "Bounds of duration").set_value("0:90:1").run()
    field(app, "Split by").set_value(["mode"]).run()
    assert not app.exception
    app.multiselect[0].set_value(["trips_per_weekday", "mean_duration"]).run()
    assert field(app, "Publish").value == ["trips_per_weekday", "mean_duration"]
    app.switch_page("pages/owner/data.py").run()
    app.switch_page(PAGE).run()
    assert field(app, "Bounds of duration").value == "0:90:1"
    app.radio[0].set_value("before_data").run()
    next(one for one in app.button if one.label.startswith(REVIEW)).click().run()
    next(one for one in app.button if one.label.startswith("Publish and charge")).click().run()
    assert not app.exception
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    assert [*release.plan.weights] == ["trips_per_weekday", "mean_duration"]

    write_bundle(release, tmp_path / "releases" / "sums")
    (one,) = release.plan.choices.sums
    bus = told_table(tables_of(release, "mean_duration", [2])[2], one, len(release.plan.rungs) - 1)
    for part, rows in (("", 7), ("mode:bus", 1)):
        viewer = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        viewer.query_params.update(release=release.id, view="measures", **({"part": part} if part else {}))
        viewer.run()
        viewer.switch_page(VIEWER).run()
        assert not viewer.exception
        assert [one.value for one in viewer.error] == []
        (table,) = [frame.value for frame in viewer.dataframe if "low_95" in frame.value]
        assert len(table) == rows
        assert table["value"].iloc[2 if rows > 1 else 0] == bus["value"].to_pylist()[0]
