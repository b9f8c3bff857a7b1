"""Trips on Spark give the very answers that they give on this computer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import owner
from dpcore.engines.spark.owner import load_on_spark
from dpcore.engines.spark.private.counting import KEPT_VIA
from dpcore.errors import InputError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.attribute import Amount, Categories
from dpcore.measures.choices import KeyChoices, names_of_sums
from dpcore.measures.measure import Engine
from dpcore.measures.sums import BY
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.trips import local_rows, rows_of
from tests.spark.small_city import ZONE, tiles_of, write

pytestmark = pytest.mark.usefixtures("spark_here")

# Each kept trip as a row of integers: the same trips are kept, not only as many.
KEPT = replace(
    measure_named("od_flows"),
    name="kept-rows",
    sql="SELECT start_tile, end_tile, start_hour, end_hour, duration_us, jump_m, count(*) AS n "
    "FROM kept GROUP BY 1, 2, 3, 4, 5, 6",
)
FEW = replace(measure_named("total_trips", KeyChoices(most_trips=2)), name="at-most-two-trips")
SUMS = [
    replace(measure_named(name, choices), name=f"{name} by {choices.by}")
    for by in (None, *BY)
    for choices in [
        KeyChoices(visits_cap=3, sums={"duration": "1.4:21:0.7", "distance": "-1.2:30:0.003"}, by=by)
    ]
    for name in names_of_sums(choices)
]
ALL = [*MEASURES.values(), measure_named("visits_per_tile", KeyChoices(visits_cap=3)), KEPT, FEW, *SUMS]
MODE, PURPOSE = Categories("mode", ("walk", "bus")), Categories("purpose", ("work",))
FARE = Amount("fare", Fraction(-5), Fraction(20), Fraction(1, 20))
FARES = [
    replace(measure_named(name, choices), name=f"{name} by {choices.by}")
    for by in (None, "visits_per_tile", "od_flows")
    for choices in [KeyChoices(visits_cap=3, sums={"fare": "-4:11.5:0.05"}, by=by)]
    for name in names_of_sums(choices)
]
SPLIT = [
    replace(measure_named(name, replace(choices, splits=by)), name=f"{name} by {len(by)}")
    for by in ((MODE,), (PURPOSE, MODE))
    for choices in (KeyChoices(), KeyChoices(visits_cap=3))
    for name in (MEASURES if choices.visits_cap is None else ["visits_per_tile"])
    if measure_named(name).terms
]
BOUNDS = [ContributionBound.per_trip(), ContributionBound.per_user(5)]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """One file, loaded on this computer and on Spark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(tmp_path_factory.mktemp("home of both")))
        yield loaded(tmp_path_factory.mktemp("city"), 3_000, 150, master=None)


def loaded(folder, trips, tiles, *, master):
    place = write(folder, trips, tiles)
    tessellation = tiles_of(folder)
    file = owner.TripsFile.on_disk(place)
    kept = (MODE, PURPOSE, FARE)
    here = owner.load(file, owner.keeping(file, owner.inspect(file), kept), tessellation, timezone=ZONE)
    there = load_on_spark([str(place)], tessellation, timezone=ZONE, master=master, attributes=kept)
    return replace(here, engine=Engine.DUCKDB), there


def ordered(answer):
    return answer[:, np.lexsort(answer[::-1])]


def must_be_equal(here, there, bound, measures=ALL):
    expected = exact_answers(bounded(here, bound), measures).answers
    found = exact_answers(bounded(there, bound), measures).answers
    assert {*found} == {*expected}
    for name, answer in found.items():
        assert answer.dtype == np.int64
        np.testing.assert_array_equal(ordered(answer), ordered(expected[name]), err_msg=f"{name}, {bound}")


@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_spark_counts_every_measure_and_keeps_every_trip_as_duckdb_does(both, bound):
    must_be_equal(*both, bound)


@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_spark_counts_split_tables_as_duckdb_does(both, bound):
    must_be_equal(*both, bound, SPLIT)


@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_spark_adds_up_an_attribute_as_duckdb_does_with_commas_losses_and_what_is_no_number(both, bound):
    must_be_equal(*both, bound, FARES)
    here = exact_answers(bounded(both[0], bound), FARES).answers
    assert (here["mean_fare by None"][-1] > 0).all(), "values, and missing ones, are there"


def test_the_report_and_the_number_of_trips_are_those_of_this_computer(both):
    here, there = both
    assert there.report.to_json() == here.report.to_json()
    assert rows_of(there).count == there.report.trips == 3_060
    assert there.engine is Engine.SPARK


def test_what_needs_rows_on_this_computer_is_refused_with_what_to_do(both):
    with pytest.raises(InputError, match="on Spark"):
        local_rows(both[1])


def test_tiles_on_the_way_have_their_places_from_one_on(both):
    spark = rows_of(both[1]).session.newSession()
    trips = "SELECT 1 AS duration_us, 2 AS jump_m, array(7, 9) AS via UNION ALL SELECT 3, 4, NULL"
    spark.sql(trips).createOrReplaceTempView("kept")
    found = sorted(map(tuple, spark.sql(KEPT_VIA.format(read="")).collect()))
    assert found == [(1, 2, 7, 1), (1, 2, 9, 2)]


@pytest.mark.audit
def test_a_million_trips_on_two_cores_give_the_answers_of_duckdb(tmp_path):
    here, there = loaded(tmp_path, 1_000_000, 500, master="local[2]")
    assert rows_of(there).session.conf.get("spark.sql.ansi.enabled") == "true"
    for bound in BOUNDS:
        must_be_equal(here, there, bound)
