"""Places chosen on a map: their links, the sums of areas with ranges of their own, their flows, and what a click does."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dpcore.estimates import Estimates, Share
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.release.draws import draws_at
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Tessellation, halved
from dpcore.views.ground.selection import MOST_PLACES, NOTHING, Selection, districts_shown, selection_sent
from dpcore.views.ground.shown import counted_of, ranged
from dpcore.views.maps.address import UNKNOWN_DISTRICT, UNKNOWN_TILE, Address, address
from dpcore.views.maps.flow_levels import (
    district_estimates,
    estimated_lines,
    flows_between_districts,
    totals_at,
)
from dpcore.views.maps.tile_map import MapDistricts, MapGeometry, counted_flows, flows_map, released_totals
from dpcore.views.numbers.area import VISITS, Numbers, grouped, numbers_of, sums_of
from dpcore.views.numbers.area_facts import area_facts, area_windows
from dpcore.views.numbers.selected_flows import flow_rows, flow_words, place_names, selected_flows, sent_flows
from tests.cities import four_tiles
from tests.node import NODE
from tests.release.made_releases import WEEK, grid, made_release
from tests.scripts import as_one

TABLES = {"visits_per_tile": 4, "visits_per_time_tile": 2, "od_districts": 2, "total_trips": 1}


@pytest.fixture(scope="module")
def release():
    """Four tiles with flows between all of them."""
    return made_release(id="four")


@pytest.fixture(scope="module")
def grouped_release():
    """A grid of 576 tiles in six districts, with flows between districts alone."""
    tiles = grid()
    choices = KeyChoices(WEEK, districts=halved(tiles, 6), most_trips=12)
    return made_release(id="grid", tessellation=tiles, weights=TABLES, choices=choices)


def numbers(release, *, released: bool, rung: int = -1) -> Numbers:
    return Numbers(release.plan, release.measurements, estimates_of(release, rung), released)


CHOICES = (
    Selection((1,)),
    Selection((2, 0, 3)),
    Selection((0, 1), 3),
    Selection((1,), districts=True),
    Selection((1, 0), districts=True),
    Selection((1,), 0, districts=True),
)


@pytest.mark.parametrize("chosen", CHOICES)
def test_a_link_keeps_what_is_chosen(chosen):
    tiles = four_tiles()
    names = ("a", "a, b", "b (2)", "c")
    awkward = Tessellation(names, names, tiles.polygons)
    found = made_release(
        tessellation=awkward,
        weights={"visits_per_tile": 1, "od_districts": 1},
        period=None,
        choices=KeyChoices(districts=Districts(("x, y", "z"), (0, 0, 1, 1))),
    )
    there = Address("map", 3, chosen)
    assert address(there.link(found, "four"), found) == (there, ())


@pytest.mark.parametrize(
    ("query", "kept", "note"),
    [
        ({"tiles": "A,nowhere,C"}, Selection((0, 2)), UNKNOWN_TILE),
        ({"tiles": "A," * 10_000}, Selection((0,)), UNKNOWN_TILE),
        ({"tile": "A", "with": "A"}, Selection((0,)), None),
        ({"tile": "A", "with": "<b>"}, Selection((0,)), UNKNOWN_TILE),
        ({"district": "1"}, NOTHING, UNKNOWN_DISTRICT),
        ({"with": "B"}, NOTHING, UNKNOWN_TILE),
    ],
)
def test_a_link_that_names_unknown_places_keeps_the_known_ones_with_a_note(release, query, kept, note):
    found, notes = address(query, release)
    assert found.chosen == kept
    assert notes == ((note,) if note else ())


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "places",
        {"places": [0, 0], "other": None, "districts": False},
        {"places": [4], "other": None, "districts": False},
        {"places": [0.5], "other": None, "districts": False},
        {"places": [-1], "other": None, "districts": False},
        {"places": ["0"], "other": None, "districts": False},
        {"places": [0], "other": 0, "districts": False},
        {"places": [0], "other": None, "districts": "yes"},
        {"places": [2], "other": None, "districts": True},
        {"places": [*range(MOST_PLACES + 1)], "other": None, "districts": False},
    ],
)
def test_a_browser_that_sends_no_selection_is_not_believed(sent):
    assert selection_sent(sent, 4, 2) is None


def test_a_browser_is_believed_where_it_sends_a_selection():
    assert selection_sent(Selection((1, 0), 3).sent(), 4, 0) == Selection((1, 0), 3)
    assert selection_sent({"places": [1.0], "other": None, "districts": True}, 4, 2) == Selection(
        (1,), districts=True
    )


def test_a_sum_of_released_counts_has_the_exact_range_of_its_own_noise(grouped_release):
    drawn = grouped_release.measurements[VISITS]
    shown = numbers(grouped_release, released=True)
    tiles = np.array([3, 40, 41, 77])
    group = np.full(drawn.keys.size, -1)
    group[tiles] = 0
    value, low, high = sums_of(shown, VISITS, grouped(group, 1)).at(0)
    assert value == drawn.values[-1][tiles].sum()
    wide = half_width_of_sum(drawn.rho(len(drawn.rungs) - 1), 4)
    assert (low, high) == (value - wide, value + wide)
    assert wide < 4 * drawn.half_widths[-1], "the ends are not added"


def test_the_estimate_of_an_area_is_the_released_sum_scaled_and_that_of_one_tile_its_own(grouped_release):
    shown = numbers(grouped_release, released=False)
    table = shown.estimates.tables[VISITS]
    group = np.full(table.keys.size, -1)
    group[5] = 0
    assert sums_of(shown, VISITS, grouped(group, 1)).at(0) == table.all_trips.cell(5)
    group[6] = 0
    value, low, high = sums_of(shown, VISITS, grouped(group, 1)).at(0)
    drawn = grouped_release.measurements[VISITS].values[-1][[5, 6]].sum()
    assert value == pytest.approx(max(drawn, 0) / shown.estimates.share.value)
    assert 0 <= low <= value <= high
    area = area_facts(Selection((5, 6)), shown, None)
    assert "Sum of 2 released counts" in area.drawn
    assert "counts twice" in area.counted


@pytest.mark.parametrize("tiles", [2, 7, 60])
def test_ninety_five_of_a_hundred_ranges_of_areas_hold_the_truth(grouped_release, tiles):
    random = np.random.default_rng(tiles)
    drawn = grouped_release.measurements[VISITS]
    cells = drawn.keys.size
    truth, rho = np.full(cells, 40), float(drawn.rho(0))
    group = np.where(np.arange(cells) < tiles, 0, -1)
    held = 0
    nothing = Estimates(0, None, "", {})
    for _ in range(600):
        noise = random.geometric(1 - np.exp(-rho), cells) - random.geometric(1 - np.exp(-rho), cells)
        one = replace(drawn, values=np.broadcast_to(truth + noise, drawn.values.shape))
        _, low, high = sums_of(Numbers(None, {VISITS: one}, nothing, True), VISITS, grouped(group, 1)).at(0)
        held += low <= truth[:tiles].sum() <= high
    assert 0.93 <= held / 600 <= 0.985


@pytest.mark.parametrize("rung", [0, -1])
def test_a_sum_of_estimates_of_a_release_is_that_of_its_draws_and_what_has_none_keeps_the_formula(
    grouped_release, rung
):
    release, found = grouped_release, estimates_of(grouped_release, rung)
    made, tiles = draws_at(release, found).tables, np.array([3, 4, 27, 28])
    group = np.full(len(release.tessellation.tile_ids) + 1, -1)
    group[tiles] = 0
    shown = numbers_of(release, found, released=False)
    value, low, high = sums_of(shown, VISITS, grouped(group, 1)).at(0)
    assert value == pytest.approx(ranged(found.tables[VISITS]).values[tiles].sum())
    ends = np.quantile(made[VISITS][tiles].sum(axis=0), [0.025, 0.975])
    assert (low, high) == pytest.approx((min(ends[0], value), max(ends[1], value)))
    out, _ = selected_flows(Selection((0, 2), districts=True), shown, release.plan.choices.districts)
    size = release.measurements["od_districts"].keys.shape[0]
    flows = made["od_districts"].reshape(size, size, -1)[[0, 2]]
    sums = flows.sum(axis=(0, 1)) - flows[:, [0, 2]].sum(axis=(0, 1))
    value, low, high = out.total.at(0)
    assert (low, high) == pytest.approx(
        (min(np.quantile(sums, 0.025), value), max(np.quantile(sums, 0.975), value))
    )
    arrivals = np.arange(release.measurements["visits_per_time_tile"].keys.size) % 2
    by_formula = numbers(release, released=False, rung=rung)
    for one in (shown, by_formula):
        assert np.isfinite(sums_of(one, "visits_per_time_tile", grouped(arrivals, 2)).at(0)).all()


@pytest.mark.parametrize("released", [True, False])
def test_flows_of_an_area_are_sums_of_flows_with_all_other_places(release, released):
    shown = numbers(release, released=released)
    table = release.measurements["od_flows"].values[-1].reshape(5, 5)
    out, into = selected_flows(Selection((0, 2)), shown, None)
    share = 1 if released or shown.estimates.share is None else shown.estimates.share.value
    for place in (1, 3, 4):
        value, low, high = out.to.at(place)
        sums = table[[0, 2], place].sum()
        assert value == pytest.approx((sums if released else max(sums, 0)) / share)
        assert low <= high
    coming, within = table[1, [0, 2]].sum(), table[np.ix_([0, 2], [0, 2])].sum()
    least = coming if released else max(coming, 0)
    assert into.to.at(1)[0] == pytest.approx(least / share)
    assert out.total.at(1)[0] == pytest.approx(within / share)
    assert out.to.shown.values[[0, 2]].tolist() == [0, 0], "an area has no flow to itself"
    names = place_names(Selection((0, 2)), release.tessellation, None)
    rows = flow_rows(out, names, shown)
    assert [*rows.columns] == ["to", "trips", "range"]
    assert len(out.strongest) + out.unread == 3
    sent = sent_flows(Selection((0, 2), 1), (out, into), shown)
    assert json.dumps(sent, allow_nan=False)
    assert 4 not in sent["flows"][0]["places"], "outside is no place on the map"


def test_flows_of_districts_are_those_released_and_flows_of_tiles_have_no_made_up_range(grouped_release):
    districts = districts_shown(grouped_release.plan, grouped_release.tessellation)
    drawn = grouped_release.measurements["od_districts"]
    for released in (True, False):
        shown = numbers(grouped_release, released=released)
        out, _ = selected_flows(Selection((2,), districts=True), shown, districts)
        value, low, high = out.to.at(3)
        assert low <= value <= high
        if released:
            assert value == drawn.values[-1].reshape(7, 7)[2, 3]
            assert selected_flows(Selection((2,)), shown, districts) is None, (
                "no flows between tiles were released"
            )
        else:
            tiles, _ = selected_flows(Selection((2,)), shown, districts)
            assert np.isnan(tiles.total.at(0)[1])
            assert "no range is known" in flow_words(tiles.total.at(0), shown)


def test_a_list_of_the_largest_flows_gives_single_flows_a_range_and_sums_none():
    release = made_release(sparse=True, epsilon="1")
    shown = numbers(release, released=True)
    one = selected_flows(Selection((1,)), shown, None)[0]
    assert not np.isnan(one.to.shown.low[one.strongest]).any()
    both = selected_flows(Selection((1, 2)), shown, None)[0]
    assert np.isnan(both.to.shown.low).all()


def test_the_map_of_districts_has_their_flows_and_totals_without_what_stays_within(grouped_release):
    districts = districts_shown(grouped_release.plan, grouped_release.tessellation)
    drawn = grouped_release.measurements["od_districts"]
    table = drawn.values[-1].reshape(7, 7)
    found = MapDistricts(districts, counted_flows(drawn))
    assert len(found.flows.origins) == 30
    assert found.flows.totals.values[-1][2] == table[2].sum() - table[2, 2]
    assert found.flows.totals.values[-1][6 + 2] == table[:, 2].sum() - table[2, 2]
    assert found.flows.totals.half_widths[-1] == half_width_of_sum(drawn.rho(len(drawn.rungs) - 1), 6)
    shown = numbers(grouped_release, released=False)
    map_districts = MapDistricts(districts, estimated_lines(shown, districts))
    estimates = district_estimates(shown, map_districts)
    assert len(estimates.flows.values) == 30
    assert len(estimates.totals.values) == 12
    assert (estimates.totals.low < estimates.totals.high).all()
    assert map_districts.flows.largest_total == np.ceil(estimates.totals.values.max())
    apart = Numbers(shown.plan, {VISITS: shown.measurements[VISITS]}, shown.estimates, False)
    assert np.isnan(
        district_estimates(apart, MapDistricts(districts, estimated_lines(apart, districts))).flows.low
    ).all()


def test_a_list_of_flows_between_districts_has_the_numbers_of_the_map(release, grouped_release):
    districts = grouped_release.plan.choices.districts
    own = flows_between_districts(numbers(grouped_release, released=False), districts)
    assert own.keys == grouped_release.measurements["od_districts"].keys
    halves, shown = halved(release.tessellation, 2), numbers(release, released=False)
    summed = flows_between_districts(shown, halves)
    ends = summed.keys.labels(summed.cells)
    assert [*zip(ends["origin"], ends["destination"], strict=True)] == [halves.names, halves.names[::-1]]
    lines = district_estimates(shown, MapDistricts(halves, estimated_lines(shown, halves))).flows
    for column, on_map in zip(summed.numbers.columns, lines.columns, strict=True):
        assert column == pytest.approx(on_map, nan_ok=True)


def test_tiles_have_totals_too_and_a_list_of_the_largest_flows_none_that_are_released(release, tmp_path):
    drawn, shown = release.measurements["od_flows"], numbers(release, released=False)
    table = drawn.values.reshape(len(drawn.rungs), 5, 5)
    found = released_totals(drawn)
    assert found.values[-1].tolist() == [
        *(table[-1].sum(axis=1) - np.diagonal(table[-1]))[:4],
        *(table[-1].sum(axis=0) - np.diagonal(table[-1]))[:4],
    ]
    assert released_totals(made_release(sparse=True, epsilon="1").measurements["od_flows"]) is None
    assert all(least > wide for least, wide in zip(found.grey_below, found.half_widths, strict=True))
    estimated = totals_at(shown, None)
    assert len(estimated.values) == 8
    assert (estimated.low < estimated.high).all()
    message = flows_map(
        MapGeometry.of(release.tessellation), counted_flows(drawn), release.plan, start_rung=0
    )
    (tmp_path / "map").write_bytes(bytes(4) + message)
    seen = in_node(
        tmp_path,
        f"""(() => {{
          const read = unpack(require("fs").readFileSync("{tmp_path / "map"}"));
          const s = {{ message: {{ ...read, geometry: {{ names: [], ids: ["a", "b", "c", "d"], labels: [0, 0, 0, 0, 0, 0, 0, 0] }} }}, rung: read.k - 1, mode: "noisy" }};
          return [bothTotals(totalsOf(s), 2), totalWords(s, null, 2), circlesOf(s).halves.length];
        }})()""",
        "ladder_message",
        "ladder_words",
        "ladder_estimates",
        "ladder_flows",
    )
    wide = found.half_widths[-1]
    assert [value for value, *_ in seen[0]] == [found.values[-1][2], found.values[-1][6]]
    assert all((value - low, high - value) == (wide, wide) for value, low, high in seen[0])
    assert seen[1][0] == "c"
    assert seen[1][1].startswith("out of it: ")
    assert "range of the noise" in seen[1][2]
    assert seen[2] == 4


def test_an_area_has_a_rhythm_and_a_district_a_rank(grouped_release):
    districts = districts_shown(grouped_release.plan, grouped_release.tessellation)
    arrivals = grouped_release.measurements["visits_per_time_tile"]
    chosen = Selection((4,), districts=True)
    for released in (True, False):
        shown = numbers(grouped_release, released=released)
        facts = area_facts(chosen, shown, districts)
        assert facts.rank.startswith("Rank ")
        by = "released counts of visits" if released else "the estimate of visits of "
        assert f"of 6 districts by {by}" in facts.rank
        charts = area_windows(chosen, shown, districts)
        assert len(charts) == 2
        if released:
            inside = np.append(np.array(districts.of_tiles) == 4, False)
            sums = arrivals.values[-1].reshape(-1, inside.size)[:, inside].sum(axis=1)
            assert charts[0].table["noisy"].tolist() == sums[: len(charts[0].table)].tolist()


def in_node(tmp_path, expression: str, *names: str) -> object:
    """What scripts of the map say, those of choices if none is named."""
    names = names or ("ladder_select",)
    script = f"globalThis.window = {{ dispatchEvent() {{}} }};\n{as_one(*names)}"
    (tmp_path / "script.cjs").write_text(f"{script}\nprocess.stdout.write(JSON.stringify({expression}));")
    done = subprocess.run([NODE, tmp_path / "script.cjs"], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


CLICKS = [
    (NOTHING, 1, False, Selection((1,))),
    (Selection((1,)), 1, False, NOTHING),
    (Selection((1,)), 2, False, Selection((1,), 2)),
    (Selection((1,), 2), 3, False, Selection((1,), 3)),
    (Selection((1,), 2), 2, False, Selection((1,))),
    (Selection((1,), 2), 1, False, Selection((1,))),
    (Selection((1,), 2), None, False, NOTHING),
    (Selection((1,)), 2, True, Selection((1, 2))),
    (Selection((1, 2)), 1, True, Selection((2,))),
    (Selection((1,), 2), 2, True, Selection((1, 2))),
    (Selection((1, 2), 3), None, True, Selection((1, 2), 3)),
    (Selection((1, 2)), 3, False, Selection((1, 2), 3)),
    (Selection((1,), districts=True), 3, False, Selection((3,))),
]


def test_clicks_choose_a_place_then_a_pair_and_with_shift_an_area(tmp_path):
    clicks = [[before.sent(), place, False, add] for before, place, add, _ in CLICKS]
    seen = in_node(tmp_path, f"{json.dumps(clicks)}.map((click) => afterClick(...click))")
    assert seen == [after.sent() for *_, after in CLICKS]


def test_circles_have_one_scale_at_all_stops_and_none_where_noise_hides_the_total(tmp_path):
    """Two districts at two stops: 40 does not stand out at the first one, and 100 is as large at both."""
    seen = in_node(
        tmp_path,
        """(() => {
          const totals = { count: 4, values: Int32Array.of(100, 40, 400, -60, 100, 25, 400, 7), half_widths: [30, 5], grey_below: [41, 8] };
          const districts = { names: ["a", "b"], of_tiles: [0, 1], flows: { totals } };
          const message = { k: 2, geometry: { labels: [0, 0, 1, 1], n: 2 }, districts, options: { modes: ["noisy"] } };
          const at = (rung) => circlesOf({ message, rung });
          const estimated = { estimated: true, largest_total: 400 };
          return [at(0), at(1), circleWords(at(0)), largestTotal({ k: 1 }, estimated), halfCircle([100, null, null], 400), halfCircle([0.4, null, null], 400)];
        })()""",
        "ladder_message",
        "ladder_words",
        "ladder_estimates",
        "ladder_flows",
    )
    coarse, fine, words, largest, without_range, nothing = seen
    assert coarse["largest"] == fine["largest"] == largest == 400
    half, whole = {"radius": 8.5, "dash": []}, {"radius": 17, "dash": []}
    assert coarse["halves"] == [[half, whole], [None, None]]
    assert fine["halves"] == [[half, whole], [{"radius": 4.25, "dash": []}, None]]
    assert "2 of 4 halves cannot be told from none and are not drawn" in words
    assert without_range == {"radius": 8.5, "dash": [3, 3]}
    assert nothing is None


def test_what_a_number_counts_is_said_once_and_a_share_is_never_below_none(tmp_path):
    said = in_node(
        tmp_path,
        """[countedOf("trips", "all trips"), countedOf("visits", "all trips"), noisyWords(3, 5, 9, "of a million visits", -1, 0),
        noisyWords(3, 5, 9, "visits", -1)]""",
        "ladder_colours",
        "ladder_words",
    )
    assert said[:2] == [counted_of("trips", "all trips"), "visits of all trips"]
    assert said[2:] == ["drowned by noise: 3 (0 to 8)", "drowned by noise: 3 (\u22122 to 8)"]


def test_the_share_of_trips_widens_a_scaled_sum_and_never_narrows_it(release):
    shown = numbers(release, released=False)
    group = np.where(np.arange(5) < 3, 0, -1)
    widths = []
    for share in (Share(1.0, 1.0, 1.0), Share(0.8, 0.78, 0.82), Share(0.4, 0.35, 0.45)):
        scaled = replace(shown, estimates=replace(shown.estimates, share=share))
        _, low, high = sums_of(scaled, VISITS, grouped(group, 1)).at(0)
        widths.append(high - low)
    assert all(a < b for a, b in pairwise(widths))


def test_a_map_of_estimated_flows_knows_which_are_known(tmp_path):
    """Five flows: known at the edge, wider, told from none by no range, without a range, and nearly none."""
    seen = in_node(
        tmp_path,
        """(() => {
          const known = { values: [100, 100, 100, 100, 0.4], low: [75, 70, 0, NaN, 0.4], high: [125, 130, 250, NaN, 0.4] };
          const look = (flow) => flowLook({ theme: {} }, flow, { flows: { estimated: true }, known });
          return [0, 1, 2, 3, 4].map((flow) => [look(flow).known, look(flow).drowned]);
        })()""",
        "ladder_colours",
        "ladder_estimates",
        "ladder_overlay",
    )
    assert seen == [[True, False], [False, False], [False, True], [False, False], [False, True]]
