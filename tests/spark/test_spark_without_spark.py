"""What holds of Spark's modules whether it is installed or not."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from dpcore.engines.spark.private import session
from dpcore.engines.spark.private.files import Listed, addresses, digest_of, name_of
from dpcore.engines.spark.private.jobs import refusal
from dpcore.engines.spark.private.places import write_package
from dpcore.engines.spark.private.worker import packed_tiles, report_of, unpacked
from dpcore.errors import AtlasError, InputError, InternalError
from tests.cities import four_tiles
from tests.conftest import ROOT

CELL = "Alice-52.516"


def test_nothing_imports_spark_at_start():
    code = "import sys, dpcore.api.owner, dpcore.curator; sys.exit(any(n.startswith(('pyspark', 'py4j')) for n in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("given", "master"),
    [
        (None, "local[*,4]"), ("local[2]", "local[2,4]"), ("local", "local[1,4]"), ("yarn", "yarn"),
        ("spark://a:7077,b:7077", "spark://a:7077,b:7077"), ("k8s://https://h:6443", "k8s://https://h:6443"),
    ],
)  # fmt: skip
def test_a_master_is_named_as_spark_names_it_and_tasks_are_tried_again(given, master):
    assert session.master_of(given) == master


@pytest.mark.parametrize(
    "given", ["http://x", "spark://", "spark://a:b", "local[0]", "spark://a:1\n", "--conf x"]
)
def test_what_is_no_master_is_refused(given):
    with pytest.raises(InputError, match="not the address of a Spark master"):
        session.master_of(given)


def test_a_master_that_is_not_there_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(InputError, match="no Spark master answers"):
        session.must_answer(f"spark://127.0.0.1:{port}")
    assert time.monotonic() - begun < 10


def test_without_pyspark_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError, match=r"pip install -r requirements-spark\.txt"):
        session.must_be_installed()


def test_without_java_the_error_says_so(monkeypatch):
    pytest.importorskip("pyspark", reason="needs pip install -r requirements-spark.txt")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(InputError, match="Java is missing"):
        session.must_be_installed()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[CAST_INVALID_INPUT] The value '{CELL}' cannot be cast", "something went wrong in this program"),
        (f"Python worker exited unexpectedly {CELL}", "a worker of Spark died repeatedly"),
        (f"No space left on device {CELL}", "Spark has no space left"),
        (f"java.lang.OutOfMemoryError: {CELL}", "Spark has not enough memory"),
        (f"ModuleNotFoundError: No module named 'numba' {CELL}", "the workers lack the package numba"),
        (
            f"[FAILED_READ_FILE] file:///a/m2.parquet. {CELL}",
            "not a Parquet file, or a damaged one: m2.parquet",
        ),
        (f"[FAILED_READ_FILE] file:///a/{CELL}.parquet", "not a Parquet file, or a damaged one: trips"),
        (f"SparkContext was shut down {CELL}", "Spark ended"),
    ],
)
def test_what_spark_says_is_never_quoted(text, said):
    error = refusal(
        RuntimeError(text), "trips", "counting trips", ["file:/a/m1.parquet", "file:/a/m2.parquet"]
    )
    assert isinstance(error, AtlasError)
    assert str(error).startswith(said)
    assert CELL not in str(error)


def test_tallies_of_partitions_add_up_and_a_fault_tells_its_place_alone():
    one = (
        '{"records": 5, "trips": 3, "incomplete": 1, "at_zero": 0, "long": 0, "missing": {"end_lat": 1}, '
        '"unlisted": {}, "bad": [["not a number", "lat", 2]]}'
    )
    report = report_of([one, one], "trips")
    assert (report.records, report.trips, report.incomplete, report.dropped_records) == (10, 6, 2, 4)
    assert report.missing == {"end_lat": 2}
    with pytest.raises(InternalError, match=r"KeyError in x\.py, line 3"):
        report_of(['{"fault": "KeyError in x.py, line 3"}'], "trips")


def test_tiles_travel_as_arrays_and_find_the_same_tiles():
    tiles = four_tiles()
    block = packed_tiles(tiles.tile_ids, tiles.index)
    lng, lat = np.linspace(-0.5, 2.5, 400), np.linspace(2.5, -0.5, 400)
    arrived = unpacked(block)
    assert arrived.tile_ids == tiles.tile_ids
    np.testing.assert_array_equal(arrived.index.assign(lng, lat), tiles.index.assign(lng, lat))
    assert unpacked(block) is arrived


def test_a_listing_is_known_by_path_size_and_time():
    one, key = Listed("s3a://b/a.parquet", 10, 20), bytes(16)
    others = [Listed("s3a://b/c.parquet", 10, 20), Listed(one.path, 11, 20), Listed(one.path, 10, 21)]
    digests = {digest_of([file], key) for file in (one, *others)} | {digest_of([one], bytes(15) + b"x")}
    assert len(digests) == 5


def test_paths_without_a_file_system_are_of_this_computer():
    assert addresses(["/a/b", "s3a://b/c"]) == ["file:///a/b", "s3a://b/c"]
    assert name_of(["s3a://b/trips/", "x"]) == "trips and 1 more"
    for wrong in ([], [""], ["a\0b"]):
        with pytest.raises(InputError):
            addresses(wrong)


def test_the_archive_for_workers_holds_dpcore_and_nothing_else(tmp_path):
    with zipfile.ZipFile(write_package(tmp_path / "dpcore.zip")) as archive:
        names = archive.namelist()
    assert "dpcore/engines/spark/private/worker.py" in names
    assert all(name.startswith("dpcore/") and "__pycache__" not in name for name in names)
