"""Attributes and groups that the owner chooses: which tables follow, what one person changes in them, and what is drawn."""

from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import dpcore
from dpcore.errors import AtlasError, InputError, PrivacyError
from dpcore.kinds.roy.choices import RoyChoices, groups_of
from dpcore.kinds.roy.consistency import consistent, shared_attributes
from dpcore.kinds.roy.declared import NO_AMOUNT, codes_of, edges_of, labels_of, values_in
from dpcore.kinds.roy.domain import Group, Stations, TripDomain
from dpcore.kinds.roy.kind import KIND as MODEL
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.paper import PaperNoise, paper_study
from dpcore.kinds.roy.private.station_trips import exact_tables
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import NoisyTables, SynthesisPlan, drawn_by, sources
from dpcore.measures.attribute import attribute_of
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from tests.synthesis.small import STATIONS, choices_of_terms, domain, plan, private, some_trips

MODE, FARE = attribute_of("mode=bus,rail,bike"), attribute_of("fare=-1:12:0.5")
PAPER = ("start,date,hour", "start,end,duration", "start,zip", "zip,gender")
"""The groups of the article besides start and end, without user types."""


def owned(*together, measured=(), by_month=False, declared=(MODE, FARE)) -> TripDomain:
    return replace(
        domain(by_month=by_month),
        declared=declared,
        together=groups_of(together, 2, "test"),
        measured=groups_of(measured, 1, "test"),
    )


def trips_of(n, of, seed=0):
    """Trips whose mode follows the start and whose fare follows the mode; some are missing."""
    trips, rng = some_trips(n, replace(of, declared=()), seed), np.random.default_rng(seed)
    mode = np.where(rng.random(n) < 0.8, trips.start % 3, rng.integers(0, 5, n))
    fare = np.where(rng.random(n) < 0.1, NO_AMOUNT, np.minimum(4 * mode + rng.integers(-2, 9, n), 24))
    return replace(
        trips, extras={**trips.extras, "mode": mode.astype(np.int32), "fare": fare.astype(np.int32)}
    )


def names(of):
    return [group.name for group in plan(of).groups]


def test_a_declared_attribute_has_a_table_of_its_own_and_with_a_group_that_of_the_group():
    assert names(owned())[-2:] == ["mode", "fare"]
    assert names(owned("start,mode", "mode,fare"))[-2:] == ["start+mode", "mode+fare"]
    assert "mode" not in names(owned("start,mode"))
    assert names(owned("start,mode", measured=["hour+mode"]))[-1] == "hour+mode"


def test_the_groups_of_the_article_replace_the_usual_tables():
    of = owned(*PAPER, declared=())
    assert names(of) == ["start+end", *(group.replace(",", "+") for group in PAPER)]
    assert [group.weight for group in plan(of).groups] == [8, 2, 2, 2, 2]


def test_day_types_are_still_counted_where_only_hours_are_drawn_otherwise():
    assert "start+day_type" in names(owned("end,hour"))
    assert "start+hour+day_type" not in names(owned("end,hour"))


def test_a_group_draws_its_later_attributes_given_the_earlier_ones():
    of = owned("start,end,duration", "hour,mode,fare", "start,zip")
    assert drawn_by(of) == (("duration",), ("mode", "fare"), ("zip",))
    assert list(sources(of)) == ["hour", "duration", "zip", "gender", "mode", "fare"]
    assert [name for name in of.order if name in sources(owned(*PAPER))] == list(sources(owned(*PAPER)))


def test_what_an_earlier_group_draws_is_given_in_later_ones():
    of = owned("start,end,duration", "hour,duration,fare", "start,mode,fare")
    assert drawn_by(of) == (("duration",), ("fare",), ("mode",))
    assert fitted(exactly(of)).laws["fare"].given == ("hour", "duration")


REFUSED = {
    "an attribute that is not there": (["start,income"], "names two or more"),
    "one attribute twice": (["mode,mode"], "names two or more"),
    "what follows": (["start,end,band,mode"], "band follows"),
    "a day type of a date": (["day_type,date,mode"], "day_type follows"),
    "nothing new": (["start,day_type"], "nothing is drawn"),
    "an attribute twice drawn": (["start,mode", "hour,mode"], "nothing is drawn"),
    "weight 0": (["start,mode=0"], "a weight is out of range"),
    "weight beyond": (["start,mode=101"], "a weight is out of range"),
    "one table twice": (["start,mode", "start,mode"], "nothing is drawn"),
}


@pytest.mark.parametrize(("together", "words"), REFUSED.values(), ids=REFUSED)
def test_groups_that_cannot_be_are_refused(together, words):
    with pytest.raises(PrivacyError, match=words):
        plan(owned(*together))


def test_what_would_be_paid_for_twice_is_refused():
    with pytest.raises(PrivacyError, match="holds this association already"):
        plan(owned("start,hour,mode", measured=["hour+mode"]))
    with pytest.raises(PrivacyError, match="holds this association already"):
        plan(owned(measured=["start+hour"]))
    with pytest.raises(PrivacyError, match="months follow from the dates"):
        plan(owned("start,date", by_month=True))


@pytest.mark.parametrize("text", ["start", "", "start,,mode", "=1+1,mode", "start,mode=x", "a" * 50 + ",b"])
def test_texts_that_are_no_groups_are_refused(text):
    with pytest.raises(InputError, match="group of attributes"):
        groups_of([text], 2, "--together")


@pytest.mark.parametrize("name", ["start", "hour", "second", "value", "started_at", "zip", "end_lat"])
def test_an_attribute_that_takes_the_name_of_another_column_is_refused(name):
    with pytest.raises((PrivacyError, InputError)):
        owned(declared=(attribute_of(f"{name}=a,b"),))


# Neighbours

GROUPS = ((), ("start,mode", "mode,fare"), (*PAPER, "date,mode", "hour,duration,fare"))


@pytest.mark.parametrize("together", GROUPS[:2])
@pytest.mark.parametrize("most", [1, 3])
def test_one_person_changes_every_table_by_at_most_m_and_that_is_reached_in_each(together, most):
    """All people of a data set in turn: the largest change of each table is the sensitivity that the noise hides."""
    of = owned(*together, measured=["hour+mode"])
    found, columns = plan(of, bound=ContributionBound.per_user(most)), trips_of(60, of, seed=3)
    users = [f"u{i % 10}" for i in range(60)]
    whole = exact_tables(private(columns, of, users), found).counts
    changes = dict.fromkeys(whole, 0)
    for one in sorted({*users}):
        stay = np.array([user != one for user in users])
        rest = exact_tables(
            private(columns.at(stay), of, [user for user in users if user != one]), found
        ).counts
        for name, table in rest.items():
            changes[name] = max(changes[name], int(np.abs(whole[name] - table).sum()))
    assert changes == dict.fromkeys(whole, most)
    assert all(found.rho(group) * most == found.share(group) * found.epsilon for group in found.groups)


@pytest.mark.parametrize("together", [GROUPS[1], ("start,date,hour", "hour,duration,mode", "mode,fare")])
def test_each_trip_that_could_be_changes_every_table_by_exactly_one(together):
    """Every value of both declared attributes, at the ends of what else a trip can be."""
    of = owned(*together)
    found, base = plan(of), trips_of(20, of)
    before = exact_tables(private(base, of), found).counts
    for mode, fare, far in product(range(5), (-2, 0, 24, NO_AMOUNT), (0, 1)):
        one = trips_of(1, of)
        one.start[:], one.end[:], one.date[:] = far * 2, 2 - far * 2, far * 20
        one.second[:], one.seconds[:] = far * 86_399, 60 + far * 86_339
        extras = {**one.extras, "mode": np.array([mode], np.int32), "fare": np.array([fare], np.int32)}
        both = type(base)(
            *(
                np.append(vars(base)[name], vars(one)[name])
                for name in ("start", "end", "date", "second", "seconds")
            ),
            {name: np.append(base.extras[name], extras[name]) for name in base.extras},
        )
        after = exact_tables(private(both, of), found).counts
        assert {int(np.abs(after[name] - before[name]).sum()) for name in after} == {1}


@pytest.mark.parametrize("bound", [ContributionBound.per_trip(), ContributionBound.per_user(4)])
def test_the_noise_of_a_group_is_as_wide_as_its_share_of_epsilon_over_m_asks_for(bound):
    """Both ways: 30 % more or less would be noticed. The variance of 9,072 draws varies by 2.4 %."""
    of = owned("start,date,hour", "start,end,duration")
    found = plan(of, "0.9", bound)
    (group,) = (one for one in found.groups if one.name == "start+date+hour")
    nothing = {one.name: np.zeros(found.shape(one), np.int64) for one in found.groups}
    noise = [noisy_tables(nothing, found, origin="preview").values[group.name] for _ in range(6)]
    weights = sum(one.weight for one in found.groups)
    q = np.exp(-float(Fraction(group.weight, weights) * Fraction("0.9") / bound.trips))
    assert np.var(noise) == pytest.approx(2 * q / (1 - q) ** 2, rel=0.12)
    assert abs(np.mean(noise)) < 4 * np.sqrt(2 * q / (1 - q) ** 2 / 9_072)


# Drawing


def exactly(of, n=3_000, factor=200):
    exact = exact_tables(private(trips_of(n, of), of), plan(of)).counts
    return NoisyTables(plan(of), {name: factor * table for name, table in exact.items()}, "preview")


def counted(trips, of, axes):
    shape = tuple(of.sizes[axis] for axis in axes)
    cell = np.ravel_multi_index(tuple(trips.codes(of, axis) for axis in axes), shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


def test_without_noise_the_tables_of_the_groups_come_back():
    of = owned("start,date,hour", "start,end,duration", "start,mode", "mode,fare")
    tables = exactly(of)
    trips = synthetic_trips(fitted(tables), 1)
    assert len(trips) == round(tables.total)
    for group in plan(of).groups:
        gap = np.abs(counted(trips, of, group.axes) - tables.values[group.name])
        assert gap.max() < 0.003 * len(trips), group.name
        assert gap.sum() < 0.06 * len(trips), group.name


def test_an_association_is_kept_by_its_group_and_lost_without():
    def shift(of):
        trips = synthetic_trips(fitted(exactly(of)), 1)
        by_mode = counted(trips, of, ("mode", "fare"))[:, :-1]
        return [float((row * np.arange(len(row))).sum() / row.sum()) for row in by_mode[:3]]

    apart, together = shift(owned()), shift(owned("mode,fare"))
    assert max(apart) - min(apart) < 0.2
    assert together[2] - together[0] > 5


@pytest.mark.parametrize("together", GROUPS)
def test_trips_are_plausible_whatever_the_noise(together):
    of = owned(*together)
    exact = exact_tables(private(trips_of(200, of), of), plan(of, "0.05")).counts
    for seed in range(4):
        trips = synthetic_trips(fitted(noisy_tables(exact, plan(of, "0.05"), origin="preview")), seed)
        for name, size in of.sizes.items():
            codes = trips.codes(of, name)
            assert ((codes >= 0) & (codes < size)).all()
        fares = trips.extras["fare"]
        assert set(fares[(fares < -2) | (fares > 24)]) <= {NO_AMOUNT}
    for number in (0, -3):
        none = {g.name: np.full(plan(of).shape(g), number) for g in plan(of).groups}
        assert len(synthetic_trips(fitted(NoisyTables(plan(of), none, "preview")), 0)) == 0


def test_tables_that_share_dates_agree_on_days_day_types_and_months():
    of = owned("date,mode", "start,date,hour")
    found = plan(of, "0.5")
    tables = noisy_tables(exact_tables(private(trips_of(500, of), of), found).counts, found, origin="preview")
    moved = consistent(tables)
    for attribute, having in shared_attributes(of, found.groups).items():
        sums = [np.bincount(at, moved[g.name].ravel(), of.sizes[attribute]) for g, at in having]
        for one in sums[1:]:
            assert np.abs(one - sums[0]).max() < 1e-6, attribute


def test_the_published_method_draws_declared_attributes_from_the_same_groups_and_each_costs():
    of = owned("start,mode", "mode,fare", "hour,duration")
    study = paper_study(private(trips_of(400, of), of), Fraction("0.9"), PaperNoise.FULL, 1)
    assert study.cost.groups == 3 + 4  # zip, gender, mode, fare
    for name in ("mode", "fare", "zip"):
        codes = study.trips.codes(of, name)
        assert ((codes >= 0) & (codes < of.sizes[name])).all()


# Amounts and distances


@pytest.mark.parametrize(
    "text", ["fare=-1:12:0.5", "seats=1:3:1", "fare=0:100:0.01", "x=-1000000000:1000000000:1"]
)
def test_every_unit_lies_in_one_bin_and_comes_back_into_it(text):
    amount = attribute_of(text)
    edges = edges_of(amount)
    assert (edges[0], edges[-1]) == (amount.lowest, amount.highest + 1)
    widths = np.diff(edges)
    assert widths.min() >= 1
    assert widths.max() - widths.min() <= 1
    units = np.unique([*edges[:-1], *(edges[1:] - 1), NO_AMOUNT]).astype(np.int32)
    codes = codes_of(amount, units)
    assert codes.min() == 0
    assert codes.max() == len(labels_of(amount)) - 1
    for share in (0.0, 0.5, np.nextafter(1, 0)):
        again = values_in(amount, codes, np.full(len(codes), share))
        assert (codes_of(amount, again) == codes).all()
        assert ((again == NO_AMOUNT) == (units == NO_AMOUNT)).all()


def test_distances_follow_the_steps_of_a_public_list():
    found = Stations(STATIONS.ids, STATIONS.latitudes, STATIONS.longitudes, (0.001, 2.0, 10.0))
    assert found.bands == ("same place", "0 to 2 km", "2 to 10 km", "10 to inf km")
    assert found.band_of_pair.tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    with pytest.raises(PrivacyError, match="steps of distance"):
        Stations(STATIONS.ids, STATIONS.latitudes, STATIONS.longitudes, (2.0, 1.0))


# Choices


def choices(**changes):
    given = {"draw": (MODE, FARE), "together": groups_of(["mode,start=3"], 2, ""), "bands": ("0.5", "2")}
    week = Period(date(2024, 4, 1), date(2024, 4, 7))
    return RoyChoices(ContributionBound.per_trip(), Fraction(1), week, **given | changes)


def test_choices_come_back_from_their_terms_and_are_written_only_where_chosen():
    made = choices(measured=(Group(("mode", "hour"), 1),))
    terms = made.terms()
    assert terms["together"] == ["start+mode=3"]
    assert terms["measured"] == ["hour+mode=1"]
    assert terms["draw"] == ["mode=bus,rail,bike", "fare=-1:12:0.5"]
    assert choices_of_terms(terms) == made
    plain = choices(draw=(), together=(), bands=()).terms()
    assert {"draw", "together", "measured", "bands"}.isdisjoint(plain)


def test_the_code_and_the_command_of_a_plan_make_it_again():
    made = choices(measured=(Group(("mode", "hour"), 1),))
    text = MODEL.python(made)
    assert eval(text, {"dpcore": dpcore, "date": date}) == made
    told = MODEL.command(made, "town", "Europe/Berlin")
    assert "--attribute mode=bus,rail,bike --attribute fare=-1:12:0.5 --draw mode,fare" in told
    assert "--together start,mode=3 --measure hour+mode=1 --bands 0.5,2" in told


HOSTILE = [
    {"draw": "mode=a"},
    {"draw": ["mode"]},
    {"draw": ["mode=a,b", "mode=a"]},
    {"draw": ["fare=0:100:0.010"]},
    {"draw": [f"m{i}=a" for i in range(17)]},
    {"together": ["start,mode=2"]},
    {"together": ["start+mode"]},
    {"together": ["mode+start=2"]},
    {"together": ["start+mode=2"] * 25},
    {"bands": ["1e3"]},
    {"bands": ["2", "1"]},
    {"bands": ["0.0001"]},
    {"bands": [1.0]},
]


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_terms_that_nobody_wrote_are_refused_or_read_as_another_plan(change):
    terms = {**choices().terms(), **change}
    try:
        found = choices_of_terms(terms)
    except (AtlasError, KeyError, TypeError, ValueError):
        return
    assert found.terms() != terms  # so a bundle with such terms is not as it was written


def test_lists_too_long_for_the_ledger_are_refused():
    many = attribute_of("mode=" + ",".join(f"{'x' * 70}{i}" for i in range(900)))
    with pytest.raises(PrivacyError, match="too long"):
        choices(draw=(many,))
    with pytest.raises(PrivacyError, match="groups, the limit"):
        choices(together=(Group(("start", "mode"), 1),) * 25)


def test_a_group_too_large_to_draw_is_refused():
    days = Period(date(2014, 1, 1), date(2024, 1, 1))
    stations = Stations(tuple(map(str, range(200))), (42.0,) * 200, tuple(np.linspace(0, 1, 200).tolist()))
    of = TripDomain(stations, days, together=groups_of(["start,date,hour"], 2, ""))
    with pytest.raises(PrivacyError, match="cells"):
        SynthesisPlan(of, ContributionBound.per_trip(), Fraction(1))
