"""What is public is the same whatever the trips: bands, day types, bins."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.domain import DURATION_EDGES, Stations, TripDomain, duration_bins, durations_counted
from dpcore.measures.keys import Period
from dpcore.measures.riders import Attribute
from tests.synthesis.small import PERIOD, STATIONS, domain, some_trips


def test_distances_are_those_on_the_globe():
    apart = STATIONS.kilometres
    assert apart[0, 1] == pytest.approx(1.11, abs=0.01)
    assert np.allclose(apart, apart.T)
    assert (np.diag(apart) == 0).all()


def test_bands_are_only_those_that_some_pair_of_stations_lies_in():
    assert STATIONS.bands == ("same place", "1 to 1.5 km", "6 to 10 km", "10 to inf km")
    assert STATIONS.band_of_pair.tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]


def test_a_holiday_is_no_working_day_and_a_day_type_that_never_occurs_is_not_listed():
    found = domain()
    days = dict(zip(found.texts("date"), found.day_type_of_date, strict=True))
    assert [days[f"2024-{day}"] for day in ("04-22", "04-27", "05-01", "05-12")] == [0, 1, 1, 1]
    working = TripDomain(STATIONS, Period(date(2024, 4, 22), date(2024, 4, 26)))
    assert working.day_types == ("working day",)
    assert set(working.day_type_of_date) == {0}


def test_bins_of_durations_are_logarithmic_and_hold_everything_that_counts():
    edges = np.array(DURATION_EDGES)
    assert edges[0] == 60
    assert edges[-1] == 86_400
    assert edges[1:15] / edges[:14] == pytest.approx(np.full(14, 120 ** (1 / 14)), rel=0.01)
    seconds = np.array([59, 60, 83, 84, 7_199, 7_200, 86_399, 86_400])
    assert durations_counted(seconds).tolist() == [False, True, True, True, True, True, True, False]
    assert duration_bins(seconds[1:-1]).tolist() == [0, 0, 1, 13, 14, 14]


def test_derived_codes_follow_from_the_columns():
    found = domain()
    trips = some_trips(500, found)
    assert (trips.codes(found, "hour") == trips.second // 3600).all()
    days = np.array(found.texts("date"))[trips.date]
    assert (np.array(found.texts("month"))[trips.codes(found, "month")] == [day[:7] for day in days]).all()
    for name, size in found.sizes.items():
        codes = trips.codes(found, name)
        assert codes.dtype == np.int64
        assert 0 <= codes.min() <= codes.max() < size == len(found.texts(name))
    assert len(trips.at(trips.start == 0)) == (trips.start == 0).sum()


@pytest.mark.parametrize(
    "stations",
    [
        ((), (), ()),
        (("a", "a"), (1, 2), (1, 2)),
        (("a",), (91.0,), (0.0,)),
        (("a",), (float("nan"),), (0.0,)),
    ],
)
def test_stations_that_cannot_be_are_refused(stations):
    with pytest.raises(PrivacyError, match="stations"):
        Stations(*stations)


def test_attributes_with_one_name_and_months_of_a_short_period_are_refused():
    with pytest.raises(PrivacyError, match="one name"):
        replace(domain(), area=Attribute("gender", ("a",)))
    with pytest.raises(PrivacyError, match="one name"):
        replace(domain(), area=Attribute("hour", ("a",)))
    with pytest.raises(PrivacyError, match="14 days"):
        TripDomain(STATIONS, Period(PERIOD.first, date(2024, 5, 1)), by_month=True)
