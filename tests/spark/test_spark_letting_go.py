"""What Spark holds is let go of: forgotten, replaced, refused, cancelled, or no longer wanted by anybody."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import demo
from dpcore.api import owner
from dpcore.engines.spark.owner import load_on_spark
from dpcore.engines.spark.private import loading, places, session
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.trips import rows_of
from tests.spark.small_city import ZONE, tiles_of

pytestmark = pytest.mark.usefixtures("spark_here")


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small city")
    demo.write_city(folder, 600, 20, 7)
    return pq.read_table(folder / "trips.parquet"), tiles_of(folder)


def load(city, folder, name="a", **choices):
    place = folder / f"{name}.parquet"
    if not place.exists():
        pq.write_table(city[0], place)
    return load_on_spark([str(place)], city[1], timezone=ZONE, **choices)


def held():
    """How many tables Spark holds, and which views of ours there are."""
    spark = session.session(None)
    tables = spark.sparkContext._jsc.getPersistentRDDs().size()
    catalog = spark._jsparkSession.sessionState().catalog()
    views = catalog.globalTempViewManager().listViewNames("*")
    empty = spark._jsparkSession.sharedState().cacheManager().isEmpty()
    return tables if not empty or tables else 0, views.size(), empty


def answer(trips):
    measure = measure_named("ds_statistics")
    return exact_answers(bounded(trips, ContributionBound.per_user(5)), [measure]).answers["ds_statistics"]


def test_forgetting_ends_spark_and_the_next_load_starts_it_again(city, tmp_path):
    trips = load(city, tmp_path)
    before = answer(trips)
    context = rows_of(trips).session.sparkContext
    folder = Path(context.getConf().get("spark.local.dir"))
    assert [*folder.rglob("blockmgr-*")]
    owner.forget()
    assert context._jsc is None
    left = {path.name for path in folder.rglob("*") if path.is_file()}
    assert left == {"lock", "log4j2.properties"}
    with pytest.raises(InputError, match="Spark no longer holds these trips"):
        answer(trips)
    again = load(city, tmp_path)
    assert held() == (1, 1, False)
    assert (answer(again) == before).all()
    assert held() == (1, 1, False)


def test_a_further_load_replaces_the_trips_and_their_handle_says_so(city, tmp_path):
    first = load(city, tmp_path)
    second = load(city, tmp_path, "b")
    assert held() == (1, 1, False)
    with pytest.raises(InputError, match=r"Spark no longer holds .*a\.parquet.*Load them again"):
        answer(first)
    assert answer(second).size


def test_a_cancel_and_a_refusal_leave_nothing_and_the_trips_before_untouched(city, tmp_path, monkeypatch):
    class Left(BaseException):
        pass

    def leave(_share):
        raise Left

    def change(*_args):
        report = read(*_args)
        pq.write_table(city[0].slice(0, 9), tmp_path / "b.parquet")
        return report

    trips = load(city, tmp_path)
    with pytest.raises(Left):
        load(city, tmp_path, "b", progress=leave)
    assert held() == (1, 1, False)
    read = loading._record_report
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_record_report", change)
        with pytest.raises(InputError, match="changed while"):
            load(city, tmp_path, "b")
    assert held() == (1, 1, False)
    bad = city[0].set_column(
        city[0].schema.get_field_index("start_lat"), "start_lat", pa.array([99.0] * len(city[0]))
    )
    pq.write_table(bad, tmp_path / "c.parquet")
    with pytest.raises(InputError):
        load(city, tmp_path, "c")
    assert held() == (1, 1, False)
    with pytest.raises(Left):
        exact_answers(bounded(trips, ContributionBound.per_user(3)), [measure_named("od_flows")], leave)
    assert held() == (1, 1, False)
    assert answer(trips).size


def test_spark_lets_go_of_trips_that_nobody_has_any_more(city, tmp_path):
    trips = load(city, tmp_path)
    assert held() == (1, 1, False)
    del trips
    gc.collect()
    end = time.monotonic() + 600  # a busy machine may take its time
    while held() != (0, 0, True) and time.monotonic() < end:
        time.sleep(0.05)
    assert held() == (0, 0, True)


def test_neither_an_idle_day_nor_deleted_spill_files_break_spark(city, tmp_path, monkeypatch):
    context = rows_of(load(city, tmp_path)).session.sparkContext
    home = Path(context._temp_dir).parents[4]  # that of the test which started Java
    assert (home / "private").exists()
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    later = time.time() + 3 * 24 * 3600
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: later)
        store.sweep()
        places.sweep()
    store.forget()
    assert load(city, tmp_path, "b", recount=True).report.trips == 600


def test_a_spark_that_was_ended_from_outside_is_started_again(city, tmp_path):
    trips = load(city, tmp_path)
    rows_of(trips).session.sparkContext._jsc.sc().stop()
    with pytest.raises(InputError):
        answer(trips)
    assert answer(load(city, tmp_path)).size
