"""Two releases beside each other: how alike they are, and what changed from one to the other. Public, as ``public`` is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import pandas as pd

from dpcore.api.offered import offered
from dpcore.api.plans import rung_asked
from dpcore.api.public import Paid, Released, released, tables_of
from dpcore.comparison import (
    Geography,
    Side,
    compared,
    left_out,
    side_of_any,
    side_of_folder,
)
from dpcore.comparison.change import changes
from dpcore.errors import InputError
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import MANIFEST, AnyRelease, read_bundle
from dpcore.release.kinds import must_be_tables
from dpcore.release.one_part import part_of
from dpcore.views.comparison import changes as views_of_changes
from dpcore.views.numbers.sentences import marked


@offered
def compare(
    one: AnyRelease | Paid | str | Path,
    other: AnyRelease | Paid | str | Path,
    *,
    epsilon: Fraction | str | None = None,
    measures: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
) -> pd.DataFrame:
    """How alike two releases are: one row a metric of a measure that both hold, with ``note`` where there is no value.

    ``attrs["left_out"]`` names measures of both whose tables cannot be laid side by side, with the reason. ``attrs["notes"]`` says
    what must be read beside the numbers, such as that a side is synthetic.

    Args:
        one: a release, its receipt, its bundle, or a folder of tables as the commands write them; the reference.
        other: likewise. Where a side is no verified bundle, its tables may be exact. The answer is for their owner only
            then: its last column ``mark`` and ``attrs["mark"]`` say so.
        epsilon: total epsilon of a rung that both released, a fraction or decimal text; None for the finest of each. Other kinds than
            tables have a single one and ignore it.
        measures: names of the measures to compare; None for all that both hold.
        metrics: names of the metrics to work out, as in the column ``metric``; None for all that suit a measure.

    Raises:
        InputError: no measure in common that can be compared, other tiles, an unknown name.
        PrivacyError: that rung was not released.

    """
    sides = _sides(one, other, epsilon)
    rows = compared(*sides, measures=measures, metrics=metrics)
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
    shown = frame if all(side.released for side in sides) else marked(frame)
    shown.attrs["left_out"] = {name: reason.what for name, reason in left_out(*sides).items()}
    shown.attrs["notes"] = [*dict.fromkeys(note for side in sides for note in side.notes)]
    return shown


@offered
def compare_html(
    one: AnyRelease | Paid | str | Path,
    other: AnyRelease | Paid | str | Path,
    *,
    epsilon: Fraction | str | None = None,
    measures: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    static: bool = False,
) -> str:
    """Two releases over each other as one HTML page that needs no network: charts with both, the difference of their maps, every metric.

    Takes what ``compare`` takes and raises what it raises. Where a side is no verified bundle, the page says that it is for the
    owner only. ``static``: without charts, which leaves out 4.8 MB of their library.
    """
    return page_of_sides(*_sides(one, other, epsilon), measures=measures, metrics=metrics, static=static)


def page_of_sides(
    one: Side,
    other: Side,
    *,
    measures: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    geography: Geography | None = None,
    static: bool = False,
) -> str:
    """The page of ``compare_html`` for sides that were read before; ``geography``: the tiles where no side has any."""
    from dpcore.views.report.two_reports import comparison_html  # noqa: PLC0415 - imports charts and maps

    return comparison_html(one, other, measures=measures, metrics=metrics, geography=geography, static=static)


@offered
def change(one: Released, other: Released, measure: str | None = None) -> pd.DataFrame:
    """What changed from release A to release B, one row a cell that one of them lists: only what is no chance is announced.

    Columns: the keys; ``a`` and ``b``, counts of all trips (of the trips that count where a release does not say how many there
    are; of one day where the periods differ); ``change``, ``low`` and ``high``, B less A with its range, an end missing where a
    side does not list the cell; ``told``: ``rose``, ``fell``, or empty where no change can be told. At most 5 % of the announced
    changes are expected to be chance. Source: ``dpcore.comparison.chance``.

    ``attrs["sentence"]`` says it in words, ``attrs["notes"]`` what must be read beside it. ``attrs["total"]`` is the change of all
    trips: ``one``, ``other``, ``share`` (-0.12 for 12 % fewer), ``low`` and ``high``; None where no table tells it.

    Args:
        one: a release of tables, its receipt, or the place of its bundle.
        other: likewise; published later, or of another part of the data.
        measure: a measure that both released. None: ``visits_per_tile``; where its cells must not be laid beside each other,
            the frame has no row, and the sentence tells the change of all trips and the reason.

    Raises:
        InputError: the releases, or their cells of the measure that was asked for, must not be laid beside each other.
        BundleError: something in a bundle was changed.

    """
    sides = [tables_of(released(side), "changes") for side in (one, other)]
    found = changes(sides[0], sides[1], measure or VISITS)
    if found.cells is None and (measure or found.total is None):
        raise InputError(
            f"the cells cannot be laid beside each other. {found.why_no_cells.removesuffix('.')}",
            f"{measure or VISITS}, {sides[0].id}, {sides[1].id}",
            "Choose another measure, or compare how alike the releases are.",
        )
    frame = views_of_changes.change_frame(found)
    frame.attrs["sentence"] = views_of_changes.sentence(found)
    frame.attrs["notes"] = list(found.notes)
    frame.attrs["total"] = None if found.total is None else asdict(found.total)
    return frame


def read_side(place: Path, epsilon: Fraction | None = None, part: Mapping[str, str] | None = None) -> Side:
    """A bundle (folder or .zip), or a folder of files MEASURE.csv with their key columns and ``value``.

    Args:
        place: where it lies.
        epsilon: total epsilon of a released rung; None for the finest. Files of a folder hold one rung and ignore it.
        part: the part of a bundle whose tables are split.

    Raises:
        BundleError: a bundle that does not verify.
        PrivacyError: the rung was not released.
        InputError: no tables there, or a table that cannot be read.

    """
    if place.is_file() or (place / MANIFEST).is_file():
        release = read_bundle(place)
        return side_of_any(part_of(must_be_tables(release), part) if part else release, epsilon, place.name)
    return side_of_folder(place)


def _sides(
    one: AnyRelease | Paid | str | Path, other: AnyRelease | Paid | str | Path, epsilon: Fraction | str | None
) -> tuple[Side, Side]:
    rung = rung_asked(epsilon)
    return _side(one, rung), _side(other, rung)


def _side(place: AnyRelease | Paid | str | Path, epsilon: Fraction | None) -> Side:
    if isinstance(place, (str, Path)):
        return read_side(Path(place), epsilon)
    found = released(place)
    return side_of_any(found, epsilon, found.id)
