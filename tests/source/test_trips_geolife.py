"""Trajectories of GeoLife: a folder is one file of trips, whose users are its folders; values here are invented."""

from __future__ import annotations

import pytest

from dpcore.errors import InputError
from dpcore.private.loading import load
from dpcore.private.source import BadRecords, TripsFile, inspect, read, trips_files
from dpcore.private.source.shape import columns_of, empty_fields
from tests.cities import four_tiles
from tests.points_of import GAP

HEADER = "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"


def line(time, lat=0.5):
    return f"{lat},1.5,0,492,39744.12,2008-10-23,{time}\r\n"


FIRST, SECOND = (
    HEADER + line("02:50:00") + line("03:00:00", 1.5),
    HEADER + line("03:20:00", 1.5) + line("03:40:00"),
)


@pytest.fixture
def folder(tmp_path):
    """Two users: one with two trajectories that are 20 minutes apart, one with a trajectory of the same name."""
    for path, text in {
        "000/Trajectory/20081023025000.plt": FIRST,
        "000/Trajectory/20081023032000.plt": SECOND.rstrip("\r\n"),  # without a line end at the end
        "0, 1/Trajectory/20081023025000.plt": FIRST,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, newline="")
    (tmp_path / "000" / "labels.txt").write_text("Start Time\tEnd Time\n")
    return tmp_path


def trips_in(file, **options):
    reading = read(file, inspect(file), timezone="Asia/Shanghai", **options)
    return [row for batch in reading.batches() for row in batch.to_pylist()], reading.report


def test_a_folder_is_one_file_a_trajectory_a_trip_and_its_folder_the_user(folder):
    (file,) = trips_files([folder])
    rows, report = trips_in(file)
    clocks = [(row["user_id"], f"{row['started_at']:%H:%M}", f"{row['ended_at']:%H:%M}") for row in rows]
    assert sorted(clocks) == [
        ("0, 1", "10:50", "11:00"),
        ("000", "10:50", "11:00"),
        ("000", "11:20", "11:40"),
    ]
    assert (report.records, report.trips) == (6, 3)
    assert inspect(file).has_users


def test_its_shape_is_that_of_records(folder):
    (file,) = trips_files([folder])
    assert (
        tuple(one.name for one in columns_of(file))
        == inspect(file).columns
        == ("uid", "tid", "datetime", "lat", "lng")
    )
    assert empty_fields(file).share(0) is None


def test_the_digest_covers_the_users_and_a_changed_file_is_noticed(folder):
    (file,) = trips_files([folder])
    before, identity = file.digest(bytes(16)), file.identity()
    (folder / "000").rename(folder / "002")
    (other,) = trips_files([folder])
    assert other.digest(bytes(16)) != before
    assert other.identity() != identity


def test_a_rule_cuts_the_points_of_a_user_over_all_trajectories(folder):
    files = trips_files([folder])
    trips = load(files, [inspect(one) for one in files], four_tiles(), timezone="UTC", rule=GAP)
    assert (trips.report.trips, trips.has_users) == (2, True)


def test_a_trajectory_that_stands_alone_has_no_user(folder):
    paths = sorted(folder.rglob("000/*/*.plt"))
    uploads = [TripsFile.uploaded("same.plt", path.read_bytes()) for path in paths]
    on_disk = trips_files(paths)
    for files, rule, count in ((uploads, None, 2), (on_disk, None, 2), (uploads, GAP, 2), (on_disk, GAP, 2)):
        trips = load(files, [inspect(one) for one in files], four_tiles(), timezone="UTC", rule=rule)
        assert (trips.report.trips, trips.has_users) == (count, False)
    for path in paths:
        path.rename(folder / path.name)  # beside the folders of users now
    with pytest.raises(InputError, match="some trajectories are in the folder of a user, others are not"):
        trips_files([folder])


def test_a_bad_record_is_named_by_its_file_and_line(folder):
    path = folder / "000" / "Trajectory" / "20081023032000.plt"
    path.write_text(SECOND + "canary,1.5\n\n" + line("03:50:00", 95), newline="")
    (file,) = trips_files([folder])
    with pytest.raises(
        InputError, match=rf"has 2 fields, the header 7: 000/Trajectory/{path.name}, line 9\. .* And 1 more"
    ) as error:
        trips_in(file)
    assert "line 11, column lat" in "".join(error.value.__notes__)
    assert "canary" not in str(error.value) + "".join(error.value.__notes__)
    rows, report = trips_in(file, bad_records=BadRecords.DROP)
    assert (len(rows), [rule.places for rule in report.dropped]) == (3, [(9,), (11,)])


def test_a_line_cannot_name_another_user_behind_a_carriage_return(folder):
    path = folder / "000" / "Trajectory" / "20081023032000.plt"
    lines = "39.9,1.5,0,492\r002,x,39.9,1.5,0,492,0,2008-10-23,03:30:00\n95,1,0,0,0,2008-10-23,0\n"
    path.write_text(SECOND + lines, newline="")
    (file,) = trips_files([folder])
    rows, report = trips_in(file, bad_records=BadRecords.DROP)
    assert {row["user_id"] for row in rows} == {"000", "0, 1"}
    assert sorted(place for rule in report.dropped for place in rule.places) == [9, 10, 11]


@pytest.mark.parametrize("end", ["\r", "\n"])
def test_lines_of_a_trajectory_may_end_in_any_way(end):
    def trips(text):
        return trips_in(TripsFile.uploaded("a.plt", text.encode()))[0]

    assert trips(FIRST.replace("\r\n", end)) == trips(FIRST)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Geolife trajectory\n1,2\n", "six lines of header are missing"),
        ("lat,lng\n1,2\n", "six lines of header are missing"),
        (FIRST.replace("2008", "20\0"), "NUL"),
    ],
)
def test_what_is_no_trajectory_is_refused_with_its_name(folder, text, said):
    (folder / "000" / "Trajectory" / "a.plt").write_text(text, newline="")
    (file,) = trips_files([folder])
    with pytest.raises(InputError, match=said):
        trips_in(file)


def test_content_and_name_must_agree():
    with pytest.raises(InputError, match="the content is a GeoLife trajectory"):
        TripsFile.uploaded("a.csv", FIRST.encode())
    with pytest.raises(InputError, match="the content is CSV text"):
        TripsFile.uploaded("a.plt", b"lat,lng\n")
