"""The public side of the library: plans, what to expect of them, and what anyone may do with a bundle.

Needs neither trips nor a ledger, and works where the private rooms are deleted. The package itself offers all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pandas as pd
import pyarrow as pa

from dpcore import release as bundles
from dpcore.bundles import verify_any
from dpcore.errors import AtlasError, PrivacyError
from dpcore.forecast import Facts, forecast
from dpcore.key_choices import KeyChoices
from dpcore.keys import Period
from dpcore.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text, exact_epsilon
from dpcore.release import Release, Verdict, release_table
from dpcore.release.tables import key_columns
from dpcore.similarity import Side, compared, read_side, side_of_release
from dpcore.tessellation import Tessellation
from dpcore.views import report

__all__ = [
    "OFFERED",
    "AtlasError",
    "ContributionBound",
    "KeyChoices",
    "Period",
    "Plan",
    "PrivacyUnit",
    "compare",
    "exact_epsilon",
    "expected_errors",
    "read_bundle",
    "report_html",
    "table",
    "verify_bundle",
]


def expected_errors(
    plan: Plan, tiles: Tessellation, *, trips: int | None = None, users: int | None = None
) -> pd.DataFrame:
    """What a plan will give, one row a measure, from public facts alone: nothing is counted and nothing spent.

    Args:
        plan: measures, bound and shares of epsilon.
        tiles: the public tiles.
        trips: about how many trips there are, as declared; never measured here.
        users: about how many people made them, as declared.

    Returns:
        ``measure``, its own ``epsilon``, ``sensitivity``, ``half_width_95`` of one cell, ``cells``, ``stands_out_from``
        (the smallest noisy count that noise alone could hardly have made), and ``readable_share`` of tiles or flows in
        a typical city (missing where that was not declared, or means nothing).

    Raises:
        PrivacyError: a measure needs a period and the plan has none, or the declared numbers cannot be.

    """
    rows = forecast(plan, Facts(trips, users, len(tiles.tile_ids)))
    return pd.DataFrame(
        {
            "measure": [row.measure for row in rows],
            "epsilon": [float(row.epsilon) for row in rows],
            "sensitivity": [row.sensitivity for row in rows],
            "half_width_95": [row.half_width for row in rows],
            "cells": [row.cells for row in rows],
            "stands_out_from": [row.stands_out_from for row in rows],
            "readable_share": pd.array([row.readable_share for row in rows], dtype="Float64"),
        }
    )


def read_bundle(place: str | Path | bytes) -> Release:
    """The release in a bundle: a folder, a .zip or its bytes, checked in every respect; raises BundleError."""
    return bundles.read_bundle(Path(place) if isinstance(place, str) else place)


def verify_bundle(place: str | Path | bytes, *, digest: str | None = None) -> Verdict:
    """The verdict on a bundle, of synthetic trips too; BundleError where anything in it was changed. ``digest``: as the ledger holds it."""
    return verify_any(Path(place) if isinstance(place, str) else place, digest=digest)


def table(release: Release, measure: str, epsilon: Fraction | None = None) -> pd.DataFrame:
    """One measure at one revealed rung: its key columns, ``value`` and ``half_width_95``; one row a listed cell.

    A key column all of whose public keys are numbers holds numbers, as in the files of a bundle; ids and dates are
    text. Values are noisy counts and may be negative. Arguments and errors as ``release_table``.
    """
    frame = pd.DataFrame(release_table(release, measure, epsilon))
    numbers = {
        name: texts.type.to_pandas_dtype()
        for axis in release.measurements[measure].keys.axes
        for name, texts in key_columns(axis).items()
        if not pa.types.is_string(texts.type)
    }
    return frame.astype(numbers)


def compare(
    one: Release | str | Path, other: Release | str | Path, *, epsilon: Fraction | None = None
) -> pd.DataFrame:
    """How alike two releases are: one row a metric of a measure that both hold, with ``note`` where there is no value.

    Args:
        one: a release, its bundle, or a folder of tables as the commands write them; the reference.
        other: likewise. With exact tables on either side the answer is for their owner alone.
        epsilon: total epsilon of a rung that both revealed; None for the finest of each.

    Raises:
        InputError: no measure in common, or other tiles.
        PrivacyError: that rung was not revealed.

    """
    rows = compared(_side(one, epsilon), _side(other, epsilon))
    return pd.DataFrame(
        {
            "measure": [row.measure for row in rows],
            "metric": [row.metric for row in rows],
            "value": pd.array([row.value for row in rows], dtype="Float64"),
            "unit": [row.unit for row in rows],
            "cells": [row.cells for row in rows],
            "note": [row.note for row in rows],
        }
    )


def report_html(release: Release, epsilon: Fraction | None = None) -> str:
    """The report of a release as one HTML page that needs no network, opened at a revealed rung (the finest by default).

    Raises PrivacyError if that rung was not revealed.
    """
    if epsilon is None:
        return report.report_html(release)
    if epsilon not in release.plan.rungs:
        revealed = ", ".join(decimal_text(rung) for rung in release.plan.rungs)
        raise PrivacyError(
            "this release does not hold that rung",
            f"epsilon {decimal_text(epsilon)}",
            f"Choose one that was revealed: {revealed}.",
        )
    return report.report_html(release, release.plan.rungs.index(epsilon))


def _side(place: Release | str | Path, epsilon: Fraction | None) -> Side:
    if isinstance(place, Release):
        return side_of_release(place, epsilon, place.id)
    return read_side(Path(place), epsilon)


OFFERED: Final[Mapping[str, object]] = MappingProxyType(
    {
        "AtlasError": AtlasError,
        "ContributionBound": ContributionBound,
        "KeyChoices": KeyChoices,
        "Period": Period,
        "Plan": Plan,
        "PrivacyUnit": PrivacyUnit,
        "compare": compare,
        "exact_epsilon": exact_epsilon,
        "expected_errors": expected_errors,
        "read_bundle": read_bundle,
        "report_html": report_html,
        "table": table,
        "verify_bundle": verify_bundle,
    }
)
"""What the package offers to everyone, by name."""
