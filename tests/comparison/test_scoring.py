"""Tables of a measure against each other: which metrics, what they say, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
import shapely

from dpcore.comparison import (
    METRICS,
    CountTable,
    Geography,
    Side,
    compared,
    left_out,
    matched,
    scores,
    side_of_measurements,
    side_of_release,
    side_of_tables,
)
from dpcore.comparison.layout import LAYOUTS, bin_middles, days
from dpcore.comparison.on_the_map import MOST_PLACES, Places, metres, structural_similarity
from dpcore.errors import InputError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step, date_axis
from dpcore.tiles import Box, Tessellation, square_grid
from tests.cities import DISTRICTS, four_tiles
from tests.release.made_releases import made_release

A_DEGREE = 111_195.08  # metres along the equator, R = 6,371,008.8 m


def visits(*values, ids=("A", "B", "C", "D", "outside")):
    return CountTable.of("visits_per_tile", {"tile_id": ids}, values)


def found(one, other, geography=None):
    return {score.metric: score for score in scores(matched(one, other), geography)}


@pytest.fixture(scope="module")
def geography():
    return Geography(four_tiles())


def test_the_key_columns_are_those_of_the_measures():
    choices = KeyChoices(districts=DISTRICTS)
    for name in set(MEASURES) - {"trips_over_time"}:
        keys = measure_named(name, choices).keys(four_tiles().tile_ids)
        assert keys.columns == LAYOUTS[name].columns


def test_a_table_against_itself_is_perfect(geography):
    table = visits(5, 0, 7, -2, 3)
    for score in found(table, table, geography).values():
        assert score.value == pytest.approx(METRICS[score.metric].best), score
    assert list(found(table, table, geography)) == list(METRICS)


def test_the_largest_tau_that_a_table_can_reach_stands_beside_it():
    score = found(visits(0, 0, 1, 2, 0), visits(1, 2, 3, 4, 0))["kendall_tau"]
    assert score.value == score.best == pytest.approx((5 / 6) ** 0.5)
    assert score.note == "0.91 is the most that counts with so many equal ones can reach"
    truth, noisy = visits(0, 0, 1, 2, 0), replace(visits(-3, 0, 1, 3, 0), rate=Fraction(1))
    clamped = replace(visits(0, 0, 1, 3, 0), rate=Fraction(1))
    for table in (noisy, clamped):
        assert found(truth, table)["kendall_tau"].value == pytest.approx((5 / 6) ** 0.5)


def test_visits_that_move_a_tile_move_so_many_metres(geography):
    scored = found(visits(10, 0, 0, 0, 0), visits(0, 10, 0, 0, 0), geography)
    assert scored["emd"].value == pytest.approx(A_DEGREE, rel=1e-3)
    assert scored["emd"].unit == "metres"
    half = found(visits(10, 10, 0, 0, 0), visits(10, 0, 0, 10, 0), geography)
    assert half["emd"].value == pytest.approx(A_DEGREE / 2, rel=1e-3)  # from B to D, above it


def test_what_lies_outside_has_no_place_and_no_rank(geography):
    scored = found(visits(1, 2, 3, 4, 1000), visits(1, 2, 3, 4, 0), geography)
    assert scored["emd"].value == 0
    assert scored["kendall_tau"].value == scored["ssim"].value == 1
    assert scored["jsd"].value > 0.5
    assert "outside" in scored["emd"].note


def test_without_tiles_the_map_has_no_answer_and_says_so():
    scored = found(visits(1, 2, 3, 4, 0), visits(4, 3, 2, 1, 0))
    assert scored["kendall_tau"].value == -1
    for metric in ("emd", "ssim"):
        assert scored[metric].value is None
        assert "tiles" in scored[metric].note


def test_a_side_without_mass_has_no_answer_and_two_are_equal(geography):
    nothing, some = visits(0, -3, 0, 0, 0), visits(1, 0, 0, 0, 0)
    for score in found(nothing, some, geography).values():
        assert score.value is None
        assert "A has nothing" in score.note
    for score in found(nothing, nothing, geography).values():
        assert score.value == METRICS[score.metric].best
    outside = found(visits(0, 0, 0, 0, 5), some, geography)
    assert outside["emd"].value is None
    assert outside["ssim"].value is None


def test_time_windows_weigh_by_their_mass_and_empty_ones_are_left_out(geography):
    def table(*rows):
        columns = zip(*[row[:3] for row in rows], strict=True)
        return CountTable.of(
            "visits_per_time_tile",
            dict(zip(("day_type", "window", "tile_id"), columns, strict=True)),
            [row[3] for row in rows],
        )

    one = table(("weekday", "2-6", "A", 9), ("weekday", "6-10", "A", 1), ("weekend", "2-6", "A", 0))
    other = table(("weekday", "2-6", "A", 9), ("weekday", "6-10", "B", 1), ("weekend", "2-6", "A", 5))
    scored = found(one, other, geography)
    masses = (9 / 10 + 9 / 15, 1 / 10 + 1 / 15)
    assert scored["emd"].value == pytest.approx(A_DEGREE * masses[1] / sum(masses), rel=1e-3)
    assert set(scored) == {"smape", "jsd", "kld", "emd"}


def test_flows_that_a_side_does_not_list_count_zero():
    one = CountTable.of("od_flows", {"origin": ["A", "B"], "destination": ["B", "A"]}, [3, 1])
    other = CountTable.of("od_flows", {"origin": ["A", "C"], "destination": ["B", "A"]}, [3, 1])
    scored = found(one, other)
    assert scored["smape"].value == pytest.approx((0 + 2 + 2) / 3)
    assert scored["smape"].cells == 3
    assert scored["jsd"].value == pytest.approx(0.25)
    assert scored["top_10_overlap"].value == 1
    assert "only 3" in scored["top_10_overlap"].note


def test_open_ends_of_a_histogram_stand_half_a_bin_beyond_their_edge():
    starts, ends = np.array([-np.inf, 5.0, 10.0, 20.0]), np.array([5.0, 10.0, 20.0, np.inf])
    assert bin_middles(starts, ends).tolist() == [2.5, 7.5, 15, 25]
    assert bin_middles(np.array([-np.inf, 5]), np.array([5, np.inf])).tolist() == [5, 5]
    assert bin_middles(np.array([-np.inf]), np.array([np.inf])).tolist() == [0]
    edges = {"bin_start": ["-inf", "5", "10"], "bin_end": ["5", "10", "inf"]}
    scored = found(
        CountTable.of("travel_time", edges, [4, 0, 0]), CountTable.of("travel_time", edges, [0, 0, 4])
    )
    assert (scored["emd"].value, scored["emd"].unit) == (10, "minutes")


def test_dates_stand_a_day_apart_and_catch_alls_beyond_them():
    assert (
        np.diff(days(np.array(["before", "2024-02-28", "2024-02-29", "2024-03-01", "after"]))).tolist()
        == [1] * 4
    )
    weeks = np.array(["2024-04-03", "2024-04-08", "2024-04-15", "after", "before"])
    assert (days(weeks) - days(weeks)[0]).tolist() == [0, 5, 12, 19, -5]
    assert days(np.array(["before", "after"])).tolist() == [0, 1]


def dated(*rows):
    return CountTable.of("trips_over_time", {"date": [day for day, _ in rows]}, [value for _, value in rows])


def test_of_two_periods_the_dates_that_both_have_are_compared_and_it_is_said():
    one = dated(("2024-04-01", 90), ("2024-04-02", 5), ("2024-04-03", 0), ("2024-04-04", 5))
    other = dated(("before", 7), ("2024-04-02", 5), ("2024-04-04", 5), ("2024-04-05", 90), ("after", 0))
    scored = found(one, other)
    assert scored["emd"].value == scored["smape"].value == 0
    assert scored["emd"].cells == 3, "a day within its period that a side does not list had no trips"
    assert "the periods differ; compared from 2024-04-02 to 2024-04-04, which both have" in scored["emd"].note
    assert found(dated(), dated(("2024-04-01", 1)))["smape"].value is None


def test_two_months_are_not_compared_date_by_date_and_all_else_is():
    april, june = (
        {
            "trips_over_time": dated((f"2024-{month}-01", 5), (f"2024-{month}-02", 5)),
            "trips_per_weekday": CountTable.of("trips_per_weekday", {"weekday": ["0", "1"]}, [5, 5]),
        }
        for month in ("04", "06")
    )
    sides = Side("april", april), Side("june", june)
    assert {score.measure for score in compared(*sides)} == {"trips_per_weekday"}
    ((name, reason),) = left_out(*sides).items()
    assert (name, reason.what) == ("trips_over_time", "the two periods have no date in common")
    assert "weekday" in reason.mend
    with pytest.raises(InputError, match="no date in common"):
        matched(april["trips_over_time"], june["trips_over_time"])


def test_a_month_that_a_period_cuts_is_not_compared_with_a_whole_one():
    cut = series(Step.MONTH, Period(date(2024, 1, 20), date(2024, 3, 10)), known=True)
    whole = series(Step.MONTH, Period(date(2024, 1, 1), date(2024, 5, 31)), known=True)
    assert matched(cut, whole).columns["date"].tolist() == ["2024-02-01"]


def test_hours_are_compared_within_their_kind_and_day_type():
    keys = {"kind": ["start"] * 2 + ["end"] * 2, "day_type": ["weekday"] * 4, "hour": ["8", "17", "8", "17"]}
    one = CountTable.of("trips_per_hour", keys, [10, 0, 0, 10])
    other = CountTable.of("trips_per_hour", keys, [0, 10, 0, 10])
    scored = found(one, other)
    assert (scored["emd"].value, scored["emd"].unit) == (pytest.approx(4.5), "hours")


def test_numbers_are_compared_where_both_have_them():
    one = CountTable.of("ds_statistics", {"statistic": ["users", "trips"]}, [10, 100])
    other = CountTable.of("ds_statistics", {"statistic": ["trips", "records"]}, [50, 7])
    (score,) = scores(matched(one, other))
    assert score.value == pytest.approx(50 / 75)
    assert "1 of 3" in score.note


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (visits(1, 2, ids=("A", "B")), visits(1, 2, ids=("A", "C")), "tiles are not the same"),
        (
            CountTable.of("travel_time", {"bin_start": ["-inf", "5"], "bin_end": ["5", "inf"]}, [1, 2]),
            CountTable.of("travel_time", {"bin_start": ["-inf", "6"], "bin_end": ["6", "inf"]}, [1, 2]),
            "bins are not the same",
        ),
        (
            dated(*((f"2024-04-0{n}", 1) for n in range(1, 5))),
            dated(*((f"2024-0{n}-01", 1) for n in range(1, 5))),
            "do not count by the same step",
        ),
        (visits(1, 2, ids=("A", "B")), dated(("2024-04-01", 1)), "different measures"),
    ],
)
def test_what_cannot_be_compared_is_refused(one, other, what):
    with pytest.raises(InputError, match=what):
        matched(one, other)


def test_other_windows_are_refused():
    def table(*windows):
        columns = {"day_type": ["weekday"] * 2, "window": windows, "tile_id": ["A"] * 2}
        return CountTable.of("visits_per_time_tile", columns, [1, 1])

    with pytest.raises(InputError, match="windows"):
        matched(table("2-6", "6-10"), table("0-6", "6-12"))


def test_edges_are_numbers_however_they_are_written():
    one = CountTable.of("jump_length", {"bin_start": ["-inf", "0.5"], "bin_end": ["0.50", "inf"]}, [1, 2])
    other = CountTable.of("jump_length", {"bin_start": ["-inf", "0.500"], "bin_end": [".5", "inf"]}, [1, 2])
    assert found(one, other)["jsd"].value == 0


@pytest.mark.parametrize(
    ("columns", "values", "what"),
    [
        ({"tile": ["A"]}, [1], "'tile_id' is missing"),
        ({"tile_id": ["A", "A"]}, [1, 2], "twice"),
        ({"tile_id": ["A"]}, [float("nan")], "not a number"),
    ],
)
def test_a_table_that_is_none_is_refused(columns, values, what):
    with pytest.raises(InputError, match=what):
        CountTable.of("visits_per_tile", columns, values)
    with pytest.raises(InputError, match="cannot be read"):
        CountTable.of("trips_over_time", {"date": ["yesterday"]}, [1])
    with pytest.raises(InputError, match="unknown measure"):
        CountTable.of("visits", {}, [])


def series(step: Step, period: Period, *, known: bool) -> CountTable:
    axis = date_axis("date", period, step)
    counts = np.ones(len(axis.labels), np.int64)
    return CountTable.of("trips_over_time", {"date": axis.labels}, counts, axis.covers if known else "")


SPRING = Period(date(2024, 1, 31), date(2024, 4, 17))


@pytest.mark.parametrize("known", [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize("one", list(Step))
@pytest.mark.parametrize("other", list(Step))
def test_days_weeks_and_months_are_never_compared_with_each_other(one, other, known):
    sides = [series(step, SPRING, known=told) for step, told in zip((one, other), known, strict=True)]
    if one is other:
        assert matched(*sides).one.size
    else:
        with pytest.raises(InputError, match="do not count by the same step"):
            matched(*sides)


def test_two_dates_that_tell_no_step_are_compared_unless_a_release_says_it():
    short = Period(date(2024, 4, 1), date(2024, 4, 2))
    assert matched(series(Step.DAY, short, known=False), series(Step.WEEK, short, known=False)).one.size
    with pytest.raises(InputError, match="do not count by the same step"):
        matched(series(Step.DAY, short, known=True), series(Step.WEEK, short, known=True))
    mondays = Period(date(2024, 4, 1), date(2024, 4, 14))
    with pytest.raises(InputError, match="do not count by the same step"):  # 8 April is no first of a month
        matched(series(Step.WEEK, mondays, known=False), series(Step.MONTH, mondays, known=True))


def test_a_release_tells_its_step_and_that_it_is_one():
    choices = {"weights": {"trips_over_time": 1}, "period": SPRING}
    release = made_release(**choices)
    side = side_of_release(release)
    assert side.tables["trips_over_time"].step == "day"
    assert side.released
    assert not side_of_measurements("preview", release.measurements).released
    assert not side_of_tables("truth", {}).released
    assert not Side("any", {}).released


def test_tiles_of_another_city_are_refused(geography):
    other = Geography(Tessellation.of(["X"], [""], [shapely.box(0, 0, 1, 1)], "x"))
    table = visits(1, 2, 3, 4, 5)
    with pytest.raises(InputError, match="tiles are not those"):
        scores(matched(table, table), other)
    few = visits(1, 2, ids=("A", "B"))
    with pytest.raises(InputError, match="tiles are not those"):
        scores(matched(few, few), geography)
    sides = [
        Side(name, {"visits_per_tile": table}, tiles)
        for name, tiles in (("a", four_tiles()), ("b", other.tiles))
    ]
    with pytest.raises(InputError, match="tiles are not the same"):
        compared(sides[0], sides[1])
    with pytest.raises(InputError, match="no measure in common"):
        compared(sides[0], Side("c", {}))


def test_distances_on_the_ground_are_those_of_the_sphere():
    places = np.array([[0.0, 0.0], [0.0, 1.0], [13.4, 52.5], [2.35, 48.85]])
    apart = metres(places, places)
    assert apart[0, 1] == pytest.approx(A_DEGREE, rel=1e-6)
    assert apart[2, 3] == pytest.approx(878_500, rel=3e-3)  # Berlin to Paris
    assert np.allclose(apart, apart.T)


def test_too_many_tiles_are_merged_and_the_distance_stays_about_the_same():
    rng = np.random.default_rng(6)
    centroids = rng.uniform(0, 1, (MOST_PLACES + 500, 2))
    places = Places(centroids)
    assert places.merged
    assert len(places.at) <= 3_600
    p, q = np.zeros(len(centroids)), np.zeros(len(centroids))
    p[:200], q[200:400] = 1 / 200, 1 / 200
    few = Places(centroids[:400])
    assert not few.merged
    assert 50 < len(Places(centroids, 100).at) <= 100
    assert len(Places(centroids, 1).at) == 1
    assert places.emd(p, q) == pytest.approx(few.emd(p[:400], q[:400]), rel=0.05)


def test_the_distance_on_the_map_is_that_of_a_second_solver():
    from scipy.optimize import linprog

    rng = np.random.default_rng(9)
    centroids = rng.uniform(0, 1, (7, 2))
    p, q = rng.dirichlet(np.ones(7)), rng.dirichlet(np.ones(7))
    rows = np.concatenate([np.kron(np.eye(7), np.ones(7)), np.kron(np.ones(7), np.eye(7))])
    solved = linprog(metres(centroids, centroids).ravel(), A_eq=rows, b_eq=np.r_[p, q])
    assert Places(centroids).emd(p, q) == pytest.approx(solved.fun, rel=1e-6)
    assert Places(centroids).emd(p, q) == pytest.approx(Places(centroids).emd(q, p))


def test_structural_similarity_sees_shuffled_places_and_is_symmetric():
    side = 20 / 111.19492664455873
    grid = Geography(square_grid(Box(0.0, -side / 2, side, side / 2), 1000))
    raster = grid.raster
    assert sorted(np.unique(raster)) == list(range(len(grid.tile_ids)))  # every tile is seen
    rng = np.random.default_rng(7)
    x, y = grid.centroids.T
    hill = np.exp(-((x - side / 2) ** 2 + y**2) / (side / 6) ** 2)
    hill /= hill.sum()
    shuffled = rng.permutation(hill)
    little = np.abs(hill + rng.normal(0, hill.max() / 100, len(hill)))
    little /= little.sum()
    assert structural_similarity(hill, hill, raster) == pytest.approx(1)
    near, far = (structural_similarity(hill, q, raster) for q in (little, shuffled))
    assert -1 <= far < 0.5 < near < 1
    assert structural_similarity(shuffled, hill, raster) == pytest.approx(far)
    waves = [1 + sign * np.sin(x / side * 40) for sign in (1, -1)]
    assert structural_similarity(*(wave / wave.sum() for wave in waves), raster) < -0.5
    assert structural_similarity(hill, hill, np.full((3, 3), -1)) == 1


def test_texts_of_tables_show_no_count():
    table = visits(987_654, 1, 2, 3, 4)
    for shown in (table, matched(table, table), Side("s", {"visits_per_tile": table})):
        assert "987" not in repr(shown)
