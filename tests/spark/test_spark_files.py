"""Files that Spark cannot read as they are, records that are bad, workers that die: a clear refusal, or the right answer."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import demo
from dpcore.api import owner
from dpcore.engines.spark.owner import fingerprint_on_spark, load_on_spark
from dpcore.engines.spark.private import loading, worker
from dpcore.errors import InputError
from dpcore.private.trips import rows_of
from tests.spark.small_city import ZONE, tiles_of

LAST = "date=2024-04-03/m2.parquet"

pytestmark = pytest.mark.usefixtures("spark_here")


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small city")
    demo.write_city(folder, 600, 20, 7)
    return pq.read_table(folder / "trips.parquet"), tiles_of(folder)


@pytest.fixture
def months(city, tmp_path):
    """A folder with three days, each in a folder of its own."""
    table, _ = city
    for number, folder in enumerate(("date=2024-04-01", "date=2024-04-02", "date=2024-04-03")):
        (tmp_path / folder).mkdir(exist_ok=True)
        pq.write_table(table.slice(number * 200, 200), tmp_path / folder / f"m{number}.parquet")
    return tmp_path


def load(folder, city, **choices):
    return load_on_spark([str(folder)], city[1], timezone=ZONE, **choices)


def test_a_file_that_cannot_be_read_as_the_others_is_named(city, months):
    whole = (months / LAST).read_bytes()
    (months / LAST).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"damaged one: .*m2\.parquet") as caught:
        load(months, city)
    assert caught.value.__context__ is None
    pq.write_table(city[0].slice(0, 9).drop_columns(["end_lat"]), months / LAST)
    with pytest.raises(
        InputError, match=r"column missing in one of the files: .*m2\.parquet, column end_lat"
    ):
        load(months, city)
    short = city[0].slice(0, 9).set_column(0, "user_id", pa.array(range(9), pa.int16()))
    pq.write_table(short, months / LAST)
    with pytest.raises(InputError, match=r"type of a column changes .*m2\.parquet, column user_id"):
        load(months, city)


def test_what_says_that_rows_are_sums_or_that_folders_are_people_is_refused_as_everywhere(city, tmp_path):
    trips = city[0].slice(0, 9).drop_columns(["user_id"])
    pq.write_table(trips.append_column("trips_am", pa.array(range(9))), tmp_path / "sums.parquet")
    with pytest.raises(InputError, match=r"a row is a number of trips.*column trips_am"):
        load(tmp_path / "sums.parquet", city)
    for number, person in enumerate(("anna", "ben")):
        (tmp_path / f"set/customer={person}").mkdir(parents=True)
        pq.write_table(trips.slice(number, 1), tmp_path / f"set/customer={person}/a.parquet")
    with pytest.raises(InputError, match=r"folders may name people: set: customer=.*uid=customer") as caught:
        load(tmp_path / "set", city)
    assert "anna" not in str(caught.value)
    assert load(tmp_path / "set", city, mapping={"uid": "customer"}).has_users
    assert not load(tmp_path / "set", city, mapping={"no_person": "customer"}).has_users


def test_a_loose_file_beside_partitioned_folders_is_never_left_out_in_silence(city, months):
    trips = load(months, city)
    assert rows_of(trips).count == 600
    known = fingerprint_on_spark([str(months)], mapping={})
    assert trips.fingerprints == (known,), "so a look before loading is remembered"
    pq.write_table(city[0].slice(0, 9), months / "loose.parquet")
    with pytest.raises(InputError, match=r"would leave out files .*loose\.parquet"):
        load(months, city)


def test_bad_records_name_rule_file_and_row_but_no_cell(city, months):
    part = city[0].slice(400, 200)
    number = part.schema.get_field_index("start_lat")
    cells = part["start_lat"].to_pylist()
    cells[7] = cells[9] = 913.25
    pq.write_table(part.set_column(number, "start_lat", pa.array(cells)), months / LAST)
    with pytest.raises(
        InputError, match=r"outside \[-90, 90\]: m2.parquet, row 8, column start_lat"
    ) as caught:
        load(months, city)
    assert str(caught.value).endswith("And 1 more.")
    assert "913" not in str(caught.value) + str(caught.value.__notes__)
    report = load(months, city, bad_records=owner.BadRecords.DROP).report
    assert (report.records, report.trips, report.dropped_records) == (600, 598, 2)


def dying(mark, *, always):
    """A worker whose process is killed in the middle of its work: once, or every time."""

    def prepared(batches, work, tiles):
        for rows in worker.prepared(batches, work, tiles):
            if always or not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield rows

    names = ("Work", "TALLY", "FILE", "ROW", "FOUND", "bad_records_of")
    return SimpleNamespace(prepared=prepared, **{name: vars(worker)[name] for name in names})


def test_a_worker_that_dies_once_changes_nothing_and_one_that_always_dies_is_told(
    city, months, tmp_path_factory, monkeypatch
):
    mark = tmp_path_factory.mktemp("mark") / "died"
    monkeypatch.setattr(loading, "worker", dying(mark, always=False))
    assert load(months, city).report.trips == 600
    assert mark.exists()
    monkeypatch.setattr(loading, "worker", dying(mark, always=True))
    with pytest.raises(InputError, match="a worker of Spark died repeatedly"):
        load(months, city, recount=True)
