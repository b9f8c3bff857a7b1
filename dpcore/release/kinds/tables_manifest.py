"""What the manifest of a release of tables says about its plan and its measures, and how the plan is read back.

Five-number summaries and ranges that were bought are two members, each there only if something was bought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.estimates import Estimates, Share, why_as_drawn, words
from dpcore.estimates.draws import DRAWS
from dpcore.exact_json import Part, at_most, matching, whole
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
from dpcore.release.fields import Count, Exact, Name, Number, typed_part, wrong
from dpcore.release.kind import Object
from dpcore.release.layout import (
    DRAWS_SINCE,
    FIVE_NUMBERS,
    STATED_SINCE,
    csv_name,
    draws_csv_name,
    draws_parquet_name,
    estimate_csv_name,
    estimate_parquet_name,
    parquet_name,
)
from dpcore.release.release import Draws, Release, Stated
from dpcore.release.table_checks import Listing
from dpcore.release.tables import key_columns

RANGES: Final = "ranges"
ESTIMATES: Final = "estimates"
"""The member about estimates; bundles before schema version 3 have none."""
_NOT_COMPUTED: Final = "not_computed"
FALSE_FLOWS: Final = "false_flows"
"""The member that says how many false flows are listed by chance; missing if it is the usual number."""
_MOST_ITEMS: Final = 1_000
_Weight: TypeAlias = Annotated[int, whole(limits.MAX_BUNDLE_WEIGHT)]
_ShareText: TypeAlias = Annotated[str, matching(r"0\.[0-9]{4}|1\.0000", "a share such as 0.6213")]


@dataclass(frozen=True)
class _Rung(Part):
    decimal: Number


@dataclass(frozen=True)
class _Privacy(Part):
    unit: Name
    rungs: Annotated[tuple[_Rung, ...], at_most(limits.MAX_BUNDLE_RUNGS)]
    max_trips: Count | None = None


@dataclass(frozen=True)
class _Listing(Part):
    threshold: Count
    listed_at: Exact


@dataclass(frozen=True)
class _Measure(Part):
    name: Name
    weight: _Weight
    listing: _Listing | None = None


@dataclass(frozen=True)
class _Bought(Part):
    at_total_epsilon: Exact
    share: Exact
    values: Mapping[str, Mapping[Number, Number]]
    weight: _Weight = 0


@dataclass(frozen=True)
class _Share(Part):
    value: _ShareText
    low: _ShareText
    high: _ShareText


@dataclass(frozen=True)
class _DrawnTable(Part):
    name: Name


@dataclass(frozen=True)
class _Draws(Part):
    method: Count = 0
    tables: Annotated[tuple[_DrawnTable, ...], at_most(_MOST_ITEMS)] = ()
    not_drawn: Name | None = None


@dataclass(frozen=True)
class _Estimates(Part):
    method: Count
    as_drawn: Mapping[str, object] = field(default_factory=dict)
    share_that_counts: _Share | None = None
    not_computed: str | None = None
    draws: _Draws | None = None


@dataclass(frozen=True)
class _Manifest(Part):
    schema_version: Count
    privacy: _Privacy
    measures: Annotated[tuple[_Measure, ...], at_most(_MOST_ITEMS)]
    period: Period | None = None
    key_choices: Mapping[str, object] | None = None
    false_flows: Number | None = None
    five_numbers: _Bought | None = None
    ranges: _Bought | None = None
    estimates: _Estimates | None = None


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
        **({} if release.drawn.stated is None else {ESTIMATES: _estimates_entry(plan, release.drawn.stated)}),
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
    return {} if stated is None else {"estimates": list(statements.on_estimates(release, stated.estimates))}


def _estimates_entry(plan: Plan, stated: Stated) -> Object:
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
        **({} if stated.draws is None else {"draws": _drawn(stated.draws)}),
    }


def _drawn(draws: Draws) -> Object:
    if draws.why_none:
        return {"not_drawn": draws.why_none}
    return {
        "method": draws.method,
        "number": DRAWS,
        "tables": [
            {"name": name, "tables": [draws_csv_name(name), draws_parquet_name(name)]}
            for name in draws.tables
        ],
    }


def drawn_tables(members: Object) -> tuple[str, ...]:
    """The tables of which a manifest says that the bundle holds draws."""
    found = _draws_in(typed_part(_Manifest, members))
    return () if found is None else tuple(found.tables)


def _draws_in(manifest: _Manifest) -> Draws | None:
    found = None if manifest.estimates is None else manifest.estimates.draws
    if (found is not None) is not (manifest.schema_version >= DRAWS_SINCE):
        raise wrong(f"{ESTIMATES}, draws", f"an object since schema version {DRAWS_SINCE}, and not before")
    if found is None:
        return None
    none: NDArray[np.int64] = np.zeros((0, 0), np.int64)  # the numbers stand in files
    return Draws({one.name: none for one in found.tables}, found.method, found.not_drawn or "")


def says_not_computed(members: Object) -> bool:
    """Whether a manifest says that its estimates could not be computed."""
    estimates = typed_part(_Manifest, members).estimates
    return estimates is not None and estimates.not_computed is not None


def stated_of(members: Object) -> Stated | None:
    """What the manifest states of estimates, without their tables, which stand in files; None before schema version 3."""
    manifest = typed_part(_Manifest, members)
    if manifest.schema_version < STATED_SINCE:
        return None
    found, share = manifest.estimates, None
    if found is None:
        raise wrong(ESTIMATES, "an object")
    if found.share_that_counts is not None:
        share = Share(**{name: float(one) for name, one in vars(found.share_that_counts).items()})
    estimates = Estimates(-1, share, "", MappingProxyType({}), tuple(sorted(found.as_drawn)))
    return Stated(estimates, found.method, _draws_in(manifest), found.not_computed is None)


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


def plan_of(members: Object) -> Plan:
    """The plan in a manifest; raises BundleError, or another AtlasError if there can be no such plan."""
    manifest = typed_part(_Manifest, members)
    privacy, bought, ranges = manifest.privacy, manifest.five_numbers, manifest.ranges
    weights = {entry.name: entry.weight for entry in manifest.measures}
    if len(weights) < len(manifest.measures):
        raise wrong("measures", "a list in which no measure stands twice")
    flows = manifest.false_flows
    return Plan(
        ContributionBound(PrivacyUnit.parse(privacy.unit), privacy.max_trips),
        weights,
        # the decimal text must be the exact epsilon, because columns are named after it
        tuple(exact_epsilon(rung.decimal) for rung in privacy.rungs),
        _choices_of(manifest),
        0 if bought is None else bought.weight,
        NOTHING if ranges is None else ranges.share.exact,
        None if ranges is None else tuple(name for name in weights if name in ranges.values),
        USUAL_FALSE_FLOWS if flows is None else exact_false_flows(flows),
    )


def _choices_of(manifest: _Manifest) -> KeyChoices:
    """The period and the other choices of keys; without that member they are the usual ones."""
    try:
        return replace(KeyChoices.of_terms(manifest.key_choices or {}), period=manifest.period)
    except (TypeError, ValueError):
        raise wrong("key_choices", "choices of keys that this program knows") from None


def listings_of(members: Object) -> Mapping[str, Listing]:
    """Threshold and rung of the list of each sparse table."""
    measures = typed_part(_Manifest, members).measures
    listings = [(one.name, one.listing) for one in measures]
    return {name: Listing(one.threshold, one.listed_at.exact) for name, one in listings if one is not None}


def bought_of(members: Object, plan: Plan) -> tuple[BoughtQuantiles | None, BoughtQuantiles | None]:
    """Bought summaries and ranges; BundleError if the plan cannot have bought them."""
    manifest = typed_part(_Manifest, members)
    five_numbers = _bought_as(manifest.five_numbers, FIVE_NUMBERS, plan.five_numbers_share)
    ranges = _bought_as(manifest.ranges, RANGES, plan.ranges)
    try:
        check_bought(plan, five_numbers, ranges)
    except ValueError:
        name = RANGES if five_numbers is None else FIVE_NUMBERS
        raise wrong(name, "numbers that this plan can have bought") from None
    return five_numbers, ranges


def _bought_as(entry: _Bought | None, name: str, share: Fraction) -> BoughtQuantiles | None:
    """Values by measure, statistics in their order. Anything else is found when the manifest is compared."""
    if entry is None:
        return None
    values = {
        measure: {level: numbers[level] for level in LEVELS if level in numbers}
        for measure, numbers in entry.values.items()
    }
    try:
        return BoughtQuantiles(entry.at_total_epsilon.exact, share, values)
    except (ValueError, ArithmeticError):
        raise wrong(f"{name}, values", "points of the public grids in rising order") from None
