"""A data frame of Python objects: the cell of one person does not decide what the cells of others mean."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest

from dpcore.errors import InputError
from dpcore.private.frames import load_frame
from tests.cities import four_tiles, rows_of


def of_times(*times, dtype=object):
    """Trips that start and end at these times, one each."""
    cells = pd.Series(list(times), dtype=dtype)
    users = [f"u{number}" for number in range(len(times))]
    place = dict.fromkeys(("start_lat", "start_lng", "end_lat", "end_lng"), 0.5)
    return pd.DataFrame({"user_id": users, "started_at": cells, "ended_at": cells, **place})


def hours(frame):
    trips = load_frame(frame, four_tiles(), timezone="Asia/Tokyo")
    return sorted(hour % 24 for hour in rows_of(trips)["end_hour"].to_pylist())


NAIVE, ZONED = datetime(2024, 4, 1, 10), datetime(2024, 4, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("other", [ZONED, pd.Timestamp(ZONED)])
@pytest.mark.parametrize("dtype", [object, "category"])
@pytest.mark.parametrize("first", [True, False])
def test_one_time_with_a_zone_does_not_make_instants_of_all_others(other, first, dtype):
    times = [other, NAIVE, NAIVE] if first else [NAIVE, NAIVE, other]
    with pytest.raises(InputError, match="several kinds: data frame, column started_at"):
        hours(of_times(*times, dtype=dtype))


def test_times_of_one_kind_are_read_as_they_were():
    assert hours(of_times(NAIVE, None, NAIVE).assign(ended_at=NAIVE)) == [10, 10, 10]
    assert hours(of_times(ZONED, pd.NaT, ZONED).assign(ended_at=ZONED)) == [19, 19, 19]
    assert hours(of_times(NAIVE, pd.Timestamp(NAIVE), np.datetime64(NAIVE))) == [10, 10, 10]
    assert hours(of_times(ZONED, ZONED, dtype="datetime64[us, UTC]")) == [19, 19]


@pytest.mark.parametrize("first", [True, False])
def test_nor_does_a_date_cut_the_times_of_others(first):
    with pytest.raises(InputError):
        hours(of_times(*([date(2024, 4, 1), NAIVE] if first else [NAIVE, date(2024, 4, 1)])))
