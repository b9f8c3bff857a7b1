"""The change between two releases: what is announced without any change, what of known changes, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from dpcore.comparison.all_trips import Scaled, counts_all
from dpcore.comparison.change import TotalChange, changes, why_apart
from dpcore.comparison.findings import findings
from dpcore.errors import InputError
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.trip_rule import TripRule
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_of
from dpcore.tiles import Box, square_grid
from dpcore.views.comparison.changes import (
    FALSE_WORDS,
    announced,
    beside,
    change_chart,
    change_frame,
    change_map,
    change_table,
    growth_words,
    sentence,
)
from dpcore.views.ground.plain import percent
from dpcore.views.ground.shown import ranged
from dpcore.views.numbers.findings import said_of
from tests.comparison.made_pairs import APRIL, Trips, city, finest, plan_of, released
from tests.release.made_releases import WEEK, grid, made_release, with_trips_of_other_days

VISITS = "visits_per_tile"
SEED = 20


def of_visits(**how: object):
    return made_release(**{"weights": {VISITS: 3, "total_trips": 1}, "id": f"made-{how}", **how})


def with_total(release, trips: int):
    """The same release with another count of all trips."""
    total = release.measurements["total_trips"]
    held = {**release.measurements, "total_trips": replace(total, values=np.full_like(total.values, trips))}
    return replace(release, drawn=replace(release.drawn, measurements=held))


@pytest.mark.parametrize(
    ("how", "measure"),
    [
        ({"weights": {VISITS: 3, "total_trips": 1}, "choices": KeyChoices(WEEK, visits_cap=5)}, VISITS),
        ({"weights": {"od_flows": 3, "total_trips": 1}, "sparse": True}, "od_flows"),
    ],
    ids=["visits of points", "sparse flows"],
)
def test_counts_are_not_scaled_where_no_table_tells_how_many_trips_count(how, measure):
    """A share of one trip in thirty thousand would make them 30,000 times as many."""
    one, other = (with_total(made_release(id=name, **how), 30_000) for name in "ab")
    assert not counts_all(one)
    assert Scaled(one, of_all=True).share == 1
    found = changes(one, other, measure)
    assert found.total is not None
    assert found.total.one == 30_000
    assert found.cells is None
    assert found.why_no_cells == "No table of A and B tells which share of all trips counts."
    estimates = estimates_of(one)
    assert estimates.share is None
    assert estimates.why_not_all
    drawn, shown = one.measurements[measure], ranged(estimates.tables[measure])
    assert shown.values.max() < 3 * drawn.values[-1].max(), "of the trips that count"
    assert all("of the trips that count" in said_of(one, found) for found in findings(one))


def without(trips: Trips, tiles: list[int], share: float, random: np.random.Generator) -> Trips:
    """The trips, of which those from or to some tiles are fewer by a share."""
    there = np.isin(trips.start, tiles) | np.isin(trips.end, tiles)
    return trips.only(~(there & (random.random(len(trips)) < share)))


def busy(trips: Trips, many: int) -> list[int]:
    return np.argsort(-trips.visits()[:-1])[:many].tolist()


def simulated(town: Trips, other: Trips, epsilon: str, most: int | None, pairs: int, measure: str = VISITS):
    """Means over pairs: the false share of announced cells; whether the total is announced falsely, and whether rightly; the share of
    the cells that fell much which are announced; the share of ranges that hold, and of those of the total.
    """
    plan, random = finest(plan_of(town, epsilon, most)), np.random.default_rng(SEED)

    def exact(trips: Trips) -> np.ndarray:
        if measure == VISITS:
            return trips.visits()
        lying = plan.choices.districts
        of, many = np.append(lying.of_tiles, len(lying.names)), len(lying.names) + 1
        return np.bincount(of[trips.start] * many + of[trips.end], minlength=many**2)

    before, truth = exact(town), exact(other) - exact(town)
    cap = plan.choices.most_trips or len(town)  # all trips are at most so many of each person
    whole = other.capped(cap) / town.capped(cap) - 1
    relative = -truth / np.maximum(before, 1)
    much = relative >= 0.7 * relative[before >= np.median(before)].max()
    false, total, rightly, power, held, held_total = [], [], [], [], [], []
    for _ in range(pairs):
        found = changes(released(town, plan, random), released(other, plan, random), measure)
        cells, all_trips = found.cells, found.total
        told = cells.direction != 0
        wrong = told & (np.sign(truth[cells.cells]) != cells.direction)
        false.append(wrong.sum() / max(told.sum(), 1))
        right = np.sign(all_trips.share) == np.sign(whole)
        total.append(all_trips.told and not right)
        rightly.append(all_trips.told and right)
        power.append(float((cells.direction < 0)[much].mean()))
        held.append(float(((cells.low <= truth) & (truth <= cells.high)).mean()))
        held_total.append(all_trips.low <= whole <= all_trips.high)
    return tuple(float(np.mean(part)) for part in (false, total, rightly, power, held, held_total))


@pytest.mark.parametrize("most", [10, None])
def test_where_nothing_changed_next_to_nothing_is_announced(most):
    town = city(8_000, 40)
    false, total, _, _, held, held_total = simulated(town, town, "1", most, 6)
    assert false <= 0.67, "of 6 pairs, more than once in a million times; the audit has 200"
    assert total <= 0.67
    assert held >= 0.8
    assert held_total >= 0.3


def test_a_known_change_is_announced_where_it_is():
    town = city(8_000, 40)
    random = np.random.default_rng(SEED)
    places = busy(town, 3)
    other = without(town, places, 0.5, random)
    plan = finest(plan_of(town, "10", None))
    found = changes(released(town, plan, random), released(other, plan, random))
    fell = set(np.flatnonzero(found.cells.direction < 0).tolist())
    assert {*places} <= fell
    assert found.total.share == pytest.approx(len(other) / len(town) - 1, abs=0.01)
    assert found.total.told
    assert sentence(found).startswith("Trips fell by ")
    assert "; for the rest no change can be told." in sentence(found)
    table, chart = change_table(found.cells, town.tiles), change_chart(found.cells, town.tiles)
    assert len(table) == len(announced(found.cells)) >= len(places)
    assert chart.table["change"].max() < 0
    drawn = change_map(found.cells, town.tiles)
    assert not drawn.within_noise[places].any()
    assert (drawn.size[places] < 0).all()
    assert {*drawn.by_chance} == {*np.flatnonzero(drawn.within_noise).tolist()}, "what may be chance is named"
    frame = change_frame(found)
    assert [*frame.columns] == ["tile_id", "a", "b", "change", "low", "high", "told"]
    assert ((frame["low"] > 0) | (frame["high"] < 0)).equals(frame["told"] != "")
    sides = released(town, plan, random), released(other, plan, random)
    assert FALSE_WORDS in beside(found, *sides)
    open_ends = np.full_like(found.cells.low, np.inf)
    silent = replace(found, total=None, cells=replace(found.cells, low=-open_ends, high=open_ends))
    assert FALSE_WORDS not in beside(silent, *sides), "nothing is promised where nothing is announced"


def test_ranges_hold_zero_exactly_where_no_change_is_told():
    town = city(8_000, 40)
    random = np.random.default_rng(SEED)
    plan = finest(plan_of(town, "2", 5))
    found = changes(
        released(town, plan, random), released(without(town, busy(town, 9), 0.6, random), plan, random)
    )
    cells = found.cells
    assert ((cells.low <= 0) & (cells.high >= 0)).tolist() == (cells.direction == 0).tolist()


def test_periods_of_different_lengths_are_compared_by_day():
    long = Period(date(2024, 4, 1), date(2024, 4, 28))
    a, b = of_visits(unit="trip", period=WEEK, id="a"), of_visits(unit="trip", period=long, id="b")
    found = changes(a, b)
    assert found.per_day
    assert found.cells.per_day
    assert found.cells.one == pytest.approx(a.measurements[VISITS].values[-1] / 7)
    assert found.cells.other == pytest.approx(b.measurements[VISITS].values[-1] / 28)
    assert any("of one day" in note for note in found.notes)
    assert "a day" in sentence(found)
    same = changes(a, of_visits(unit="trip", period=Period(date(2024, 6, 3), date(2024, 6, 9)), id="c"))
    assert not same.per_day
    assert found.total.one * 7 == pytest.approx(same.total.one)


def test_weekdays_and_weekends_are_counted_apart_in_months_of_equal_length():
    weights = {"trips_per_hour": 1, "trips_per_weekday": 1}
    april, june = (Period(date(2024, month, 1), date(2024, month, 30)) for month in (4, 6))
    a, b = (
        made_release(unit="trip", weights=weights, period=period, id=name)
        for period, name in ((april, "a"), (june, "b"))
    )
    found = changes(a, b, "trips_per_hour")
    hours = found.cells
    assert not found.per_day
    assert "one day of its own kind" in found.notes[0]
    keys = hours.keys.labels(hours.cells)
    weekend = np.array(keys["day_type"]) == "weekend"
    assert hours.per_day
    drawn = a.measurements["trips_per_hour"].values[-1]
    assert hours.one == pytest.approx(drawn / np.where(weekend, 8, 22))
    assert hours.other == pytest.approx(
        b.measurements["trips_per_hour"].values[-1] / np.where(weekend, 10, 20)
    )
    days = changes(a, b, "trips_per_weekday").cells
    assert days.one == pytest.approx(
        a.measurements["trips_per_weekday"].values[-1] / np.array([5, 5, 4, 4, 4, 4, 4])
    )


def test_a_flow_that_one_side_does_not_list_counts_as_its_threshold():
    tiles, weights = grid(), {"od_flows": 1}
    a, b = (
        made_release(unit="trip", sparse=True, weights=weights, tessellation=tiles, id=name, epsilon="0.1")
        for name in ("a", "b")
    )
    found = changes(a, b, "od_flows").cells
    there = [np.isin(found.cells, side.measurements["od_flows"].cells) for side in (a, b)]
    assert (~there[0]).any()
    only = there[0] & ~there[1]
    assert (found.other[only] == b.measurements["od_flows"].threshold - 1).all()
    assert np.isneginf(found.low[only]).all()
    assert not (found.direction[only] > 0).any()
    assert not (found.direction[~there[0]] < 0).any()
    assert found.tested == a.measurements["od_flows"].keys.size
    assert change_frame(changes(a, b, "od_flows"))["low"].isna().any()


def test_what_cannot_be_laid_beside_each_other_is_refused_with_the_reason():
    a = of_visits(id="a")
    longer = Period(WEEK.first, date(2024, 4, 14))
    for other, said in (
        (a, "one draw"),
        (replace(a, id="b", raised_from="a"), "one draw"),
        (replace(a, id="another"), "one draw"),
        (of_visits(unit="trip"), "hides single trips"),
        (of_visits(trip_rule=TripRule(gap_s=1800)), "different rules"),
        (of_visits(period=None), "which days"),
        (of_visits(weights={VISITS: 1}, max_trips=5), "at most 3 trips of each person"),
        (of_visits(choices=KeyChoices(WEEK, most_trips=50), max_trips=5), "total_trips with the same cap"),
        (of_visits(weights={VISITS: 1}, period=longer), "differ in length"),
        (of_visits(choices=KeyChoices(WEEK, splits={"mode": ["bus"]}), weights={VISITS: 1}), "one category"),
        (of_visits(tessellation=square_grid(Box(10.6, 59.8, 10.9, 60.0), 5000)), "different places"),
        (of_visits(tessellation=square_grid(Box(1.9, 1.9, 2.4, 2.4), 5000)), "different places"),
    ):
        with pytest.raises(InputError, match=said):
            changes(a, other)


def test_parts_are_compared_by_their_own_trips_because_the_total_is_of_all_parts():
    weights = {VISITS: 3, "trips_per_hour": 1, "total_trips": 1}
    sides = []
    for name, more in (("a", 0), ("b", 40_000)):
        choices = KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),))
        made = of_visits(weights=weights, choices=choices, id=name, epsilon="10")
        total = made.measurements["total_trips"]
        held = {**made.measurements, "total_trips": replace(total, values=total.values + 10_000 + more)}
        sides.append(part_of(replace(made, drawn=replace(made.drawn, measurements=held)), {"mode": "bus"}))
    found = changes(*sides)
    assert not found.of_all
    assert abs(found.total.share) < 0.5, "40,000 more trips of all modes are not told of buses; noise may be"
    assert "this part" in " ".join(found.notes)
    assert found.total.one < 10_000


def test_releases_of_two_publishers_are_refused_and_of_two_data_sets_it_is_said_first():
    bikes = of_visits(id="a", publisher="City of Oslo", dataset="spring", population="Who rents bikes")
    with pytest.raises(InputError, match="two publishers"):
        changes(bikes, replace(of_visits(id="b"), publisher="Taxis of Oslo"))
    again = of_visits(id="b", publisher="City of oslo", dataset="spring", population="Who rents bikes")
    assert not any("data sets" in note or "described" in note for note in changes(bikes, again).notes)
    autumn = replace(again, dataset="autumn", publisher="", population="")
    first = changes(bikes, autumn).notes[0]
    assert first == (
        "They are of two data sets: A of spring, B of autumn. Whatever differs between the two counts as change."
    )
    assert beside(changes(bikes, autumn), bikes, autumn)[1] == first
    others = replace(again, population="Who takes taxis")
    assert changes(bikes, others).notes[0].startswith("The people in them are described in different words.")


@pytest.mark.parametrize(("beyond", "refused"), [(5, False), (2_000, True)])
def test_trips_of_days_that_a_release_does_not_name_are_not_compared_as_if_they_lay_within(beyond, refused):
    june = Period(date(2024, 6, 3), date(2024, 6, 30))
    both = [
        of_visits(weights={VISITS: 1, "trips_over_time": 1}, unit="trip", period=period, id=name)
        for period, name in ((WEEK, "a"), (june, "b"))
    ]
    named = [with_trips_of_other_days(release, beyond) for release in both]
    if refused:
        with pytest.raises(InputError, match="other days than those"):
            changes(*named)
    else:
        assert changes(*named).per_day


def test_cells_that_do_not_mean_the_same_are_left_out_with_the_reason_and_the_total_stays():
    a = of_visits(id="a")
    found = changes(a, of_visits(max_trips=5))
    assert found.cells is None
    assert "A counts at most 3 trips" in found.why_no_cells
    assert found.total is not None
    other = square_grid(Box(0.0, 0.0, 0.02, 0.02), 1000)
    assert changes(a, of_visits(tessellation=other)).why_no_cells == "The tiles are not the same."
    capped = KeyChoices(WEEK, visits_cap=4)
    assert "more tiles" in why_apart(a, of_visits(choices=capped), VISITS)
    hours = [made_release(id=zone, timezone=zone) for zone in ("Europe/Berlin", "Asia/Tokyo")]
    assert "different clocks" in why_apart(*hours, "trips_per_hour")
    assert why_apart(*hours, VISITS) == ""
    months = [made_release(id="m", period=WEEK), made_release(id="n", period=APRIL)]
    assert why_apart(*months, "trips_over_time") == "The dates are not the same."
    people = [
        of_visits(weights={VISITS: 1, "total_trips": 1, "radius_of_gyration": 1}, period=one, id=str(one))
        for one in (WEEK, APRIL)
    ]
    assert "different lengths" in why_apart(*people, "radius_of_gyration")
    assert "did not release" in why_apart(a, months[0], "od_flows")
    assert "not parts of one total" in why_apart(a, of_visits(id="z"), "total_trips")


@pytest.mark.parametrize(
    ("directions", "said"),
    [
        ([1, -1, -1, 0, 0], "1 tile rose, 2 fell; for the rest no change can be told."),
        ([0, -1, 0, 0, 1], "1 tile fell; for the rest no change can be told."),
        ([1, 1, -1, 1, 0], "3 tiles rose, 1 fell."),
        ([0, 0, 0, 0, -1], "For no tile can a change be told."),
    ],
)
def test_tiles_are_counted_in_words_and_the_outside_is_none(directions, said):
    found = changes(*(of_visits(unit="trip", id=name) for name in ("a", "b")))
    signs = np.array(directions, float)
    cells = replace(found.cells, low=np.where(signs > 0, 1.0, -9.0), high=np.where(signs < 0, -1.0, 9.0))
    assert sentence(replace(found, cells=cells)).endswith(said)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((-0.12, -0.15, -0.09), "Trips fell by 12 % (9 to 15 %)."),
        ((0.004, 0.002, 0.006), "Trips rose by 0.4 % (0.2 to 0.6 %)."),
        ((0.01, -0.03, 0.05), "Trips: no change can be told (\N{MINUS SIGN}3 to +5 %)."),
        ((2.0, 0.5, np.inf), "Trips: noise hides by how much they changed. They rose by at least 50 %."),
        ((2.0, -0.5, np.inf), "Trips: noise hides by how much they changed."),
    ],
)
def test_the_total_is_told_with_as_many_digits_as_its_range_leaves_open(ends, said):
    found = changes(*(of_visits(unit="trip", id=name) for name in ("a", "b")))
    total = TotalChange(100.0, 100.0 * (1 + ends[0]), *ends)
    assert sentence(replace(found, total=total)).startswith(said)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (
            (0.08, 0.06, 0.1),
            "Trips: 8 % more than in {} (6 to 10 %), more than noise explains, whatever the reason.",
        ),
        (
            (-0.004, -0.006, -0.002),
            "Trips: 0.4 % fewer than in {} (0.2 to 0.6 %), more than noise explains, whatever the reason.",
        ),
        (
            (0.01, -0.03, 0.05),
            "Trips: no change since {} can be told (\N{MINUS SIGN}3 to +5 %), the noise alone may explain it.",
        ),
        (
            (2.0, 0.5, np.inf),
            "Trips: noise hides how they changed since {}. They rose by at least 50 %.",
        ),
    ],
)
def test_growth_is_told_with_its_range_and_whether_chance_explains_it(ends, said):
    april = Period(date(2024, 4, 1), date(2024, 4, 30))
    a, b = of_visits(unit="trip", id="a", period=april, title="A title"), of_visits(unit="trip", id="b")
    found = replace(
        changes(b, of_visits(unit="trip", id="c")), total=TotalChange(100.0, 100.0 * (1 + ends[0]), *ends)
    )
    assert growth_words(found, a, b) == said.format("April 2024")
    assert growth_words(found, replace(a, dataset="another one"), b) == said.format("A title"), (
        "a month alone would stand for the same data set"
    )
    assert growth_words(replace(found, total=None), a, b) == ""


def test_without_a_total_only_the_trips_that_count_are_compared():
    a, b = (made_release(weights={VISITS: 1, "trips_over_time": 1}, id=name) for name in ("a", "b"))
    found = changes(a, b)
    assert not found.of_all
    assert sentence(found).startswith("Trips that count")
    assert found.cells.one.tolist() == a.measurements[VISITS].values[-1].tolist()


@pytest.mark.parametrize("measure", [VISITS, "od_districts"])
def test_noise_of_the_totals_alone_announces_no_cell(measure):
    """It announced two of three cells at once. Both sides count the same, but for one trip a cell; one total is larger by more than its bound."""
    town, random = city(300_000), np.random.default_rng(SEED)
    plan = finest(plan_of(town, "5", 10))
    whole = town.capped(plan.choices.most_trips)
    one = with_total(released(town, plan, random), whole)
    held = {name: replace(table, values=table.values + 1) for name, table in one.measurements.items()}
    other = replace(one, id="other", drawn=replace(one.drawn, measurements=held))
    bound = changes(one, other, measure).cells.together
    assert bound > 0
    found = changes(one, with_total(other, round(whole * (1 + 1.2 * bound))), measure)
    assert not found.cells.direction.any()
    assert found.total.low < found.total.share < found.total.high
    told = f"moves all counts alike, by up to {percent(found.cells.together, 0 if bound > 0.02 else 1)} "
    assert told in " ".join(beside(found, one, other))
    assert not changes(of_visits(unit="trip", id="a"), of_visits(unit="trip", id="b")).cells.together


@pytest.mark.audit
@pytest.mark.parametrize("measure", [VISITS, "od_districts"])
def test_false_announcements_do_not_come_all_at_once(measure, capsys):
    """Pairs of releases of equal trips, with so much epsilon that noise of the totals is most of the error of large cells.

    In a pair where shared noise keeps its bound (99 %), more than a quarter of 64 cells are announced with a chance below 1e-7.
    Of 200 pairs more than 16 are beyond it with a chance of 1e-10.
    """
    town, random = city(300_000), np.random.default_rng(SEED)
    plan = finest(plan_of(town, "5", 10))
    pairs = ([released(town, plan, random) for _ in range(2)] for _ in range(200))
    found = [changes(*pair, measure).cells for pair in pairs]
    many = sorted(int((cells.direction != 0).sum()) for cells in found)
    with capsys.disabled():
        print(
            f"\n{measure}: cells {found[0].tested}, most announced falsely in a pair {many[-10:]}, pairs {sum(map(bool, many))}"
        )
    assert sum(one > found[0].tested / 4 for one in many) <= 16


@pytest.mark.audit
@pytest.mark.parametrize("measure", [VISITS, "od_districts"])
@pytest.mark.parametrize(("epsilon", "most"), [("0.5", 10), ("1", 10), ("0.5", None)])
def test_of_200_pairs_without_change_at_most_one_in_twenty_announces_one(epsilon, most, measure, capsys):
    town = city()
    false, total, _, _, held, held_total = simulated(town, town, epsilon, most, 200, measure)
    with capsys.disabled():
        print(
            f"\n{measure}, M = {most}, epsilon {epsilon}: cells {false:.3f}, total {total:.3f}, ranges {held:.3f}"
        )
    assert false <= 0.05 + 0.06  # four standard errors of 200 pairs
    assert total <= 0.05 + 0.06
    assert held >= 0.99
    assert held_total >= 0.95 - 0.06


@pytest.mark.audit
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
@pytest.mark.parametrize(("epsilon", "most"), [("0.5", 10), ("1", 10), ("1", None)])
@pytest.mark.parametrize("everywhere", [False, True])
def test_of_known_changes_few_announcements_are_false(everywhere, epsilon, most, share, capsys):
    town = city(300_000)
    tiles = [*range(len(town.tiles.tile_ids) + 1)] if everywhere else busy(town, 20)[::2]
    other = without(town, tiles, share, np.random.default_rng(SEED))
    for measure in (VISITS, "od_districts"):
        false, total, rightly, power, held, held_total = simulated(town, other, epsilon, most, 40, measure)
        with capsys.disabled():
            print(
                f"\n{measure}, M = {most}, epsilon {epsilon}, {share:.0%} {'of all' if everywhere else 'of ten tiles'}: "
                f"false {false:.3f}, told {power:.2f}, held {held:.3f}; total told {rightly:.2f}, false {total:.3f}, held {held_total:.3f}"
            )
        assert false <= 0.05 + 0.14  # four standard errors of 40 pairs
        assert held >= 0.95
        assert held_total >= 0.95 - 0.14
