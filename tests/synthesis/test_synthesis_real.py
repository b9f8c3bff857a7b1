"""Real stations and real trips go through the whole flow."""

import csv
from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.roy.closeness import average_relative_error, shift_between_places, top_kept, utility_loss
from dpcore.kinds.roy.domain import Stations, TripColumns, TripDomain, durations_counted
from dpcore.kinds.roy.figure import figure, top_rows
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import exact_tables
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.measures.keys import Period
from dpcore.measures.riders import Attribute
from dpcore.privacy import ContributionBound
from tests.synthesis.small import private


def test_the_real_stations_of_the_paper_make_a_public_list(shared):
    text = shared("real/boston/hubway_stations.csv").read_text(encoding="utf-8").replace("\r", "\n")
    rows = [line.split(";") for line in text.strip().split("\n")[1:]]
    stations = Stations(
        tuple(row[0] for row in rows),
        tuple(float(row[4]) for row in rows),
        tuple(float(row[5]) for row in rows),
    )
    assert len(stations.ids) == 142
    assert 5 < stations.kilometres.max() < 25
    assert stations.bands[0] == "same place"


@pytest.fixture(scope="module")
def jersey_city(shared):
    """A month of trips in Jersey City: its domain and the rows that lie in it."""
    with shared("real/citibike_jersey_city/JC-201704-citibike-tripdata.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    places = {
        row[f"{end} station id"]: (
            float(row[f"{end} station latitude"]),
            float(row[f"{end} station longitude"]),
        )
        for row in rows
        for end in ("start", "end")
    }  # a public list; here read off the file, which a release must never do
    ids = tuple(sorted(places))
    stations = Stations(ids, tuple(places[i][0] for i in ids), tuple(places[i][1] for i in ids))
    domain = TripDomain(
        stations,
        Period(date(2017, 4, 1), date(2017, 4, 30)),
        person=(
            Attribute("usertype", ("Subscriber", "Customer"), unknown="X"),
            Attribute("gender", ("0", "1", "2")),
        ),
    )
    when = np.array(
        [datetime.strptime(row["starttime"], "%m/%d/%y %H:%M") for row in rows],  # noqa: DTZ007 - a wall clock
        "datetime64[s]",
    )
    date_, second = np.divmod((when - np.datetime64("2017-04-01", "s")).astype(np.int64), 86_400)
    seconds = np.array([int(row["tripduration"]) for row in rows])
    start, end = (
        stations.attribute.encoded([row[f"{end} station id"] for row in rows]) for end in ("start", "end")
    )
    trips = TripColumns(
        start,
        end,
        date_.astype(np.int32),
        second.astype(np.int32),
        seconds.astype(np.int32),
        {extra.name: extra.encoded([row[extra.name] for row in rows]) for extra in domain.extras},
    )
    return private(trips.at(durations_counted(seconds)), domain)


def test_real_trips_keep_their_popular_places_routes_and_hours(jersey_city):
    """Bounds lie about five standard deviations of the draw or more from its mean, as measured over 24 to 40 draws."""
    domain = jersey_city.domain
    plan = SynthesisPlan(domain, ContributionBound.per_trip(), Fraction(9, 10))
    tables = noisy_tables(exact_tables(jersey_city, plan).counts, plan, origin="preview")
    synthetic = synthetic_trips(fitted(tables), 1)
    real, made = figure(jersey_city.columns, domain), figure(synthetic, domain)
    assert real.trips > 20_000
    assert made.trips == pytest.approx(real.trips, rel=0.02)
    assert top_kept(real.outgoing, made.outgoing, 10) >= 70
    assert utility_loss(real.outgoing, made.outgoing, 10) < 8
    assert average_relative_error(real.days, made.days) < 0.1
    assert shift_between_places(real.incoming, made.incoming, domain.stations.kilometres) < 0.3
    for row in top_rows(real, made, domain)["routes"]:
        assert row.synthetic == pytest.approx(row.original, abs=0.45)
    one, other = (
        np.bincount(trips.second // 3_600, minlength=24) / len(trips)
        for trips in (jersey_city.columns, synthetic)
    )
    assert np.abs(one - other).sum() / 2 < 0.06  # share of trips that would have to move to another hour
    assert np.median(synthetic.seconds) == pytest.approx(np.median(jersey_city.columns.seconds), rel=0.1)
    # a few trips of many hours rule the mean, and their bin is wide
    assert made.durations[1] == pytest.approx(real.durations[1], rel=0.5)
