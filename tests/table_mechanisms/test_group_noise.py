"""Noisy tables have exactly the declared noise, and attackers prove no more than the declared epsilon."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.private.drawing import must_be_drawable, noisy_tables
from dpcore.kinds.roy.private.station_trips import exact_tables
from dpcore.privacy import ContributionBound
from dpcore.private.synthetic.drawing import noised
from tests.chance import must_fit
from tests.noise_law import must_have_rate, rung
from tests.synthesis.small import domain, plan, private, some_trips
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

RUNS = 1_500
FOR_A_BUG = 4 * RUNS
"""Less would notice every planted bug of attacks in most runs, and not in all but one of a thousand million."""


@pytest.mark.parametrize("bound", [ContributionBound.per_trip(), ContributionBound.per_user(4)])
def test_each_table_has_the_noise_of_its_share_and_bound_and_thirty_per_cent_off_is_noticed(bound):
    found = plan(epsilon="2", bound=bound)
    draws = [
        noisy_tables(
            {g.name: np.zeros(found.shape(g), np.int64) for g in found.groups}, found, origin="preview"
        )
        for _ in range(400)
    ]
    for group in found.groups:
        noise = np.concatenate([draw.values[group.name].ravel() for draw in draws])
        rho = found.share(group) * 2 / bound.trips
        if len(noise) > 25_000:
            must_have_rate(noise, rho)
        else:
            must_fit(rung(noise, rho))


def test_every_cell_is_noised_whether_it_occurs_or_not():
    found = plan(epsilon="0.1")
    nothing = {g.name: np.zeros(found.shape(g), np.int64) for g in found.groups}
    draws = [noisy_tables(nothing, found, origin="preview").values for _ in range(60)]
    for name in nothing:
        cells = np.stack([draw[name] for draw in draws])
        assert cells.dtype == np.int64
        assert cells.any(axis=0).all()  # in sixty draws, each cell
        assert cells.min() < 0 < cells.max()


def test_rates_too_long_to_draw_are_refused_before_anything_is_spent():
    must_be_drawable(plan())
    with pytest.raises(PrivacyError, match="fewer decimals"):
        must_be_drawable(replace(plan(), epsilon=Fraction(10**16 + 1, 10**16)))


def likelihood(tables, small, large, rhos):
    """How much likelier tables are on the larger data set than on the smaller one."""
    return sum(
        float(rhos[name]) * (np.abs(table - small[name]) - np.abs(table - large[name])).sum()
        for name, table in tables.items()
    )


def honest(exact, found):
    return noisy_tables(exact, found, origin="preview").values


def unsplit(exact, found):
    """Planted bug: every table spends the whole epsilon."""
    return {name: noised(table, found.epsilon / found.bound.trips) for name, table in exact.items()}


def unbounded(exact, found):
    """Planted bug: noise for one trip where a person has several."""
    return {g.name: noised(exact[g.name], found.share(g) * found.epsilon) for g in found.groups}


def occupied_only(exact, found):
    """Planted bug: empty cells stay empty, as in the paper's figure."""
    drawn = honest(exact, found)
    return {name: np.where(exact[name] > 0, drawn[name], 0) for name in exact}


def attacks(draw, found, small, large):
    runs = RUNS if draw is honest else FOR_A_BUG
    rhos = {g.name: found.rho(g) for g in found.groups}
    two = [
        np.array([likelihood(draw(exact, found), small, large, rhos) for _ in range(runs)])
        for exact in (large, small)
    ]
    # ties of the likelihood are told apart by nothing, so both directions are tried
    return [tuple(two), (-two[1], -two[0])]


@pytest.mark.parametrize(("draw", "must"), [(honest, must_tell_at_most), (unsplit, must_tell_more_than)])
def test_one_trip_more_or_less_proves_at_most_epsilon(draw, must):
    of = domain()
    found, columns = plan(of), some_trips(30, of)
    large = exact_tables(private(columns, of), found).counts
    small = exact_tables(private(columns.at(np.arange(29)), of), found).counts
    must(found.epsilon, *attacks(draw, found, small, large))


@pytest.mark.parametrize(("draw", "must"), [(honest, must_tell_at_most), (unbounded, must_tell_more_than)])
def test_one_person_more_or_less_proves_at_most_epsilon(draw, must):
    of = domain()
    found, columns = (
        plan(of, bound=ContributionBound.per_user(5)),
        some_trips(1, of).at(np.zeros(9, np.int64)),
    )
    large = exact_tables(private(columns, of, ["u"] * 9), found).counts
    small = {name: np.zeros_like(table) for name, table in large.items()}
    assert {table.sum() for table in large.values()} == {5}
    must(found.epsilon, *attacks(draw, found, small, large))


@pytest.mark.parametrize(("draw", "must"), [(honest, must_tell_at_most), (unsplit, must_tell_more_than)])
def test_a_replaced_trip_proves_at_most_two_epsilon(draw, must):
    of = domain()
    found, columns = plan(of), some_trips(200, of)
    far = int(np.argmax(columns.start + columns.end + columns.date))
    here = exact_tables(private(columns.at(np.array([0])), of), found).counts
    there = exact_tables(private(columns.at(np.array([far])), of), found).counts
    must(2 * found.epsilon, *attacks(draw, found, here, there))


def test_the_support_is_the_same_on_both_data_sets_unless_empty_cells_stay_empty():
    of = domain()
    found, columns = plan(of), some_trips(1, of)
    large = exact_tables(private(columns, of), found).counts
    small = {name: np.zeros_like(table) for name, table in large.items()}
    for draw, same in ((honest, True), (occupied_only, False)):
        reached = [
            any(draw(exact, found)["start+end"][large["start+end"] > 0] != 0 for _ in range(200))
            for exact in (large, small)
        ]
        assert (reached[0] == reached[1]) == same
