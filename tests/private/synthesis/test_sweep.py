"""The sweep over epsilon: its numbers by hand, its price, and that more epsilon is nearer to the truth."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InputError
from dpcore.kinds.roy.private import sweep as of
from dpcore.kinds.roy.private.paper import PaperNoise, paper_cost, paper_groups
from dpcore.kinds.roy.private.station_trips import PrivateColumns
from dpcore.kinds.roy.private.sweep import ALL_TABLES, bounds_of, swept
from dpcore.privacy import ContributionBound
from tests.conftest import ROOT
from tests.synthesis.small import domain, plan, private, some_trips
from tests.synthesis.test_own_groups import owned, trips_of

ONE, PERSON = ContributionBound.per_trip(), ContributionBound.per_user(2)


def small():
    return domain(area=False, person=False, by_month=False)


def numbers(rows):
    return {(one.mode, one.bound, one.epsilon, one.table, one.metric): one for one in rows}


def test_mean_and_sigma_by_hand(monkeypatch):
    """The truth has 8 trips on hour 0. One draw has them an hour later, the other has half of them there."""
    base = some_trips(8, small()).at(np.arange(8))
    base.second[:] = 0
    hours = iter([[1] * 8, [0, 1] * 4])

    def drawn(*_):
        made = PrivateColumns.of(base).at(np.arange(8))
        made.second[:] = np.array(next(hours)) * 3_600
        return made

    monkeypatch.setattr(of, "_one_draw", drawn)
    rows = numbers(swept(private(base, small()), [plan(small(), "0.9")], ["sound"], 2))
    key = ("sound", ONE, Fraction("0.9"))
    moved, off = rows[*key, "Hours", "EMD"], rows[*key, "Hours", "UL"]
    assert (moved.mean, moved.unit) == (0.75, "hours")  # 1 hour, then half an hour
    assert moved.sigma == pytest.approx(np.sqrt(0.125))
    # of the 8 trips in the six busiest hours, all are off, then half of them; the first hour counts, the others are empty
    assert off.mean == pytest.approx(100 * (2 * 8 + 4 + 4) / 8 / 2)
    assert rows[*key, "Stations, out", "EMD"].mean == 0
    emd = rows[*key, ALL_TABLES, "EMD"]
    assert emd.mean == pytest.approx(0.75 / 4)  # stations out and in, days, hours; routes have none
    assert emd.sigma == pytest.approx(np.sqrt(0.125) / 4)
    assert emd.unit == "km, days, hours"
    assert rows[*key, ALL_TABLES, "TP"].unit == "%"


def test_more_epsilon_is_nearer_and_hiding_a_person_is_farther():
    columns = some_trips(4_000, small())
    own = private(columns, small(), [f"u{i // 4}" for i in range(4_000)])
    plans = [plan(small(), epsilon, bound) for bound in (ONE, PERSON) for epsilon in ("0.05", "2")]
    rows = numbers(swept(own, plans, ["sound", "paper"], 4))
    for mode in ("sound", "paper"):
        for bound in (ONE, PERSON):
            near, far = (rows[mode, bound, Fraction(e), "Routes", "AvRLE"] for e in ("2", "0.05"))
            assert near.mean < far.mean
        little = Fraction("0.05")
        hidden, open_ = (rows[mode, bound, little, "Routes", "AvRLE"].mean for bound in (PERSON, ONE))
        assert open_ < hidden
    assert {one.sigma >= 0 for one in rows.values()} == {True}


def test_the_sound_mode_costs_what_it_names_and_the_paper_a_half_for_each_group():
    of_all = owned("start,mode", "mode,fare")
    own = private(trips_of(100, of_all), of_all)
    found = list(swept(own, [plan(of_all, "0.9")], ["sound", "paper"], 2))
    prices = {one.mode: one.price for one in found}
    assert prices == {"sound": Fraction("0.9"), "paper": 7 * Fraction("0.9") / 2}
    tables = {one.table for one in found}
    assert {"Mode", "Fare", "Zip", "Gender", ALL_TABLES} <= tables
    assert next(one.unit for one in found if (one.table, one.metric) == ("Fare", "EMD")) == "fare"


def test_pages_say_what_the_published_mode_costs_at_least():
    usual = small()
    cost = paper_cost(paper_groups(usual), Fraction(1), PaperNoise.FULL)
    assert (cost.groups, cost.add_remove, cost.replace_one) == (3, Fraction("1.5"), 3)
    for name in ("docs/explanation/synthesis.md", "docs/how-to/publish-synthetic-trips.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "costs 1.5 times" in text or "cost 1.5 or 3 times" in text, name
        assert "several times the epsilon" not in text


def test_bounds_are_one_trip_and_with_m_a_person():
    assert bounds_of(None) == (ONE,)
    assert bounds_of(2) == (ONE, PERSON)


@pytest.mark.parametrize(
    "change", [{"runs": 1}, {"runs": 201}, {"epsilons": ()}, {"modes": ()}, {"modes": ("other",)}]
)
def test_a_sweep_out_of_range_is_refused_before_anything_is_read(change):
    with pytest.raises(InputError, match="out of range"):
        of.sweep(None, None, small(), (ONE,), **change)


def test_progress_ends_at_one():
    told = []
    own = private(some_trips(50, small()), small())
    list(swept(own, [plan(small())], ["sound"], 2, told.append))
    assert told == [0, 0.5, 1]
