"""Time on the map and two sides of it: what the browser reads, which differences are grey, and what a link keeps."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.comparison import CountTable, side_of_release
from dpcore.comparison.matching import Pair, matched
from dpcore.lessons import dice
from dpcore.measures.choices import measure_named
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.noise.mechanisms import measured
from dpcore.release.estimates import estimates_of
from dpcore.views.comparison import difference_map
from dpcore.views.comparison.compared_sides import compared_pictures, pack_compared
from dpcore.views.ground.shown import ranged
from dpcore.views.maps.address import UNKNOWN_PAIR, UNKNOWN_TIME, Address, address
from dpcore.views.maps.tile_map import MapGeometry
from dpcore.views.maps.two_sides import NUMBERS, TRUTH, SideShown
from dpcore.views.maps.window_message import (
    ARRIVALS,
    VERSION,
    in_windows,
    pack_windows,
    window_names,
    windows_of,
)
from dpcore.views.numbers.estimated import about_of, visits_table
from tests.conftest import ROOT
from tests.node import NODE
from tests.release.made_releases import grid, made_release
from tests.scripts import as_one

LINK = "a link"
BREAKS = (5, 10, 20, 50, 100, 200, 500)
SCRIPTS = (
    "ladder_message",
    "ladder_colours",
    "ladder_words",
    "ladder_estimates",
    "ladder_time",
    "ladder_swipe",
)
# A map at a stop, as the browser holds it: released counts, seen through its windows.
MAP = """
    const s = { rung: 0, mode: "noisy", numbers: "released", side: {}, pair: { right: { span: 1 } },
      message: { rungs: [stop], tiles: {}, geometry: {}, texts: {}, options: { modes: ["noisy"], steered: true, link: "a link" } } };
"""


@pytest.fixture(scope="module")
def release():
    return made_release(tessellation=grid(), epsilon="2")


@pytest.fixture(scope="module")
def packed(release):
    arrivals = release.measurements[ARRIVALS]
    return pack_windows(LINK, release.plan, arrivals, estimates_of(release, 0, of=(ARRIVALS,)), breaks=BREAKS)


def in_browser(tmp_path, message: bytes, expression: str) -> object:
    """What the map's script says of a message of windows."""
    (tmp_path / "message").write_bytes(message)
    text = "\n".join(
        [
            "globalThis.window = { dispatchEvent() {} }; const linkOf = ({ message }) => message.options.link;",
            as_one(*SCRIPTS),
            "takeWindows(new Uint8Array(require('fs').readFileSync(process.argv[2])));",
            "const times = timesOf('a link'), [stop] = times.stops.keys(), [windows] = times.stops.values();",
            "times.at = 0; keepFor('a link', 'estimates', { stops: new Map(), shown: 'estimate', merged: 50 });",
            MAP,
            f"process.stdout.write(JSON.stringify({expression}));",
        ]
    )
    (tmp_path / "script.cjs").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [NODE, tmp_path / "script.cjs", tmp_path / "message"], capture_output=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def test_the_browser_shows_exactly_the_packed_windows(release, packed, tmp_path):
    seen = in_browser(
        tmp_path,
        packed,
        """{ values: [...windows.values], low: [...windows.estimated.low], high: [...windows.estimated.high],
             estimates: [...windows.estimated.values], truth: windows.truth ?? null, names: windows.names,
             face: [...faceOf(s).message.tiles.values], other: faceOf({ ...s, side: { span: 7 } }).spanName,
             wanted: estimatesOf(faceOf({ ...s, numbers: undefined })).waiting }""",
    )
    arrivals = release.measurements[ARRIVALS]
    shown = ranged(estimates_of(release, 0, of=(ARRIVALS,)).tables[ARRIVALS])
    assert seen["values"] == in_windows(arrivals.values[0], arrivals).ravel().tolist()
    for name, numbers in zip(("estimates", "low", "high"), shown.columns, strict=True):
        assert seen[name] == np.rint(in_windows(numbers, arrivals)).ravel().tolist()
    assert seen["truth"] is None
    assert seen["names"] == list(window_names(release.plan))
    assert seen["face"] == in_windows(arrivals.values[0], arrivals)[0].tolist()
    assert seen["other"] == "Weekends, 6\N{EN DASH}10 h"
    assert seen["wanted"] is False, "windows do not wait for regions of the whole period"


def test_a_window_of_another_stop_is_never_shown(packed, tmp_path):
    seen = in_browser(
        tmp_path,
        packed,
        "faceOf({ ...s, message: { ...s.message, rungs: ['9'] } }).message.tiles",
    )
    assert seen is None


def test_equal_windows_are_equal_bytes_and_hold_a_truth_only_where_one_is_given(release, packed, tmp_path):
    arrivals, found = release.measurements[ARRIVALS], estimates_of(release, 0, of=(ARRIVALS,))
    assert pack_windows(LINK, release.plan, arrivals, found, breaks=BREAKS) == packed
    assert b'"truth":false' in packed
    truth = np.arange(arrivals.keys.size, dtype=np.int64)
    owned = pack_windows(LINK, release.plan, arrivals, found, breaks=BREAKS, truth=truth)
    assert in_browser(tmp_path, owned, "[...windows.truth]") == in_windows(truth, arrivals).ravel().tolist()


def test_of_tiles_without_a_difference_noise_colours_five_in_a_hundred_at_most(release, tmp_path):
    plan, tiles = release.plan, release.tessellation.tile_ids
    measure = measure_named(ARRIVALS, plan.choices)
    keys, none = measure.keys(tiles), np.array([], np.int64)
    drawn = measured(measure, keys, none, none, plan, origin="release")
    packed = pack_windows(LINK, plan, drawn, estimates_of(release, 0, of=(ARRIVALS,)), breaks=BREAKS)
    within = in_browser(
        tmp_path,
        packed,
        "Array.from({ length: 6 }, (_, i) => [...differenceOf({ ...s, span: 2 * i, pair: { right: { span: 2 * i + 1 } } }).within])",
    )
    windows = in_windows(drawn.values[0], drawn)
    wide = half_width_of_sum(drawn.rho(0), 2)
    assert within == (np.abs(windows[1::2] - windows[::2]) <= wide).astype(int).tolist()
    assert 0.93 < np.mean(within) < 0.98


def test_a_difference_of_estimates_is_grey_where_their_ranges_meet(release, tmp_path):
    arrivals, found = release.measurements[ARRIVALS], estimates_of(release, of=(ARRIVALS,))
    packed = pack_windows(LINK, release.plan, arrivals, found, breaks=BREAKS)
    within = in_browser(tmp_path, packed, "[...differenceOf({ ...s, numbers: 'estimate' }).within]")
    shown = ranged(found.tables[ARRIVALS])
    low, high = (np.rint(in_windows(end, arrivals)) for end in (shown.low, shown.high))
    assert within == ((low[0] <= high[1]) & (low[1] <= high[0])).astype(int).tolist()
    assert 0 < sum(within) < len(within)


def test_a_link_keeps_window_other_side_and_look(release):
    last = len(release.plan.rungs) - 1
    query = {"view": "map", "rung": "2", "window": "weekend.6-10", "beside": "weekday.6-10", "as": "beside"}
    at, notes = address(query, release)
    assert (at.window, at.beside, at.look, notes) == (7, "weekday.6-10", "beside", ())
    assert at.link(release, "r") == {"release": "r", **query}
    assert address({"beside": "0.1"}, release)[0].beside == "0.1"
    for unknown, note in (
        ({"window": "weekday.6-11"}, UNKNOWN_TIME),
        ({"beside": "weekday.6-10"}, UNKNOWN_PAIR),
        ({"beside": "2", "rung": "2"}, UNKNOWN_PAIR),
        ({"beside": "0.1", "as": "<b>"}, UNKNOWN_PAIR),
    ):
        at, notes = address(unknown, release)
        assert notes == (note,)
        assert (at.window, at.beside, at.look, at.rung) == (None, "", "swipe", last)


def test_an_address_keeps_the_window_that_is_compared_when_it_is_shown_itself(release):
    last, (_, name, *_) = len(release.plan.rungs) - 1, windows_of(release.plan)
    here = Address("map", last, window=1, beside=name)
    assert here.link(release, "four")["beside"] == name
    assert address(here.link(release, "four"), release) == (here, ())


def test_what_tells_two_sides_apart_is_said(release):
    arrivals, about = release.measurements[ARRIVALS], about_of(estimates_of(release, of=()))
    finest = len(release.plan.rungs) - 1

    def shown(window: int | None = None, **other: bool) -> SideShown:
        return SideShown(release.plan, finest, about, window, **other)

    stops = shown(released=True).beside("0.1")
    assert stops.looks == ("swipe", "beside"), "noise alone has no picture of a difference"
    assert stops.look("difference") == "swipe"
    assert "all that differs is noise" in stops.words("swipe")
    assert "what the estimate makes of it" in shown().beside("0.1").said
    assert "Released counts hold the trips that count" in shown().beside(NUMBERS).said
    (other, *_) = windows_of(release.plan)
    counts, wide = shown(3, released=True).beside(other), str(half_width_of_sum(arrivals.rho(finest), 2))
    assert counts.right.told == {"span": 0, "scaled": False}
    assert wide in counts.words("difference")
    assert wide in shown(3, preview=True).beside(other).words("difference")
    assert "the two ranges meet" in shown(3).beside(other).words("difference")
    assert shown().beside(other) is None, "without windows on the map no other one stands beside it"
    assert shown(0).beside(other) is None
    assert "the time window that it is compared with" in shown(0).alone(other)
    assert not any((shown(1).alone(other), shown(0).alone(""), shown().alone(other), shown(0).alone("0.1")))
    assert shown().beside(TRUTH) is None, "the truth is beside an owner's preview alone"
    assert shown(preview=True).beside(TRUTH).left.told == {"mode": "true", "scaled": True}
    assert len(shown().choices()) == len(release.plan.rungs)


def test_the_table_of_a_window_holds_its_tiles_and_what_lies_outside(release):
    arrivals, found = release.measurements[ARRIVALS], estimates_of(release, 0, of=(ARRIVALS,))
    each = len(release.tessellation.tile_ids) + 1
    table = visits_table(release, found, ARRIVALS, slice(3 * each, 4 * each))
    assert len(table) == each
    by_tile = dict(zip(table["tile"], table["released count"], strict=True))
    wanted = dict(
        zip(release.tessellation.tile_ids, in_windows(arrivals.values[0], arrivals)[3], strict=True)
    )
    assert wanted.items() <= by_tile.items()
    assert table["tile"].iloc[-1] == "outside"


def test_both_sides_of_compare_are_shares_with_their_own_noise(release, tmp_path):
    visits, tiles = "visits_per_tile", release.tessellation
    finest = side_of_release(release, release.plan.rungs[-1], "A")
    true = replace(finest.tables[visits], rate=None)
    pictures = compared_pictures(matched(finest.tables[visits], true), tiles, ("A", "B"))
    noisy, exact = pictures.values
    assert noisy.tolist() == exact.tolist()
    assert abs(int(noisy.sum()) - 1_000_000) <= len(noisy)
    assert pictures.half_widths[0] > pictures.half_widths[1] == 0
    link, message, both = pack_compared(MapGeometry.of(tiles), pictures, "Owner preview")
    assert b'"banner":"Owner preview"' in message
    assert both == pictures.packed(link, "1")
    seen = in_browser(
        tmp_path,
        pictures.packed("a link", "1"),
        "[0, 1].map((span) => [...faceOf({ ...s, side: { span } }).message.tiles.half_widths])",
    )
    assert seen == [[wide] for wide in pictures.half_widths]


def test_ranges_of_shares_hold_the_true_shares_and_are_the_rule_of_the_map_of_differences(tmp_path):
    """Simulated: the noise of a total of many small counts and the cut at zero move all shares."""
    visits, tiles = "visits_per_tile", grid()
    ids, random = (*tiles.tile_ids,), np.random.default_rng(3)
    truth = random.integers(0, 300, len(ids))
    truth[0] = 4_000

    def table(counts: np.ndarray, rate: Fraction | None) -> CountTable:
        return replace(CountTable.of(visits, {"tile_id": [*ids]}, counts), rate=rate)

    def pair(rate: Fraction) -> Pair:
        return matched(table(truth + dice.seeded_laplace(rate, len(ids), random), rate), table(truth, None))

    missed = []
    for rate in (Fraction(1, 5), Fraction(1, 20), Fraction(1, 60)):
        for _ in range(100):
            pictures = compared_pictures(pair(rate), tiles, ("A", "B"))
            (shown, true), wide = pictures.values, pictures.half_widths[0]
            missed.append(np.abs(shown - true) > wide + pictures.growing[0] * shown)
    assert np.mean(missed) < 0.05
    assert np.mean(missed, axis=0)[0] < 0.05, "the busiest tile, whose share follows the total"

    one = pair(Fraction(1, 20))
    pictures = compared_pictures(one, tiles, ("A", "B"))
    assert pictures.growing[0] > 0 == pictures.growing[1]
    within = in_browser(
        tmp_path,
        pictures.packed("a link", "1"),
        "[...differenceOf({ ...s, side: { span: 0 }, pair: { right: { span: 1 } } }).within]",
    )
    found = difference_map.differences(one, tiles).within_noise
    assert 0 < sum(within) < len(within)
    assert np.mean(np.array(within, bool) != found) < 0.02, "but for the rounding of shares"

    lost = compared_pictures(pair(Fraction(1, 100_000)), tiles, ("A", "B"))
    assert lost.half_widths[0] == 1_000_000, "of a drowned total any share may be the true one"
    assert (lost.values[0] < lost.grey_below[0]).all()


def test_browser_and_python_speak_of_the_same_windows():
    script = (ROOT / "pages" / "assets" / "ladder_time.js").read_text(encoding="utf-8")
    assert f"WINDOWS_VERSION = {VERSION};" in script
