"""The invented bike sharing system has the printed shares and nothing of the real data."""

import time

import numpy as np
import pytest

from dpcore.errors import InputError
from dpcore.kinds.roy import hubway as demo
from dpcore.kinds.roy.domain import durations_counted
from dpcore.kinds.roy.figure import figure


@pytest.fixture(scope="module")
def whole():
    begin = time.perf_counter()
    found = demo.hubway()
    return found, time.perf_counter() - begin


def test_it_has_the_printed_size_and_is_made_quickly(whole):
    found, seconds = whole
    assert len(found.trips) == 1_029_739
    assert len(found.domain.stations.ids) == 142
    assert len(found.domain.period.days) == 857
    assert seconds < 5


def test_it_has_the_shares_of_figure_1(whole):
    found, _ = whole
    shown = figure(found.trips, found.domain)
    place = {int(name): number for number, name in enumerate(found.domain.stations.ids)}
    for name, percent in demo.OUTGOING.items():
        assert shown.outgoing[place[name]] == pytest.approx(percent, abs=0.06)
    for name, percent in demo.INCOMING.items():
        assert shown.incoming[place[name]] == pytest.approx(percent, abs=0.06)
    for (start, end), percent in demo.ROUTES.items():
        assert shown.routes[place[start], place[end]] == pytest.approx(percent, abs=0.03)
    for day, percent in demo.DAYS.items():
        assert shown.days[(day - demo.PERIOD.first).days] == pytest.approx(percent, abs=0.03)
    tops = {
        "outgoing": ({place[name] for name in demo.OUTGOING}, shown.outgoing),
        "incoming": ({place[name] for name in demo.INCOMING}, shown.incoming),
        "days": ({(day - demo.PERIOD.first).days for day in demo.DAYS}, shown.days),
        "routes": ({place[a] * 142 + place[b] for a, b in demo.ROUTES}, shown.routes.ravel()),
    }
    for expected, shares in tops.values():
        assert set(np.argsort(-shares)[: len(expected)].tolist()) == expected


def test_the_winters_are_closed_and_durations_count(whole):
    found, _ = whole
    months = np.bincount(found.trips.codes(found.domain, "month"))
    closed = [number for number, month in enumerate(found.domain.months) if month in {"2012-01", "2013-01"}]
    assert (months[closed] == 0).all()
    assert durations_counted(found.trips.seconds).all()


def test_the_same_seed_gives_the_same_trips_of_any_size():
    one, again, other = demo.hubway(1_000, 3), demo.hubway(1_000, 3), demo.hubway(1_000, 4)
    assert (one.trips.second == again.trips.second).all()
    assert one.domain == again.domain
    assert one.domain.stations != other.domain.stations
    assert len(demo.hubway(1).trips) == 1
    with pytest.raises(InputError):
        demo.hubway(0)


def test_with_interactions_stations_open_one_after_the_other_and_keep_their_own_hours():
    found = demo.hubway(100_000, interactions=True)
    first = [found.trips.date[found.trips.start == s].min() for s in range(142)]
    assert 0.2 < np.mean(np.array(first) > 200) < 0.7
    hours = [
        np.bincount(found.trips.second[found.trips.start == s] // 3600, minlength=24) for s in range(142)
    ]
    morning = np.array([h[7:10].sum() / h.sum() for h in hours if h.sum() > 300])
    assert morning.std() > 0.02
