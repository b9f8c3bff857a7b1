"""The owner's report page and the viewers' measures: what they show, and on which side of the wall it stays."""

from __future__ import annotations

import gc
import json
from weakref import ref

import pytest
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.measures import MEASURES
from dpcore.release import write_bundle
from tests.app.open_parts import in_every_section, open_box, open_section
from tests.app.own_trips import given
from tests.app.sent import sent
from tests.app.test_pages import load, open_code, trips
from tests.conftest import ROOT
from tests.context.made_layers import made_context
from tests.release.made_releases import made_release
from tests.views.read_map import MAP, TILES

REPORT, VIEWER = "pages/owner/report.py", "pages/released/viewer.py"
SECTIONS = ["Overview", "Place", "Origin and destination", "User"]
MARK = "Owner preview: for the owner only"


def texts(app) -> str:
    kinds = ("title", "subheader", "markdown", "caption", "error", "info", "warning")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(app, kind)).replace("\\", "")


def charts(app) -> list[bytes]:
    """What reaches the browser, with letters as letters."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [json.dumps(spec, ensure_ascii=False).encode() for spec in specs]


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


def test_the_report_shows_every_measure_of_loaded_trips_beside_the_truth(app):
    given(app, trips()).switch_page(REPORT).run()
    assert not app.exception, app.exception
    mine = app.session_state["atlas"]
    mine.put_under(made_context(mine.data.tessellation))
    seen, drawn, tables, maps = "", [], [], 0
    for _ in in_every_section(app, numbers=True):
        seen += texts(app)
        drawn += charts(app)
        tables += [str(table.value.get("mark", [""])[0]) for table in app.dataframe]
        messages = [element.proto for element in app.get("bidi_component")]
        here = [one.SerializeToString() for one in messages if MAP in one.SerializeToString()]
        assert sum(TILES in one.SerializeToString() for one in messages) == len(here), (
            "each map has its tiles"
        )
        assert [under for _, under in sent(app, "context")] == [mine.data.under] * len(here), (
            "and what lies under them"
        )
        maps += len(here)
        drawn += here
    for name, measure in MEASURES.items():
        if name != "trips_over_time":  # no period was given
            assert f"#### {measure.title}" in seen, name
    assert seen.count("Estimate off by ") == len(MEASURES) - 1
    assert MARK in seen
    assert maps == 2
    assert len(tables) > 10
    assert all(one.startswith(MARK) for one in tables), "every table says whose it is"
    # Noise decides which flows are listed, and so whether they have a picture. All other pictures are always there.
    assert len([picture for picture in drawn if b'"name": "noise alone"' not in picture]) >= len(MEASURES)
    assert all(MARK.encode() in picture for picture in drawn), "every picture carries its mark"


def test_what_is_closed_is_made_when_it_is_opened(app):
    app.switch_page(REPORT).run()
    assert [tab.label for tab in app.tabs] == SECTIONS
    assert f"#### {MEASURES['mobility_entropy'].title}" not in texts(app)
    assert not app.dataframe
    open_box(app, "numbers of ", "The numbers")
    assert len(app.dataframe) >= len([box for box in app.expander if box.label == "The numbers"]) > 5
    open_section(app, "User")
    assert f"#### {MEASURES['mobility_entropy'].title}" in texts(app)


def test_a_report_of_a_release_by_mode_shows_one_part_or_all_beside_the_truth(app):
    app.run().session_state["atlas"].draft().splits = ("mode",)
    app.switch_page(REPORT).run()
    assert not app.exception, app.exception
    mine = app.session_state["atlas"]
    (kept,) = mine.kept.by_kind["report"].values()
    seen, parts = texts(app), kept.preview.plan.choices.splits[0].labels
    assert "The tables are split by mode" in seen
    assert len({tuple(json.loads(one)["layout"]["yaxis"]["range"]) for one in charts(app)[: len(parts)]}) == 1
    assert all(b"Demo data" in one for one in charts(app))
    assert len(app.get("image")) == len(parts)
    open_box(app, "true maps of parts", "The true maps beside them")
    assert len(app.get("image")) == 2 * len(parts), "estimated and true"

    (chips,) = [one for one in app.button_group if one.label == "Mode"]
    chips.set_value(["bus"]).run()
    assert not app.exception, app.exception
    assert "nothing tells which share of the trips of a category counts" in texts(app)
    truth = dpcore.exact_table(mine.data.trips, "od_flows", choices=kept.preview.plan.choices)
    bus = truth[truth["mode"] == "bus"].set_index(["origin", "destination"])["value"]
    names = {name: tile for tile, name in mine.data.geometry.names.items()}
    open_section(app, "Origin and destination")
    (listed,) = [one.value for one in app.dataframe if {"from", "to", "true"} <= {*one.value.columns}]
    for start, end, true in zip(listed["from"], listed["to"], listed["true"], strict=True):
        assert true == bus.get((names.get(start, start), names.get(end, end)), 0)
    app.switch_page("pages/owner/explore.py").run()
    app.switch_page(REPORT).run()
    assert next(one for one in app.button_group if one.label == "Mode").value == ["bus"]


def test_a_preview_has_no_download_and_says_why(app):
    given(app, trips()).switch_page(REPORT).run()
    assert [title.value for title in app.title] == ["Report"]
    assert not app.get("download_button"), "before the code is opened"
    open_code(app)
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == ["Notebook (.ipynb)"], "code, which holds no number of these trips"
    assert "publish a **release**" in texts(app)


def test_the_report_follows_unit_and_bound_of_explore(app):
    given(app, trips()).switch_page("pages/owner/explore.py").run()
    app.number_input[0].set_value(3).run()
    app.switch_page(REPORT).run()
    assert not app.exception
    assert "at most 3 trips" in texts(app)


def test_letting_go_of_the_data_lets_go_of_the_preview(app):
    given(app, trips()).switch_page(REPORT).run()
    before = ref(app.session_state["atlas"].kept.by_kind["report"].popitem()[1])
    app.run()
    gc.collect()
    assert before() is None  # the page keeps it nowhere else
    before = ref(next(iter(app.session_state["atlas"].kept.by_kind["report"].values())))
    load(app, trips(users=30))
    gc.collect()
    assert before() is None


@pytest.fixture
def viewer(tmp_path, monkeypatch):
    def opened(view: str = "measures", tile: str = "", **changes) -> AppTest:
        write_bundle(made_release(id="made", title="Made", **changes), tmp_path / "made")
        monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.switch_page(VIEWER)
        app.query_params["release"], app.query_params["view"] = "made", view
        if tile:
            app.query_params["tile"] = tile
        app.run()
        assert not app.exception, app.exception
        return app

    return opened


def test_viewers_see_every_measure_with_words_pictures_and_numbers(viewer):
    app = viewer(weights=dict.fromkeys(MEASURES, 1), epsilon="20")  # so that no total drowns
    seen, helps, drawn, images = "", "", [], 0
    for _ in in_every_section(app):
        seen += texts(app)
        helps += " ".join(element.proto.help for element in app.markdown)
        drawn += charts(app)
        images += len(app.get("image"))
    for measure in MEASURES.values():
        assert f"#### {measure.title}" in seen
    assert helps.count("It gets ") == len(MEASURES), "what each measure costs is one click away"
    assert images == 12, "one small map for each time window"
    more = 3  # trips of all people, incomplete trips, flows between districts
    assert len(drawn) == 1 + more + 1 + 1 + 1 + 4 + 7 + 2
    assert not any(b'"true"' in chart for chart in drawn)


def test_viewers_open_the_ends_of_trips_by_hour_and_have_all_hours_as_tables(viewer):
    app = viewer("rhythm", weights={"trips_per_hour": 1})
    ends = "Ends of trips by hour on weekends"
    assert not any(chart.proto.alt == ends for chart in app.get("plotly_chart"))
    app.session_state["hours"] = "Ends by hour"
    app.run()
    assert any(chart.proto.alt == ends for chart in app.get("plotly_chart"))
    next(toggle for toggle in app.toggle if "as tables" in toggle.label).set_value(True).run()
    assert not app.exception, app.exception
    assert len(app.dataframe) >= 4


def test_a_chosen_tile_shows_its_time_windows(viewer):
    app = viewer("map", "B", weights={"visits_per_tile": 1, "visits_per_time_tile": 2})
    assert "Arrivals by time of day" in texts(app)
    windows = [chart for chart in charts(app) if "6\N{EN DASH}10 h".encode() in chart]
    assert len(windows) == 2


def test_a_tile_of_a_release_without_time_windows_stands_without_them(viewer):
    assert "Arrivals by time of day" not in texts(viewer("map", "B", weights={"visits_per_tile": 1}))


def test_a_release_of_one_measure_has_one_section(viewer):
    app = viewer(weights={"mobility_entropy": 1}, period=None)
    assert [tab.label for tab in app.tabs] == ["User"]


def test_the_report_file_is_among_the_downloads(viewer):
    labels = [button.proto.label for button in viewer("measures").get("download_button")]
    assert "Report (HTML)" in labels
