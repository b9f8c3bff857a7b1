"""The public side of the library: plans, what to expect of them, and what anyone may do with a bundle.

Needs neither trips nor a ledger, and works where the private rooms are deleted. The package itself offers all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import release as bundles
from dpcore.api.offered import offered
from dpcore.api.plans import kind_asked, rung_asked
from dpcore.errors import AtlasError, BundleError, InputError
from dpcore.estimates import Estimates
from dpcore.estimates import estimate as run_estimate
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, rung_number
from dpcore.release import AnyRelease, Release, Verdict, kind_of
from dpcore.release.estimates import ESTIMATES, estimate_columns, must_be_estimated, said_of
from dpcore.release.kinds import must_be_tables
from dpcore.release.kinds.synthetic import SyntheticKind
from dpcore.release.kinds.tables import TABLES
from dpcore.release.kinds.trip_rows import RowGroups
from dpcore.release.layout import TRIPS
from dpcore.release.one_part import must_be_whole, part_of
from dpcore.release.reading import verified
from dpcore.release.release import IsAsked
from dpcore.tiles import Tessellation
from dpcore.views import kinds, report
from dpcore.views.numbers.sentences import marked

for _taken in (AtlasError, ContributionBound, KeyChoices, Period, Plan, Step):
    offered(_taken)


@offered
def expected_errors(
    plan: IsAsked, tiles: Tessellation, *, trips: int | None = None, users: int | None = None
) -> pd.DataFrame:
    """What a plan will give, one row a table, from public facts alone: nothing is counted and nothing spent.

    Args:
        plan: a ``Plan`` of measures, or what ``model_plan`` or ``stability_plan`` made.
        tiles: the public tiles.
        trips: about how many trips there are, as declared; never measured here.
        users: about how many people made them, as declared.

    Returns:
        ``measure``, its own ``epsilon``, ``sensitivity``, ``half_width_95`` of one cell, ``cells``, ``stands_out_from``
        (the smallest noisy count that noise alone could hardly have made; of large counts, from which a key is shown), and
        ``readable_share`` of tiles or flows in a typical city (missing where that was not declared, or means nothing).

    Raises:
        InputError: the plan of a tree, whose noise depends on the way: see ``price``.
        PrivacyError: a measure needs a period and the plan has none, or the declared numbers cannot be.

    """
    rows = kind_asked(plan).expected(plan, tiles, trips=trips, users=users)
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


@offered
def read_bundle(place: str | Path | bytes, *, digest: str | None = None) -> AnyRelease:
    """The release in a bundle, of whichever kind, after every file was checked against the manifest.

    Args:
        place: a folder, a .zip, or the bytes of one.
        digest: SHA-256 of the manifest as the owner's ledger or receipt says it; compared if given.

    Raises:
        BundleError: something was changed, or it is another bundle.

    """
    found = _place(place)
    if digest is not None:
        bundles.verify_bundle(found, digest=digest)
    return bundles.read_bundle(found)


class PaidFrom(Protocol):
    """A ledger. Its module is not needed here, because servers for viewers have none."""

    def digest_of(self, ledger: str, number: int, line: str, name: str) -> str:
        """The digest of the bundle that an entry was committed with."""


@offered
def verify(place: str | Path | bytes, ledger: PaidFrom | None = None) -> Verdict:
    """Check every file of a bundle against its manifest; ``words`` of the verdict say what was found.

    Args:
        place: a folder, a .zip, or the bytes of one; of a release of whichever kind.
        ledger: the ledger that paid, see ``open_ledger``. With it, the bundle is also compared with what was paid for.

    Raises:
        BundleError: something was changed, or it is not the bundle that the ledger knows.
        LedgerError: another ledger paid for the release, or this one never committed it.

    """
    found = _place(place)
    if ledger is None:
        return bundles.verify_bundle(found)
    release = bundles.read_bundle(found)
    anchor = release.anchor
    digest = ledger.digest_of(anchor.ledger, anchor.number, anchor.hash, release.id)
    return bundles.verify_bundle(found, digest=digest)


@runtime_checkable
class Previewed(Protocol):
    """The owner's preview: measurements with the truth. It is not a release."""

    def columns(self, measure: str, epsilon: Fraction | None) -> Mapping[str, object]:
        """The columns of one measure at one rung, of equal lengths."""

    @property
    def plan(self) -> Plan:
        """What was asked, and under which bound."""

    @property
    def measurements(self) -> Mapping[str, Measurement]:
        """Noisy counts by measure."""

    @property
    def truth(self) -> Mapping[str, NDArray[np.int64]]:
        """True counts of the same cells."""

    @property
    def tessellation(self) -> Tessellation | None:
        """The public tiles."""


class Paid(Protocol):
    """The receipt of a release. Its module is not needed here, as that of the ledger."""

    @property
    def release(self) -> AnyRelease:
        """What was paid for."""


Released: TypeAlias = AnyRelease | Paid | str | Path | bytes
"""What stands for a release: itself, its receipt, or its bundle (a folder, a .zip, or the bytes of one)."""


def released(source: Released) -> AnyRelease:
    """The release that a source stands for.

    Raises:
        BundleError: no bundle lies at the path, or something in it was changed.
        InputError: anything else that is no release, such as a preview.

    """
    if isinstance(source, (str, Path, bytes)):
        return read_bundle(source)
    found: object = getattr(source, "release", source)
    if isinstance(found, Release):
        return found
    raise InputError(
        "this is no release",
        type(source).__name__,
        "Give a release, the receipt of publish or top_up, or the path of a bundle.",
    )


def released_or_previewed(source: Released | Previewed) -> AnyRelease | Previewed:
    """The owner's preview itself, or as ``released``."""
    return source if isinstance(source, Previewed) and not isinstance(source, Release) else released(source)


@offered
def table(
    source: Released | Previewed,
    measure: str,
    epsilon: Fraction | str | None = None,
    *,
    estimate: str | None = None,
) -> pd.DataFrame:
    """One table of a release, or of a preview: its key columns, ``value`` and ``half_width_95``, one row a listed cell.

    With ``estimate`` it has ``estimate``, ``low`` and ``high`` instead: what all tables tell together, with a likely range.

    A key column of a release all of whose public keys are numbers holds numbers, as in the files of a bundle; ids, times and
    dates are text. Values are noisy counts and may be negative.

    ===================  ======================================================================================
    kind of release      ``measure``
    ===================  ======================================================================================
    tables               a measure, or ``five_numbers``, the summaries of all histograms: ``measure``,
                         ``statistic``, ``value``, ``half_width_95``, ``low_95``, ``high_95``, ``method``.
                         ``trips_per_weekday`` and ``ds_statistics`` that were not paid for are derived from
                         the other tables, and ``attrs["note"]`` says so
    synthetic trips      a noisy table from which trips are drawn, such as ``start+end``
    large counts         columns that were counted together, such as ``on_time+on_loc``; what is not listed was
                         below the threshold, which never means zero
    trajectory tree      ``tree`` (a node a row), ``levels``, ``trajectories`` (a visit a row), ``frequent_ways``
    ===================  ======================================================================================

    Args:
        source: a release, its receipt or the place of its bundle; or a preview, which lays the ``truth`` beside the noise and is for its owner alone. Its column
            ``mark`` and its ``attrs["mark"]`` say so, also in files that are written of the frame.
        measure: name of the table. A name that is not there is refused with those that are.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        estimate: ``counted``, of the trips that count, or ``all``, of all trips. Measures of the release are estimated, and ``od_flows``
            wherever visits were released; flows below 0.5 are not listed, and a range that is not known is missing. ``attrs``
            hold ``share`` (value, low and high of the share of trips that counts, or None), and ``note``, what must be said beside it: share and assumption.

    Raises:
        InputError: there is no such table, or an estimate is asked of what has none: other kinds, and for all trips a release that does not say how many there are.
        PrivacyError: that rung was not released.

    """
    source, rung = released_or_previewed(source), rung_asked(epsilon)
    if estimate is not None:
        return estimated_frame(source, measure, rung, estimate)[0]
    if not isinstance(source, Release):
        return marked(pd.DataFrame(source.columns(measure, rung)))
    kind = kind_of(source.plan)
    found: pd.DataFrame = kind.shown_table(source, measure, rung).to_pandas()
    found = found.astype(kind.numbers_of(source, measure))
    if note := kind.table_note(source, measure):
        found.attrs["note"] = note
    return found


@offered
def part_release(release: Released, part: Mapping[str, str]) -> Release:
    """One part of a release whose tables are split, as a release of that part: for ``chart``, ``deck``, ``compare``, ``report_html``.

    Args:
        release: of tables that are split; or its receipt, or the place of its bundle.
        part: a category for each attribute by which they are split, such as ``{"mode": "bus"}``; ``other`` and ``missing`` too.

    Raises:
        InputError: there is no such part, or the release is of another kind than tables.

    """
    found = released(release)
    if kind_of(found.plan) is not TABLES:
        raise InputError("this release has no parts", found.id, "Only tables of measures are split.")
    return part_of(found, part)


@offered
def part(
    release: Released,
    measure: str,
    part: Mapping[str, str],
    epsilon: Fraction | str | None = None,
    *,
    estimate: str | None = None,
) -> pd.DataFrame:
    """One part of a split table as ``table`` gives a table that is not split.

    Args:
        release: of tables that are split; or its receipt, or the place of its bundle.
        measure: name of the table.
        part: a category for each attribute, such as ``{"mode": "bus"}``.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        estimate: ``counted`` or ``all``, see ``table``. At user level there is none for all trips: nothing tells which share of
            the trips of a category counts.

    Raises:
        InputError: there is no such table, part or estimate, or the table counts people and is not split.
        PrivacyError: that rung was not released.

    """
    found = released(release)
    one = part_release(found, part)
    if measure in one.plan.weights and found.plan.choices.splits and not found.plan.measure(measure).splits:
        raise InputError(
            "this table counts people and is not split", measure, "Take it whole, with dpcore.table."
        )
    if estimate == "all" and one.plan.bound.unit is PrivacyUnit.USER:
        raise InputError(
            "the tables are split, and nothing tells which share of the trips of a category counts",
            measure,
            "Ask for the estimate of the trips that count (counted).",
        )
    return table(one, measure, epsilon, estimate=estimate)


def estimated_frame(
    source: AnyRelease | Previewed,
    measure: str,
    epsilon: Fraction | None,
    estimate: str,
) -> tuple[pd.DataFrame, Estimates]:
    """The table with estimates that ``table`` gives, and the estimates themselves; raises as ``table``."""
    if estimate not in ESTIMATES:
        raise InputError.unknown("estimate", estimate, list(ESTIMATES))
    all_trips = estimate == "all"
    found = estimates_at(source, measure, epsilon)
    frame = pd.DataFrame(estimate_columns(found, measure, all_trips=all_trips))
    if isinstance(source, Release):
        shown = frame.astype(kind_of(source.plan).numbers_of(source, measure))
    else:
        drawn = source.measurements.get(measure)
        if drawn is not None and np.array_equal(drawn.cell_numbers, found.tables[measure].cell_numbers):
            frame["truth"] = source.truth[measure]
        shown = marked(frame)
    shown.attrs["share"] = None if found.share is None else asdict(found.share)
    shown.attrs["note"] = " ".join(said_of(source.plan, found, measure, all_trips=all_trips))
    return shown, found


def estimates_at(source: AnyRelease | Previewed, measure: str, epsilon: Fraction | None) -> Estimates:
    """The estimates of one table of a release or a preview at a rung; InputError where there are none."""
    if isinstance(source, Release):
        return kind_of(source.plan).estimates(source, measure, epsilon)
    if source.tessellation is None:
        raise InputError(
            "the tiles of this preview are not known", measure, "Load the trips with load_trips."
        )
    must_be_estimated(source.plan, measure)
    rung = rung_number(source.plan.rungs, epsilon)
    # never kept: what an owner looks at is thrown away
    return run_estimate(source.plan, source.measurements, source.tessellation, rung, of={measure})


@offered
def ask(release: Released, question: str) -> pd.DataFrame:
    """The answer to a question about the ways of a trajectory tree, or about one key of large counts, with its range.

    Of a tree, one row a question: ``question``, ``count``, ``at_least``, ``at_most``, ``noise_low_95``, ``noise_high_95``.

    ==============================  ==========================================================================
    typed                           how many trajectories
    ==============================  ==========================================================================
    ``A, B``                        visit A and B, in whatever order
    ``A > B``                       visit A and later B, others between them or not
    ``A B``, ``A * B``, ``A ** B``  visit A and next B; with one tile between; with any number, none included
    ``^ A B``                       begin with A and next B
    ``^ A ?``                       begin with A, and which place comes next: a row for each that the tree kept
    ==============================  ==========================================================================

    ``count`` is the estimate. ``at_least`` and ``at_most`` include noise and what the tree does not hold, because it was too
    rare to be kept: of simulated trees they held 95 or more of 100 true numbers. The 95 % interval of the noise alone does
    so only where nothing rare was left out.

    Of large counts, a column and its value: ``on_loc = A`` or ``on_loc = A, on_time = 07:30``, with ``date = 2024-04-01`` where
    days were counted apart (else a row for each day). ``count`` is missing where the key is not listed.

    All numbers are of the trips that count: where at most M of each person do, the others are in no number. They cost nothing.

    Args:
        release: of a trajectory tree, or of large counts; or its receipt, or the place of its bundle.
        question: as typed. Tile ids that hold spaces or signs stand in double quotes.

    Raises:
        InputError: the release answers no questions, or this is none.

    """
    asked = released(release)
    found: pd.DataFrame = (
        kind_of(asked.plan).answers(asked, question).to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    )
    return found


@offered
def synthetic_trips(release: Released) -> pd.DataFrame:
    """The synthetic trips of a release, one row a trip, in the columns of a trips file; no row is a trip of anybody.

    Columns: ``synthetic_id`` (int64), ``started_at`` and ``ended_at`` (local time, no zone), ``start_tile`` and ``end_tile``
    (ids), and where the input had coordinates ``start_lat``, ``start_lng``, ``end_lat``, ``end_lng`` (degrees, WGS84) of a point
    inside the tile. What is not known is missing. ``attrs["note"]`` says in words what the rows mean.

    Only a model of synthetic trips draws times. Large counts give the beginning of a bin of times; midnight where times were
    not counted, on 2000-01-01 where days were not. A tree has no times: all its trips start on 2000-01-01, because a trips
    file needs a start. A time that was not counted tells nothing. ``ended_at`` is NaT where the end is not known.

    Args:
        release: with synthetic trips; or its receipt, or the place of its bundle. Of a release the trips are drawn again
            from its public seed; another version of numpy may draw other trips from the same tables. Of a bundle they are
            the rows of its file.

    Raises:
        InputError: the release holds no synthetic trips.
        BundleError: something in the bundle was changed.

    """
    if not isinstance(release, (str, Path, bytes)):
        release = released(release)
        rows = {name: (schema, batches) for name, schema, batches in kind_of(release.plan).rows(release)}
        if TRIPS not in rows:
            raise _no_trips(release)
        schema, batches = rows[TRIPS]
        drawn: pd.DataFrame = pa.Table.from_batches(batches, schema).to_pandas()
        drawn.attrs["note"] = _rows_words(release)
        return drawn
    with verified(_place(release)) as (found, files, _):
        schemas = {name: schema for name, schema, _ in kind_of(found.plan).rows(found)}
        if TRIPS not in schemas:
            raise _no_trips(found)
        groups = RowGroups(files.content(TRIPS), schemas[TRIPS])
        read: pd.DataFrame = pa.concat_tables([schemas[TRIPS].empty_table(), *groups.tables()]).to_pandas()
        read.attrs["note"] = _rows_words(found)
        return read


def _rows_words(release: AnyRelease) -> str:
    """What the synthetic rows of a release mean."""
    kind = kind_of(release.plan)
    return kind.rows_words(release) if isinstance(kind, SyntheticKind) else ""


def _no_trips(release: AnyRelease) -> InputError:
    return InputError(
        "this release holds no synthetic trips",
        release.id,
        f"Take one of its tables: {', '.join(kind_of(release.plan).tables(release))}.",
    )


def tables_of(release: AnyRelease, what: str) -> Release:
    """The release, if it is one of measures that are not split; InputError for another."""
    return must_be_whole(_measures_of(release, what))


def _measures_of(release: AnyRelease, what: str) -> Release:
    try:
        return must_be_tables(release)
    except BundleError:
        raise InputError(
            f"{what} are made of measures, and this release holds other tables",
            release.id,
            f"Take these one by one: {', '.join(kind_of(release.plan).tables(release))}.",
        ) from None


def _place(place: str | Path | bytes) -> Path | bytes:
    return Path(place) if isinstance(place, str) else place


@offered
def report_html(
    release: Released,
    epsilon: Fraction | str | None = None,
    *,
    static: bool = False,
    top_n_flows: int | None = None,
) -> str:
    """The report of a release as one HTML page that needs no network: one released rung, on paper first a summary of one sheet.

    Of another kind than tables it holds all views of the release.

    Of tables that are split it lays the parts side by side with one scale; ``part_release`` gives the report of one part.
    ``release`` may be its receipt or the place of its bundle too. ``epsilon`` names the rung, a fraction or decimal text; None
    is the finest. Raises PrivacyError if that rung was not released. ``static``: maps and tables without charts, which leaves out 4.8 MB
    of their library. ``top_n_flows``: how many of the strongest flows between tiles are drawn and listed; None: 150 and 100. Raises InputError for
    more than 5,000, and where the release has no flows to choose from.
    """
    found = released(release)
    if kinds.has_views(kind_of(found.plan).name):
        rung_number((found.plan.epsilon,), rung_asked(epsilon), found.id)
        if top_n_flows is not None:
            raise InputError("this report has no flows to choose from", found.id, "Leave top_n_flows out.")
        return kinds.kind_report_html(found)
    tables = _measures_of(found, "reports")
    rung = rung_number(tables.plan.rungs, rung_asked(epsilon))
    return report.report_html(tables, rung, static=static, top_n_flows=top_n_flows)
