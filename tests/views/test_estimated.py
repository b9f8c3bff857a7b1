"""What is shown of estimates: three things together, one message a stop, regions, flows without ranges, rankings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimates import Estimates, Ranged, Regions, Share, known_tiles, reach
from dpcore.estimates.words import ASSUMPTION
from dpcore.measures.choices import KeyChoices
from dpcore.release import estimates as stated
from dpcore.release.estimates import estimates_of
from dpcore.tiles import halved
from dpcore.views.charts.series import chart_table, over_time
from dpcore.views.ground import derived
from dpcore.views.ground.shown import estimated_numbers as estimated_of
from dpcore.views.ground.shown import ranged
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import RELEASED, UNKNOWN_NUMBERS, Address, address
from dpcore.views.maps.estimate_message import MapEstimates, pack_estimates, promise_of_regions
from dpcore.views.numbers import estimated, flows
from dpcore.views.numbers.ranking import first_of, ranking_chart, ranking_table, strongest_between
from tests.cities import four_tiles
from tests.release.made_releases import WEEK, grid, made_release
from tests.views.read_map import ReadEstimates

NEW = {"visits_per_tile": 4, "od_districts": 2, "trips_over_time": 1, "trips_per_hour": 1, "total_trips": 1}


@pytest.fixture(scope="module")
def release():
    choices = KeyChoices(WEEK, districts=halved(four_tiles(), 2), most_trips=12)
    return made_release(weights=NEW, choices=choices, epsilon="10")


def with_share(found: Estimates, value: float) -> Estimates:
    """The same with another share of trips that count."""
    return Estimates(found.rung, Share(value, value * 0.9, value * 1.1), "", found.tables)


def test_released_count_share_and_estimate_of_a_tile_stand_in_words(release):
    rung = len(release.plan.rungs) - 1
    found = estimates_of(release, rung)
    assert "of all trips (likely range" in estimated_of(found.tables["visits_per_tile"]).told(0)
    told = drawn_of(release.measurements["visits_per_tile"], rung).told(0)
    assert "of the trips that count (95 % range of the noise" in told
    assert "% of the trips count (" in estimated.share_text(found)
    said = estimated.about_estimates(release.plan, found)
    assert ASSUMPTION in said
    assert "at most 12 trips of each person" in said


def test_the_assumption_stands_first_where_few_trips_count(release):
    found = with_share(estimates_of(release, 0), 0.2)
    assert estimated.doubtful(found)
    assert estimated.about_estimates(release.plan, found).startswith(ASSUMPTION)
    assert not estimated.doubtful(with_share(found, 0.5))


def test_without_a_total_the_estimate_is_for_the_trips_that_count_and_said_so():
    old = made_release(weights={"visits_per_tile": 1})
    found = estimates_of(old, 0)
    assert estimated.switch_words(found) == ("Estimate for the trips that count", "Released counts")
    assert "The estimate is for the trips that count." in estimated.about_estimates(old.plan, found)
    assert estimated.share_card(old, found).value == "unknown"


def test_no_card_of_released_counts_stands_without_the_share(release):
    found = estimates_of(release, 0)
    first, *others = estimated.released_cards(release, found)
    assert first.label == "Trips that count"
    known, *counts = others
    assert known == estimated.known_card(None, found)
    assert "Estimates of all trips" in known.help
    assert all("not of all" in card.note for card in counts)
    trips = made_release(unit="trip", weights={"visits_per_tile": 1})
    first, *others = estimated.released_cards(trips, estimates_of(trips, 0))
    assert first.value == "all"
    assert not any("not of all" in card.note for card in others)


def test_estimates_are_computed_once_for_all_readers(monkeypatch):
    asked, compute = [], stated.estimate
    monkeypatch.setattr(
        stated, "estimate", lambda *given, **more: asked.append(more["of"]) or compute(*given, **more)
    )
    monkeypatch.setattr(stated, "_REMEMBERED", stated._Remembered())
    fresh = made_release(weights=NEW | {"travel_time": 1})
    estimates_of(fresh, 0, of=("visits_per_tile", "od_districts"))
    estimates_of(fresh, 0, of=("od_districts",))  # those hold it too
    estimates_of(fresh, 0, of=("visits_per_tile", "travel_time"))
    assert [{*of} for of in asked] == [{"visits_per_tile", "od_districts"}, {"travel_time"}]
    whole = estimates_of(replace(fresh), 0)
    assert estimates_of(fresh, 0) is whole, "another reading of the same bundle"
    assert len(asked) == 3
    assert [*whole.tables] == [*stated.estimated_measures(fresh.plan)]
    monkeypatch.setattr(stated, "_REMEMBERED", stated._Remembered())
    for name, table in estimates_of(fresh, 0).tables.items():
        for one in ("values", "low", "high"):
            there, here = (getattr(found.counted, one) for found in (table, whole.tables[name]))
            assert np.array_equal(here, there, equal_nan=True), "the order of questions changes nothing"


@pytest.mark.parametrize(("most", "size"), [(3, 10**9), (100, 1)], ids=["number", "bytes"])
def test_estimates_in_memory_are_few(monkeypatch, release, most, size):
    monkeypatch.setattr(stated, "_REMEMBERED", stated._Remembered())
    monkeypatch.setattr(stated, "_KEPT", most)
    monkeypatch.setattr(stated, "_KEPT_BYTES", size)
    for rung in range(5):
        estimates_of(release, rung, of=("visits_per_tile",))
    assert len(stated._REMEMBERED._found) == (3 if most == 3 else 1)


def test_the_colours_of_estimates_are_the_same_at_every_stop(release):
    breaks = estimated.estimate_breaks(release, "visits_per_tile")
    assert len(breaks) == 7
    finest = estimates_of(release, len(release.plan.rungs) - 1).tables["visits_per_tile"]
    assert breaks[-1] <= 5 * finest.all_trips.values[:-1].max()


def test_a_message_holds_one_stop_and_equal_ones_are_equal(release):
    found = estimates_of(release, 1)
    shown = ranged(found.tables["visits_per_tile"]).at(slice(4))
    regions = regions_of(release, found, 50)
    what = MapEstimates(found, "all trips", "note", (1, 2, 5, 10, 20, 50, 100), tiles=shown, regions=regions)
    message = pack_estimates("link", "0.2", what, released=False, merged=50)
    assert message == pack_estimates("link", "0.2", what, released=False, merged=50)
    read = ReadEstimates(message)
    assert read.head["epsilon"] == "0.2"
    assert read.head["shown"] == "estimate"
    assert read.head["regions"]["promise"] == promise_of_regions(50)
    assert np.abs(read.tiles - np.stack(shown.columns)).max() <= 0.5
    assert (read.of_tiles == regions.of_tiles).all()
    assert ((read.noise >= 0) == regions.readable).all()
    assert (read.noise[regions.readable] <= 50).all()
    released = ReadEstimates(pack_estimates("link", "0.2", what, released=True, merged=0))
    assert released.head["shown"] == "released"


def test_regions_are_scaled_by_the_share_and_tiles_stay_without_merging(release):
    found = with_share(estimates_of(release, 7), 0.5)
    assert regions_of(release, found, 0) is None
    regions = regions_of(release, found, 20)
    scaled, plain = (read_regions(one, regions) for one in (found, Estimates(7, None, "no", {})))
    assert (abs(scaled.regions[0] - 2 * plain.regions[0]) <= 1).all()
    assert (scaled.regions[2] >= 2 * plain.regions[2] - 1).all()


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
def test_the_noise_of_regions_is_that_of_the_released_sums_whatever_the_share(release, share):
    found = with_share(estimates_of(release, 7), share)
    regions = regions_of(release, found, 50)  # at 20 % the noise of some draws leaves none readable
    assert regions.readable.any()
    noise, sums = read_regions(found, regions).noise, regions.counted
    half = (sums.high - sums.low)[regions.readable] / 2
    assert (noise[regions.readable] == np.ceil(100 * half / sums.values[regions.readable])).all()
    assert (noise[regions.readable] >= 0).all()
    assert (noise[regions.readable] <= 50).all()
    assert (noise[~regions.readable] == -1).all()


def regions_of(release, found: Estimates, merged: int) -> Regions | None:
    """The regions of a stop of a release."""
    return estimated.regions_at(
        release.tessellation, release.measurements["visits_per_tile"], found.rung, merged
    )


def read_regions(found: Estimates, regions: Regions) -> ReadEstimates:
    """What the browser reads of regions."""
    tiles = Ranged(*np.ones((3, len(regions.of_tiles))))
    what = MapEstimates(found, "all trips", "", (1, 2), tiles=tiles, regions=regions)
    return ReadEstimates(pack_estimates("link", "1", what, released=False, merged=20))


def test_where_the_share_leaves_more_open_than_the_noise_of_regions_it_is_said(release):
    found = estimates_of(release, 7)
    wide = Estimates(7, Share(0.6, 0.2, 1.0), "", found.tables)
    regions = regions_of(release, found, 50)
    told = estimated.sure_of_regions(wide, regions, 50)
    assert told.startswith("Noise of the trips that count: at most ± 50 %. For all trips typically ± ")
    assert told.endswith("because the share that counts is 20 to 100 %.")
    whole = Estimates(7, Share(1.0, 1.0, 1.0), "", found.tables)
    assert estimated.sure_of_regions(whole, regions, 50) == ""
    assert estimated.sure_of_regions(wide, None, 0) == ""
    assert "half of the regions have a likely range within ±" in estimated.note_of_map(
        release.measurements["visits_per_tile"], wide, merged=regions
    )
    note = estimated.note_of_map(release.measurements["visits_per_tile"], wide)
    known = known_tiles(ranged(wide.tables["visits_per_tile"]).at(slice(-1)))
    assert note.startswith(f"{known.known} of {known.tiles} tiles are known within 25 %; ")


def test_beside_released_counts_stands_whose_trips_they_are_and_no_assumption(release):
    found = estimates_of(release, 0)
    told = estimated.about_released(release, found)
    assert told.startswith(f"These are the trips that count: at most {release.plan.bound.max_trips} of each")
    assert told.endswith(estimated.share_text(found))
    assert ASSUMPTION not in told
    trips = made_release(unit="trip", weights={"visits_per_tile": 1})
    assert "all trips" in estimated.about_released(trips, estimates_of(trips, 0))


def test_a_card_names_the_noise_of_one_released_count_and_whose_trips_it_counts(release):
    found = estimates_of(release, 0)
    visits = release.measurements["visits_per_tile"]
    for card in (estimated.known_card(visits, found), estimated.flows_card(release, found)):
        assert "Noise of a released count: ± " in card.note
        assert card.note.endswith("of the trips that count.")
    trips = made_release(unit="trip", weights={"visits_per_tile": 1})
    by_trip = trips.measurements["visits_per_tile"]
    assert "that count" not in estimated.known_card(by_trip, estimates_of(trips, 0)).note


def test_a_list_that_leaves_out_most_trips_tells_no_total(release):
    found = estimates_of(release, 7)
    assert "by start and end" in flows.flows_words(found)
    table = found.tables["od_flows"]
    numbers = {
        name: None if told is None else Ranged(told.values / 100, told.low, told.high)
        for name, told in (("counted", table.counted), ("all_trips", table.all_trips))
    }
    few = replace(found, tables={**found.tables, "od_flows": replace(table, **numbers)})
    assert flows.flows_words(few).startswith(flows.TOO_FEW_LISTED)


def test_flows_that_nobody_paid_for_have_values_and_wide_ranges(release):
    found = estimates_of(release, 7)
    table = found.tables["od_flows"]
    assert ranged(table).is_ranged
    assert "several times" not in flows.flows_words(found)
    shown = shown_of(release.measurements, "od_flows", found.rung, found)
    rows = flows.flows_table(shown, {}, flows.first_flows(shown, 50).between)
    assert list(rows.columns) == ["from", "to", flows.ESTIMATE, "likely range"]
    assert rows[flows.ESTIMATE].is_monotonic_decreasing
    assert all(" to " in text for text in rows["likely range"])
    shown = shown_of(release.measurements, "od_districts", found.rung, found)
    between = flows.flows_table(shown, {}, flows.first_flows(shown, 50).between)
    assert {flows.ESTIMATE, "likely range", flows.RELEASED_COUNTED} <= set(between.columns)


def test_a_flow_that_is_not_listed_is_below_one_half(release):
    table = estimates_of(release, 7).tables["od_flows"]
    absent = np.setdiff1d(np.arange(table.keys.size), table.cell_numbers)
    shown = estimated_of(table).of(np.concatenate([table.cell_numbers[:2], absent[:1]])).numbers
    assert shown.values[-1:].sum() == 0
    assert np.isnan(shown.high[-1:]).all()
    assert (shown.values[:2] == ranged(table).values[:2]).all()
    values = ranged(table).values
    known = replace(table, counted=Ranged(values, values - 1, values + 1), all_trips=None)
    shown = estimated_of(known).of(np.concatenate([table.cell_numbers[:2], absent[:1]])).numbers
    assert np.array_equal(
        np.stack(shown.columns)[:, :2], np.stack([values[:2], values[:2] - 1, values[:2] + 1])
    )
    assert np.isnan([shown.low[2], shown.high[2]]).all()


def test_sparse_released_flows_stand_beside_their_estimates_or_are_not_listed():
    sparse = made_release(sparse=True, unit="trip", epsilon="1")
    found = estimates_of(sparse, 0, of=("od_flows",))
    shown = shown_of(sparse.measurements, "od_flows", found.rung, found)
    rows = flows.flows_table(shown, {}, flows.first_flows(shown, 10).between)
    told = rows[flows.RELEASED]
    assert all(text == "not listed" or "(" in text for text in told)


def test_a_ranking_of_estimates_has_ranges_and_released_counts(release):
    found = estimates_of(release, 7)
    tiles = first_of(release, "visits_per_tile", 7, found)
    assert len(tiles.names) == 4
    assert (np.diff(tiles.shown.numbers.values) <= 0).all()
    columns = ranking_table(tiles)
    assert list(columns) == ["rank", "name", "estimate, all trips", "released count"]
    assert all("likely range" in text for text in columns["estimate, all trips"])
    assert "likely ranges" in ranking_chart(tiles).alt
    flows = first_of(release, "od_flows", 7, found)
    assert "released count" not in ranking_table(flows)
    assert "likely ranges" in ranking_chart(flows).alt
    assert first_of(release, "od_districts", 7, found).names


def test_a_chart_of_estimates_has_the_released_counts_in_its_words_and_its_table(release):
    found = estimates_of(release, 7)
    chart = over_time(shown_of(release.measurements, "trips_over_time", 7, found), clipped=True)
    table = chart_table(chart)
    assert list(table.columns) == [
        "at",
        "estimate",
        "likely from",
        "likely to",
        "released",
        "noise from",
        "noise to",
    ]
    assert (table["released"] == release.measurements["trips_over_time"].values[7][1:-1]).all()
    said = chart.figure["data"][-1]["hovertext"]
    assert all("likely range" in text and "released:" in text for text in said)


def test_weekdays_are_derived_from_dates_with_the_noise_of_the_sums(release):
    week, dates = derived.weekdays(release), release.measurements["trips_over_time"]
    assert week.measure == "trips_per_weekday"
    assert week.values.sum() == dates.values[:, 1:-1].sum()
    found = with_share(estimates_of(release, 7), 0.5)
    counted = found.tables["trips_over_time"].counted
    shown = derived.estimated_weekdays(release, found)
    assert shown.values.sum() == pytest.approx(2 * counted.values[1:-1].sum())
    assert (shown.low <= shown.values).all()
    assert (shown.high >= shown.values).all()
    plain = derived.estimated_weekdays(release, Estimates(7, None, "no", found.tables))
    assert plain.values.sum() == pytest.approx(counted.values[1:-1].sum())
    assert ((plain.high - plain.values) <= week.half_widths[7] + 1e-6).all()
    true = estimates_of(release, 7)
    dates = true.tables["trips_over_time"].all_trips
    assert derived.estimated_weekdays(release, true).values.sum() == pytest.approx(dates.values[1:-1].sum())
    paid = made_release(weights={"trips_per_weekday": 1, "trips_over_time": 1})
    assert derived.weekdays(paid) is paid.measurements["trips_per_weekday"]
    assert derived.weekdays(made_release(weights={"visits_per_tile": 1})) is None


def test_the_switch_and_the_regions_stand_in_the_address(release):
    for there in (Address("map", 3, released=True), Address("map", 3, merged=20)):
        link = there.link(release, "made")
        assert link.get("numbers") == (RELEASED if there.released else None)
        assert link.get("merge") == ("20" if there.merged else None)
        assert address(link, release) == (there, ())
    for nothing in (Address("map", 3, released=True, merged=20), Address("flows", 3, merged=20)):
        assert "merge" not in nothing.link(release, "made"), "merging does nothing there"
    assert "numbers" not in Address("map", 3).link(release, "made")
    for wrong in ({"numbers": "true"}, {"merge": "7"}, {"merge": "<b>"}):
        at, notes = address({**Address("map", 3).link(release, "made"), **wrong}, release)
        assert notes == (UNKNOWN_NUMBERS,)
        assert not at.released
        assert at.merged == 0


def test_the_table_of_tiles_holds_estimate_and_released_count(release):
    found = estimates_of(release, 7)
    table = estimated.visits_table(release, found)
    assert sorted(table["released count"]) == sorted(release.measurements["visits_per_tile"].values[7])
    assert {"estimate, all trips", "likely from", "likely to", "noise from", "noise to"} <= set(table.columns)
    assert table["tile"].iloc[-1] == "outside"


def test_what_is_near_nothing_is_known_to_no_share_of_itself():
    shown = Ranged(np.array([0.0, 100.0, 5.0]), np.array([0.0, 90.0, np.nan]), np.array([3.0, 110.0, np.nan]))
    wide = reach(shown)
    assert np.isinf(wide[0])
    assert wide[1] == pytest.approx(0.1)
    assert np.isnan(wide[2])


def test_the_largest_grid_of_tests_is_estimated_and_drawn_quickly_enough_for_a_page():
    large = made_release(tessellation=grid(), weights={"visits_per_tile": 1})
    assert len(strongest_between(estimated_of(flows.finest_flows(large)))) <= 150
