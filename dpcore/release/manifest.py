"""The manifest of a release: every fact a reader needs to use and to judge it, as one JSON object.

It holds facts about the plan and nothing of the data but what the noisy tables say: no count of rows, no name of a
file of the owner, no fingerprint. Epsilons stand as decimal text and as exact fractions; all numbers are whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan
from dpcore.privacy import Promise, decimal_text
from dpcore.release import statements
from dpcore.release.bought_members import bought_members
from dpcore.release.canonical import epsilon_of, sealed
from dpcore.release.layout import csv_name, parquet_name
from dpcore.release.release import Anchor, Release
from dpcore.release.tables import key_columns
from dpcore.tessellation import Tessellation

FORMAT: Final = "epsilon-atlas release bundle"
SCHEMA_VERSION: Final = 1
TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"
STATEMENTS: Final = "statements"
"""The member that holds sentences; later versions of this program may word them better."""
FALSE_FLOWS: Final = "false_flows"
"""The member that says how many false flows are listed by chance; not there where it is the usual number."""

Object = dict[str, object]


def manifest_of(release: Release, tiles: Tessellation, files: Mapping[str, str]) -> Object:
    """The sealed manifest of a release.

    Args:
        release: what is published.
        tiles: its tiles as the bundle draws them.
        files: SHA-256 of every other file by name, 64 hexadecimal digits each.

    """
    return sealed(
        {
            "format": FORMAT,
            "schema_version": SCHEMA_VERSION,
            "release": _description(release),
            "privacy": _privacy(release.plan),
            "ledger_entry": anchor_members(release.anchor),
            "parameters_chosen": release.parameters_chosen,
            "tiles": {"count": len(tiles.tile_ids), "digest": tiles.digest},
            **_choices(release.plan.choices),
            **bought_members(release),
            **_false_flows(release.plan),
            "timezone": release.timezone,
            "measures": [
                _measure(measurement, release.plan) for measurement in release.measurements.values()
            ],
            "software": dict(release.software),
            "command": release.command,
            STATEMENTS: _statements(release),
            "files": {name: {"sha256": digest} for name, digest in files.items()},
        }
    )


def _choices(choices: KeyChoices) -> Object:
    """The period, and windows and bins where they are not the usual ones."""
    written = choices.terms()
    written.pop("period", None)
    days = choices.period
    period = None if days is None else {"first": days.first.isoformat(), "last": days.last.isoformat()}
    return {"period": period} | ({"key_choices": written} if written else {})


def _false_flows(plan: Plan) -> Object:
    """How many false flows the owner allowed, where it is not the usual number."""
    return {} if plan.false_flows == USUAL_FALSE_FLOWS else {FALSE_FLOWS: decimal_text(plan.false_flows)}


def _description(release: Release) -> Object:
    return {
        "id": release.id,
        "title": release.title,
        "note": release.note,
        "dataset": release.dataset,
        "population": release.population,
        "created": utc_text(release.created),
        "raised_from": release.raised_from,
    }


def utc_text(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, whole seconds; ValueError without a zone."""
    if moment.tzinfo is None:
        raise ValueError("the time of a release needs its zone")
    return moment.astimezone(UTC).strftime(TIME_FORMAT)


def _privacy(plan: Plan) -> Object:
    return {
        "unit": plan.bound.unit.value,
        "max_trips": plan.bound.max_trips,
        "neighbouring_relation": statements.RELATION,
        "mechanism": "discrete Laplace ladder"
        + (", exponential mechanism on public grids" if plan.five_numbers or plan.ranges else ""),
        "epsilon": epsilon_of(plan.epsilon),
        "delta": "0",
        "rungs": [epsilon_of(rung) for rung in plan.rungs],
    }


def anchor_members(anchor: Anchor) -> Object:
    """Where the ledger holds the charge."""
    return {
        "ledger": anchor.ledger,
        "number": anchor.number,
        "hash": anchor.hash,
        "currency": anchor.currency.value,
        "charged": epsilon_of(anchor.charged),
        "total_budget": epsilon_of(anchor.total),
        "part": anchor.part,
    }


def _measure(measurement: Measurement, plan: Plan) -> Object:
    return {
        "name": measurement.measure,
        "title": measure_named(measurement.measure).title,
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
    """The public key set: which columns, how many different keys in each, and how many cells that makes."""
    return {
        "cells": keys.size,
        "axes": [{"columns": list(key_columns(axis)), "keys": len(axis.labels)} for axis in keys.axes],
    }


def _listing(measurement: Measurement) -> Object:
    if measurement.threshold is None or measurement.listed_at is None:
        raise ValueError("a sparse measurement needs its threshold and the rung of its listing")
    return {"threshold": measurement.threshold, "listed_at": epsilon_of(measurement.listed_at)}


def _statements(release: Release) -> Object:
    bound = release.plan.bound
    return {
        "privacy_unit": statements.protects(bound),
        "promise": statements.promise(Promise.of(bound, release.plan.epsilon)),
        "mechanism": statements.mechanism(release),
        "parameters_chosen": statements.chosen(release.parameters_chosen),
        "not_protected": list(statements.not_protected(release)),
        "half_width": statements.HALF_WIDTH,
        "negative_values": statements.NEGATIVE,
        "absent_keys": {
            name: statements.absent(measurement)
            for name, measurement in release.measurements.items()
            if measurement.cells is not None
        },
    }
