"""Library and Viewer in every state, from bundles alone: what they show, what travels, what a link may do."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64decode
from calendar import monthrange
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.comparison.change import changes
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.release import shelf, write_bundle, zipped
from dpcore.release.estimates import estimates_of
from dpcore.release.release import Tables
from dpcore.release.table_files import csv_bytes
from dpcore.release.tables import table_of
from dpcore.tiles import Tessellation, halved
from dpcore.views.comparison.changes import growth_words
from dpcore.views.comparison.changes import sentence as sentence_of_changes
from dpcore.views.ground.plain import cell, district_labels, plain
from dpcore.views.maps.address import UNKNOWN_RELEASE, UNKNOWN_RUNG, UNKNOWN_TILE, UNKNOWN_VIEW, VIEWS
from dpcore.views.numbers.findings import FINDINGS
from dpcore.views.numbers.guarantee import can_you_be_found, promise_of, whose_numbers, you_in_this_data
from dpcore.views.report import report_html
from pages.released.parts.guarantee_view import _five_numbers
from pages.released.parts.pictures import pictures
from tests.app.chosen_places import chosen
from tests.app.open_parts import open_box
from tests.app.test_pages import open_code
from tests.cities import four_tiles
from tests.conftest import ROOT
from tests.release.made_releases import WEEK, grid, made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.views.read_map import ESTIMATES, MAP, TILES, ReadEstimates, ReadMap, ReadTiles

LIBRARY, VIEWER = "pages/released/library.py", "pages/released/viewer.py"
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) :smile: $x$"


def named_tiles() -> Tessellation:
    tiles = four_tiles()
    return Tessellation(tiles.tile_ids, ("Old *town*", "=1+1", "<b>Hill</b>", "Quay"), tiles.polygons)


@pytest.fixture(scope="module")
def releases():
    return {
        "four": made_release(id="four", title=HOSTILE, note=HOSTILE, tessellation=named_tiles()),
        "grid": made_release(id="grid", title="Grid", sparse=True, period=None, epsilon="1"),
        "people": made_release(id="people", title="People", weights={"trips_per_user": 1}, period=None),
        "trip": made_release(id="trip", title="One trip hidden", unit="trip", epsilon="10"),
    }


@pytest.fixture(scope="module")
def bundles(tmp_path_factory, releases):
    folder = tmp_path_factory.mktemp("bundles")
    for name, release in releases.items():
        write_bundle(release, folder / name)
    return folder


@pytest.fixture
def shelf_at(monkeypatch):
    def put(folder):
        monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(folder))

    return put


@pytest.fixture(autouse=True)
def with_bundles(shelf_at, bundles):
    shelf_at(bundles)


def opened(page=VIEWER, **query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def test_a_release_of_every_measure_is_shown_in_every_view(shelf_at, tmp_path):
    every = made_release(id="every", title="Every measure", weights=dict.fromkeys(MEASURES, 1))
    write_bundle(every, tmp_path / "every")
    shelf_at(tmp_path)
    for view in VIEWS:
        opened(release="every", view=view)


@pytest.mark.parametrize("others", [{}, {"visits_per_tile": 1}], ids=["alone", "with visits"])
def test_a_release_of_sums_and_means_opens_in_every_view(shelf_at, tmp_path, others):
    choices = KeyChoices(sums={"fare": "0:20:0.5", "duration": "0:60:1"}, by="visits_per_tile")
    weights = others | {"mean_fare": 1, "sum_fare": 1, "mean_duration": 2}
    write_bundle(made_release(id="sums", title="Sums", weights=weights, choices=choices), tmp_path / "sums")
    shelf_at(tmp_path)
    opened(LIBRARY)
    for view in VIEWS:
        opened(release="sums", view=view)


def test_the_map_begins_with_what_is_sure_and_shows_names_as_text(shelf_at, tmp_path):
    made = made_release(
        id="sure", unit="trip", epsilon="10", tessellation=named_tiles(), weights={"visits_per_tile": 1}
    )
    visits = made.measurements["visits_per_tile"]
    busy = replace(visits, values=visits.values + np.array([5_000, 0, 0, 0, 0]))
    write_bundle(replace(made, drawn=Tables({"visits_per_tile": busy})), tmp_path / "sure")
    shelf_at(tmp_path)
    said = texts(opened(release="sure", view="map"))
    assert r"The busiest tile is surely Old \*town\*" in said
    assert FINDINGS in said
    assert FINDINGS not in texts(opened(release="sure", view="map", tile="B")), (
        "a chosen tile has its own numbers"
    )


def texts(app) -> str:
    kinds = ("title", "markdown", "caption", "error", "info", "warning", "metric")
    return "\n".join(
        str(e.value) + str(getattr(e, "label", "")) for kind in kinds for e in getattr(app, kind)
    )


def notes(app) -> list[str]:
    return [info.value for info in app.info]


def query(app) -> dict[str, str]:
    return {
        name: value[0] if isinstance(value, list) else value for name, value in dict(app.query_params).items()
    }


def components(app) -> list[bytes]:
    return [element.proto.SerializeToString() for element in app.get("bidi_component")]


def test_without_bundles_both_pages_say_what_to_do(shelf_at, tmp_path):
    shelf_at(tmp_path / "nothing")
    assert "no release here yet" in texts(opened(LIBRARY))
    assert "no release to look at yet" in texts(opened(VIEWER, release="x", view="map"))


def test_the_library_has_a_card_for_each_release_and_shows_titles_as_text():
    app = opened(LIBRARY)
    seen = texts(app)
    assert seen.count("verified") == 4
    assert "<script>" not in seen.replace("\\<", "")
    for words in ("People", "Grid", "2024-04-01 to 2024-04-07", "Protects one trip"):
        assert words in seen
    links = [link.proto for link in app.get("page_link")]
    assert len(links) == 4


def test_two_cards_after_a_top_up_are_told_apart_newest_first(shelf_at, tmp_path):
    first = made_release(id="city-3", title="City", epsilon="1", created=datetime(2024, 5, 1, tzinfo=UTC))
    finer = made_release(
        id="city-5",
        title="City",
        epsilon="2",
        raised_from="city-3",
        created=datetime(2024, 5, 2, tzinfo=UTC),
    )
    write_bundle(first, tmp_path / "a")
    write_bundle(finer, tmp_path / "b")
    shelf_at(tmp_path)
    app = opened(LIBRARY)
    headings = [one.value for one in app.markdown if one.value.startswith("####")]
    assert headings[:2] == ["#### City, raised to 2", "#### City"]
    assert "2024-05-02, city-5" in texts(app).replace("\\", "")
    assert "2024-05-01, city-3" in texts(app).replace("\\", "")


def test_synthetic_trips_that_a_visitor_brings_are_checked_and_get_a_card_too(shelf_at, tmp_path):
    shelf_at(tmp_path / "none")
    library = opened(LIBRARY)
    write_bundle(made_synthetic(title="Brought along"), tmp_path / "elsewhere" / "roy")
    content = zipped(tmp_path / "elsewhere" / "roy")
    library.file_uploader[0].set_value(("roy.zip", content, "application/zip")).run()
    assert not library.exception
    assert "Brought along" in texts(library)
    library.file_uploader[0].set_value(("cut.zip", content[:-300], "application/zip")).run()
    assert library.error
    assert "Brought along" in texts(library)


def test_synthetic_trips_have_a_card_with_method_price_and_download(shelf_at, tmp_path):
    write_bundle(made_synthetic(title=HOSTILE), tmp_path / "roy")
    write_bundle(made_synthetic(stability_choices(), id="large", title="Taps"), tmp_path / "taps")
    shelf_at(tmp_path)
    app = opened(LIBRARY)
    seen = texts(app)
    assert not app.warning
    assert seen.count("verified") == 2
    assert "<script>" not in seen.replace("\\<", "")
    for words in (
        "**Synthetic trips**",
        "ε = **2** in all",
        "Taps",
        "**Large counts**",
        "ε = **4**, δ = **1e-06**",
        "With attributes: zip, gender.",
        "Noise and promise: Add or remove one trip.",
        "Counted: place on, time on and place on and place off, in bins of 360 minutes.",
        "released 2024-05-01, large",
    ):
        assert words in seen
    assert [link.proto.label for link in app.get("page_link")] == ["Look at it"] * 2
    assert [button.proto.label for button in app.get("download_button")] == ["Download .zip"] * 2
    assert opened(VIEWER).segmented_control(key="view of another kind").options[-1] == "What is promised"


def test_a_broken_bundle_is_listed_with_its_reason(shelf_at, bundles, tmp_path):
    folder = tmp_path / "shelf"
    shutil.copytree(bundles / "people", folder / "people")
    shutil.copytree(bundles / "trip", folder / "<b>bad")
    (folder / "<b>bad" / "README.md").write_text("changed")
    shelf_at(folder)
    app = opened(LIBRARY)
    (warning,) = app.warning
    assert "Not opened" in warning.value
    assert "\\<b\\>bad" in warning.value
    assert "was changed" in warning.value
    assert str(tmp_path) not in warning.value
    assert "no release" not in texts(opened(VIEWER))
    shutil.rmtree(folder / "people")
    assert "The Library says why of each bundle that was refused" in texts(opened(VIEWER)), (
        "one that is refused is there, and no empty shelf"
    )


def test_an_uploaded_bundle_is_checked_first_and_stays_with_its_visitor(shelf_at, bundles, tmp_path):
    shelf_at(tmp_path / "nothing")
    app = opened(LIBRARY)
    app.file_uploader[0].set_value(("mine.zip", b"PK\x03\x04 no bundle", "application/zip")).run()
    assert not app.exception
    assert app.error
    app.file_uploader[0].set_value(("mine.zip", zipped(bundles / "people"), "application/zip")).run()
    assert not app.error
    assert "People" in texts(app)
    app.switch_page(VIEWER).run()
    assert not app.exception
    assert query(app)["release"] == "upload:people"
    assert "no release to look at yet" in texts(opened(VIEWER))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["four", "grid", "people", "trip"])
def test_every_view_of_every_release_stands(name, view):
    app = opened(release=name, view=view)
    assert not app.error
    assert query(app)["view"] == view
    if view == "read":
        assert "You in this data" in texts(app)
    elif view not in {"guarantee", "download"}:
        assert "Protects" in texts(app)
    assert notes(app) == [] or name == "people"
    if name == "people" and view in {"map", "flows", "rankings"}:
        assert any("This release holds" in note for note in notes(app))


def test_a_release_opens_as_a_page_to_read_and_leads_to_its_map():
    app = opened(release="four")
    assert query(app)["view"] == "read"
    said = texts(app)
    assert "busiest tile" in said
    assert "busiest hour" in said or "busy part of the day" in said
    assert "You in this data" in said
    promise = promise_of(shelf.release_of_tables("four"))
    for sentence in can_you_be_found(promise):
        assert plain(sentence) in said
    assert "](glossary?word=epsilon) = 2" in said, "what epsilon is, and where more is said of it"
    assert not app.get("slider")
    open_box(app, "how sure", "How sure is this")
    for sentence in you_in_this_data(promise, estimated=True):
        assert plain(sentence) in texts(app)
    assert plain(whose_numbers(shelf.release_of_tables("four"))) in texts(app)
    next(one for one in app.button if one.label == "Explore the map").click().run()
    assert query(app) == {"release": "four", "view": "map", "rung": "2"}


def month_of(first: date, **changes):
    """A release of a month of the same four tiles, by trips, in which noise hides little."""
    last = first.replace(day=monthrange(first.year, first.month)[1])
    made = {"unit": "trip", "epsilon": "10", "weights": {"visits_per_tile": 1, "trips_per_hour": 1}}
    made |= {"created": datetime(first.year, first.month, 28, tzinfo=UTC), "period": Period(first, last)}
    return made_release(id=f"month-{first:%m}", title=f"Trips of {first:%B}", **{**made, **changes})


@pytest.fixture
def months(shelf_at, tmp_path):
    """The shelf with two months of the same tiles; more of them are written by name."""

    def written(**others):
        found = {"april": month_of(date(2024, 4, 1)), "may": more_trips(month_of(date(2024, 5, 1))), **others}
        for name, release in found.items():
            write_bundle(release, tmp_path / name)
        shelf_at(tmp_path)
        return found["april"], found["may"]

    return written


def more_trips(release):
    """The same release with three times as many of everything."""
    held = {
        name: replace(one, values=3 * np.maximum(one.values, 0)) for name, one in release.measurements.items()
    }
    return replace(release, drawn=replace(release.drawn, measurements=held, stated=None))


def since_buttons(app):
    return [one.label for one in app.button if one.key == "since"]


def test_a_second_month_says_whether_it_is_growth_and_shows_what_changed(months):
    april, may = months()
    app = opened(release=may.id)
    told = growth_words(changes(april, may), april, may)
    assert re.fullmatch(
        r"Trips a day: [\d.]+ % more than in April 2024 \(.*\), more than noise explains, whatever the reason\.",
        told,
    )
    assert plain(told) in texts(app)
    assert since_buttons(app) == ["What changed since April 2024"]
    next(one for one in app.button if one.key == "since").click().run()
    assert not app.exception
    assert plain(sentence_of_changes(changes(april, may))) in texts(app)
    on_map = opened(release=may.id, view="map")
    assert since_buttons(on_map) == ["What changed since April 2024"]
    assert since_buttons(opened(release=april.id)) == [], "nothing came before"


def test_only_an_earlier_release_of_the_same_tiles_and_people_is_compared(months):
    june = month_of(date(2024, 6, 1), population="others")
    july = month_of(date(2024, 7, 1), unit="user")
    august = month_of(date(2024, 8, 1), tessellation=grid())
    months(june=june, july=july, august=august)
    for release in (june, july, august):
        app = opened(release=release.id)
        assert since_buttons(app) == [], release.id
        assert "chance explains" not in texts(app)


def words_before_the_map(app) -> int:
    """How many words stand above the button, those of the keys of maps among them; not the numbers of an axis."""
    texts_above, keys = [], 0
    for one in in_order(app.main):
        if one.type == "button" and one.label == "Explore the map":
            return len(re.findall(r"\S*\w\S*", " ".join(texts_above))) + keys
        if one.type in {"markdown", "caption"}:
            texts_above.append(str(one.value))
        for drawn in one.proto.imgs if one.type == "imgs" else ():
            svg = b64decode(drawn.url.partition(",")[2]).decode()
            keys += sum(len(text.split()) for text in re.findall("<text[^>]*>([^<]*)", svg))
    raise AssertionError("there is no button")


def in_order(block):
    """The elements of a page from above to below."""
    for one in block.children.values():
        if hasattr(one, "children"):
            yield from in_order(one)
        else:
            yield one


def test_at_most_120_words_stand_before_the_map_is_explored(months):
    _, may = months()
    assert words_before_the_map(opened(release=may.id)) <= 120


def test_the_link_follows_the_controls():
    app = opened(release="four", view="map")
    assert query(app) == {"release": "four", "view": "map", "rung": "2"}
    views = next(c for c in app.button_group if c.label == "View")
    views.set_value("rhythm").run()
    assert query(app)["view"] == "rhythm"
    next(c for c in app.button_group if c.label == "View").set_value("map").run()
    chosen(app.multiselect, "places").set_value([1]).run()
    assert query(app)["tile"] == "B"
    assert "Rank" in texts(app)
    app.selectbox(key="release chosen").set_value("grid").run()
    assert not app.exception
    assert query(app) == {"release": "grid", "view": "map", "rung": "1"}
    app.switch_page(LIBRARY).run()
    app.switch_page(VIEWER).run()
    assert query(app) == {"release": "grid", "view": "map", "rung": "1"}, "the page comes back as it was left"


def test_a_link_restores_release_view_tile_rung_and_presentation():
    app = opened(release="four", view="map", tile="A", rung="0.5", present="1")
    assert notes(app) == []
    assert query(app) == {"release": "four", "view": "map", "tile": "A", "rung": "0.5", "present": "1"}
    assert "ε = 0.5" in texts(app)
    assert not app.button_group
    assert [button.label for button in app.button] == ["Exit presentation"]
    app.button[0].click().run()
    assert "present" not in query(app)
    assert [group for group in app.button_group if group.key != "format of pictures"]


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ({"release": "../../private"}, UNKNOWN_RELEASE),
        ({"release": HOSTILE}, UNKNOWN_RELEASE),
        ({"view": "owner"}, UNKNOWN_VIEW),
        ({"tile": "<script>alert(1)</script>"}, UNKNOWN_TILE),
        ({"tile": "x" * 100_000}, UNKNOWN_TILE),
        ({"rung": "5"}, UNKNOWN_RUNG),
        ({"rung": "NaN"}, UNKNOWN_RUNG),
        ({"present": "<b>"}, None),
    ],
    ids=["path", "markup", "view", "tile", "long", "rung", "nan", "present"],
)
def test_a_hostile_link_falls_back_with_a_note(link, note):
    app = opened(**{"release": "four", **link})
    assert notes(app) == ([note] if note else [])
    assert "alert(1)\\" not in texts(app).replace(HOSTILE, "")
    view = "read" if link.keys() == {"release"} else "map"
    assert query(app) == {"release": "four", "view": view, "rung": "2"}
    if "release" not in link:
        assert not any("<script>" in element.value.replace("\\<", "") for element in app.markdown)


def test_all_faults_of_a_link_stand_in_one_box():
    app = opened(release=HOSTILE, view="owner", tile="x", rung="5")
    (said,) = notes(app)
    assert [line.removeprefix("- ") for line in said.splitlines()] == [
        UNKNOWN_RELEASE,
        UNKNOWN_VIEW,
        UNKNOWN_RUNG,
        UNKNOWN_TILE,
    ]


@pytest.mark.parametrize("name", ["four", "grid"])
def test_a_map_carries_the_released_rungs_and_nothing_else(name, releases):
    release = releases[name]
    sent = components(opened(release=name, view="map"))
    read = ReadMap(next(data for data in sent if MAP in data))
    visits, header = release.measurements["visits_per_tile"], read.head
    assert (read.values == visits.values[:, :-1]).all()
    tiles = ReadTiles(next(data for data in sent if TILES in data))
    assert (tiles.digest, tiles.head["ids"]) == (header["digest"], list(release.tessellation.tile_ids))
    assert header["tiles"]["truth"] is False
    assert header["options"]["modes"] == ["noisy"]
    grouped = {"districts"} if name == "grid" else set()  # four tiles are too few
    assert set(header) == {"version", "rungs", "digest", "texts", "options", "tiles"} | grouped
    assert header["rungs"][-1] == ("2" if name == "four" else "1")


def test_the_slider_carries_what_was_revealed_and_names_what_was_not():
    message = b"".join(components(opened(release="grid", view="map")))
    assert b"1.5" in message
    start = message.index(b'"rungs"')
    told = json.loads(b"{" + message[start : message.index(b"]", start) + 1] + b"}")
    assert told["rungs"][-1] == "1"


def test_moving_controls_leaves_the_packed_map_as_it_was():
    app = opened(release="four", view="map")
    before = [data for data in components(app) if MAP in data]
    chosen(app.multiselect, "places").set_value([2]).run()
    after = [data for data in components(app) if MAP in data]
    assert before == after


NEW = {"visits_per_tile": 4, "od_districts": 2, "trips_over_time": 1, "trips_per_hour": 1, "total_trips": 1}


@pytest.fixture(scope="module")
def new_made(tmp_path_factory):
    """A release as the default plan makes it for users: a total, districts, and no flows between tiles."""
    choices = KeyChoices(WEEK, districts=halved(four_tiles(), 2), most_trips=12)
    made = made_release(id="new", title="New", weights=NEW, choices=choices, epsilon="10")
    folder = tmp_path_factory.mktemp("new")
    write_bundle(made, folder / "new")
    return made, folder


@pytest.fixture
def new_release(shelf_at, new_made):
    made, folder = new_made
    shelf_at(folder)
    return made


@pytest.mark.usefixtures("new_release")
def test_estimates_are_shown_first_and_one_switch_shows_the_released_counts():
    app = opened(release="new", view="map", tile="B")
    assert app.segmented_control(key="numbers chosen").value == "estimate"
    assert "numbers" not in query(app)
    seen = texts(app)
    assert re.search(r"About [\d,]+ visits of all trips \\\(likely range", seen)
    assert "visits of the trips that count" in seen, "the released count stands beside it"
    assert "of the trips count" in seen
    assert "people who travel a lot go where others go, and when others go" in seen
    app.segmented_control(key="numbers chosen").set_value("released").run()
    assert query(app)["numbers"] == "released"
    assert "people who travel a lot go where others go" not in texts(app), "estimates alone assume this"
    assert "These are the trips that count" in texts(app)
    again = opened(**query(app))
    assert again.segmented_control(key="numbers chosen").value == "released", "a link restores it"
    (message,) = [data for data in components(again) if ESTIMATES in data]
    assert ReadEstimates(message).head["shown"] == "released"


def test_the_estimates_of_one_stop_are_sent_and_no_others(new_release):
    app = opened(release="new", view="map", rung="0.5")
    (message,) = [data for data in components(app) if ESTIMATES in data]
    read, found = ReadEstimates(message), estimates_of(new_release, 3).tables["visits_per_tile"]
    assert read.head["epsilon"] == "0.5"
    assert np.abs(read.tiles[0] - found.all_trips.values[:4]).max() <= 0.5


@pytest.mark.usefixtures("new_release")
def test_tiles_are_merged_as_a_link_says():
    app = opened(release="new", view="map", merge="50")
    (message,) = [data for data in components(app) if ESTIMATES in data]
    assert ReadEstimates(message).head["merged"] == 50
    app.segmented_control(key="merge chosen").set_value(0).run()
    assert "merge" not in query(app)
    released = opened(release="new", view="map", merge="50", numbers="released")
    (message,) = [data for data in components(released) if ESTIMATES in data]
    assert "regions" not in ReadEstimates(message).head


@pytest.mark.usefixtures("new_release")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("numbers", ["estimate", "released"])
def test_a_release_of_the_new_plan_is_shown_in_every_view(view, numbers):
    app = opened(release="new", view=view, **({"numbers": numbers} if numbers == "released" else {}))
    if view not in {"guarantee", "download"}:
        assert "of the trips count" in texts(app), "the share stands on every view of counts"


@pytest.mark.usefixtures("new_release")
@pytest.mark.parametrize("numbers", ["estimate", "released"])
def test_lists_choose_an_area_then_a_pair_then_districts_and_the_link_keeps_them(numbers):
    shown = {"numbers": numbers} if numbers == "released" else {}
    app = opened(release="new", view="map", **shown)
    chosen(app.multiselect, "places").set_value([0, 2]).run()
    assert not app.exception
    assert query(app)["tiles"] == "A,C"
    assert "Area of 2 tiles" in texts(app)
    assert "Sum of 2 released counts" in texts(app)
    assert "counts twice" in texts(app)
    chosen(app.selectbox, "other").set_value(1).run()
    assert query(app)["with"] == "B"
    again = opened(**query(app))
    assert chosen(again.multiselect, "places").value == [0, 2], "a link restores it"
    assert chosen(again.selectbox, "other").value == 1
    chosen(app.segmented_control, "level").set_value("Districts").run()
    assert not app.exception
    assert query(app)["district"] == "1", "the district of the first tile"
    assert "Rank" in texts(app)
    listed = [[*element.value.columns][1:] for element in app.dataframe if "trips" in element.value]
    assert listed == [["trips", "range"]] * len(listed)
    if len(listed) < 2:  # noise decides whether a direction has a flow that can be read
        assert "cannot be told from none" in texts(app)
    assert "Within" in texts(app)
    chosen(app.multiselect, "places").set_value([]).run()
    assert not {"tile", "tiles", "district", "districts", "with"} & {*query(app)}


def lists_of_flows(app):
    """The list of flows between two places, and that of trips within one."""
    tables = [element.value for element in app.dataframe]
    return [next((one for one in tables if name in one), None) for name in ("from", "where")]


def test_flows_that_were_not_released_are_estimated(new_release):
    """The list beside the map is of the level that the map draws."""
    level = f"level of the flows of {pictures(new_release).link}"
    app = opened(release="new", view="flows")
    assert "wider likely ranges" in texts(app)
    labels = district_labels(new_release.tessellation, new_release.plan.choices.districts)
    districts = {cell(name) for name in labels.values()}
    for between_districts in (True, False):
        app.session_state[level] = between_districts
        app.run()
        between, apart = lists_of_flows(app)
        assert (between is not None) == between_districts, "of these tiles no flow is listed"
        if between is not None:
            assert (between["from"] != between["to"]).all()
            assert {*between["from"]} <= districts
        assert [*apart.columns][:3] == ["where", "estimated trips", "likely range"]
        assert any(name.startswith("within ") for name in apart["where"])
        assert f"Trips within a {'district' if between_districts else 'tile'}" in texts(app)
    released = opened(release="new", view="flows", numbers="released")
    assert any("were not released" in note for note in notes(released))
    assert {*lists_of_flows(released)[0]["from"]} <= districts


@pytest.mark.usefixtures("new_release")
def test_weekdays_of_the_new_plan_are_derived_from_its_dates():
    for numbers in ({}, {"numbers": "released"}):
        assert "Derived from the dates" in texts(opened(release="new", view="rhythm", **numbers))


def test_tables_show_the_released_values(releases):
    app = opened(release="four", view="map")
    app.toggle(key="visits as table").set_value(True).run()
    table = app.dataframe[0].value
    wanted = releases["four"].measurements["visits_per_tile"].values[-1].tolist()
    assert sorted(table["released count"]) == sorted(wanted)
    assert (table["estimate, the trips that count"] >= 0).all()
    assert "'=1+1" in set(table["name"])


def test_charts_have_no_truth():
    app = opened(release="four", view="rhythm")
    assert app.get("plotly_chart")
    for chart in app.get("plotly_chart"):
        assert '"true"' not in chart.proto.spec
        assert "difference" not in chart.proto.spec


def test_downloads_are_the_bundle_its_tables_and_the_page(releases, bundles):
    app = opened(release="four", view="download")
    open_code(app)
    labels = [button.proto.label for button in app.get("download_button")]
    assert {"PNG", "SVG"} <= {*labels}, "pictures of a view"
    labels = [label for label in labels if label not in {"PNG", "SVG"}]
    assert labels[:2] == ["Report without charts (HTML)", "Bundle (.zip)"]
    tables = [label for label in labels[2:] if label != "Notebook (.ipynb)"]
    assert len(tables) == len(releases["four"].measurements)
    assert len(labels) == 2 + len(tables) + 1, "and the notebook that reads the bundle"
    table = csv_bytes(table_of(releases["four"].measurements["visits_per_tile"], named_tiles()))
    assert table.startswith(b"tile_id,value,half_width_95")
    assert "Five-number summaries" not in labels, "this release bought none"
    assert "&lt;script&gt;" in report_html(releases["four"], 0, static=True)
    assert zipped(bundles / "four")[:2] == b"PK"


def test_bought_summaries_are_among_the_downloads(tmp_path, shelf_at):
    release = made_release(id="bought", title="Bought", weights={"travel_time": 1}, five_numbers=1)
    write_bundle(release, tmp_path / "bought")
    shelf_at(tmp_path)
    app = opened(release="bought", view="download")
    open_code(app)
    labels = [button.proto.label for button in app.get("download_button")]
    *_, last, notebook = labels
    assert (last, notebook) == ("Five-number summaries", "Notebook (.ipynb)")
    assert next((tmp_path / "bought").rglob("five_numbers.csv")).read_bytes() == _five_numbers(release)


def test_the_guarantee_tells_what_was_charged_and_how_to_check(releases):
    app = opened(release="trip", view="guarantee")
    codes = [code.value for code in app.code]
    assert "python -m dpcore verify FOLDER" in codes
    assert any(len(code) == 64 for code in codes)
    assert "not protected" in texts(app)
    assert releases["trip"].command in codes


def test_a_release_that_shares_its_title_with_another_stays_the_one_that_was_opened(shelf_at, tmp_path):
    for name in ("one", "two"):
        write_bundle(made_release(id=f"twin-{name}", title="Twins"), tmp_path / name)
    shelf_at(tmp_path)
    app = opened(release="twin-one", view="map")
    choice = next(box for box in app.selectbox if box.label == "Release")
    assert len(set(choice.options)) == 2
    for view in ("flows", "rhythm", "map"):
        next(c for c in app.button_group if c.label == "View").set_value(view).run()
        assert query(app)["release"] == "twin-one"
        assert not app.exception
