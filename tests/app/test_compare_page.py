"""The Compare page: its marks, its numbers, its pictures, and what it says where there is nothing to compare."""

from __future__ import annotations

import shutil
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.api import studies
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.release import write_bundle, zipped
from dpcore.release.release import Tables
from pages.owner.parts.compare import pictures as words
from pages.owner.parts.compare.change import ALIKE, EVERY
from pages.owner.parts.compare.sources import Source
from pages.owner.parts.state.draft import Look
from tests.app.own_trips import given
from tests.app.sent import sent
from tests.app.test_pages import CANARY, open_code, texts, trips
from tests.conftest import ROOT
from tests.context.made_layers import made_context
from tests.release.made_releases import grid, made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.synthetic_release.made_tree import made_tree

PAGE = "pages/owner/compare.py"


@pytest.fixture(autouse=True)
def own_shelf(tmp_path, monkeypatch):
    shelf = tmp_path / "bundles"
    shelf.mkdir()
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(shelf))
    return shelf


@pytest.fixture
def app():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.switch_page(PAGE).run()
    assert not test.exception
    return test


def choose(app, letter: str, source: Source) -> None:
    next(box for box in app.selectbox if box.label == f"{letter} is").set_value(source).run()
    assert not app.exception


def how_alike(app) -> None:
    app.session_state["compare half"] = ALIKE
    app.run()
    assert not app.exception


def at_every_epsilon(app) -> None:
    (tabs,) = (box for box in app.segmented_control if EVERY in box.options)
    tabs.set_value(EVERY).run()
    assert not app.exception


def both_of_the_library(app, *names: str) -> None:
    for letter, name in zip("AB", names, strict=True):
        choose(app, letter, Source.LIBRARY)
        next(box for box in app.selectbox if box.key == f"compare {letter} release").set_value(name).run()
    assert not app.exception


def scores(app) -> dict[tuple[str, str], str]:
    (table,) = (frame.value for frame in app.dataframe if "perfect" in frame.value)
    return {(row["table"], row["what"]): row["value"] for _, row in table.iterrows()}


def images(app) -> str:
    urls = [drawn.url for image in app.get("image") for drawn in image.proto.imgs]
    return "".join(b64decode(url.partition("base64,")[2]).decode() for url in urls)


def charts(app) -> bytes:
    return b"".join(chart.proto.SerializeToString() for chart in app.get("plotly_chart"))


def test_it_opens_with_the_truth_of_the_city_beside_a_preview_and_explains_every_metric(app):
    found = scores(app)
    assert found["Visits per tile", "Earth mover's distance"].endswith("metres")
    assert ("Flows between districts", "Relative difference (SMAPE)") in found
    assert "Demo data" in texts(app)
    assert b"Demo data" in charts(app)
    assert "Demo data" in images(app)
    assert "<path" in images(app)
    assert "lower is better" in texts(app)
    assert len(app.metric) == 4, "flows between tiles are bought where a person is hidden too"
    explained = texts(app).replace("\\", "")
    for title in ("SMAPE", "Jensen-Shannon", "Kullback-Leibler", "Earth mover", "Kendall", "Structural"):
        assert title in explained, f"{title} is explained one click away"
    assert words.NEGATIVE in explained


def test_both_maps_lie_over_the_streets_of_the_city(app):
    app.session_state["compare look"] = "swipe"
    app.run()
    assert not app.exception
    data = app.session_state["atlas"].data
    assert [under for _, under in sent(app, "context")] == [data.context.packed]


def test_the_same_side_twice_is_perfect(app):
    choose(app, "B", Source.TRUTH)
    assert "Demo data" in images(app)
    assert words.PUBLIC not in texts(app)
    found = scores(app)
    assert found["Visits per tile", "Relative difference (SMAPE)"] == "0"
    assert found["Visits per tile", "Top 10 in common"] == "1"
    assert found["Visits per tile", "Rank correlation (Kendall's tau)"] == "1"


def test_more_epsilon_in_the_preview_is_more_alike(app):
    def jsd() -> float:
        return float(scores(app)["Visits per tile", "Jensen-Shannon divergence"])

    slider = next(s for s in app.select_slider if s.label == "ε")
    slider.set_value(slider.options[0] and app.session_state["compare B epsilon"] / 10).run()
    coarse = jsd()
    next(s for s in app.select_slider if s.label == "ε").set_value(10).run()
    assert jsd() < coarse


def test_without_a_release_it_says_where_to_get_one(app):
    choose(app, "B", Source.LIBRARY)
    assert words.NO_RELEASES in texts(app)
    choose(app, "B", Source.UPLOAD)
    assert words.WAITING in texts(app)


def test_two_releases_may_be_shown_to_anyone(app, own_shelf, tmp_path):
    write_bundle(made_release(epsilon="2"), own_shelf / "one")
    write_bundle(made_release(epsilon="2", id="another-7"), tmp_path / "other")
    choose(app, "A", Source.LIBRARY)
    choose(app, "B", Source.UPLOAD)
    uploader = next(u for u in app.file_uploader if u.label == "Bundle")
    uploader.set_value(("other.zip", zipped(tmp_path / "other"), "application/zip")).run()
    assert not app.exception
    assert not app.error
    assert words.PUBLIC in texts(app)
    assert "Demo data" not in texts(app)
    assert "Trips that count" in texts(app), "what changed comes first"
    assert not [frame for frame in app.dataframe if "perfect" in frame.value], (
        "the metrics are one click away"
    )
    how_alike(app)
    assert ("Trips over time", "Earth mover's distance") in scores(app)
    assert words.CURVES_RELEASED not in texts(app), "curves stand in a tab of their own"
    at_every_epsilon(app)
    assert words.CURVES_RELEASED in texts(app)
    assert words.PUBLIC not in texts(app), "curves of the loaded trips stand there, too"
    assert b"Estimated from another-7" in charts(app)


def test_it_opens_with_the_latest_two_releases_of_a_kind_and_never_with_one_twice(own_shelf):
    for day, name in ((9, "b-first"), (11, "a-last"), (10, "c-middle")):
        created = datetime(2024, 6, day, tzinfo=UTC)
        write_bundle(made_release(epsilon="2", id=name, created=created), own_shelf / name)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    shown = {box.key: box.value for box in page.selectbox}
    assert (shown["compare A"], shown["compare B"]) == (Source.LIBRARY, Source.LIBRARY)
    assert (shown["compare A release"], shown["compare B release"]) == ("c-middle", "a-last")


def test_two_releases_are_compared_without_a_word_on_loaded_trips_that_nobody_looked_at(app, own_shelf):
    given(app, trips())
    app.session_state["atlas"].agreed = False
    app.run()
    (folded,) = (one for one in app.expander if one.label == words.LOADED)
    assert folded.proto.expanded, "without releases the trips are all that there is"
    assert folded.info
    for name in ("one", "other"):
        write_bundle(made_release(epsilon="2", id=name), own_shelf / name)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    given(page, trips())
    page.session_state["atlas"].agreed = False
    page.switch_page(PAGE).run()
    assert not page.exception
    assert words.PUBLIC in texts(page)
    (folded,) = (one for one in page.expander if one.label == words.LOADED)
    assert not folded.proto.expanded
    assert len(page.info) == len(folded.info), "nothing is said of them elsewhere"
    assert not page.warning


def test_each_side_of_split_tables_is_one_part(app, own_shelf):
    choices = KeyChoices(splits={"mode": ["bus", "rail"]})
    weights = {"visits_per_tile": 2, "trips_per_hour": 1}
    write_bundle(made_release(id="split", choices=choices, weights=weights), own_shelf / "split")
    for letter in "AB":
        choose(app, letter, Source.LIBRARY)
    modes = [box for box in app.selectbox if box.label == "Mode"]
    assert [box.value for box in modes] == ["bus", "bus"]
    how_alike(app)
    assert {value for (_, what), value in scores(app).items() if "(SMAPE)" in what} == {"0"}
    [box for box in app.selectbox if box.label == "Mode"][1].set_value("rail").run()
    assert not app.exception
    assert {value for (_, what), value in scores(app).items() if "(SMAPE)" in what} != {"0"}
    assert b"split, rail" in charts(app)


def test_a_release_of_other_tiles_is_refused_in_words(app, own_shelf):
    write_bundle(made_release(epsilon="2"), own_shelf / "one")
    choose(app, "B", Source.LIBRARY)
    assert "The tiles are not the same" in app.error[0].value


def upload(app, letter: str, content: bytes) -> None:
    choose(app, letter, Source.UPLOAD)
    uploader = next(u for u in app.file_uploader if u.key == f"compare {letter} file")
    uploader.set_value(("one.zip", content, "application/zip")).run()
    assert not app.exception


@pytest.mark.parametrize(
    ("made", "beside", "said", "table"),
    [
        (
            made_synthetic,
            partial(made_synthetic, seed=5),
            "none is that of a real person",
            "Flows between tiles",
        ),
        (
            partial(made_synthetic, stability_choices()),
            partial(made_synthetic, stability_choices(epsilon=Fraction(1, 2))),
            "are listed on both sides",
            "On time and on loc and off loc",
        ),
        (
            partial(made_tree, number=1_000),
            partial(made_tree, number=500),
            "too rare for the tree",
            "Trajectories by places",
        ),
    ],
)
def test_a_release_of_another_kind_is_compared_and_says_what_it_is(
    app, own_shelf, tmp_path, made, beside, said, table
):
    write_bundle(made(), own_shelf / "one")
    choose(app, "A", Source.LIBRARY)
    write_bundle(beside(), tmp_path / "other")
    upload(app, "B", zipped(tmp_path / "other"))
    assert not app.error
    assert words.PUBLIC in texts(app)
    assert said in texts(app)
    assert table in {row for row, _ in scores(app)}
    assert not [box for box in app.segmented_control if box.key == "compare half"]


def test_synthetic_trips_stand_beside_tables_of_their_tiles_alone(app, own_shelf):
    write_bundle(made_synthetic(), own_shelf / "roy")
    write_bundle(made_release(), own_shelf / "tables")
    write_bundle(made_synthetic(stability_choices(), id="large"), own_shelf / "large")
    both_of_the_library(app, made_release().id, made_synthetic().id)
    assert not app.error
    assert "(synthetic)" in images(app)
    assert b"(synthetic)" in charts(app)
    assert "Not compared, only in B" in texts(app)
    both_of_the_library(app, made_release().id, "large")
    assert "no measure in common" in app.error[0].value
    choose(app, "A", Source.TRUTH)
    assert app.error


def test_two_releases_of_two_months_show_each_on_its_dates_and_say_why_they_are_not_compared(app, own_shelf):
    for name, month in (("april", 4), ("june", 6)):
        period = Period(date(2024, month, 1), date(2024, month, 30))
        write_bundle(made_release(epsilon="2", id=name, period=period), own_shelf / name)
    both_of_the_library(app, "april", "june")
    assert not app.error
    assert "Not compared: Trips over time" in texts(app).replace("\\", "")
    next(box for box in app.selectbox if box.key == "compare series").set_value("trips_over_time").run()
    assert len(dated := [chart for chart in app.get("plotly_chart") if "2024-04-02" in str(chart.proto)]) == 1
    assert "2024-06-02" in str(dated[0].proto)
    assert "2024-05-" not in str(dated[0].proto), "nothing is drawn where nothing was counted"
    how_alike(app)
    assert "the two periods have no date in common" in texts(app)
    assert "Trips over time" not in {table for table, _ in scores(app)}
    next(box for box in app.selectbox if box.key == "compare series").set_value("trips_over_time").run()
    assert not app.exception
    assert charts(app)
    assert "within noise" in texts(app) + images(app)


def test_of_two_releases_the_change_comes_first_as_sentence_map_list_and_chart(app, own_shelf):
    weights = {"visits_per_tile": 3, "total_trips": 1, "trips_per_hour": 1}
    lost = made_release(weights=weights, id="lost", epsilon="10", unit="trip")
    visits = lost.measurements["visits_per_tile"]
    more = replace(visits, values=visits.values + np.array([500, 0, 0, 0, 0]))
    gained = made_release(weights=weights, id="gained", epsilon="10", unit="trip")
    drawn = Tables({**gained.measurements, "visits_per_tile": more})
    for release in (lost, replace(gained, drawn=drawn)):
        write_bundle(release, own_shelf / release.id)
    both_of_the_library(app, "lost", "gained")
    assert not app.error
    assert "1 tile rose; for the rest no change can be told." in texts(app).replace("\\", "")
    (table,) = (frame.value for frame in app.dataframe if "range" in frame.value)
    assert table["tile"].tolist() == ["A"]
    assert "rose" in images(app)
    assert b"B less A, visits" in charts(app)
    assert words.CURVES_RELEASED not in texts(app)
    assert to_story(app) == ["before=lost&release=gained"], "the ids of both, and nothing else"
    assert words.ADD_FORWARD not in texts(app)
    app.selectbox(key="compare change measure").set_value("trips_per_hour").run()
    open_code(app)
    assert any("dpcore.change('BUNDLE-A', 'BUNDLE-B', 'trips_per_hour')" in one.value for one in app.code)
    app.selectbox(key="compare B").set_value(Source.TRUTH).run()
    assert to_story(app) == [], "only what was released can be told"


def test_tiles_have_their_names_where_only_one_of_two_releases_has_a_context(app, own_shelf):
    first, last = (
        made_release(weights={"visits_per_tile": 1}, id=name, epsilon="10", unit="trip", tessellation=grid())
        for name in ("first", "last")
    )
    for release in (first, replace(last, context=made_context(last.tessellation))):
        write_bundle(release, own_shelf / release.id)
    both_of_the_library(app, "first", "last")
    assert not app.error
    assert "of Harbour" in texts(app)


def to_story(app) -> list[str]:
    """What the links to the page Story carry."""
    links = [one.proto for one in app.get("page_link")]
    return ["&".join(sorted(one.query_string.split("&"))) for one in links if one.label == "Add this view"]


def test_two_releases_that_must_not_be_compared_say_why(app, own_shelf):
    for unit in ("user", "trip"):
        write_bundle(made_release(unit=unit, id=unit, weights={"visits_per_tile": 1}), own_shelf / unit)
    both_of_the_library(app, "user", "trip")
    assert not app.error
    assert "hides single trips" in texts(app)
    assert to_story(app) == []
    how_alike(app)
    assert scores(app)


def test_a_file_that_is_no_bundle_is_refused_in_words(app):
    choose(app, "B", Source.UPLOAD)
    next(u for u in app.file_uploader if u.label == "Bundle").set_value(
        ("x.zip", b"PK", "application/zip")
    ).run()
    assert not app.exception
    assert app.error


def test_curves_are_made_when_asked_carry_their_mark_and_belong_to_bound_and_choices(app, monkeypatch):
    monkeypatch.setattr(studies, "utility_curves", partial(studies.utility_curves, draws=2))
    assert b"on average" not in charts(app)
    at_every_epsilon(app)
    next(b for b in app.button if b.label == words.CURVES_BUTTON).click().run()
    assert not app.exception
    assert b"on average" in charts(app)
    assert "2 throw-away previews" in texts(app)
    metric = next(box for box in app.selectbox if box.label == "Metric")
    metric.set_value("ssim").run()
    assert "2 throw-away previews" in texts(app)
    assert words.CURVES_BUTTON not in [b.label for b in app.button]
    mine = app.session_state["atlas"]
    mine.data = replace(mine.data, choices=replace(mine.data.choices, windows=(0, 12)))
    app.run()
    assert words.CURVES_BUTTON in [b.label for b in app.button]


@pytest.mark.usefixtures("own_previews")
def test_a_preview_that_was_drawn_anew_is_compared_anew(app):
    """Also where the new one came to lie in memory where the old one was."""
    app.run()
    mine = app.session_state["atlas"]
    for _ in range(2):
        (drawn,) = mine.kept.by_kind["preview"].values()
        (side,) = mine.kept.by_kind["side B"].values()
        visits = drawn.preview.measurements["visits_per_tile"]
        wanted = visits.values[visits.rungs.index(app.session_state["compare B epsilon"])]
        assert np.array_equal(side.tables["visits_per_tile"].values, wanted)
        mine.kept.by_kind["preview"].clear()  # as if many other bounds had been looked at since
        app.run()
    numbers = [key[1] for key in mine.kept.by_kind["side B"]]
    assert numbers == [mine.draws] == [3]
    mine.forget()
    app.run()
    assert mine.draws == 4


def test_own_trips_carry_the_warning_and_comparing_is_looking(own_home, tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    shutil.rmtree(own_home / "ledgers", ignore_errors=True)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    given(app, trips(users=40)).switch_page(PAGE).run()
    assert not app.exception
    assert not app.error
    assert "Owner preview: for the owner only" in texts(app)
    assert b"Owner preview: for the owner only" in charts(app)
    assert "Owner preview" in images(app)
    assert CANARY.encode() not in charts(app)
    assert CANARY not in texts(app) + images(app)
    assert Look.COMPARED in app.session_state["atlas"].draft().looked


def test_no_side_begins_with_a_file_or_with_the_release_of_the_other(own_shelf):
    write_bundle(made_release(id="alone", title="Alone"), own_shelf / "alone")
    app = given(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60), trips(users=40))
    app.session_state["atlas"].agreed = False
    app.switch_page(PAGE).run()
    assert not app.exception
    sides = {box.label: box.value for box in app.selectbox if box.label in {"A is", "B is"}}
    assert sides == {"A is": Source.LIBRARY, "B is": None}
    assert not app.get("file_uploader")
    assert Look.COMPARED not in app.session_state["atlas"].draft().looked
