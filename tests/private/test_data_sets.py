"""Several files as one data set: what must agree, what does not matter, what is kept when one of them is bad."""

import os
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.api import owner
from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.loading import PartLoader
from dpcore.private.prepared import folders, part
from dpcore.private.prepared.users import UserTable
from dpcore.private.source import BadRecords, TripsFile, inspect, trips_files
from dpcore.private.trips import local_rows
from tests.cities import four_tiles, rows_of

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"


def line(user="u", day=1, minute=0):
    return f"{user},2024-04-{day:02} 08:00,2024-04-{day:02} 09:{minute:02},0.5,0.5,0.5,1.5\n"


def upload(text, name="a.csv"):
    return TripsFile.uploaded(name, text.encode())


def loaded(*files, **options):
    return owner.load(files, [inspect(file) for file in files], four_tiles(), timezone="UTC", **options)


def counting(read, whole):
    """``PartLoader._part_of_sources`` that notes the names of the files it reads."""
    return lambda self, files, *more, **named: (
        read.extend(one.file.name for one, _ in files) or whole(self, files, *more, **named)
    )


def content(trips):
    return rows_of(trips).to_pylist()


def tree(home):
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


JANUARY = HEADER + line("u", 1) + line("v", 2)
FEBRUARY = HEADER + line("u", 3) + line("w", 4)


def test_a_set_is_all_its_files_in_any_order():
    one, two = upload(JANUARY, "1.csv"), upload(FEBRUARY, "2.csv")
    first, again = loaded(one, two), loaded(two, one)
    joined = loaded(upload(JANUARY + FEBRUARY.removeprefix(HEADER)))
    assert content(first) == content(again) == content(joined)
    assert (first.fingerprint, first.folder) == (again.fingerprint, again.folder)
    assert len({first.fingerprint, loaded(one).fingerprint, joined.fingerprint}) == 3
    assert set(first.fingerprints) == {loaded(file).fingerprint for file in (one, two)}
    assert first.fingerprints == again.fingerprints
    assert joined.fingerprints == (joined.fingerprint,)
    assert (first.name, loaded(one).name) == ("2 files", "1.csv")
    assert [(name, report.trips) for name, report in first.files] == [("1.csv", 2), ("2.csv", 2)]
    assert (first.report.records, first.report.trips) == (4, 4)
    assert owner.exact_table(first, "ds_statistics", None) == owner.exact_table(joined, "ds_statistics", None)


def test_a_month_more_reads_that_month_only(monkeypatch):
    one, two = upload(JANUARY, "1.csv"), upload(FEBRUARY, "2.csv")
    loaded(one)
    read, whole = [], PartLoader._part_of_sources
    monkeypatch.setattr(PartLoader, "_part_of_sources", counting(read, whole))
    loaded(one, two)
    loaded(two, one)
    assert read == ["2.csv"]


def test_other_columns_another_order_and_another_form_of_the_same_trips_are_one_set(tmp_path):
    rows = {
        "note": ["x"], "ended_at": ["2024-04-03 09:00"], "started_at": ["2024-04-03 08:00"], "user_id": ["u"],
        "end_lng": [1.5], "end_lat": [0.5], "start_lng": [0.5], "start_lat": [0.5], "gender": ["m"],
    }  # fmt: skip
    pq.write_table(pa.table(rows), tmp_path / "2.parquet")
    long = "uid,tid,datetime,lat,lng\nw,1,2024-04-04 08:00:00,0.5,0.5\nw,1,2024-04-04 09:00:00,0.5,1.5\n"
    trips = loaded(upload(JANUARY, "1.csv"), *trips_files([tmp_path / "2.parquet"]), upload(long, "3.csv"))
    expected = content(loaded(upload(JANUARY + line("u", 3) + line("w", 4))))
    assert trips.extras == ()
    without_hash = [{name: value for name, value in row.items() if name != "rnd"} for row in content(trips)]
    for row in expected:
        del row["rnd"]
    assert sorted(map(repr, without_hash)) == sorted(map(repr, expected))


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (HEADER.removeprefix("user_id,") + line().removeprefix("u,"), "users"),
        (
            "user_id,started_at,ended_at,start_tile,end_tile\nu,2024-04-01 08:00,2024-04-01 09:00,A,B\n",
            "coordinates",
        ),
    ],
    ids=["users", "coordinates"],
)
def test_a_change_of_schema_between_months_names_both_files_and_what_differs(other, what):
    mapping = (
        {"started_at": "started_at", "ended_at": "ended_at", "start_lat": "start_lat"}
        if what == "users"
        else None
    )
    file = upload(other, "changed.csv")
    if mapping is not None:
        mapping |= {name: name for name in ("start_lng", "end_lat", "end_lng")}
    files = (upload(JANUARY, "as-before.csv"), file)
    with pytest.raises(InputError, match=f"one file has {what}") as error:
        owner.load(files, [inspect(files[0]), inspect(file, mapping)], four_tiles(), timezone="UTC")
    assert "as-before.csv and changed.csv" in str(error.value)


def test_times_of_one_file_with_offsets_and_of_another_without_are_of_one_clock():
    offset = (
        HEADER + line("u", 3).replace(" 08:00", " 10:00+02:00").replace(" 09:00", " 09:00Z") + line("w", 4)
    )
    assert content(loaded(upload(JANUARY), upload(offset))) == content(
        loaded(upload(JANUARY), upload(FEBRUARY))
    )


def test_the_same_bytes_twice_are_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(PartLoader, "_part_of_sources", None)
    with pytest.raises(InputError, match=r"the same trips twice: a\.csv and b\.csv"):
        loaded(upload(JANUARY, "a.csv"), upload(FEBRUARY, "c.csv"), upload(JANUARY, "b.csv"))


def test_one_bad_file_among_many_is_named_and_the_others_are_not_read_again(tmp_path, monkeypatch):
    for number in range(30):
        (tmp_path / f"{number:03}.csv").write_text(
            HEADER + line("u", 1 + number % 28, number % 60) * (1 + number // 20)
        )
    bad = tmp_path / "021.csv"
    good = bad.read_text()
    bad.write_text(good.replace("0.5,0.5", "canary,0.5"))
    shares = []
    with pytest.raises(InputError, match=r"021\.csv, line 2, column start_lat") as error:
        loaded(*trips_files([tmp_path]), progress=shares.append)
    assert "canary" not in str(error.value)
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] < 0.8
    bad.write_text(good)
    read, whole = [], PartLoader._part_of_sources
    monkeypatch.setattr(PartLoader, "_part_of_sources", counting(read, whole))
    trips = loaded(*trips_files([tmp_path]))
    assert read == [f"{number:03}.csv" for number in range(21, 30)]
    assert (trips.report.trips, trips.name) == (20 + 2 * 10, "30 files")


def test_what_was_left_out_is_told_of_its_file():
    bad = HEADER + line("v", 5) + line("x").replace("0.5,0.5", "north,0.5", 1)
    trips = loaded(upload(JANUARY, "1.csv"), upload(bad, "2.csv"), bad_records=BadRecords.DROP)
    (rule,) = trips.report.dropped
    assert (rule.file, rule.count, rule.places) == ("2.csv", 1, (3,))
    assert (trips.report.records, trips.report.trips) == (4, 3)


def test_two_ids_of_one_hash_in_two_files_are_refused(monkeypatch):
    """Planted: among the users of all parts no bit of the hash counts."""
    monkeypatch.setattr(part, "UserTable", lambda key: UserTable(key, 0))
    alike = (upload(HEADER + line("u", 1), "1.csv"), upload(HEADER + line("u", 2), "2.csv"))
    assert loaded(*alike).report.trips == 2
    with pytest.raises(InputError, match=r"the same keyed hash: 3\.csv"):
        loaded(*alike, upload(HEADER + line("other", 3), "3.csv"))


class Rerun(BaseException):
    """As a page raises it."""


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Rerun, ValueError])
def test_a_cancel_while_a_file_is_read_leaves_nothing_of_it_and_no_thread(own_home, tmp_path, stop):
    loaded(upload(JANUARY))
    before = tree(own_home)
    big = tmp_path / "big.csv"
    big.write_text(HEADER + "".join(line(f"u{number}", 1 + number % 28) for number in range(300_000)))

    calls = []

    def cancel(share):
        calls.append(threading.get_ident())
        if share > 0:
            raise stop

    with pytest.raises(stop):
        loaded(TripsFile.on_disk(big), progress=cancel)
    assert set(calls) == {threading.get_ident()}
    assert tree(own_home) == before
    assert not [thread for thread in threading.enumerate() if thread.name == "loading trips"]


@pytest.mark.parametrize("stage", ["CheckedWriter", "write_batch", "sync", "appear", "describe", "digest"])
def test_a_full_disk_at_any_stage_is_said_and_leaves_nothing(own_home, tmp_path, monkeypatch, stage):
    place = tmp_path / "a.csv"
    place.write_text(JANUARY)
    loaded(upload(FEBRUARY))
    before = [path for path in tree(own_home) if "digests/" not in path]

    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    names = {
        "CheckedWriter": "dpcore.private.prepared.files.CheckedWriter.__init__",
        "write_batch": "dpcore.private.prepared.files.CheckedWriter.write",
        "sync": "dpcore.disk.sync",
        "appear": "pathlib.Path.rename",
        "describe": "dpcore.private.prepared.part.np.savez",
        "digest": "dpcore.private.kept._checksum",
    }
    with monkeypatch.context() as patched:
        patched.setattr(names[stage], full)
        with pytest.raises(InputError, match="full or cannot be written"):
            loaded(
                upload(JANUARY) if stage == "sync" else TripsFile.on_disk(place)
            )  # what can be read again is not synced
    assert [path for path in tree(own_home) if "digests/" not in path] == before
    assert loaded(TripsFile.on_disk(place)).report.trips == 2


def test_nobody_waits_for_the_disk_where_trips_can_be_read_again(tmp_path, monkeypatch):
    place, synced = tmp_path / "a.csv", []
    place.write_text(JANUARY)
    loaded(upload(FEBRUARY))  # what is kept for good, such as keys, is there
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), sync(handle)))
    trips = loaded(TripsFile.on_disk(place))
    owner.exact_table(trips, "od_flows", None)
    assert not synced
    loaded(upload(HEADER + line("w", 3)))
    assert synced


def test_rows_that_a_power_cut_took_are_read_again(tmp_path):
    place = tmp_path / "a.csv"
    place.write_text(JANUARY)
    trips = loaded(TripsFile.on_disk(place))
    before = content(trips)
    (run,) = local_rows(trips).parts[0].folder.glob("run-*")
    run.write_bytes(b"")
    assert content(loaded(TripsFile.on_disk(place))) == before


def test_what_earlier_versions_prepared_is_swept_after_a_day(monkeypatch):
    kept = loaded(upload(JANUARY, "1.csv"), upload(FEBRUARY, "2.csv"))
    parts = [part.folder for part in local_rows(kept).parts]
    first = store.folder("cache", "of-version-4")
    (first / "trips.parquet").write_text("rows")
    folders.sweep()
    assert first.exists(), "another program may still use it"
    folders.sweep(older_than_seconds=-1)
    assert not first.exists()
    assert all(folder.exists() for folder in (kept.folder, *parts))
    monkeypatch.setattr(folders, "VERSION", "next")
    folders.sweep(older_than_seconds=-1)
    assert not any(folder.exists() for folder in (kept.folder, *parts))


def test_a_damaged_part_of_a_set_is_read_again_alone(monkeypatch):
    files = (upload(JANUARY, "1.csv"), upload(FEBRUARY, "2.csv"))
    trips = loaded(*files)
    before = content(trips)
    damaged = local_rows(trips).parts[1].folder / "run-0000.arrow"
    damaged.write_bytes(damaged.read_bytes()[:-500])
    with pytest.raises(InputError, match=r"2\.csv"):
        content(trips)
    read, whole = [], PartLoader._part_of_sources
    monkeypatch.setattr(PartLoader, "_part_of_sources", counting(read, whole))
    assert content(loaded(*files)) == before
    assert read == ["2.csv"]


def test_a_link_to_a_file_is_opened_as_that_file(tmp_path):
    (tmp_path / "a.csv").write_text(JANUARY)
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(InputError, match="the same trips twice"):
        loaded(*trips_files([tmp_path / "a.csv", tmp_path / "link.csv"]))


def test_a_parquet_file_whose_pages_are_cut_though_its_footer_stands_is_refused_and_leaves_nothing(
    own_home, tmp_path
):
    rows = 50_000
    times = pa.array([1_711_958_400_000_000 + 10**6 * number for number in range(rows)], pa.timestamp("us"))
    table = {"user_id": [f"u{number}" for number in range(rows)], "started_at": times, "ended_at": times}
    degrees = {
        name: [0.5 + number / 10**6 for number in range(rows)] for name in HEADER.strip().split(",")[3:]
    }
    place = tmp_path / "cut.parquet"
    pq.write_table(pa.table(table | degrees), place)
    whole = place.read_bytes()
    loaded(upload(JANUARY))
    before = [path for path in tree(own_home) if "digests/" not in path]
    for content in (
        whole[: len(whole) // 2],
        whole[: len(whole) // 2] + bytes(4000) + whole[len(whole) // 2 + 4000 :],
    ):
        place.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged: cut\.parquet"):
            loaded(TripsFile.on_disk(place))
        assert [path for path in tree(own_home) if "digests/" not in path] == before
