"""Commands that spend: ``release`` and ``top-up``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from dpcore import curator
from dpcore.command_line import options as read
from dpcore.command_line.output import progress
from dpcore.command_line.paying import (
    add_bundle,
    add_ledger,
    add_nonce,
    add_promise,
    fresh_nonce,
    ledger_named,
    must_lie_on_tiles,
    promised_bound,
    publish,
    tell,
)
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import (
    FIVE_NUMBERS,
    FIVE_NUMBERS_WEIGHT,
    NOTHING,
    USUAL_FALSE_FLOWS,
    Plan,
    exact_false_flows,
)
from dpcore.noise.expected_estimates import TOTAL, flows_forecast, visits_forecast
from dpcore.noise.forecast import Facts, five_numbers_warning, forecast
from dpcore.noise.weights import proposal
from dpcore.planning.choice import whole
from dpcore.planning.default_plan import (
    DISTRICTS,
    default_bound,
    default_plan,
    unbought_flows,
    usual_measures,
    without,
)
from dpcore.planning.key_choices import NO_DISTRICTS
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_epsilon

_EVEN = "even"
_SHARE = re.compile(r"0\.[0-9]{1,6}")


def _add_release(release: argparse.ArgumentParser) -> None:
    read.add_trips(release)
    add_promise(release, epsilon="total epsilon of all measures")
    release.add_argument(
        "--measures",
        metavar="a,b,c",
        help="default: those of the default plan that the data can answer; five_numbers among them buys summaries of the "
        "histograms",
    )
    release.add_argument("--weights", metavar="a=2,b=1|even", help="shares of epsilon; even: equal errors")
    release.add_argument(
        "--about-trips",
        type=whole,
        metavar="N",
        help="declared number of trips, from which districts and the cap of the total follow",
    )
    release.add_argument(
        "--about-users",
        type=whole,
        metavar="N",
        help="the same for people; with both, M follows if it is not given",
    )
    release.add_argument(
        "--buy-ranges",
        metavar="SHARE",
        help="share of epsilon, such as 0.1, that buys the ranges of all histograms without --bins",
    )
    release.add_argument(
        "--false-flows",
        type=exact_false_flows,
        default=USUAL_FALSE_FLOWS,
        metavar="F",
        help="false positives (empty pairs listed by chance) if there are too many pairs of tiles to list all; default: 1",
    )
    add_bundle(release)
    release.set_defaults(run=_release)


def _add_top_up(raised: argparse.ArgumentParser) -> None:
    raised.add_argument("release", metavar="ID", help="id of the release, as in its manifest")
    raised.add_argument("--epsilon", required=True, metavar="E")
    raised.add_argument("--out", type=Path, required=True, metavar="DIR")
    add_nonce(raised)
    add_ledger(raised)
    raised.set_defaults(run=_top_up)


COMMANDS: Final = {"release": _add_release, "top-up": _add_top_up}


def _release(options: argparse.Namespace) -> None:
    epsilon = exact_epsilon(options.epsilon)
    choices = read.choices(options)
    if options.about_trips is not None and options.about_trips < 1:
        raise InputError(
            "this declares no trips", "--about-trips", "Give the approximate number of trips, 1 or more."
        )
    bound_follows = _bound_follows(options)
    unit = None if bound_follows else promised_bound(options).unit
    ranges = NOTHING if options.buy_ranges is None else _share(options.buy_ranges)
    measures, weighted, five_numbers = _apart(options.measures, options.weights)
    names = _measure_names(measures, unit or PrivacyUnit.USER, choices)
    if options.districts == NO_DISTRICTS and DISTRICTS in (names or ()):
        raise InputError(
            "flows between districts are asked for and left out",
            "--districts none",
            f"Leave {DISTRICTS} out of --measures, or give a number of districts.",
        )
    # The options are checked first, as for trips that can answer all: reading the trips may take minutes.
    usual = usual_measures(unit or PrivacyUnit.USER, choices)
    own = _own_weights(weighted, names or usual)
    trips, tessellation = read.trips_and_tiles(options)
    must_lie_on_tiles(options, trips, tessellation)
    facts = Facts(options.about_trips, options.about_users, len(tessellation.tile_ids))
    bound = _best_bound(epsilon, facts, choices) if bound_follows else promised_bound(options)
    plan = default_plan(
        bound,
        epsilon,
        tessellation,
        facts,
        read.with_districts(options, choices, tessellation),
        form=trips.form,
        measures=names,
    )
    if options.districts == NO_DISTRICTS:
        plan = without(plan, DISTRICTS)
    weights = {**plan.weights, **{name: weight for name, weight in own.items() if name in plan.weights}}
    if weighted == _EVEN:
        weights = _even(plan, facts, five_numbers)
    plan = replace(
        plan, weights=weights, five_numbers=five_numbers, ranges=ranges, false_flows=options.false_flows
    )
    given = {name for name, _ in options.edges}  # usual bins too, if they were given
    if ranges and given & {*plan.open_ended}:
        plan = replace(plan, ranged=tuple(name for name in plan.open_ended if name not in given))
    played = weighted == _EVEN or five_numbers or bound_follows or {DISTRICTS, TOTAL} & {*weights}
    _tell(options, plan, facts, declared_played=bool(played))
    expected = visits_forecast(plan, facts)
    publish(
        options,
        plan,
        trips,
        tessellation,
        expected="" if expected is None or expected.of_part else expected.words,
    )


def _even(plan: Plan, facts: Facts, five_numbers: int) -> dict[str, int]:
    """Weights for about equal errors. They are said on standard error."""
    weights = dict(proposal(tuple(plan.weights), plan.bound, plan.epsilon, facts, plan.choices).weights)
    told = weights | ({FIVE_NUMBERS: five_numbers} if five_numbers else {})
    print(
        f"note: weights {','.join(f'{name}={weight}' for name, weight in told.items())}",
        file=sys.stderr,
    )
    return weights


def _bound_follows(options: argparse.Namespace) -> bool:
    """Whether M is left to the rule of ``default_bound``: it is not given, and trips and people are declared."""
    declared = options.about_trips is not None and options.about_users is not None
    by_user = PrivacyUnit.parse(options.privacy_unit) is PrivacyUnit.USER
    return by_user and options.max_trips is None and declared


def _best_bound(epsilon: Fraction, facts: Facts, choices: KeyChoices) -> ContributionBound:
    """The bound that the rule finds. It is said on standard error."""
    most = default_bound(epsilon, facts, choices)
    print(
        f"note: --max-trips {most}, for which the estimates are expected to be best with the declared numbers",
        file=sys.stderr,
    )
    return ContributionBound.per_user(most)


def _tell(options: argparse.Namespace, plan: Plan, facts: Facts, *, declared_played: bool) -> None:
    """Say on standard error what follows from rules, what has no effect, and what is not worth its price."""
    read.tell_unused(options, plan.weights)
    if facts.declared and not declared_played:
        print("note: declared numbers have no effect on this plan", file=sys.stderr)
    if DISTRICTS in plan.weights and plan.choices.districts is not None and options.districts is None:
        districts = plan.choices.districts
        number = len(districts.names)
        whence = f"by halving the map (--districts {number})" if districts.by_halving else "of the tile file"
        print(f"note: {number} districts, {whence}", file=sys.stderr)
    if options.false_flows != USUAL_FALSE_FLOWS and not any(one.sparse for one in forecast(plan, facts)):
        print(
            "note: --false-flows has no effect, because no table is so large that pairs are left out",
            file=sys.stderr,
        )
    whole = [measure.name for measure in plan.measures if not measure.splits]
    if plan.choices.splits and whole:
        print(f"note: not split, because they count people: {', '.join(whole)}", file=sys.stderr)
    flows = flows_forecast(plan, facts)
    if flows is not None:
        print(
            f"note: expected: {flows.words}{', in an average part' if plan.choices.splits else ''}",
            file=sys.stderr,
        )
    elif options.measures is None and (unbought := unbought_flows(plan, facts)):
        print(f"note: {unbought}", file=sys.stderr)
    not_worth_it = five_numbers_warning(plan, facts)
    if not_worth_it:
        print(f"note: {not_worth_it}", file=sys.stderr)


def _top_up(options: argparse.Namespace) -> None:
    ledger = ledger_named(options)
    tell(
        curator.top_up(
            ledger,
            options.release,
            exact_epsilon(options.epsilon),
            nonce=fresh_nonce(ledger, options, options.release, options.epsilon),
            out=options.out,
            progress=progress("estimating"),
        )
    )


def _share(text: str) -> Fraction:
    """An exact share of epsilon, above 0 and below 1."""
    share = Fraction(text) if _SHARE.fullmatch(text) else NOTHING
    if share <= 0:
        raise PrivacyError(
            "this is not a share of epsilon for ranges of bins",
            "--buy-ranges",
            "Give a decimal number above 0 and below 1, such as 0.1.",
        )
    return share


def _apart(measures: str | None, weights: str | None) -> tuple[str | None, str | None, int]:
    """Both options without five-number summaries, which are not a measure, and the weight of these (0: not asked)."""
    names = [] if measures is None else [name.strip() for name in measures.split(",")]
    pairs = [] if weights is None else weights.split(",")
    own = [pair.partition("=")[2].strip() for pair in pairs if pair.partition("=")[0].strip() == FIVE_NUMBERS]
    asked = FIVE_NUMBERS in names or (measures is None and bool(own))
    if (
        names.count(FIVE_NUMBERS) > 1
        or len(own) > 1
        or (own and not (asked and own[0].isdecimal() and int(own[0])))
    ):
        raise InputError(
            "this is not a weight of five-number summaries that were chosen",
            FIVE_NUMBERS,
            "Name them once with --measures, and their weight once with --weights, such as five_numbers=20.",
        )
    others = ",".join(name for name in names if name != FIVE_NUMBERS)
    if asked and measures is not None and not others:
        raise InputError(
            "five-number summaries need a histogram to summarise",
            "--measures",
            "Name one too, such as travel_time.",
        )
    rest = ",".join(pair.strip() for pair in pairs if pair.partition("=")[0].strip() != FIVE_NUMBERS) or None
    weight = int(own[0]) if own else FIVE_NUMBERS_WEIGHT
    return None if measures is None else others, rest, weight if asked else 0


def _measure_names(measures: str | None, unit: PrivacyUnit, choices: KeyChoices) -> tuple[str, ...] | None:
    """The measures that were named; None if the default ones are wanted."""
    if measures is None:
        if choices.period is None:
            undated = [n for n, one in MEASURES.items() if one.needs_period and unit in one.usual_at]
            print(
                f"note: without --dates no {', '.join(undated)}: its period must be public", file=sys.stderr
            )
        return None
    names = tuple(name.strip() for name in measures.split(","))
    if len(set(names)) != len(names):
        raise InputError("a measure is named twice", "--measures", "Name each once.")
    for name in names:
        measure_named(name, choices)
    asked = [one.names for one in choices.sums if not {*one.names} & {*names}]
    return (*names, *(name for both in asked for name in both))


def _own_weights(weights: str | None, names: Sequence[str]) -> Mapping[str, int]:
    """The weights that were given by name, for some of the chosen measures."""
    own = {}
    for pair in weights.split(",") if weights and weights != _EVEN else ():
        name, _, text = pair.partition("=")
        if name.strip() not in names or not text.strip().isdecimal():
            raise InputError(
                "this is not a weight of a chosen measure",
                "--weights",
                "Write NAME=NUMBER pairs such as od_flows=2,trips_per_hour=1, or even.",
            )
        own[name.strip()] = int(text)
    return own
