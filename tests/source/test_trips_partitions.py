"""Folders that name a column and its value: people, modes and dates of a partitioned set are read, or refused by their name."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pyarrow.parquet as pq
import pytest
from neighbours_of import TEXTS
from reading_of import CANONICAL, GOOD

import dpcore
from dpcore.command_line import main
from dpcore.errors import InputError, PrivacyError
from dpcore.private.source import BadRecords, inspect, read, trips_files
from dpcore.private.source.shape import FOLDER, columns_of, empty_fields

NAMES = CANONICAL.strip().partition(",")[2]
TRIP = GOOD.strip().partition(",")[2]
ZONE = "Europe/Berlin"


@pytest.fixture
def tiles(tmp_path):
    place = tmp_path / "tiles.geojson"
    squares = [("A", 13.35, 52.45), ("B", 13.45, 52.55)]
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, y], [x + 0.1, y], [x + 0.1, y + 0.1], [x, y + 0.1], [x, y]]],
            },
        }
        for name, x, y in squares
    ]
    place.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return dpcore.load_tiles(place)


def folder(tmp_path, *inside, text=f"{NAMES}\n{TRIP}\n", kind="csv"):
    """A folder with one file of the same bytes in each of some folders."""
    place = tmp_path / "set"
    for one in inside:
        (place / one).mkdir(parents=True)
        if kind == "csv":
            (place / one / "part-0.csv").write_text(text)
        else:
            cells = dict(zip(*(line.split(",") for line in text.split("\n")[:2]), strict=True))
            frame = pd.DataFrame({name: [cell] for name, cell in cells.items()})
            frame.to_parquet(place / one / "part-0.parquet")
    return place


def users(place, *, drop=BadRecords.REFUSE, **options):
    """The people of all files of a folder."""
    found = []
    for file in trips_files([place]):
        reading = read(file, inspect(file, **options), timezone=ZONE, bad_records=drop)
        found += [user for batch in reading.batches() for user in batch["user_id"].to_pylist()]
    return found


@pytest.mark.parametrize("name", ["uid", "user_id", "person", "card-id", "Participant_ID", "rider"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_folder_of_a_person_says_whose_trips_its_files_hold(tmp_path, name, kind):
    place = folder(
        tmp_path, f"{name}=u1", f"{name}=u 2", f"{name}=007", f"{name}=7", f"{name}=a%2Fb", kind=kind
    )
    assert sorted(users(place)) == ["007", "7", "a/b", "u 2", "u1"]


def test_equal_bytes_of_two_people_are_two_people_and_of_one_person_the_same_trips(tmp_path, tiles):
    trips = dpcore.load_trips(folder(tmp_path, "uid=1", "uid=2"), tiles, timezone=ZONE)
    assert trips.has_users
    stats = dpcore.exact_table(trips, "ds_statistics").set_index("statistic")["value"]
    assert (stats["users"], stats["trips"]) == (2, 2)
    again = folder(tmp_path / "again", "month=1/uid=1", "month=2/uid=1")
    with pytest.raises(
        InputError, match=r"the same trips twice: month=1/uid=\(1\)/part-0.csv and month=2/uid=\(1\)"
    ):
        dpcore.load_trips(again, tiles, timezone=ZONE)
    (again / "month=2/uid=1/part-0.csv").write_text(f"{NAMES}\n{TRIP.replace('03-01', '04-01')}\n")
    of_one = dpcore.load_trips(again, tiles, timezone=ZONE)
    stats = dpcore.exact_table(of_one, "ds_statistics").set_index("statistic")["value"]
    assert (stats["users"], stats["trips"]) == (1, 2)


def test_a_folder_that_was_renamed_is_read_anew(tmp_path, tiles):
    place = folder(tmp_path, "uid=1", "uid=2")
    dpcore.load_trips(place, tiles, timezone=ZONE)
    (place / "uid=2/part-0.csv").write_text(f"{NAMES}\n{TRIP.replace('03-01', '04-01')}\n")
    assert users(place) == ["1", "2"]
    (place / "uid=2").rename(place / "uid=3")
    (place / "uid=1").rename(place / "uid=2")
    trips = dpcore.load_trips(place, tiles, timezone=ZONE)
    stats = dpcore.exact_table(trips, "ds_statistics").set_index("statistic")["value"]
    assert (stats["users"], stats["trips"]) == (2, 2)


def test_ids_of_trips_that_start_again_for_each_person_join_nobody(tmp_path, tiles):
    text = "tid,datetime,lat,lng\n1,2024-03-01 10:00,52.5,13.4\n1,2024-03-01 10:20,52.6,13.5\n"
    trips = dpcore.load_trips(folder(tmp_path, "uid=1", "uid=2", text=text), tiles, timezone=ZONE)
    flows = dpcore.exact_table(trips, "od_flows")
    assert flows["value"].tolist() == [2]


def test_points_of_a_person_are_cut_together_over_the_folders_of_days(tmp_path, tiles):
    place = tmp_path / "set"
    for day, uid, minute, x in ((1, "a", "00", 13.4), (2, "a", "10", 13.5), (1, "b", "00", 13.4)):
        inside = place / f"part={day}" / f"uid={uid}"
        inside.mkdir(parents=True)
        y = 52.5 if x < 13.45 else 52.6
        (inside / "x.csv").write_text(f"datetime,lat,lng\n2024-03-01 10:{minute},{y},{x}\n")
    trips = dpcore.load_trips(place, tiles, timezone=ZONE, trip_gap="30min")
    stats = dpcore.exact_table(trips, "ds_statistics").set_index("statistic")["value"]
    assert (stats["users"], stats["trips"], stats["complete_trips"]) == (2, 2, 1)


def test_a_mode_of_folders_is_an_attribute(tmp_path, tiles, capsys):
    text = f"user_id,{NAMES}\nu1,{TRIP}\n"
    place = folder(tmp_path, "mode=bike", "mode=bus", text=text)
    trips = dpcore.load_trips(place, tiles, timezone=ZONE, attributes={"mode": ["bike", "bus"]})
    assert trips.report.unlisted == {}
    words = ["exact", "trips_per_weekday", "--trips", str(place), "--tiles", str(tmp_path / "tiles.geojson")]
    assert main([*words, "--timezone", ZONE, "--split", "mode=bike,bus"]) == 0
    lines = capsys.readouterr().out.split()
    assert [line for line in lines if line[-2:] == ",1"] == ["bike,4,1", "bus,4,1"]


def test_a_folder_that_may_be_of_people_is_refused_until_its_owner_says_so(tmp_path, capsys, tiles):
    place = folder(tmp_path, "device_id=d1", "device_id=d2")
    with pytest.raises(
        InputError,
        match=r"folders may name people: device_id=\(1\)/part-0.csv: device_id=.*uid=device_id.*no_person=device_id",
    ):
        users(place)
    assert users(place, mapping={"uid": "device_id"}) == ["d1", "d2"]
    assert users(folder(tmp_path / "one", "device_id=d1"), mapping={"no_person": "device_id"}) == [None]
    words = [
        "exact",
        "ds_statistics",
        "--trips",
        str(place),
        "--tiles",
        str(tmp_path / "tiles.geojson"),
        "--timezone",
        ZONE,
    ]
    assert main(words) == 2
    assert "--column uid=device_id" in capsys.readouterr().err
    assert main([*words, "--column", "uid=device_id"]) == 0
    assert "users,2" in capsys.readouterr().out
    assert tiles.tile_ids


@pytest.mark.parametrize(
    ("inside", "text", "found"),
    [
        ("user_id=x", f"user_id,{NAMES}\nu1,{TRIP}\n", ["u1"]),  # the file's own column counts
        ("year=2024/month=3", f"user_id,{NAMES}\nu1,{TRIP}\n", ["u1"]),
        ("bike_id=5", f"{NAMES}\n{TRIP}\n", [None]),  # a vehicle is no person
    ],
)
def test_other_folders_change_nothing(tmp_path, inside, text, found):
    assert users(folder(tmp_path, inside, text=text)) == found


def test_two_columns_for_the_person_are_refused_and_no_person_is_a_bad_record(tmp_path):
    with pytest.raises(InputError, match=r"two columns for one role: .*uid is uid or user_id"):
        users(folder(tmp_path / "a", "user_id=x", text=f"uid,{NAMES}\nu1,{TRIP}\n"))
    with pytest.raises(InputError, match="user id missing"):
        users(folder(tmp_path / "b", "user_id=__HIVE_DEFAULT_PARTITION__"))


def test_the_shape_of_the_file_names_the_columns_of_folders(tmp_path):
    (file,) = trips_files([folder(tmp_path, "uid=1/mode=bus")])
    columns = columns_of(file)
    assert [(one.name, one.kind) for one in columns[-2:]] == [("uid", FOLDER), ("mode", FOLDER)]
    assert empty_fields(file).empty == (0, 0, 0, 0, 0, 0, None, None)


@pytest.mark.parametrize(
    "places", [("set",), ("set/uid=1", "set/uid=2"), ("set/uid=1/part-0.csv", "set/uid=2/part-0.csv")]
)
def test_a_person_is_found_whichever_part_of_the_path_is_given(tmp_path, places):
    folder(tmp_path, "uid=1", "uid=2")
    files = trips_files([tmp_path / place for place in places])
    assert [dict(file.folders)["uid"] for file in files] == ["1", "2"]


def frame():
    return pd.DataFrame(
        {
            "uid": ["a", "a", "b", "b"],
            "tid": [1, 1, 1, 1],
            "datetime": pd.to_datetime(["2024-03-01 10:00", "2024-03-01 10:20"] * 2),
            "lat": [52.5, 52.6] * 2,
            "lng": [13.4, 13.5] * 2,
        }
    )


def single_trips(**more):
    cells = dict(zip(NAMES.split(","), TRIP.split(","), strict=True))
    return pd.DataFrame({name: [cell] for name, cell in {**cells, **more}.items()})


@pytest.mark.parametrize("index", [["uid"], ["uid", "tid"], ["datetime"], [], None])
def test_the_index_of_a_frame_is_read_by_its_names(tiles, index):
    given = frame() if not index else frame().set_index(index)
    if index is None:
        given = given.set_index("uid", drop=False)
    before = given.copy()
    trips = dpcore.load_trips(given, tiles, timezone=ZONE)
    assert trips.has_users
    assert dpcore.exact_table(trips, "od_flows")["value"].tolist() == [2]
    pd.testing.assert_frame_equal(given, before)


def test_without_people_the_first_advice_is_to_name_them(tiles):
    trips = dpcore.load_trips(frame().drop(columns="uid"), tiles, timezone=ZONE)
    with pytest.raises(PrivacyError, match="If a column, a folder or the index of a frame names the people"):
        dpcore.exact_table(trips, "od_flows", bound=dpcore.ContributionBound.per_user(1))


def test_a_column_that_may_be_of_people_is_named(tiles):
    own = single_trips(device_id="d1")
    told = dpcore.load_trips(own, tiles, timezone=ZONE).report.notes
    assert told == (
        "column device_id: no people are known. If this names them, say --column uid=NAME (in a notebook columns)",
    )
    assert dpcore.load_trips(own, tiles, timezone=ZONE, columns={"uid": "device_id"}).has_users
    assert dpcore.load_trips(own, tiles, timezone=ZONE, columns={"no_person": "device_id"}).report.notes == ()
    assert dpcore.load_trips(own.assign(vehicle_id="v1"), tiles, timezone=ZONE).report.notes == ()


def test_ids_that_start_again_join_nobody_whose_column_is_not_known(tiles):
    own = frame().rename(columns={"uid": "pid"})
    with pytest.raises(InputError, match=r"pid\. Say.*\{\"uid\": \"pid\"\}.*\{\"no_person\": \"pid\"\}"):
        dpcore.load_trips(own, tiles, timezone=ZONE)
    trips = dpcore.load_trips(own, tiles, timezone=ZONE, columns={"uid": "pid"})
    assert dpcore.exact_table(trips, "od_flows")["value"].tolist() == [2]
    alone = dpcore.load_trips(own[:2], tiles, timezone=ZONE, columns={"no_person": "pid"})
    assert (alone.has_users, dpcore.exact_table(alone, "od_flows")["value"].tolist()) == (False, [1])


@pytest.mark.parametrize(
    "name", ["tracker", "customer", "subject", "mac", "properties.user_id", "id", "用户", "vehicle_id"]
)
def test_two_peoples_trips_are_never_joined_by_ids_that_start_again(tiles, name):
    own = frame().rename(columns={"uid": name})
    with pytest.raises(InputError, match="ids of trips may start again for each"):
        dpcore.load_trips(own, tiles, timezone=ZONE)
    rest = own.drop(columns=name).assign(speed=1, heading=2, order=3, mode="bus")[:2]
    assert dpcore.exact_table(dpcore.load_trips(rest, tiles, timezone=ZONE), "od_flows")[
        "value"
    ].tolist() == [1]


@pytest.mark.parametrize(
    "names", [("household_id", "person_id"), ("HOUSEID", "PERSONID"), ("sampno", "perno")]
)
def test_numbers_of_people_that_start_again_in_each_household_join_nobody(tiles, names):
    household, person = names
    own = pd.concat([single_trips(**{household: number, person: "1"}) for number in ("1", "2")])
    with pytest.raises(
        InputError, match=r"numbers of people may start again in each household: .*both joined by a hyphen"
    ):
        dpcore.load_trips(own, tiles, timezone=ZONE, columns={"uid": person})
    joined = own.assign(who=own[household] + "-" + own[person])
    trips = dpcore.load_trips(joined, tiles, timezone=ZONE, columns={"uid": "who"})
    assert dpcore.exact_table(trips, "ds_statistics")["value"].tolist()[0] == 2
    declared = {"uid": person, "no_person": household}
    assert dpcore.load_trips(own, tiles, timezone=ZONE, columns=declared).has_users


@pytest.mark.parametrize(
    "name", ["traveler", "customer", "member", "card", "subscriber_no", "rider_uuid", "smartcard", "kunde"]
)
def test_folders_of_names_that_nobody_knows_may_be_people(tmp_path, tiles, name):
    place = folder(tmp_path, f"{name}=anna", f"{name}=ben")
    with pytest.raises(InputError, match="folders may name people") as caught:
        users(place)
    assert "anna" not in str(caught.value)
    assert users(place, mapping={"uid": name}) == ["anna", "ben"]
    with pytest.raises(InputError, match="each holds trips of its own, put them into one file") as caught:
        dpcore.load_trips(place, tiles, timezone=ZONE, columns={"no_person": name})
    assert "anna" not in str(caught.value)


def test_parquet_of_folders_has_no_such_column_itself(tmp_path):
    place = folder(tmp_path, "uid=1", kind="parquet")
    assert "uid" not in pq.ParquetFile(next(place.rglob("*.parquet"))).schema_arrow.names


def test_no_file_of_a_person_changes_how_the_folders_of_others_are_read(tmp_path):
    """Brute force: whatever stands in the folder of one person, the trips of all others are what they are without it."""
    place = folder(tmp_path, "uid=a", "uid=b", "uid=p7", text=f"{NAMES}\n{TRIP}\n")
    accepted = 0
    for number, (what, write) in enumerate(TEXTS.items()):
        data = NAMES.encode() + b"\n" + write(TRIP.encode()) + b"\n"
        (place / "uid=p7/part-0.csv").write_bytes(data)
        for drop in (BadRecords.DROP, BadRecords.REFUSE):
            try:
                found = Counter(users(place, drop=drop))
            except InputError:
                continue
            accepted += 1
            assert (found["a"], found["b"]) == (1, 1), (number, what)
            assert {*found} <= {"a", "b", "p7"}
    assert accepted > len(TEXTS) // 2


@pytest.mark.parametrize("name", ["uid", "user_id", "person", "card-id", "device_id"])
def test_no_message_names_the_person_of_a_folder(tmp_path, tiles, name):
    place = folder(tmp_path, f"{name}=anna", f"month=1/{name}=anna", text=f"{NAMES}\nno time,4,2,3\n")
    (place / f"{name}=anna" / "notes.xlsx").write_bytes(b"PK")
    with pytest.warns(UserWarning, match=r"=\(1\)/notes.xlsx") as told, pytest.raises(InputError) as refusal:
        dpcore.load_trips(place, tiles, timezone=ZONE, columns={"uid": name})
    said = [str(refusal.value), *(str(one.message) for one in told)]
    assert not any("anna" in one for one in said), said
    assert f"{name}=(1)/part-0.csv" in said[0]
