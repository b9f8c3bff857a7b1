"""Estimates in bundles: stated in files, computed from tables, and refused where the two differ."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.estimates import words
from dpcore.release import estimates, estimates_of, read_bundle, verify_bundle, write_bundle, zipped
from dpcore.release.estimate_files import NEAR, PART
from dpcore.release.estimates import estimated_measures
from dpcore.release.table_files import csv_bytes, parquet_bytes
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.release.tampering import as_of, manifest, rewrite
from tests.release.test_earlier_bundles import EARLIER

WEIGHTS = {"visits_per_tile": 3, "visits_per_time_tile": 2, "trips_per_hour": 1}


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, unit="trip")


def estimates_in(folder, name="visits_per_tile"):
    return pq.read_table(folder / "estimates" / f"{name}.parquet")


def refused(place) -> str:
    with pytest.raises(BundleError) as found:
        verify_bundle(place)
    return str(found.value)


def change(folder, make, name="visits_per_tile") -> None:
    """Put another table into both files of a measure, with sums and seal that fit."""
    table = make(estimates_in(folder, name))
    parts = {f"estimates__{name}__parquet": parquet_bytes(table), f"estimates__{name}__csv": csv_bytes(table)}
    rewrite(folder, **parts)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values, pa.float64()))


# ---- what is written


def test_files_state_estimates_of_every_measure_and_of_flows_where_visits_were_released(written, release):
    assert estimated_measures(release.plan) == (*WEIGHTS, "od_flows")
    names = {path.name for path in (written / "estimates").iterdir()}
    assert names == {f"{name}.{end}" for name in (*WEIGHTS, "od_flows") for end in ("csv", "parquet")}
    alone = made_release(weights={"trips_per_hour": 1}, period=None)
    assert estimated_measures(alone.plan) == ("trips_per_hour",)


def test_a_file_holds_keys_and_rounded_estimates_of_counted_and_of_all_trips(written, release):
    found = estimates_of(release).tables["visits_per_time_tile"]
    table = estimates_in(written, "visits_per_time_tile")
    trios = [f"{whose}{end}" for whose in ("counted", "all") for end in ("", "_low", "_high")]
    assert table.column_names == ["day_type", "window", "tile_id", *trios]
    for numbers, prefix in ((found.counted, "counted"), (found.all_trips, "all")):
        assert table[prefix].to_numpy() == pytest.approx(numbers.values, abs=0.0051)
        assert table[f"{prefix}_low"].to_numpy() == pytest.approx(numbers.low, abs=0.0051)
        assert table[f"{prefix}_high"].to_numpy() == pytest.approx(numbers.high, abs=0.0051)
    assert not (table["counted"].to_numpy() * 100 % 1 > 1e-6).all()


def test_a_range_that_is_not_known_is_an_empty_field(written):
    table = estimates_in(written, "od_flows")
    known = table["all_low"].null_count
    text = (written / "estimates" / "od_flows.csv").read_text(encoding="utf-8")
    assert "nan" not in text
    assert known in {0, table.num_rows}


def test_a_release_without_a_total_has_no_estimates_for_all_trips(tmp_path):
    write_bundle(made_release(weights={"visits_per_tile": 1}, unit="user"), tmp_path / "b")
    assert estimates_in(tmp_path / "b").column_names[-3:] == ["counted", "counted_low", "counted_high"]
    assert manifest(tmp_path / "b")["estimates"]["share_that_counts"] is None
    assert "does not say how many trips" in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")


def test_manifest_and_readme_tell_released_share_and_estimate_apart(written):
    told = manifest(written)
    assert told["estimates"]["share_that_counts"] == {"value": "1.0000", "low": "1.0000", "high": "1.0000"}
    assert "All trips count." in told["statements"]["estimates"]
    text = (written / "README.md").read_text(encoding="utf-8")
    assert "| released, of the trips that count |" in text
    assert "(noise alone)" in text
    assert "| estimate, of all trips | about " in text
    for name in told["files"]:
        if name.startswith("estimates/") and name.endswith(".csv"):
            assert name in text


def test_the_same_release_gives_the_same_estimates(release, written, tmp_path):
    write_bundle(release, tmp_path / "again")
    for path in (written / "estimates").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / "estimates" / path.name).read_bytes()


def test_estimates_are_computed_once_while_a_release_is_written_read_back_and_shown(tmp_path, monkeypatch):
    times, compute = [], estimates.estimate
    monkeypatch.setattr(
        estimates, "estimate", lambda *given, **more: times.append(1) or compute(*given, **more)
    )
    release = made_release(weights=WEIGHTS, id="once-1")
    write_bundle(release, tmp_path / "b")
    estimates_of(read_bundle(tmp_path / "b"))
    zipped(tmp_path / "b")
    assert len(times) == 1


def test_a_raised_release_states_the_estimates_of_its_finest_rung(release, tmp_path):
    write_bundle(release, tmp_path / "a")
    first = read_bundle(tmp_path / "a")
    rungs = first.plan.rungs[:-1]
    measurements = {
        name: replace(one, rungs=rungs, values=one.values[:-1], half_widths=one.half_widths[:-1])
        for name, one in first.measurements.items()
    }
    # what is carried over from another release is computed anew
    other = replace(
        first,
        plan=replace(first.plan, rungs=rungs),
        drawn=replace(first.drawn, measurements=measurements),
    )
    write_bundle(other, tmp_path / "b")
    assert verify_bundle(tmp_path / "b").files
    assert not estimates_in(tmp_path / "a").equals(estimates_in(tmp_path / "b"))


# ---- what somebody changed, with sums that fit


FALSE = {
    "a value": lambda t: with_column(t, "counted", t["counted"].to_numpy() + np.eye(5)[1] * 9),
    "a value of all trips": lambda t: with_column(t, "all", t["all"].to_numpy() * 1.01 + 1),
    "a range": lambda t: with_column(t, "all_high", t["all_high"].to_numpy() / 2),
    "no range": lambda t: with_column(t, "all_low", [None] * len(t)),
    "twice as much": lambda t: with_column(t, "counted_low", t["counted_low"].to_numpy() * 2 + 1),
}


@pytest.mark.parametrize("make", FALSE.values(), ids=FALSE)
def test_estimates_that_do_not_follow_from_the_tables_are_refused_by_verify_naming_the_file(bundle, make):
    change(bundle, make)
    assert "do not follow from the tables" in refused(bundle)
    assert "estimates/visits_per_tile.parquet" in refused(bundle)
    with pytest.raises(
        BundleError
    ):  # zipping refuses where other files repeat the estimates, else readers do
        verify_bundle(zipped(bundle))


MALFORMED = {
    "a missing value": lambda t: with_column(t, "counted", [1.0, None, 1, 1, 1]),
    "NaN": lambda t: with_column(t, "counted_low", [1.0, float("nan"), 1, 1, 1]),
    "infinity": lambda t: with_column(t, "all_high", [float("inf")] * 5),
    "a huge number": lambda t: with_column(t, "all_high", [1e300] * 5),
    "a negative number": lambda t: with_column(t, "counted", [-1.0] * 5),
    "a row less": lambda t: t.slice(0, 4),
    "a row twice": lambda t: pa.concat_tables([t, t.slice(4, 1)]),
    "many rows": lambda t: pa.concat_tables([t] * 1000),
    "no row": lambda t: t.slice(0, 0),
    "rows in another order": lambda t: t.take([1, 0, 2, 3, 4]),
    "a tile that there is not": lambda t: t.set_column(
        0, "tile_id", pa.array(["A", "B", "C", "E", "outside"])
    ),
    "a column less": lambda t: t.drop_columns(["all_high"]),
    "a column more": lambda t: t.append_column("truth", t["all"]),
    "texts": lambda t: t.set_column(1, "counted", pa.array(["1"] * 5)),
    "whole numbers": lambda t: t.set_column(1, "counted", pa.array([1] * 5)),
}


@pytest.mark.parametrize("make", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_table_of_estimates_is_refused_when_it_is_read_naming_the_file(bundle, make):
    change(bundle, make)
    with pytest.raises(BundleError) as found:
        read_bundle(bundle)
    assert "estimates/visits_per_tile" in str(found.value)


def test_the_two_files_of_a_measure_must_say_the_same(bundle):
    table = estimates_in(bundle)
    other = csv_bytes(with_column(table, "counted", table["counted"].to_numpy() + 0.01))
    rewrite(bundle, estimates__visits_per_tile__csv=other)
    assert "estimates/visits_per_tile.csv" in refused(bundle)


def test_swapped_files_are_refused(bundle):
    here, there = (
        (bundle / "estimates" / f"{name}.parquet").read_bytes() for name in ("visits_per_tile", "od_flows")
    )
    rewrite(bundle, estimates__visits_per_tile__parquet=there, estimates__od_flows__parquet=here)
    assert "estimates/visits_per_tile.parquet" in refused(bundle)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 1000, b"not a table"])
def test_what_is_no_file_of_tables_is_refused(bundle, data):
    rewrite(bundle, estimates__visits_per_tile__parquet=data)
    assert "estimates/visits_per_tile.parquet" in refused(bundle)


def test_a_missing_file_and_one_too_many_are_refused(bundle):
    (bundle / "estimates" / "trips_per_hour.csv").unlink()
    assert "estimates/trips_per_hour.csv" in refused(bundle)
    rewrite(bundle, lambda document: document["files"].pop("estimates/trips_per_hour.csv"))
    assert "list of files" in refused(bundle)


def test_a_file_of_a_measure_that_was_not_released_is_refused(bundle):
    rewrite(bundle, estimates__travel_time__csv=b"bin_start\n")
    assert "files" in refused(bundle)


def test_a_share_that_does_not_follow_is_refused(bundle):
    def fewer(document):
        document["estimates"]["share_that_counts"]["low"] = "0.9000"
        document["statements"]["estimates"] = ["x"] * len(document["statements"]["estimates"])

    rewrite(bundle, fewer)
    assert refused(bundle)


@pytest.mark.parametrize("share", ["1", "0.5", "2.0000", "-0.5000", "nan", "1.0001", "0.50000"])
def test_what_is_no_share_is_refused(bundle, share):
    rewrite(bundle, lambda document: document["estimates"]["share_that_counts"].update(value=share))
    assert "share_that_counts" in refused(bundle)


def test_a_bundle_of_this_version_must_state_its_estimates(bundle):
    rewrite(bundle, lambda document: document.pop("estimates"))
    assert "estimates" in refused(bundle)


@pytest.mark.parametrize("version", [1, 2])
def test_a_bundle_of_an_earlier_version_states_none(bundle, version):
    rewrite(bundle, lambda document: document.update(schema_version=version))
    assert refused(bundle)


@pytest.fixture(scope="module")
def with_flows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "b"
    write_bundle(made_release(sparse=True, weights={"visits_per_tile": 1}, unit="trip"), folder)
    return folder


def test_flows_that_another_computer_may_leave_out_are_no_fault_and_others_are(with_flows, tmp_path):
    values = estimates_in(with_flows, "od_flows")["counted"].to_numpy()
    assert len(values) > 100
    assert values.min() >= 0.5
    order = np.argsort(values)
    for gone, fault in ((order[:1], values[order[0]] > 0.5 + NEAR), (order[-1:], True)):
        folder = shutil.copytree(with_flows, tmp_path / str(gone[0]))
        kept = np.delete(np.arange(len(values)), gone)
        change(folder, lambda table, kept=kept: table.take(kept), "od_flows")
        assert not fault or "fewer rows" in refused(folder)
        assert fault or verify_bundle(folder).files


def test_flows_that_nobody_can_have_listed_are_refused(with_flows, tmp_path):
    folder = shutil.copytree(with_flows, tmp_path / "b")

    def one_more(table):
        """The first pair that is not listed, with a large flow."""
        keys = {(row["origin"], row["destination"]) for row in table.select([0, 1]).to_pylist()}
        ids = read_bundle(with_flows).tessellation.tile_ids
        pair = next((one, other) for one in ids for other in ids if (one, other) not in keys)
        row = pa.table({"origin": [pair[0]], "destination": [pair[1]]})
        for name in table.column_names[2:]:
            row = row.append_column(name, pa.array([None if "_" in name else 40.0], pa.float64()))
        order = {tile: number for number, tile in enumerate((*ids, "outside"))}
        rows = sorted(
            [*table.to_pylist(), *row.to_pylist()],
            key=lambda one: (order[one["origin"]], order[one["destination"]]),
        )
        return pa.Table.from_pylist(rows, table.schema)

    change(folder, one_more, "od_flows")
    assert "more rows" in refused(folder)


# ---- what another computer may compute


def test_numbers_that_differ_in_their_last_digits_verify(release, tmp_path, monkeypatch):
    compute = estimates.stated_of
    for place, part in (("a", 1e-12), ("b", 1e-6), ("c", 0.5 / PART)):

        def elsewhere(release, progress=None, part=part):
            """What a computer with other rounding states."""
            stated = compute(release, progress)
            tables = {
                name: replace(one, counted=moved(one.counted, part), all_trips=moved(one.all_trips, part))
                for name, one in stated.estimates.tables.items()
            }
            return replace(stated, estimates=replace(stated.estimates, tables=tables))

        monkeypatch.setattr("dpcore.release.kinds.tables.stated_of", elsewhere)
        write_bundle(release, tmp_path / place)
        assert verify_bundle(tmp_path / place).files


def moved(numbers, part):
    """Every number a part larger or smaller, and rounded again."""
    return type(numbers)(
        *(
            np.round(one * (1 + part * np.where(np.arange(len(one)) % 2, 1, -1)), 2) + 0.0
            for one in (numbers.values, numbers.low, numbers.high)
        )
    )


def test_numbers_that_differ_by_more_do_not_verify(bundle):
    table = estimates_in(bundle)
    values = table["counted"].to_numpy()
    for step in (2 * NEAR + 2 * values / PART, -(2 * NEAR + 2 * values / PART)):
        change(bundle, lambda table, step=step: with_column(table, "counted", np.maximum(values + step, 0)))
        assert "do not follow" in refused(bundle)


def test_estimates_of_another_method_are_not_compared_and_the_verdict_says_so(bundle):
    rewrite(bundle, lambda document: document["estimates"].update(method=99))
    found = verify_bundle(bundle)
    assert found.other_method
    assert "half widths and tables agree" in found.words, "estimates were not compared"
    assert "not computed again" in str(found)
    assert not verify_bundle(zipped(bundle)).in_ledger


# ---- bundles of before, and servers without trips


@pytest.mark.parametrize("version", [1, 2])
def test_a_bundle_of_an_earlier_schema_reads_and_has_estimates_when_read(bundle, release, version):
    as_of(bundle, version)
    assert verify_bundle(bundle).other_version
    back = read_bundle(bundle)
    assert back.drawn.stated is None
    found, wanted = (estimates_of(one).tables["visits_per_tile"].counted for one in (back, release))
    np.testing.assert_array_equal(found.values, wanted.values)


TABLES = {name: place for name, (_, place) in EARLIER.items() if (place / "registry.yaml").is_file()}


@pytest.mark.parametrize("place", TABLES.values(), ids=TABLES)
def test_a_bundle_that_an_earlier_version_wrote_gets_estimates_of_the_trips_that_count(place):
    release = read_bundle(place)
    for rung in range(len(release.plan.rungs)):
        found = estimates_of(release, rung)
        assert set(found.tables) == {*estimated_measures(release.plan)}
        for table in found.tables.values():
            assert (table.counted.values >= 0).all()


def test_bundles_are_estimated_and_verified_where_trips_and_their_owner_are_gone(written):
    code = f"""
import sys
GONE = {{"dpcore." + n for n in ("private", "curator", "ledger", "demo")}} | {{"dpcore.api.owner", "dpcore.api.notebook"}}
class Gone:
    def find_spec(self, name, path=None, target=None):
        if ".".join(name.split(".")[:2]) in GONE or name in GONE:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
import dpcore
place = {str(written)!r}
assert dpcore.verify(place).files
release = dpcore.read_bundle(place)
for epsilon in (None, "0.1"):
    for whose in ("counted", "all"):
        assert len(dpcore.table(release, "visits_per_tile", epsilon, estimate=whose)) == 5
assert not any(name.startswith("dpcore.private") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_verdict_names_estimates_only_where_they_were_compared(written):
    assert "half widths, tables and estimates agree" in verify_bundle(written).words


def test_a_download_does_not_compute_estimates_again(written, monkeypatch):
    monkeypatch.setattr(estimates, "_REMEMBERED", estimates._Remembered())
    computed, compute = [], estimates.estimate
    monkeypatch.setattr(
        estimates, "estimate", lambda *given, **more: computed.append(more["of"]) or compute(*given, **more)
    )
    zipped(written)
    assert not any(computed)


def test_the_bytes_of_a_zip_verify_too(written):
    assert verify_bundle(zipped(written)).files == len(list(Path(written).rglob("*.*")))
    assert io.BytesIO(zipped(written)).getvalue()


def test_tables_on_so_many_tiles_that_they_list_only_some_cells_are_estimated_too(tmp_path, monkeypatch):
    monkeypatch.setattr("dpcore.limits.MAX_DENSE_CELLS", 10)
    release = made_release(
        weights={"visits_per_tile": 3, "visits_per_time_tile": 2, "od_flows": 2, "trips_per_hour": 1},
        unit="trip",
    )
    assert release.measurements["visits_per_time_tile"].cells is not None
    write_bundle(release, tmp_path / "b")
    assert verify_bundle(tmp_path / "b").files
    for table in estimates_of(read_bundle(tmp_path / "b")).tables.values():
        assert (table.counted.values >= 0).all()


# ---- estimates that cannot be computed


STEPS = import_module("dpcore.estimates.estimate")
BROKEN = {
    "no factor": ("ends", np.linalg.LinAlgError("not positive definite")),
    "an odd shape": ("gravity", IndexError("out of bounds")),
    "nothing to divide by": ("smoothed", ZeroDivisionError("division by zero")),
    "no totals": ("totals", ValueError("empty")),
}


def breaks(monkeypatch, step, failure):
    def failing(*_given, **_more):
        raise failure

    monkeypatch.setattr(STEPS, step, failing)


@pytest.mark.parametrize(("step", "failure"), BROKEN.values(), ids=BROKEN)
def test_a_step_that_fails_stops_no_release_and_its_tables_keep_their_drawn_values(
    step, failure, tmp_path, monkeypatch
):
    breaks(monkeypatch, step, failure)
    release = made_release(weights=WEIGHTS, unit="trip", id=f"broken-{step}")
    write_bundle(release, tmp_path / "b")
    assert verify_bundle(tmp_path / "b").files
    assert zipped(tmp_path / "b")
    found = estimates_of(release)
    assert found.as_drawn
    stated = read_bundle(tmp_path / "b").drawn.stated.estimates
    assert {*stated.as_drawn} == {*found.as_drawn}
    readme = (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert "could not be computed" in readme
    for name in found.as_drawn:
        assert "could not be computed" in " ".join(
            estimates.said_of(release.plan, found, name, all_trips=True)
        )
        counted = found.tables[name].counted
        if name == "od_flows":  # it was not drawn, so it has no rows
            assert counted.values.shape == (0,)
            continue
        np.testing.assert_array_equal(
            counted.values, np.maximum(release.measurements[name].values[-1].ravel(), 0)
        )
        assert (counted.low <= counted.values).all()
        assert (counted.values <= counted.high).all()
        assert counted.high.max() > counted.values.max()


def test_a_share_that_cannot_be_computed_leaves_no_estimate_for_all_trips(tmp_path, monkeypatch):
    weights = {"visits_per_tile": 2, "total_trips": 1, "user_time_delta": 1}
    write_bundle(made_release(weights=weights, unit="user", id="whole"), tmp_path / "a")
    assert read_bundle(tmp_path / "a").drawn.stated.estimates.share is not None
    breaks(monkeypatch, "share_of", OverflowError("too large"))
    release = made_release(weights=weights, unit="user", id="shareless")
    write_bundle(release, tmp_path / "b")
    assert verify_bundle(tmp_path / "b").files
    found = estimates_of(release)
    assert found.share is None
    assert "cannot be computed" in found.why_not_all
    assert found.as_drawn == ()


def test_times_between_all_trips_are_stated_without_a_range_and_in_words(tmp_path):
    write_bundle(
        made_release(weights={"visits_per_tile": 2, "total_trips": 1, "user_time_delta": 1}, unit="user"),
        tmp_path / "b",
    )
    table = estimates_in(tmp_path / "b", "user_time_delta")
    assert table["all_low"].null_count == table["all_high"].null_count == table.num_rows
    assert table["counted_low"].null_count == 0
    assert words.GAPS in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    release = read_bundle(tmp_path / "b")
    found = estimates_of(release)
    assert words.GAPS in estimates.said_of(release.plan, found, "user_time_delta", all_trips=True)
    assert words.GAPS not in estimates.said_of(release.plan, found, "user_time_delta", all_trips=False)


def test_an_estimate_without_end_counts_as_one_that_cannot_be_computed(tmp_path, monkeypatch):
    compute = STEPS.smoothed

    def endless(*given):
        found = compute(*given)
        return replace(found, high=np.full(found.high.shape, np.inf))

    monkeypatch.setattr(STEPS, "smoothed", endless)
    release = made_release(weights=WEIGHTS, unit="trip", id="endless")
    write_bundle(release, tmp_path / "b")
    assert verify_bundle(tmp_path / "b").files
    assert estimates_of(release).as_drawn == ("trips_per_hour",)


def test_a_bundle_cannot_call_estimates_drawn_that_can_be_computed(bundle):
    for name in ("visits_per_tile", "travel_time"):
        rewrite(bundle, lambda document, name=name: document["estimates"].update(as_drawn={name: "x"}))
        assert refused(bundle)


def test_a_lack_of_memory_is_no_fault_of_the_values(monkeypatch):
    breaks(monkeypatch, "ends", MemoryError())
    with pytest.raises(MemoryError):
        estimates_of(made_release(weights=WEIGHTS, unit="trip", id="memory"))


@pytest.mark.parametrize("sparse", [True, False])
def test_what_is_said_of_flows_follows_from_the_list_whatever_limit_holds_today(
    sparse, tmp_path, monkeypatch
):
    write_bundle(made_release(sparse=sparse, unit="trip"), tmp_path / "b")
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", limits.MAX_DENSE_CELLS + 1)
    assert (words.MODELLED in manifest(tmp_path / "b")["statements"]["estimates"]) is sparse
    verify_bundle(tmp_path / "b")
