"""The Viewer on a release whose tables are split: chips, one part, several added up, and what a link says of it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.estimates.words import NO_SHARE_OF_PARTS
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.release import write_bundle
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_of
from dpcore.views.ground.part_choice import choice_of_text, numbers_of, text_of_choice
from dpcore.views.ground.plain import plain
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import UNKNOWN_COLOURS, UNKNOWN_PART, address
from dpcore.views.maps.several_parts import maps_beside, summed_parts
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.numbers.part_totals import largest_difference, part_totals, total_words
from dpcore.views.numbers.told_tiles import TOO_FEW
from pages.released.parts import words
from tests.conftest import ROOT
from tests.release.made_releases import WEEK, made_release

VIEWER = "pages/released/viewer.py"
HOSTILE = 'rail, "<b>fast</b>" :smile: $x$'
SPLITS = {"mode": ["bus", HOSTILE]}
WEIGHTS = {
    "visits_per_tile": 40,
    "od_flows": 20,
    "od_flows_per_window": 10,
    "trips_per_hour": 20,
    "trips_over_time": 20,
    "sum_duration": 5,
    "mean_duration": 5,
}


def split_release(unit="user", splits=SPLITS, **more):
    weights = WEIGHTS | ({"trips_per_user": 5} if unit == "user" else {})
    return made_release(
        id="split",
        title="Split",
        unit=unit,
        choices=KeyChoices(WEEK, splits=splits, sums={"duration": "0:90:1"}, by="trips_per_hour"),
        weights=weights,
        **more,
    )


@pytest.fixture(scope="module")
def release():
    return split_release()


@pytest.fixture
def visited_viewer(release, tmp_path, monkeypatch):
    write_bundle(release, tmp_path / "split")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))

    def visit(**query) -> AppTest:
        page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        page.query_params.update(release="split", **query)
        page.run()
        return page.switch_page(VIEWER).run()

    return visit


def said(page) -> str:
    return "\n".join(
        str(one.value)
        for kind in (page.markdown, page.caption, page.info, page.warning, page.error)
        for one in kind
    )


@pytest.mark.parametrize("view", ["map", "flows", "rhythm", "rankings", "measures", "accuracy", "download"])
def test_one_part_and_all_parts_are_shown_in_every_view(visited_viewer, view):
    for part in ("", "mode:bus"):
        page = visited_viewer(view=view, **({"part": part} if part else {}))
        assert not page.exception
        assert not page.error
        told = said(page)
        if view not in {"download", "guarantee"}:
            assert ("sums over all 4 parts" in told) is (not part)
            each = bool(part) or view in {"map", "rhythm"}  # which show estimates, of one part or of each
            assert (NO_SHARE_OF_PARTS.split(".")[0] in told) is each


def test_a_split_release_opens_as_a_page_to_read_with_the_total_of_each_part(visited_viewer, release):
    page = visited_viewer()
    assert page.query_params["view"] == "read"
    told, totals = said(page), part_totals(release)
    for at, name in enumerate(totals.names):
        assert plain(f"{name}: {total_words(totals, at)}") in told
    assert plain(largest_difference(totals)) in told
    assert "You in this data" in told
    assert page.get("plotly_chart")
    assert not page.error


def test_parts_stand_beside_each_other_as_the_switch_says(visited_viewer, release):
    pictures = {}
    for numbers in ("", "released"):
        page = visited_viewer(view="map", **({"numbers": numbers} if numbers else {}))
        kind = numbers or "estimated"
        assert f"{kind} visits" in said(page)
        assert not page.exception
        visits = release.measurements["visits_per_tile"]
        guess = None if numbers else estimates_of(release)
        shown = dict(enumerate(["bus", "rail", "other", "missing"]))
        edges = breaks_of(visits) if numbers else estimate_breaks(release, "visits_per_tile")
        drawn = shown_of(release.measurements, "visits_per_tile", len(visits.rungs) - 1, guess)
        pictures[kind] = maps_beside(release.tessellation, drawn, shown, edges)
        assert pictures[kind].legend in "".join(one.proto.body for one in page.get("html"))
        rhythm = visited_viewer(view="rhythm", **({"numbers": numbers} if numbers else {}))
        assert f"{kind} trips" in said(rhythm)
        tops = {
            json.loads(one.proto.spec)["layout"]["yaxis"]["range"][1]
            for one in rhythm.get("plotly_chart")
            if "part trips_per_hour" in one.proto.id
        }
        assert len(tops) == 1, "one scale"
    assert pictures["estimated"] != pictures["released"]


def test_flows_by_window_are_listed_of_one_part_and_of_several(visited_viewer):
    title = measure_named("od_flows_per_window").title
    for query in ({}, {"part": "mode:bus"}, {"part": "mode:bus", "numbers": "released"}):
        page = visited_viewer(view="flows", **query)
        assert not page.exception
        assert f"#### {title}" in said(page)
        frames = [one.value for one in page.dataframe]
        assert any({"when", "window"} & {*one.columns} for one in frames)
        for one in frames:
            if "when" in one:
                assert one["when"].str.contains("s, ").all()


def test_a_mean_colours_the_map_with_its_range_and_the_address_keeps_it(tmp_path, monkeypatch):
    choices = KeyChoices(WEEK, splits={"mode": ["bus"]}, sums={"duration": "0:90:1"}, by="visits_per_tile")
    weights = {"visits_per_tile": 40, "sum_duration": 40, "mean_duration": 40}
    release = made_release(id="split", choices=choices, weights=weights, epsilon="20")
    write_bundle(release, tmp_path / "split")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page.query_params.update(release="split", view="map", part="mode:bus", colours="mean_duration")
    page.run()
    page.switch_page(VIEWER).run()
    assert not page.exception
    (drawn,) = page.get("deck_gl_json_chart")
    rows = json.loads(drawn.proto.json)["layers"][0]["data"]
    told = dpcore.table(part_of(release, {"mode": "bus"}), "mean_duration")
    for row, name, (_, one) in zip(rows, "ABCD", told.iterrows(), strict=False):
        assert one["tile_id"] == name
        known = f"about {one['value']:,.9g} minutes\n95 % range {one['low_95']:,.9g} to {one['high_95']:,.9g}"
        assert row["label"].endswith(TOO_FEW if np.isnan(one["value"]) else known)
    legend = "".join(one.proto.body for one in page.get("html"))
    assert "Mean of duration by tile, in minutes" in legend
    assert "too few" in legend
    (colours,) = [one for one in page.button_group if one.label == words.COLOURS]
    colours.set_value("").run()
    assert not page.exception
    assert "colours" not in page.query_params
    assert not page.get("deck_gl_json_chart")
    assert address({"colours": "mean_fare"}, release)[1] == (UNKNOWN_COLOURS,)


def test_a_presentation_names_its_part(visited_viewer):
    for view in ("map", "flows", "rhythm", "rankings", "measures"):
        page = visited_viewer(view=view, present="1", part="mode:bus,mode:other")
        assert not page.exception
        assert not page.error
        assert "bus, other" in said(page)


def test_chips_choose_a_part_and_the_address_keeps_it(visited_viewer):
    page = visited_viewer(view="rhythm")
    (chips,) = [one for one in page.button_group if one.label == "Mode"]
    assert [*chips.options][1] == plain(HOSTILE)
    chips.set_value([HOSTILE]).run()
    assert not page.exception
    assert page.query_params["part"] == text_of_choice((("mode", HOSTILE),))
    again = visited_viewer(view="rhythm", part=page.query_params["part"])
    (chips,) = [one for one in again.button_group if one.label == "Mode"]
    assert chips.value == [HOSTILE]


def test_an_unknown_category_in_a_link_is_said_and_not_repeated(visited_viewer):
    page = visited_viewer(view="map", part="mode:<script>")
    assert UNKNOWN_PART in said(page)
    assert "script" not in said(page)


def test_links_of_parts_are_read_as_they_are_written(release):
    splits = release.plan.choices.splits
    every = tuple((one.name, label) for one in splits for label in one.labels)
    for chosen in ((), every, *((pair,) for pair in every)):
        assert choice_of_text(text_of_choice(chosen), splits) == chosen
        query = address({"part": text_of_choice(chosen)}, release)[0].link(release, "split")
        assert address(query, release)[0].part == chosen
    assert choice_of_text("mode", splits) is None
    assert choice_of_text("mode:tram", splits) is None


def test_sums_have_the_values_and_the_noise_of_their_parts():
    release = split_release("trip", {"mode": ["bus", "rail"], "purpose": ["work"]}, sparse=True)
    splits = release.plan.choices.splits
    chosen = [*numbers_of((("mode", "rail"), ("purpose", "work"), ("purpose", "other")), splits)]
    assert chosen == [3, 4]
    visits = release.measurements["visits_per_tile"]
    found = summed_parts(release, "visits_per_tile", chosen, 1)
    assert (found.values == visits.values[1].reshape(12, -1)[chosen].sum(axis=0)).all()
    assert {*found.half_widths.tolist()} == {half_width_of_sum(visits.rho(1), 2)}
    flows = release.measurements["od_flows"]
    assert flows.cells is not None
    found = summed_parts(release, "od_flows", range(12), 0)
    of = flows.cells % found.keys.size
    assert (found.cells == np.unique(of)).all()
    assert found.values.sum() == flows.values[0].sum()
    assert (found.draws == np.bincount(of, minlength=found.keys.size)[found.cells]).all()
    assert (found.half_widths[found.draws == 1] == flows.half_widths[0]).all()
