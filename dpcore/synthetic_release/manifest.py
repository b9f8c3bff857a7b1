"""The manifest of a synthetic release: every fact a reader needs to use and to judge it, as one JSON object.

It holds facts about the plan and nothing of the data but what the noisy tables say. Amounts stand as texts and as exact
fractions; all numbers are whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from dpcore.release.canonical import epsilon_of, sealed
from dpcore.release.layout import csv_name, parquet_name
from dpcore.release.manifest import STATEMENTS, anchor_members, utc_text
from dpcore.release.outline import SYNTHETIC_FORMAT
from dpcore.release.statements import HALF_WIDTH, NEGATIVE, RELATION
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.stability.plan import Combination, StabilityPlan
from dpcore.synthesis.stability.thresholds import reported
from dpcore.synthesis.workload import Group, SynthesisPlan
from dpcore.synthetic_release import statements
from dpcore.synthetic_release.layout import TRIPS, table_name
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.tables import Plan, parts_of, schema_of, width_of
from dpcore.synthetic_release.tree_manifest import tree_members, tree_trips
from dpcore.synthetic_release.trips import sources_of_trips, trip_schema
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree

SCHEMA_VERSION: Final = 1

Object = dict[str, object]


def manifest_of(
    release: SyntheticRelease, tiles: Tessellation, rows: int, files: Mapping[str, str]
) -> Object:
    """The sealed manifest of a release.

    Args:
        release: what is published.
        tiles: its tiles as the bundle draws them.
        rows: of the file of trips.
        files: SHA-256 of every other file by name, 64 hexadecimal digits each.

    """
    return sealed(
        {
            "format": SYNTHETIC_FORMAT,
            "schema_version": SCHEMA_VERSION,
            "release": {
                "id": release.id,
                "title": release.title,
                "note": release.note,
                "dataset": release.dataset,
                "population": release.population,
                "created": utc_text(release.created),
            },
            "privacy": _privacy(release),
            "ledger_entry": {
                **anchor_members(release.anchor),
                "charged_delta": delta_of(release.charged_delta),
            },
            "parameters_chosen": release.parameters_chosen,
            "method": release.choices.terms(),
            "tiles": {"count": len(tiles.tile_ids), "digest": tiles.digest},
            "timezone": release.timezone,
            **_tables(release),
            "trips": _trips(release, rows),
            "software": dict(release.software),
            "command": release.command,
            STATEMENTS: _statements(release),
            "files": {name: {"sha256": digest} for name, digest in files.items()},
        }
    )


def delta_of(value: Fraction) -> Object:
    """A delta as people write it (three digits) and as it is."""
    return {"about": f"{float(value):.3g}", "exact": f"{value.numerator}/{value.denominator}"}


_MECHANISMS: Final = {
    RoyChoices.kind: "discrete Laplace on all cells of public tables",
    StabilityChoices.kind: "stability-based histogram with discrete Laplace noise",
    TreeChoices.kind: "discrete Laplace on the nodes of a prefix tree, rates by public levels of places",
}


def _privacy(release: SyntheticRelease) -> Object:
    bound = release.choices.bound
    epsilon, delta = release.loss
    return {
        "unit": bound.unit.value,
        "max_trips": bound.max_trips,
        "neighbouring_relation": RELATION,
        "mechanism": _MECHANISMS[release.choices.kind],
        "epsilon": epsilon_of(epsilon),
        "delta": delta_of(delta),
    }


def _tables(release: SyntheticRelease) -> Object:
    tables = release.tables
    if isinstance(tables, NoisyTree):
        return tree_members(release, tables)
    plan = tables.plan
    return {"tables": [_table(plan, name) for name in parts_of(plan)], "parts": _parts(plan)}


def _table(plan: Plan, name: str) -> Object:
    one = parts_of(plan)[name]
    facts: Object = {
        "name": name,
        "columns": schema_of(plan, name).names,
        "half_width_95": width_of(plan, name),
    }
    if isinstance(plan, SynthesisPlan) and isinstance(one, Group):
        facts |= {
            "cells": plan.cells(one),
            "share": epsilon_of(plan.share(one)),
            "epsilon": epsilon_of(plan.share(one) * plan.epsilon),
            "sensitivity": plan.bound.trips,
        }
    elif isinstance(plan, StabilityPlan) and isinstance(one, Combination):
        threshold = plan.threshold(one)
        facts |= {
            "relation": plan.variant.neighbours.value,  # in which this table's epsilon is meant
            "epsilon": epsilon_of(one.epsilon),
            "delta": delta_of(one.delta),
            "delta_of_threshold": delta_of(reported(plan.certified_delta(one, threshold))),
            "threshold": threshold,
            "rate": epsilon_of(plan.rho(one)),
        }
    return facts | {"tables": [csv_name(table_name(name)), parquet_name(table_name(name))]}


def _parts(plan: Plan) -> Object | None:
    """The public list of parts that large counts are split into, those without a row too; None where there are none."""
    if not isinstance(plan, StabilityPlan) or not plan.partition_by:
        return None
    return {"columns": list(plan.partition_by), "listed": [list(part) for part in plan.partitions]}


def _trips(release: SyntheticRelease, rows: int) -> Object:
    if isinstance(release.tables, NoisyTree):
        return tree_trips(release, release.tables)
    plan = release.tables.plan
    repeated = [one.name for one in sources_of_trips(plan)] if isinstance(plan, StabilityPlan) else None
    return {
        "file": TRIPS,
        "rows": rows,
        "form": release.form,
        "columns": trip_schema(release.choices, release.form).names,
        "repeats": repeated,  # tables whose rows are repeated, in this order
        "seed": str(release.seed),
    }


def _statements(release: SyntheticRelease) -> Object:
    return {
        "privacy_unit": statements.protects(release),
        "promise": statements.promise(release),
        "relations": list(statements.relations(release)),
        "mechanism": statements.mechanism(release),
        "trips": statements.trips(release),
        "parameters_chosen": statements.chosen(release),
        "not_protected": list(statements.not_protected(release)),
        "half_width": HALF_WIDTH,
        "negative_values": NEGATIVE,
    }
