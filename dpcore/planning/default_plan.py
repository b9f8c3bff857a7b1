"""The default plan: which measures, which districts, which caps and which shares of epsilon, from public facts alone.

Commands, library and pages all make their plans here. Nothing is read off the trips: the rules use the tiles, epsilon and
the numbers that the owner declares.

*Shares.* Each measure owns its default weight (``Measure.weight``), in thousandths of epsilon. Estimates read all tables
together, so the finest tables need less than they would alone: visits, arrivals by window and flows between districts get
most, and tell what flows between tiles are. Small tables, such as hours, are good to a few percent and get little. Nothing
is paid for a table that follows from others: weekdays from dates, totals from the tables that add up to them. The
numbers were chosen on synthetic cities and on trips of rented bikes: no table of people has more than twice the error that
equal errors for all would give it, and hours, dates and distances have at most one and a half times that error.

*Districts.* Fewer districts have larger flows between them, more districts tell more. With G districts and ``n`` trips an
average flow is ``n / G**2``, and its noise is ``M / (epsilon * share)``. So G is at most ``sqrt(n * epsilon * share /
(2 * M))``: then the noise is half of an average flow. It is also at most a twentieth of the number of tiles. Where tables are
split, n is the average number of trips of a part.

*Flows between tiles.* For a person they cost most and are read first. They are bought with a share of epsilon that falls with
the number of tiles (``share_of_flows``): the more pairs, the more would have to be paid for each, and the small tables can
spare so much. In two built-in cities of 150 tiles a quarter of epsilon makes 17 and 18 of the 20 strongest flows come among the first
20, instead of 12 and 13. Errors of visits, windows and hours grow by 4 to 14 %, of dates by 0 and 35 %. They are bought if 95 % of their noise is at
most what the strongest flows have: a quarter of the trips of an average tile, or one in 800 trips if that is more. With more noise
the first list was worse with them than without. At trip level they are always bought.

*The cap of the total.* ``total_trips`` counts at most C trips of a person. A larger C cuts fewer trips and needs more noise.
The rule takes the C for which both together are expected to be least, under the law of people of ``forecast``.

*The bound.* A larger M leaves out fewer trips and needs more noise. Estimates scale what counts to all trips, so what is
left out costs far less than it would in the drawn values (``expected_estimates``), and a small M is right more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Final

from dpcore import limits
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import USUAL, KeyChoices, names_of_sums
from dpcore.measures.data_form import ALL_RECORDED, DataForm
from dpcore.measures.keys import Districts
from dpcore.measures.overview import weekdays_follow
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.noise.accuracy import half_width
from dpcore.noise.expected_estimates import TOTAL, VISITS, expected_error, expected_share
from dpcore.noise.forecast import Facts, listed_from, share_counted, trips_counted
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text, noise_rate
from dpcore.tiles import Tessellation
from dpcore.tiles.districts import halved, own_districts

USUAL_BOUND: Final = 4
"""M if trips or people were not declared. The synthetic city is estimated best with 4 to 8 at epsilon 1 and with less at
smaller epsilons, and a release of fewer trips needs a smaller M too."""
BOUNDS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 50, 100)
"""Bounds among which ``default_bound`` chooses."""
WIDEST_TOTAL: Final = 0.05
"""The 95 % interval of the paid total reaches at most so far to either side, if its usual share of epsilon suffices."""

DISTRICTS: Final = "od_districts"
FLOWS: Final = "od_flows"
_WEEKDAYS: Final = "trips_per_weekday"
_MOST_OF_FLOWS: Final = Fraction(25, 100)
_LEAST_OF_FLOWS: Final = Fraction(12, 100)
_TILES_OF_MOST: Final = 160  # up to so many tiles flows get the most
_STRONG_OF_TILE: Final = 0.25  # of the trips of an average tile: about what the strongest flows have
_STRONG_OF_ALL: Final = 1 / 800  # the same of all trips
_TILES_OF_DISTRICT: Final = 20  # on average, at least
_FEWEST_DISTRICTS: Final = 2
_TOTAL_BOUNDS: Final = 20  # the cap over the bound, where nothing tells how many trips people make
_FEW: Final = 0.3  # of all trips: with fewer the assumption behind the estimates is doubtful
_ABOUT_EQUAL: Final = 1.1


def default_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    tiles: Tessellation,
    facts: Facts,
    choices: KeyChoices = USUAL,
    *,
    form: DataForm = ALL_RECORDED,
    measures: Sequence[str] | None = None,
) -> Plan:
    """The plan that a release has if its owner chooses no shares of epsilon.

    Args:
        bound: privacy unit and contribution bound; ``default_bound`` proposes one.
        epsilon: total epsilon, a fraction or decimal text.
        tiles: the public tiles.
        facts: the declared numbers; with them districts, the cap of the total and its share fit the data better.
        choices: public keys. Districts and the cap of the total are added where a measure needs them and none are given.
        form: what of each trip is recorded.
        measures: names of measures; None for the default ones.

    Raises:
        InputError: there is no measure of a name.
        PrivacyError: an epsilon that cannot be.
        TessellationError: flows between districts were named and there is only one tile, or a tile lacks its district.

    """
    choices = choices.for_form(has_users=form.users)
    names = usual_measures(bound.unit, choices, form)
    weights = {name: measure_named(name, choices).weight_at(bound.unit) for name in measures or names}
    plan = Plan.up_to(bound, weights, epsilon, choices)
    if measures is None:
        return with_public_keys(_with_sharp_total(with_flows(plan, facts), facts), tiles, facts)
    return with_public_keys(plan, tiles, facts, least_districts=2)


def usual_measures(
    unit: PrivacyUnit,
    choices: KeyChoices = USUAL,
    form: DataForm = ALL_RECORDED,
) -> tuple[str, ...]:
    """The measures of a default plan that a form of data can answer, in the order of the registry.

    Measures over dates are left out without a period. Weekdays are counted only where they do not follow from dates. The total of
    all trips is left out where tables are split, because it tells the share that counts of no category.
    """
    usual = tuple(
        name
        for name, measure in MEASURES.items()
        if not measure.lacks(form)
        and not (choices.splits and name == TOTAL)
        and (choices.period is not None or not measure.needs_period)
        and (unit in measure.usual_at or (name == _WEEKDAYS and not weekdays_follow(choices)))
    )
    return (*usual, *names_of_sums(choices))


def share_of_flows(tiles: int) -> Fraction:
    """The share of epsilon that flows between so many tiles get at user level, in whole percent."""
    share = Fraction(round(100 * float(_MOST_OF_FLOWS) * sqrt(_TILES_OF_MOST / max(tiles, 1))), 100)
    return min(max(share, _LEAST_OF_FLOWS), _MOST_OF_FLOWS)


def flows_pay_from(plan: Plan, facts: Facts) -> Fraction | None:
    """The total epsilon, in hundredths, from which on a default plan of people buys flows between tiles.

    None if trips or people were not declared, or no epsilon up to ``limits.MAX_EPSILON`` is enough.
    """
    counted, cells = trips_counted(plan.bound, facts), (facts.tiles + 1) ** 2
    parts = len(parts_of(plan.choices.splits))
    if counted is None or facts.users is None or cells * parts > limits.MAX_SPARSE_CELLS:
        return None
    strong = counted / parts * max(_STRONG_OF_TILE / facts.tiles, _STRONG_OF_ALL)
    sensitivity = measure_named(FLOWS, plan.choices).sensitivity(plan.bound)

    def enough(hundredths: int) -> bool:
        rho = noise_rate(share_of_flows(facts.tiles), Fraction(hundredths, 100), sensitivity)
        return (listed_from(cells * parts, rho, plan.false_flows) or half_width(rho)) <= strong

    low, high = 0, 100 * int(limits.MAX_EPSILON)
    if strong < 1 or not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Fraction(high, 100)


def unbought_flows(plan: Plan, facts: Facts, epsilon: Fraction | None = None) -> str:
    """From which epsilon on the default plan of a person would buy flows between tiles; empty where it buys them, or hides one trip.

    ``epsilon``: what a release would spend, where the plan is drawn at several; the default plan of less may leave out what it holds.
    """
    if plan.bound.unit is not PrivacyUnit.USER:
        return ""
    if FLOWS in plan.weights:
        least = None if epsilon is None else flows_pay_from(plan, facts)
        if epsilon is None or least is None or epsilon >= least:
            return ""
        return (
            f"A release at ε = {decimal_text(epsilon)} would not buy these flows: with these declared numbers and M = {plan.bound.max_trips:,} "
            f"they are bought from ε {decimal_text(least)} on. Below it they are only modelled."
        )
    if facts.trips is None or facts.users is None:
        return "Flows between tiles are not bought without declared numbers. Declare about how many trips and people there are."
    least, given = (
        flows_pay_from(plan, facts),
        f"with these declared numbers and M = {plan.bound.max_trips:,}",
    )
    if least is None:
        return f"Flows between tiles would be bought at no ε up to {limits.MAX_EPSILON}, {given}."
    return f"Flows between tiles would be bought from ε {decimal_text(least)} on, {given}."


def with_flows(plan: Plan, facts: Facts) -> Plan:
    """The plan of people with flows between tiles, where they pay."""
    if plan.bound.unit is not PrivacyUnit.USER or FLOWS in plan.weights:
        return plan
    least = flows_pay_from(plan, facts)
    if least is None or plan.epsilon < least:
        return plan
    share = share_of_flows(facts.tiles)
    weight = max(round(sum(plan.weights.values()) * share / (1 - share)), 1)
    weights = {**plan.weights, FLOWS: weight}
    return replace(plan, weights={name: weights[name] for name in (*MEASURES, *weights) if name in weights})


def with_public_keys(plan: Plan, tiles: Tessellation, facts: Facts, *, least_districts: int = 0) -> Plan:
    """The plan with the districts and the cap of the total that its measures need, where its choices hold none.

    Flows between districts are left out where fewer than two districts pay, unless ``least_districts`` asks for more.

    Raises:
        TessellationError: the tiles cannot be divided into so many districts, or their own districts are none.

    """
    if TOTAL in plan.weights and plan.choices.most_trips is None and plan.bound.unit is PrivacyUnit.USER:
        plan = replace(plan, choices=replace(plan.choices, most_trips=cap_of_total(plan, facts)))
    if DISTRICTS not in plan.weights or plan.choices.districts is not None:
        return plan
    districts = default_districts(plan, tiles, facts, least=least_districts)
    if districts is not None:
        return replace(plan, choices=replace(plan.choices, districts=districts))
    return without(plan, DISTRICTS)


def without(plan: Plan, name: str) -> Plan:
    """The plan without a measure; the others share its epsilon. Raises PrivacyError if no measure is left."""
    return replace(plan, weights={one: weight for one, weight in plan.weights.items() if one != name})


def default_districts(plan: Plan, tiles: Tessellation, facts: Facts, *, least: int = 0) -> Districts | None:
    """The districts of a plan: those of the tile file, else tiles halved into as many groups as pay.

    None if fewer than two pay; with ``least`` there are at least so many. Raises TessellationError if there cannot be.
    """
    own, wanted = own_districts(tiles), max(districts_that_pay(plan, facts), least)
    return own or (halved(tiles, wanted) if wanted >= _FEWEST_DISTRICTS else None)


def usual_districts(tiles: Tessellation) -> Districts:
    """The districts of tiles of which nothing is declared, two at least. Raises TessellationError if there cannot be two."""
    own = own_districts(tiles)
    return own or halved(tiles, max(_by_tiles(len(tiles.tile_ids)), _FEWEST_DISTRICTS))


def _by_tiles(tiles: int) -> int:
    return min(tiles // _TILES_OF_DISTRICT, limits.MAX_DISTRICTS)


def districts_that_pay(plan: Plan, facts: Facts) -> int:
    """The number of districts G of the rule above, for a plan with ``od_districts``."""
    by_tiles = _by_tiles(facts.tiles)
    if facts.trips is None:
        return by_tiles
    epsilon = float(plan.share(DISTRICTS) * plan.epsilon)
    trips = facts.trips / len(parts_of(plan.choices.splits))
    return min(by_tiles, int(sqrt(trips * epsilon / (2 * plan.bound.trips))))


def cap_of_total(plan: Plan, facts: Facts) -> int:
    """The cap C of the total for a plan with ``total_trips``: least expected cut and noise together.

    Without declared trips and people it is 20 times M.
    """
    bound = plan.bound.trips
    if not facts.trips or facts.users is None:
        return min(_TOTAL_BOUNDS * bound, limits.MAX_TRIPS_PER_USER)
    trips, each = facts.trips, facts.trips / facts.users
    noise = 1 / float(
        plan.share(TOTAL) * plan.epsilon
    )  # mean absolute noise of the total for each trip of the cap
    caps = [cap for cap in _round_numbers() if cap >= bound]
    return min(caps or [bound], key=lambda cap: (trips * (1 - share_counted(each, cap)) + noise * cap, cap))


def default_bound(epsilon: Fraction, facts: Facts, choices: KeyChoices = USUAL) -> int:
    """The smallest bound M whose estimates of visits are about the best, against all trips.

    The error holds noise, sampling, and what scaling leaves. It hardly changes over a wide range of bounds. Within a tenth of
    the least error the smallest bound is taken, because its smaller noise makes more tiles readable. It must let 30 % of the
    trips count, because the estimates otherwise rest on their assumption alone; where none does, the error decides.
    ``USUAL_BOUND`` if trips or people were not declared.
    """
    if not facts.trips or facts.users is None:
        return USUAL_BOUND
    visits = measure_named(VISITS, choices)
    errors, shares = {}, {}
    for most in BOUNDS:
        bound = ContributionBound.per_user(most)
        rho = noise_rate(_usual_share(VISITS), epsilon, visits.sensitivity(bound))
        errors[most] = expected_error(visits, bound, rho, facts) or 0.0
        shares[most] = expected_share(bound, facts) or 0.0
    best = min(errors, key=lambda most: (errors[most], most))
    enough = [m for m in BOUNDS if shares[m] >= _FEW and errors[m] <= _ABOUT_EQUAL * errors[best]]
    return enough[0] if enough else best


def _usual_share(name: str) -> Fraction:
    """The share of epsilon of a measure in the whole default plan at user level."""
    weights = {one: m.weight for one, m in MEASURES.items() if PrivacyUnit.USER in m.usual_at}
    return Fraction(weights[name], sum(weights.values()))


def _with_sharp_total(plan: Plan, facts: Facts) -> Plan:
    """The plan with the smallest weight of the total that makes it sharp enough; the usual one if none does."""
    if TOTAL not in plan.weights or not facts.trips or facts.users is None:
        return plan
    for weight in range(1, plan.weights[TOTAL]):
        tried = replace(plan, weights={**plan.weights, TOTAL: weight})
        cap = plan.choices.most_trips or cap_of_total(tried, facts)
        wide = half_width(noise_rate(tried.share(TOTAL), plan.epsilon, cap))
        if wide <= WIDEST_TOTAL * facts.trips * share_counted(facts.trips / facts.users, cap):
            return tried
    return plan


def _round_numbers() -> list[int]:
    """Numbers of at most two digits and zeros, rising, as caps: nobody could read trips off them."""
    numbers = [*range(1, 100), *range(100, 1_000, 10), *range(1_000, limits.MAX_TRIPS_PER_USER + 1, 100)]
    return [number for number in numbers if number <= limits.MAX_TRIPS_PER_USER]
