"""Attributes of trips behind the wall: kept as they were read, in the hash of trips that people are bounded by."""

from __future__ import annotations

import random
from collections import Counter

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.frames import load_frame
from dpcore.private.loading import load
from dpcore.private.prepare import PREPARED, Preparation
from dpcore.private.source import TripsFile, inspect
from dpcore.private.source.extras import extra_values
from tests.cities import Trip, batch, four_tiles, rows_of

KEY = bytes(range(16))
HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,plz,sex,kind\n"
MAPPING = {"extra_zip": "plz", "extra_gender": "sex", "extra_user_type": "kind"}
HUBWAY = "start_date,strt_statn,end_date,end_statn,subsc_type,zip_code,gender\n"


def with_extras(rows, **texts):
    """The batch with attributes."""
    columns = {
        f"extra_{name}": extra_values(name, pa.array(values, pa.string())) for name, values in texts.items()
    }
    return pa.RecordBatch.from_arrays([*rows.columns, *columns.values()], [*rows.schema.names, *columns])


def hashes(rows):
    extras = tuple(name.removeprefix("extra_") for name in rows.schema.names if name.startswith("extra_"))
    return Preparation(four_tiles(), KEY, extras)(rows)["rnd"].to_pylist()


def loaded(text, mapping=None, name="trips.csv"):
    file = TripsFile.uploaded(name, text.encode())
    return load(file, inspect(file, mapping), four_tiles(), timezone="UTC")


def line(user, minute, zip_="1", sex="m", kind="member"):
    return f"{user},2024-04-01 08:{minute:02},2024-04-01 09:00,0.5,0.5,0.5,1.5,{zip_},{sex},{kind}\n"


def test_a_form_without_attributes_has_the_columns_it_always_had():
    assert Preparation(four_tiles(), KEY)(batch([Trip("u", "A", "B")])).schema == PREPARED
    trips = loaded(HEADER + line("u", 0))
    assert trips.extras == ()
    assert rows_of(trips).schema.names == PREPARED.names


def test_attributes_are_stored_as_words():
    text = HUBWAY + "4/1/2024 8:00:00,A,4/1/2024 9:00:00,B,Registered,'02139,Male\n" * 50
    trips = loaded(text + "4/1/2024 8:00:00,A,4/1/2024 9:00:00,B,Casual,,\n")
    assert (trips.extras, trips.has_users, trips.has_points) == (("zip", "gender", "user_type"), False, False)
    rows = rows_of(trips)
    assert rows.schema.names == [*PREPARED.names, "extra_zip", "extra_gender", "extra_user_type"]
    assert Counter(rows["extra_zip"].to_pylist()) == {"02139": 50, None: 1}
    assert Counter(rows["extra_gender"].to_pylist()) == {"male": 50, "unknown": 1}
    assert Counter(rows["extra_user_type"].to_pylist()) == {"Registered": 50, "Casual": 1}


def test_stations_are_tiles_by_their_id_and_others_are_outside():
    text = HUBWAY + "4/1/2024 8:00:00,A,4/1/2024 9:00:00,nowhere,Registered,1,Male\n"
    rows = rows_of(loaded(text))
    assert (rows["start_tile"].to_pylist(), rows["end_tile"].to_pylist()) == ([0], [-1])


def test_measures_are_counted_as_without_attributes():
    rng = random.Random(3)
    text = HEADER + "".join(
        line(rng.choice("uvw"), rng.randint(0, 59), zip_=str(rng.random())) for _ in range(40)
    )
    names = ("visits_per_tile", "od_flows", "trips_per_user", "user_time_delta")
    asked = [measure_named(name) for name in names]
    plain, extra = (
        exact_answers(bounded(loaded(text, mapping), ContributionBound.per_user(40)), asked).answers
        for mapping in (None, MAPPING)
    )
    for name in names:
        one, other = (sorted(map(tuple, answer[name].T.tolist())) for answer in (plain, extra))
        assert one == other


@pytest.mark.parametrize(
    "other",
    [
        {"zip": ["2"], "gender": ["m"], "user_type": ["member"]},
        {"zip": [None], "gender": ["m"], "user_type": ["member"]},
        {"zip": ["1"], "gender": ["f"], "user_type": ["member"]},
        {"zip": ["1"], "gender": [None], "user_type": ["member"]},
        {"zip": ["1"], "gender": ["m"], "user_type": ["casual"]},
        {"zip": ["1"], "gender": ["m"], "user_type": [None]},
        {"zip": ["Registered"], "gender": ["m"], "user_type": [None]},
        {"zip": ["1"], "gender": ["m"]},
    ],
    ids=repr,
)
def test_two_trips_that_differ_in_one_attribute_have_different_hashes(other):
    rows = batch([Trip("u", "A", "B")])
    here = with_extras(rows, zip=["1"], gender=["m"], user_type=["member"])
    assert hashes(here) != hashes(with_extras(rows, **other))


def test_the_hash_of_a_trip_does_not_depend_on_other_rows():
    # codes of a dictionary shift with the rows before: they must not be what is hashed
    rng = random.Random(11)
    trips = [Trip(rng.choice("uv"), "A", "B", f"2024-04-{rng.randint(1, 28):02} 08:00", "2024-04-29 09:00")
             for _ in range(200)]  # fmt: skip
    texts = {
        "zip": [rng.choice(["1", "2", "3", None]) for _ in trips],
        "gender": [rng.choice(["m", "f", None]) for _ in trips],
        "user_type": [rng.choice(["member", "casual", None]) for _ in trips],
    }
    straight = hashes(with_extras(batch(trips), **texts))
    order = rng.sample(range(200), 200)
    shuffled = hashes(
        with_extras(batch([trips[i] for i in order]), **{n: [v[i] for i in order] for n, v in texts.items()})
    )
    assert shuffled == [straight[i] for i in order]
    left = [i for i, trip in enumerate(trips) if trip.user == "u"]
    alone = hashes(
        with_extras(batch([trips[i] for i in left]), **{n: [v[i] for i in left] for n, v in texts.items()})
    )
    assert alone == [straight[i] for i in left]


def kept_of_busiest(trips, max_trips):
    """Attributes of the kept trips of the user with the most, by the rule of ``bounding``."""
    rows = rows_of(trips)  # in the order of the hash
    at_once = Counter(zip(rows["user_id"].to_pylist(), rows["start_us"].to_pylist(), strict=True))
    busiest = at_once.most_common(1)[0][0][0]
    own = rows.filter(pc.equal(rows["user_id"], busiest)).slice(0, max_trips)
    return Counter(zip(own["extra_zip"].to_pylist(), own["extra_gender"].to_pylist(), strict=True))


def test_what_is_kept_of_a_user_is_a_function_of_the_own_rows():
    rng = random.Random(4)
    own = [
        line("u", 0, zip_=str(i), sex=rng.choice("mf")) for i in range(30)
    ]  # they differ in attributes alone
    others = [line(rng.choice("vwx"), rng.randint(0, 59), zip_=str(rng.randint(0, 40))) for _ in range(200)]
    mixed = [*own, *others]
    rng.shuffle(mixed)
    alone = kept_of_busiest(loaded(HEADER + "".join(own), MAPPING), 5)
    assert alone.total() == 5
    assert alone != Counter((str(i), "male") for i in range(5))
    for rows in (others + own, mixed):
        assert kept_of_busiest(loaded(HEADER + "".join(rows), MAPPING), 5) == alone


def test_the_same_bytes_with_other_attributes_are_read_afresh():
    text = HEADER + line("u", 0)
    folders = {
        loaded(text, mapping).folder
        for mapping in (None, MAPPING, {"extra_zip": "kind"}, {"extra_zip": "plz"})
    }
    assert len(folders) == 4


def test_a_frame_brings_its_attributes_and_a_strange_column_stops_nobody():
    stations = {
        "start_date": ["4/1/2024 8:00:00"] * 4,
        "end_date": ["4/1/2024 9:00:00"] * 4,
        "strt_statn": ["A"] * 4,
        "end_statn": ["B"] * 4,
        "zip_code": [2139, "'02140", float("nan"), "\ud800"],
        "gender": [1, "Female", None, object()],
        "subsc_type": pd.Categorical(["Casual", "Registered", None, "Casual"]),
    }
    rows = rows_of(load_frame(pd.DataFrame(stations), four_tiles(), timezone="UTC"))
    assert rows["extra_zip"].to_pylist() == ["2139", "02140", None, None]
    assert rows["extra_gender"].to_pylist() == ["male", "female", "unknown", "unknown"]
    assert rows["extra_user_type"].to_pylist() == ["Casual", "Registered", None, "Casual"]
    canonical = {
        "user_id": ["u"], "started_at": ["2024-04-01 08:00"], "ended_at": ["2024-04-01 09:00"],
        "start_lat": [0.5], "start_lng": [0.5], "end_lat": [0.5], "end_lng": [1.5], "gender": [{"a": 1}],
    }  # fmt: skip
    assert load_frame(pd.DataFrame(canonical), four_tiles(), timezone="UTC").extras == ()
