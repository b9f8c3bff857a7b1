"""What the manifest of a release of tables says about its plan and its measures, and how the plan is read back.

Five-number summaries and ranges that were bought are two members, each there only if something was bought.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpcore import limits
from dpcore.estimates import Estimates, Share, why_as_drawn, words
from dpcore.measures.bins import LEVELS, Grid, decimal_form
from dpcore.measures.bought import BoughtQuantiles, check_bought
from dpcore.measures.choices import GRIDS, KeyChoices
from dpcore.measures.keys import KeySet, Period
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import NOTHING, USUAL_FALSE_FLOWS, Plan, exact_false_flows
from dpcore.privacy import ContributionBound, PrivacyUnit, Promise, decimal_text, exact_epsilon
from dpcore.release import statements
from dpcore.release.canonical import epsilon_of
from dpcore.release.estimates import SHARE_DECIMALS
from dpcore.release.fields import Fields, wrong
from dpcore.release.kind import Object
from dpcore.release.layout import (
    FIVE_NUMBERS,
    STATED_SINCE,
    csv_name,
    estimate_csv_name,
    estimate_parquet_name,
    parquet_name,
)
from dpcore.release.release import Release, Stated
from dpcore.release.table_checks import Listing
from dpcore.release.tables import key_columns

RANGES: Final = "ranges"
ESTIMATES: Final = "estimates"
"""The member about estimates; bundles before schema version 3 have none."""
_NOT_COMPUTED: Final = "not_computed"
_SHARE: Final = re.compile(r"0\.[0-9]{4}|1\.0000")
FALSE_FLOWS: Final = "false_flows"
"""The member that says how many false flows are listed by chance; missing if it is the usual number."""
_NAME: Final = 200
_NUMBER: Final = 40
_MOST_COUNT: Final = 10**15


def members(release: Release) -> Object:
    """All members that only a release of tables has."""
    plan = release.plan
    return {
        "release": {"raised_from": release.raised_from},
        "privacy": {
            "mechanism": "discrete Laplace ladder"
            + (", exponential mechanism on public grids" if plan.five_numbers or plan.ranges else ""),
            "epsilon": epsilon_of(plan.epsilon),
            "delta": "0",
            "rungs": [epsilon_of(rung) for rung in plan.rungs],
        },
        **_choices(plan.choices),
        **_bought_members(release),
        **({} if plan.false_flows == USUAL_FALSE_FLOWS else {FALSE_FLOWS: decimal_text(plan.false_flows)}),
        "measures": [_measure(measurement, plan) for measurement in release.measurements.values()],
        **({} if release.drawn.stated is None else {ESTIMATES: _stated(plan, release.drawn.stated)}),
    }


def sentences(release: Release) -> Object:
    """The promise and its limits, as sentences."""
    bound = release.plan.bound
    return {
        "privacy_unit": statements.protects(bound),
        "promise": statements.promise(Promise.of(bound, release.plan.epsilon)),
        "mechanism": statements.mechanism(release),
        "parameters_chosen": statements.chosen_for(release),
        "not_protected": list(statements.not_protected(release)),
        "half_width": statements.HALF_WIDTH,
        "negative_values": statements.NEGATIVE,
        "absent_keys": {
            name: statements.absent(measurement)
            for name, measurement in release.measurements.items()
            if measurement.cells is not None
        },
        **_estimated(release),
    }


def _estimated(release: Release) -> Object:
    """What estimates are, and which share of the trips counts."""
    stated = release.drawn.stated
    return {} if stated is None else {"estimates": list(statements.estimated(release, stated.estimates))}


def _stated(plan: Plan, stated: Stated) -> Object:
    share, as_drawn = stated.estimates.share, stated.estimates.as_drawn
    more: Object = {"as_drawn": {name: why_as_drawn(plan, name) for name in as_drawn}} if as_drawn else {}
    if not stated.computed:
        more = {_NOT_COMPUTED: words.NOT_COMPUTED}
    return more | {
        "method": stated.method,
        "share_that_counts": None
        if share is None
        else {name: f"{end:.{SHARE_DECIMALS}f}" for name, end in asdict(share).items()},
        "tables": [
            {"name": name, "tables": [estimate_csv_name(name), estimate_parquet_name(name)]}
            for name in stated.estimates.tables
        ],
    }


def says_not_computed(members: Fields) -> bool:
    """Whether a manifest says that its estimates could not be computed."""
    return members.has(ESTIMATES) and members.fields(ESTIMATES).has(_NOT_COMPUTED)


def stated_of(members: Fields) -> Stated | None:
    """What the manifest states of estimates, without their tables, which stand in files; None before schema version 3."""
    if members.whole("schema_version", _MOST_COUNT) < STATED_SINCE:
        return None
    found = members.fields(ESTIMATES)
    method = found.whole("method", _MOST_COUNT)
    as_drawn = found.names("as_drawn") if found.has("as_drawn") else ()
    share = _share(found) if found.has("share_that_counts") else None
    estimates = Estimates(-1, share, "", MappingProxyType({}), tuple(sorted(as_drawn)))
    return Stated(estimates, method, not says_not_computed(members))


def _share(found: Fields) -> Share:
    share = found.fields("share_that_counts")
    value, low, high = (
        float(share.matching(name, _SHARE, "a share such as 0.6213")) for name in ("value", "low", "high")
    )
    return Share(value, low, high)


def _choices(choices: KeyChoices) -> Object:
    """The period, and windows and bins that are not the usual ones."""
    written = choices.terms()
    written.pop("period", None)
    days = choices.period
    period = None if days is None else {"first": days.first.isoformat(), "last": days.last.isoformat()}
    return {"period": period} | ({"key_choices": written} if written else {})


def _measure(measurement: Measurement, plan: Plan) -> Object:
    return {
        "name": measurement.measure,
        "title": plan.measure(measurement.measure).title,
        "counts": measurement.counts,
        "weight": plan.weights[measurement.measure],
        "share": epsilon_of(measurement.share),
        "sensitivity": measurement.sensitivity,
        "epsilon": epsilon_of(measurement.epsilon(-1)),
        "keys": _keys(measurement.keys),
        "rungs": [
            {
                "total_epsilon": epsilon_of(rung),
                "epsilon": epsilon_of(measurement.epsilon(number)),
                "half_width_95": measurement.half_widths[number],
            }
            for number, rung in enumerate(measurement.rungs)
        ],
        "listing": None if measurement.cells is None else _listing(measurement),
        "tables": [csv_name(measurement.measure), parquet_name(measurement.measure)],
    }


def _keys(keys: KeySet) -> Object:
    """The public key set: columns, number of keys on each axis, and number of cells."""
    return {
        "cells": keys.size,
        "axes": [{"columns": list(key_columns(axis)), "keys": len(axis.labels)} for axis in keys.axes],
    }


def _listing(measurement: Measurement) -> Object:
    if measurement.threshold is None or measurement.listed_at is None:
        raise ValueError("a sparse measurement needs its threshold and the rung of its listing")
    return {"threshold": measurement.threshold, "listed_at": epsilon_of(measurement.listed_at)}


def _bought_members(release: Release) -> Object:
    found: Object = {}
    if release.five_numbers is not None:
        found[FIVE_NUMBERS] = {
            "weight": release.plan.five_numbers,
            **_bought(release.five_numbers),
            "tables": [csv_name(FIVE_NUMBERS), parquet_name(FIVE_NUMBERS)],
        }
    if release.ranges is not None:
        found[RANGES] = _bought(release.ranges)
    return found


def _bought(bought: BoughtQuantiles) -> Object:
    return {
        "share": epsilon_of(bought.share),
        "at_total_epsilon": epsilon_of(bought.at),
        "epsilon_of_one": epsilon_of(bought.epsilon_of_one),
        "values": {measure: dict(numbers) for measure, numbers in bought.values.items()},
        "grids": {measure: _grid(GRIDS[measure]) for measure in bought.values},
    }


def _grid(grid: Grid) -> Object:
    """The public points, as stretches with first point, end and step."""
    names = ("first", "end", "step")
    return {
        "unit": grid.unit,
        "points": grid.size,
        "stretches": [
            {name: decimal_form(number) for name, number in zip(names, stretch, strict=True)}
            for stretch in grid.stretches
        ],
    }


def plan_of(members: Fields) -> Plan:
    """The plan in a manifest; raises BundleError, or another AtlasError if there can be no such plan."""
    privacy = members.fields("privacy")
    unit = PrivacyUnit.parse(privacy.text("unit", _NAME))
    most = privacy.whole("max_trips", _MOST_COUNT) if privacy.has("max_trips") else None
    weights = {
        entry.text("name", _NAME): entry.whole("weight", limits.MAX_BUNDLE_WEIGHT)
        for entry in members.listed("measures")
    }
    if len(weights) < len(members.listed("measures")):
        raise wrong(members.place("measures"), "a list in which no measure stands twice")
    # the decimal text must be the exact epsilon, because columns are named after it
    rungs = tuple(exact_epsilon(entry.text("decimal", _NUMBER)) for entry in privacy.listed("rungs"))
    if len(rungs) > limits.MAX_BUNDLE_RUNGS:
        raise wrong(privacy.place("rungs"), f"a list of at most {limits.MAX_BUNDLE_RUNGS} rungs")
    bought = members.fields(FIVE_NUMBERS) if members.has(FIVE_NUMBERS) else None
    ranges = members.fields(RANGES) if members.has(RANGES) else None
    return Plan(
        ContributionBound(unit, most),
        weights,
        rungs,
        _choices_of(members),
        0 if bought is None else bought.whole("weight", limits.MAX_BUNDLE_WEIGHT),
        NOTHING if ranges is None else ranges.fraction("share"),
        None if ranges is None else tuple(name for name in weights if name in ranges.names("values")),
        exact_false_flows(members.text(FALSE_FLOWS, _NUMBER))
        if members.has(FALSE_FLOWS)
        else USUAL_FALSE_FLOWS,
    )


def _choices_of(members: Fields) -> KeyChoices:
    """The period and the other choices of keys; without that member they are the usual ones."""
    days = members.fields("period") if members.has("period") else None
    period = None if days is None else Period(days.day("first"), days.day("last"))
    if not members.has("key_choices"):
        return KeyChoices(period)
    try:
        return replace(KeyChoices.of_terms(members.plain("key_choices")), period=period)
    except (TypeError, ValueError):
        raise wrong(members.place("key_choices"), "choices of keys that this program knows") from None


def listings_of(members: Fields) -> Mapping[str, Listing]:
    """Threshold and rung of the list of each sparse table."""
    return {
        entry.text("name", _NAME): Listing(
            entry.fields("listing").whole("threshold", _MOST_COUNT),
            entry.fields("listing").fraction("listed_at"),
        )
        for entry in members.listed("measures")
        if entry.has("listing")
    }


def bought_of(members: Fields, plan: Plan) -> tuple[BoughtQuantiles | None, BoughtQuantiles | None]:
    """Bought summaries and ranges; BundleError if the plan cannot have bought them."""
    five_numbers = _read(members, FIVE_NUMBERS, plan.five_numbers_share)
    ranges = _read(members, RANGES, plan.ranges)
    try:
        check_bought(plan, five_numbers, ranges)
    except ValueError:
        name = RANGES if five_numbers is None else FIVE_NUMBERS
        raise wrong(members.place(name), "numbers that this plan can have bought") from None
    return five_numbers, ranges


def _read(members: Fields, name: str, share: Fraction) -> BoughtQuantiles | None:
    if not members.has(name):
        return None
    entry = members.fields(name)
    try:
        return BoughtQuantiles(entry.fraction("at_total_epsilon"), share, _values(entry))
    except (ValueError, ArithmeticError):
        raise wrong(entry.place("values"), "points of the public grids in rising order") from None


def _values(entry: Fields) -> Mapping[str, Mapping[str, str]]:
    """Values by measure, statistics in their order. Anything else is found when the manifest is compared."""
    found = {}
    for measure in entry.names("values"):
        numbers = entry.fields("values").texts(measure, _NUMBER)
        found[measure] = {name: numbers[name] for name in LEVELS if name in numbers}
    return found
