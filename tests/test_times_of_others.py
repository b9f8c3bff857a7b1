"""How one person writes their times never changes how another person's are read: from the bytes to exact answers."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.private.loading import load
from dpcore.private.source.reading import inspect
from dpcore.private.source.report import BadRecords
from dpcore.private.source.trips_file import TripsFile
from tests.cities import four_tiles
from tests.engines import count

BIKE = "starttime,stoptime,start station latitude,start station longitude,end station latitude,end station longitude\n"
PLAIN = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
PLACES = "0.5,0.5,0.5,1.5\n"


def answer(texts, name, bound, policy, **choices):
    files = [TripsFile.uploaded(f"{i}.csv", text.encode()) for i, text in enumerate(texts)]
    found = [inspect(file) for file in files]
    trips = load(files, found, four_tiles(), timezone="Europe/Berlin", bad_records=policy)
    measure = measure_named(name, KeyChoices(Period(date(2017, 1, 1), date(2024, 12, 31)), **choices))
    answers = ExactAnswers(count(bounded(trips, bound), [measure]))
    return answers.dense(measure, measure.keys(four_tiles().tile_ids))


@pytest.mark.parametrize("policy", list(BadRecords))
@pytest.mark.parametrize(
    ("header", "others", "own"),
    [
        (BIKE, "1/31/17 0:21,1/31/17 0:24,", "2017-01-31 00:21:00,2017-01-31 00:24:00,"),
        (BIKE, "1/31/17 0:21,1/31/17 0:24,", "2017-01-31 00:21:00Z,2017-01-31 00:24:00Z,"),
        (BIKE, "2017-01-31 00:21:00,2017-01-31 00:24:00,", "1/31/17 0:21,1/31/17 0:24,"),
        (PLAIN, "v,2024-03-01 10:00,2024-03-01 11:00,", "u,2024-03-01 10:00Z,2024-03-01 11:00Z,"),
        (PLAIN, "v,2024-03-01 10:00Z,2024-03-01 11:00Z,", "u,2024-03-01 10:00,2024-03-01 11:00,"),
        (PLAIN, "v,2024-03-01 10:00,2024-03-01 11:00,", "u,2024-03-01 10:00Z,2024-03-01 14:00,"),
    ],
)
def test_one_trip_on_top_whose_times_are_written_in_another_way_moves_the_flows_by_one(
    header, others, own, policy
):
    bound, rest = ContributionBound.per_trip(), (others + PLACES) * 1_000
    without = answer([header + rest], "od_flows", bound, policy)
    assert without.sum() == 1_000
    for texts in (
        [header + own + PLACES + rest],
        [header + rest + own + PLACES],
        [header + rest, header + own + PLACES],
    ):
        assert np.abs(answer(texts, "od_flows", bound, policy) - without).sum() == 1


def test_one_trip_whose_times_are_none_is_dropped_alone_whatever_it_stands_before():
    own, rest = "1/31/17 0:21,31.1.2017 0:24,", ("2017-01-31 00:21,2017-01-31 00:24," + PLACES) * 1_000
    found = answer([BIKE + own + PLACES + rest], "od_flows", ContributionBound.per_trip(), BadRecords.DROP)
    assert found.sum() == 1_000


def test_gaps_between_trips_are_right_over_a_change_of_clocks_and_between_ways_of_writing():
    first, last = "2024-03-30 22:00,2024-03-30 23:30,", "2024-03-31 04:30,2024-03-31 05:00,"
    for before in (first, "2024-03-30 22:00+01:00,2024-03-30 22:30Z,"):
        text = PLAIN + f"u,{before}{PLACES}u,{last}{PLACES}"
        edges = {"user_time_delta": ("0", "3.5", "4.5", "5.5")}
        found = answer(
            [text], "user_time_delta", ContributionBound.per_user(2), BadRecords.REFUSE, edges=edges
        )
        assert found.ravel().tolist()[1:4] == [0, 1, 0]
