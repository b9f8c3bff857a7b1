"""A record of the release for the registry of DP deployments of OpenDP, as YAML with the fields of that registry.

The fields are those of its schema of 15 July 2026 (``deployments-registry-data``, commit 3e9c812), which allows no others. The
registry has no sector for transport, so none is named. The record is a draft: the publisher completes what this program cannot
know, such as where and for which use. These fields say so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import statements
from dpcore.release.release import Release
from dpcore.release.texts import scalar

SCHEMA: Final = "2026-07-15"
"""The day of the registry's schema by which records are written."""
_OPEN: Final = "To be completed by the publisher."

Node = str | int | Fraction | Mapping[str, "Node"] | tuple[str, ...]


def registry_yaml(release: Release) -> bytes:
    """The record as YAML. Every text is quoted, so that no text can become structure."""
    lines = [
        "# A draft record for the OpenDP deployments registry: reported by the publisher, certified by nobody.",
        f"# Fields of its schema of {SCHEMA}.",
        *_lines(_record(release), ""),
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _lines(node: Mapping[str, Node], indent: str) -> list[str]:
    lines = []
    for name, value in node.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{name}:", *_lines(value, indent + "  ")]
        elif isinstance(value, tuple):
            lines += [f"{indent}{name}:", *(f"{indent}  - {scalar(item)}" for item in value)]
        else:
            text = decimal_text(value) if isinstance(value, Fraction) else scalar(value)
            lines.append(f"{indent}{name}: {text}")
    return lines


def _record(release: Release) -> Mapping[str, Node]:
    return {
        "url_slug": re.sub(r"[^a-z0-9]+", "-", release.id.lower()).strip("-"),
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": _basic(release),
            "dp_variant": {
                "variant_name": "Pure DP",
                "data_domain": f"Trips between places and times. Who is in the data, as its owner declares: "
                f"{release.population or 'not declared'}",
                "unprotected_quantities": " ".join(statements.not_protected(release)),
            },
            "privacy_loss": _privacy_loss(release),
            "deployment_model": _model(release),
            "accounting": {
                "post_processing": _post_processing(release),
                "composition": _composition(release),
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": statements.chosen_for(release),
                "mechanisms": statements.mechanism(release),
                "justification": release.note or _OPEN,
            },
            "administrative": {
                "sources": f"Release {release.id}: its manifest.json and README.md",
                "registry_authors": (_OPEN,),
            },
        },
    }


def _basic(release: Release) -> Mapping[str, Node]:
    return {
        "name": release.title or release.id,
        "data_curators": (release.publisher or _OPEN,),
        "intended_use": _OPEN,
        "data_product_type": "Summary statistics",
        "data_product_region": _OPEN,
        "description": _description(release),
        "publication_date": release.created.date().isoformat(),
    }


def _description(release: Release) -> str:
    titles = ", ".join(release.plan.measure(name).title for name in release.plan.weights)
    period = release.plan.choices.period
    days = (
        ""
        if period is None
        else f", series over dates from {period.first.isoformat()} to {period.last.isoformat()}"
    )
    return f"Noisy counts of trips on {len(release.tessellation.tile_ids):,} tiles{days}: {titles}."


def _privacy_loss(release: Release) -> Mapping[str, Node]:
    unit = release.plan.bound.unit
    return {
        "privacy_unit": "User-level" if unit is PrivacyUnit.USER else "Event-level",
        "privacy_unit_details": f"{statements.protects(release.plan.bound)} Adjacent: {statements.RELATION}.",
        "privacy_parameters": {"epsilon": release.plan.epsilon},
        "privacy_parameters_details": _composition(release),
    }


def _model(release: Release) -> Mapping[str, Node]:
    return {
        "model_name": "Central",
        "actors": "The owner holds the trips and runs the mechanism. Everyone else sees only the noisy tables.",
        "release_type": "One release" if release.raised_from is None else "Many releases",
        "release_type_details": "All releases of the data set are charged to one account with a fixed total."
        if release.raised_from is None
        else f"This release adds finer rungs to the release {release.raised_from}. Together they cost the highest rung.",
        "data_source_type": "Static",
        "access_type": "Non-interactive",
    }


def _composition(release: Release) -> str:
    parts = ", ".join(
        f"{measurement.measure} {decimal_text(measurement.epsilon(-1))} (sensitivity {measurement.sensitivity:,})"
        for measurement in release.measurements.values()
    )
    for name, bought in (("five_numbers", release.five_numbers), ("ranges of bins", release.ranges)):
        if bought is not None:
            parts += f", {name} {decimal_text(bought.epsilon)} ({bought.draws} quantiles)"
    return (
        f"Sequential composition; epsilon by measure: {parts}. Together {decimal_text(release.plan.epsilon)}."
    )


def _post_processing(release: Release) -> str:
    sparse = [statements.absent(one) for one in release.measurements.values() if one.cells is not None]
    stated = release.drawn.stated
    estimates = (
        [
            *(["The folder estimates holds estimates beside the tables."] if stated.computed else []),
            *statements.on_estimates(release, stated.estimates),
        ]
        if stated is not None
        else []
    )
    return " ".join(["None that changes a value. Negative values are kept.", *sparse, *estimates])
