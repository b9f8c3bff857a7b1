"""The public side of the library: plans, what to expect of them, and what anyone may do with a bundle.

Needs neither trips nor a ledger, and works where the private rooms are deleted. The package itself offers all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

import pandas as pd
import pyarrow as pa

from dpcore import release as bundles
from dpcore.comparison import Side, compared, left_out, side_of_folder, side_of_release, with_tables
from dpcore.comparison.agreement import consistent_table
from dpcore.errors import AtlasError, InputError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import FIVE_NUMBERS, Plan
from dpcore.noise.forecast import Facts, forecast
from dpcore.privacy import ContributionBound, exact_epsilon, rung_number
from dpcore.release import MANIFEST, Release, release_table
from dpcore.release.five_numbers import five_numbers
from dpcore.release.tables import key_columns
from dpcore.tiles import Tessellation
from dpcore.views import report


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


def read_bundle(place: str | Path | bytes, *, digest: str | None = None) -> Release:
    """The release in a bundle: a folder, a .zip or its bytes. Every file of it is checked against its manifest.

    ``digest``: SHA-256 of the manifest as the owner's ledger or receipt says it, compared if given. Raises BundleError where
    anything was changed, or where it is another bundle.
    """
    found = Path(place) if isinstance(place, str) else place
    if digest is not None:
        bundles.verify_bundle(found, digest=digest)
    return bundles.read_tables(found)


class Tabled(Protocol):
    """What holds tables and is no release: the owner's preview."""

    def columns(self, measure: str, epsilon: Fraction | None) -> Mapping[str, object]:
        """The columns of one measure at one rung, of equal lengths."""


def table(
    source: Release | Tabled,
    measure: str,
    epsilon: Fraction | str | None = None,
    *,
    consistent: bool = False,
) -> pd.DataFrame:
    """One measure at one rung: its key columns, ``value`` and ``half_width_95``; one row a listed cell.

    A key column of a release all of whose public keys are numbers holds numbers, as in the files of a bundle; ids and dates
    are text. Values are noisy counts and may be negative.

    Args:
        source: a release; or a preview, which lays the ``truth`` beside the noise and is for its owner alone.
        measure: name of a measure; or ``five_numbers``, the summaries of all histograms of a release: ``measure``,
            ``statistic``, ``value``, ``half_width_95``, ``low_95``, ``high_95``, ``method``.
        epsilon: total epsilon of a rung that was revealed, a fraction or decimal text; None for the finest.
        consistent: put in agreement with the other tables of the release, so that equal totals are equal; values are no
            whole numbers then. ``attrs["note"]`` of the frame says what it saves, or why nothing could be agreed.

    Raises:
        InputError: there is no such measure, or agreement is asked of what has none: a preview, summaries.
        PrivacyError: that rung was not revealed.

    """
    rung = _exact(epsilon)
    if consistent and (measure == FIVE_NUMBERS or not isinstance(source, Release)):
        raise InputError(
            "only measures of a release can be put in agreement",
            measure,
            "Leave consistent out, or ask for a measure of a release.",
        )
    if not isinstance(source, Release):
        return pd.DataFrame(source.columns(measure, rung))
    if measure == FIVE_NUMBERS:
        return _summaries(source, rung)
    if not consistent:
        return _typed(source, measure, release_table(source, measure, rung))
    columns, _, said = consistent_table(source, measure, rung)
    frame = _typed(source, measure, columns).astype({"value": float, "half_width_95": float})
    frame.attrs["note"] = said
    return frame


def _typed(release: Release, measure: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """A frame whose columns of whole numbers, or of edges, are numbers."""
    numbers = {
        name: texts.type.to_pandas_dtype()
        for axis in release.measurements[measure].keys.axes
        for name, texts in key_columns(axis).items()
        if not pa.types.is_string(texts.type)
    }
    return pd.DataFrame(columns).astype(numbers)


def _summaries(release: Release, epsilon: Fraction | None) -> pd.DataFrame:
    found = five_numbers(release, epsilon)
    return pd.DataFrame(
        {
            "measure": [one.measure for one in found],
            "statistic": [one.statistic for one in found],
            "value": [one.value for one in found],
            "half_width_95": [one.half_width for one in found],
            "low_95": [one.low for one in found],
            "high_95": [one.high for one in found],
            "method": [one.method for one in found],
        }
    )


def _exact(epsilon: Fraction | str | None) -> Fraction | None:
    """The rung that is meant; decimal text is read exactly."""
    return epsilon if epsilon is None or isinstance(epsilon, Fraction) else exact_epsilon(epsilon)


def compare(
    one: Release | str | Path, other: Release | str | Path, *, epsilon: Fraction | str | None = None
) -> pd.DataFrame:
    """How alike two releases are: one row a metric of a measure that both hold, with ``note`` where there is no value.

    ``attrs["left_out"]`` names measures of both whose tables cannot be laid side by side, with the reason.

    Args:
        one: a release, its bundle, or a folder of tables as the commands write them; the reference.
        other: likewise. With exact tables on either side the answer is for their owner alone.
        epsilon: total epsilon of a rung that both revealed, a fraction or decimal text; None for the finest of each.

    Raises:
        InputError: no measure in common that can be compared, or other tiles.
        PrivacyError: that rung was not revealed.

    """
    rung = _exact(epsilon)
    sides = _side(one, rung), _side(other, rung)
    rows = compared(*sides)
    frame = pd.DataFrame(
        {
            "measure": [row.measure for row in rows],
            "metric": [row.metric for row in rows],
            "value": pd.array([row.value for row in rows], dtype="Float64"),
            "unit": [row.unit for row in rows],
            "cells": [row.cells for row in rows],
            "note": [row.note for row in rows],
        }
    )
    frame.attrs["left_out"] = {name: reason.what for name, reason in left_out(*sides).items()}
    return frame


def report_html(release: Release, epsilon: Fraction | str | None = None, *, static: bool = False) -> str:
    """The report of a release as one HTML page that needs no network, opened at a revealed rung (the finest by default).

    ``static``: maps and tables without charts, which leaves out 4.8 MB of their library.

    Raises PrivacyError if that rung was not revealed.
    """
    return report.report_html(release, rung_number(release.plan.rungs, _exact(epsilon)), static=static)


def read_side(place: Path, epsilon: Fraction | None = None) -> Side:
    """A bundle (folder or .zip), or a folder of files MEASURE.csv with their key columns and ``value``.

    Args:
        place: where it lies.
        epsilon: total epsilon of a revealed rung; None for the finest. Files of a folder hold one rung and ignore it.

    Raises:
        BundleError: a bundle that does not verify.
        PrivacyError: the rung was not revealed.
        InputError: no tables there, or a table that cannot be read.

    """
    if place.is_file() or (place / MANIFEST).is_file():
        return side_of_release(with_tables(bundles.read_bundle(place)), epsilon, place.name)
    return side_of_folder(place)


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
        "Step": Step,
        "compare": compare,
        "expected_errors": expected_errors,
        "read_bundle": read_bundle,
        "report_html": report_html,
        "table": table,
    }
)
"""What the package offers to everyone, by name."""
