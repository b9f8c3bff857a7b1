"""The owner's side of the library: trips in, previews for the owner's eyes, and bundles that were paid for.

Thin functions over ``dpcore.api.owner`` (what the owner may look at) and ``dpcore.curator`` (what is paid for). Functions that
need neither are in ``dpcore.api.public``. The package itself offers them: ``import dpcore`` and ``dpcore.load_trips``. The results of
``preview`` and ``exact_table`` are for the owner of the trips only.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd

from dpcore import curator
from dpcore.api import owner, studies
from dpcore.api.mending import said_in_python
from dpcore.api.offered import offered
from dpcore.api.owner import PrivateTrips
from dpcore.api.plans import exact, kind_asked, must_be_of_tables
from dpcore.curator import Receipt
from dpcore.errors import InputError
from dpcore.ledger import Account, Ledger
from dpcore.ledger.account import Price
from dpcore.measures.attribute import attributes_of
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.plan import Plan
from dpcore.measures.sums import sum_named, sum_of
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_budget
from dpcore.release import CHOSEN, AnyRelease, Release, read_bundle
from dpcore.release.release import IsAsked
from dpcore.tiles import STATION_RADIUS_M, Tessellation, read_tessellation
from dpcore.tiles.id_rules import read_rules
from dpcore.tiles.reading import TileFrame, tessellation_of
from dpcore.views.numbers.sentences import marked

__all__ = ["PrivateTrips", "load_tiles", "load_trips"]  # what ``compat`` takes from here


demo_city = offered(owner.demo_city)


@offered
def preview(
    trips: PrivateTrips,
    plan: Plan,
    measures: Collection[str] | None = None,
    *,
    progress: owner.Progress | None = None,
) -> studies.Preview:
    """Noise of a plan of tables beside the truth, drawn for looking only: private, never stored, never a release.

    ``table`` takes its tables. A choice that is made by looking at it is made by looking at the data, and epsilon does not
    cover that.

    Args:
        trips: what is counted.
        plan: a ``Plan``; other kinds have no preview here.
        measures: names of some measures of the plan; None for all.
        progress: called with the share that is counted, 0 to 1, if something has to be counted.

    Raises:
        InputError: another kind of plan, or a measure that the plan has not.
        PrivacyError: a bound on users where there are none.

    """
    must_be_of_tables(plan)
    owner.remember_looks(trips.fingerprints)
    _tell_where_they_lie(trips)
    return studies.preview(trips, plan, measures, progress=progress)


@offered
def load_tiles(
    source: str | Path | TileFrame,
    *,
    tile_id: str | None = None,
    merge_ids: bool = False,
    overlaps: str = "refuse",
    tiles_crs: str | None = None,
    layer: str | None = None,
    station_radius: float = STATION_RADIUS_M,
) -> Tessellation:
    """The checked tiles of a file or a GeoDataFrame; ``notes`` tell what was repaired.

    Files are GeoJSON, TopoJSON, GeoPackage, Shapefile, FlatGeobuf, GeoParquet, KML, CSV with a column of shapes, or CSV tables of
    stations, of which each becomes the tile of the places nearest to it.

    Args:
        source: path, or a frame with one row a tile and a coordinate system.
        tile_id: column that names a tile; None: a known one, such as ``tile_id``, or the only one that is complete and unique.
        merge_ids: join rows with one id into one tile; else they are refused.
        overlaps: who keeps a place that tiles share: the ``first`` in the file, the ``smaller`` one, or nobody (``refuse``).
        tiles_crs: coordinate system where the file or the frame declares none that is known, such as ``EPSG:25833``.
        layer: name of the layer, where a file has several.
        station_radius: how many metres the tile of a station reaches.

    Raises:
        TessellationError: tiles overlap, repeat, or have no place on the globe; tiles are named.

    """
    if isinstance(source, (str, Path)):
        place = Path(source)
        return read_tessellation(
            place,
            place.name,
            tile_id=tile_id,
            merge_ids=merge_ids,
            overlaps=overlaps,
            tiles_crs=tiles_crs,
            layer=layer,
            station_radius=station_radius,
        )
    if not (
        hasattr(source, "to_crs") and hasattr(source, "columns")
    ):  # a table has no shapes, and shapes alone no ids
        shapes = hasattr(source, "to_crs")
        raise InputError(
            "shapes without ids of tiles" if shapes else "these are no tiles",
            type(source).__name__,
            'Give a GeoDataFrame with one row a tile: the frame itself, not its column of shapes, or shapes.to_frame("geometry") with a '
            "column tile_id."
            if shapes
            else "Give a path, or a GeoDataFrame with one row a tile.",
        )
    return tessellation_of(
        source, tile_id=tile_id, merge_ids=merge_ids, overlaps=overlaps, tiles_crs=tiles_crs
    )


@offered
def load_trips(
    source: str | Path | pd.DataFrame,
    tiles: Tessellation,
    *,
    timezone: str | None,
    columns: Mapping[str, str] | None = None,
    header: str | None = None,
    times: owner.Times | None = None,
    drop_bad: bool = False,
    trip_gap: str | None = None,
    stays: str | None = None,
    attributes: Mapping[str, str | Sequence[str]] | None = None,
    match_ids: str | Sequence[str] | None = None,
) -> PrivateTrips:
    """Trips of a file or a data frame, ready to be counted on some tiles. Private: only their owner may hold them.

    Args:
        source: path of a CSV or Parquet file, or of a folder of such files (a warning names those that are not read), or a frame with the same columns. A GeoDataFrame
            of points needs no ``lat`` and ``lng``, one of lines no ends of trips. A frame is not changed.
        tiles: public tiles, chosen without looking at the trips.
        timezone: IANA name of the city's clock; hours and dates are local to it.
        columns: role -> column name, where columns have names of their own: ``{"uid": "person"}``.
        header: names of the columns of a file that does not name them, separated as its fields are: ``"uid,datetime,lat,lng"``; or
            the number of the line that holds them, such as ``"4"``.
        times: how times are written, where not as 2024-03-01 10:00: ``"month-first"``, ``"day-first"``, ``"dates"`` (alone, read as
            midnight), ``"of-day"`` (times of day alone), ``"excel"`` (days) or ``"wall-clock"`` (a zone behind them is left out).
        drop_bad: leave out bad records and count them in ``report``, instead of refusing all.
        trip_gap: cut points without trip ids into trips where a person has no point for longer, such as ``"30min"``.
        stays: cut them into trips between stays, such as ``"200m,20min"``. Such trips are protected at user level only.
        attributes: attributes of trips that are kept, with their public categories or their lowest and highest value and unit:
            ``{"mode": ["bus", "rail"], "fare": "0:100:0.01"}``. ``columns`` names their columns where the names do not tell.
        match_ids: public rules by which an id of the trips that no tile has is that of a tile written differently, such as
            ``"leading-zeros,decimals"``.

    Raises:
        InputError: something cannot be used; lines and columns are named, cells never.

    """
    bad_records = owner.BadRecords.DROP if drop_bad else owner.BadRecords.REFUSE
    match = read_rules(match_ids) if match_ids else ()
    with said_in_python():
        rule, declared = TripRule.of(trip_gap, stays), attributes_of(attributes)
        if isinstance(source, pd.DataFrame):
            if header is not None:
                raise InputError("a data frame names its columns itself", "header", "Leave it out.")
            return studies.load_frame(
                source,
                tiles,
                timezone=timezone,
                mapping=columns,
                times=times,
                bad_records=bad_records,
                rule=rule,
                attributes=declared,
                match=match,
            )
        if not isinstance(source, (str, Path)):
            raise InputError("these are no trips", type(source).__name__, "Give a path or a data frame.")
        for note in owner.left_out_notes([source]):
            warnings.warn(note, stacklevel=2)
        roles, own = owner.columns_apart(columns or {}, declared)

        def look(file: owner.TripsFile) -> owner.Inspection:
            return owner.keeping(file, owner.inspect(file, roles, times=times), declared, own)

        files = owner.trips_files([source], header, look)
        found = owner.every_file(files, look)
        seen = [replace(one, match=match) for one in found]
        with owner.looks_of_refusals(lambda: owner.fingerprints(files)):
            return owner.load(files, seen, tiles, timezone=timezone, bad_records=bad_records, rule=rule)


@offered
def exact_table(
    trips: PrivateTrips, measure: str, *, bound: ContributionBound | None = None, choices: KeyChoices = USUAL
) -> pd.DataFrame:
    """The exact answer of one measure, for the owner only: key columns as text, then ``value``, then ``mark``.

    A mean also has the columns ``count`` and ``missing``; where there is no value its ``value`` is missing.

    ``mark`` says so in every row, as in files that are written of the frame. ``attrs["mark"]`` says the same.
    Without a bound all trips count. Raises InputError for an unknown measure.
    """
    owner.remember_looks(trips.fingerprints)
    _tell_where_they_lie(trips)
    frame = pd.DataFrame(owner.exact_table(trips, measure, bound, choices))
    if sum_named(measure, choices.sums) is not None:
        frame["value"] = pd.to_numeric(frame["value"])
    return marked(frame)


@offered
def clamping(trips: PrivateTrips, sum_text: str, *, bound: ContributionBound | None = None) -> owner.Clamping:
    """What the bounds of a sum do to the mean, for the owner only: ``mean``, ``mean_within``, ``count`` and ``missing``.

    Args:
        trips: the trips.
        sum_text: as ``--sum`` takes it: ``fare=0:100:0.01``. Values of an attribute are known between the bounds under which it
            was loaded, which may be wider.
        bound: whose trips count; None for all.

    Raises:
        InputError: no such text.
        PrivacyError: the trips were loaded without that attribute, or with closer bounds or another unit.

    """
    owner.remember_looks(trips.fingerprints)
    return owner.clamping(trips, sum_of(sum_text), bound)


@offered
def price(plan: IsAsked, unit: PrivacyUnit | str) -> Price:
    """What a plan of any kind costs an account that counts epsilon per ``user`` or per ``trip``, step by step.

    ``epsilon`` and ``delta`` of the price are exact fractions, ``steps`` says in words how they come about. Raises PrivacyError
    for a plan that protects trips in an account of users, InputError for what is no plan.
    """
    kind_asked(plan)
    return curator.price(plan, _unit(unit))


@offered
def open_ledger(place: str | Path | None = None) -> Ledger:
    """The ledger in a file or at a PostgreSQL URL; None: that of this installation. It is checked line by line.

    Raises LedgerError if it cannot be trusted. A new file begins a new ledger, without the charges of any other.
    """
    return curator.default_ledger() if place is None else curator.ledger_at(place)


@offered
def register(
    ledger: Ledger,
    dataset: str,
    *,
    unit: PrivacyUnit | str,
    total_budget: Fraction | str,
    population: str = "",
    parts: Sequence[str] = (),
    parts_of: PrivacyUnit | str | None = None,
) -> Account:
    """The account of a data set: whose epsilon it counts, and the most that all its releases may take together.

    Args:
        ledger: where it is kept.
        dataset: name under which everything about these people is charged.
        unit: currency, ``user`` or ``trip``. An account of users takes user-level releases only, one of trips takes both.
        total_budget: the whole epsilon, a fraction or decimal text, for good: nobody can raise it.
        population: who is in the data, in words.
        parts: names of parts, declared for good, of which no two share a unit: releases of different parts are charged
            side by side (the largest counts, not the sum). Nobody can check this; it is the owner's promise.
        parts_of: what no two parts share, ``user`` or ``trip``; None: the unit of the account. Parts of an account of users
            must not share a user: dates, weekdays or modes divide trips and never people.

    Raises:
        PrivacyError: it was registered before with other terms, which stand; or such parts may share a person.
        InputError: a name that may be none.

    """
    total = total_budget if isinstance(total_budget, Fraction) else exact_budget(total_budget)
    currency = _unit(unit)
    divided = (currency if parts_of is None else _unit(parts_of)) if parts or parts_of is not None else None
    return curator.register(ledger, Account(dataset, population, currency, total, tuple(parts), divided))


@offered
def accounts(ledger: Ledger) -> pd.DataFrame:
    """Every data set of a ledger, one row each: its budget, what was spent, what is left.

    Columns: ``dataset``, ``unit`` (whose epsilon is counted), ``total``, ``spent`` and ``left`` (epsilon, floats to read),
    ``spent_exact`` (text of the exact fraction), ``spent_delta``, ``releases``, ``unfinished`` (reserved and not yet committed),
    ``parts``, ``population``.
    """
    found = [ledger.statement(account.dataset) for account in ledger.accounts()]
    return pd.DataFrame(
        {
            "dataset": [one.account.dataset for one in found],
            "unit": [one.account.unit.value for one in found],
            "total": [float(one.account.total) for one in found],
            "spent": [float(one.spent) for one in found],
            "left": [float(one.left) for one in found],
            "spent_exact": [str(one.spent) for one in found],
            "spent_delta": [float(one.spent_delta) for one in found],
            "releases": [len(one.committed) for one in found],
            "unfinished": [len(one.open_reservations) for one in found],
            "parts": [", ".join(one.account.parts) for one in found],
            "population": [one.account.population for one in found],
        }
    )


@offered
def spent(ledger: Ledger, dataset: str) -> pd.DataFrame:
    """Every release that a data set paid for, one row each in the order of the ledger, with the steps of its price.

    Columns: ``entry`` (number in the ledger), ``release`` (id, as ``top_up`` takes it), ``kind``, ``title`` (of a raise: what
    it raises), ``part``, ``state`` (``committed``, or ``reserved``: charged and not finished), ``charged`` (epsilon, a float
    to read), ``charged_exact`` (text of the exact fraction), ``charged_delta``, ``nonce``, ``why`` (the steps of
    the price; of a raise also what its chain had paid).

    Charges that were given back are left out. ``accounts`` gives the cost of all releases together. It may be less than the
    sum, because parts are charged side by side.

    Raises InputError for a data set that is not registered.
    """
    told = ledger.statement(dataset)
    found = sorted((*told.committed, *told.open_reservations), key=lambda one: one.number)
    return pd.DataFrame(
        {
            "entry": [one.number for one in found],
            "release": [curator.release_id(one) for one in found],
            "kind": [curator.kind_of_entry(one.terms) for one in found],
            "title": [str(one.terms.get("title") or f"raises {one.terms.get('raises')}") for one in found],
            "part": [one.part or "" for one in found],
            "state": [one.state for one in found],
            "charged": [float(one.charged) for one in found],
            "charged_exact": [str(one.charged) for one in found],
            "charged_delta": [float(one.charged_delta) for one in found],
            "nonce": [one.nonce for one in found],
            "why": [told.why[one.number] for one in found],
        }
    )


@offered
def publish(
    trips: PrivateTrips,
    tiles: Tessellation,
    plan: IsAsked,
    *,
    ledger: Ledger,
    dataset: str,
    nonce: str,
    out: str | Path | None = None,
    title: str = "",
    note: str = "",
    publisher: str = "",
    parameters_chosen: str = "after_preview",
    part: str | None = None,
    mostly_outside: bool = False,
) -> Receipt:
    """Charge a registered data set, draw fresh noise once, and write the bundle that anyone may hold.

    Args:
        trips: loaded with these tiles.
        tiles: the public tiles.
        plan: what is published: a ``Plan`` of tables, or what ``model_plan``, ``stability_plan`` or ``tree_plan`` made.
        ledger: holds the account that pays.
        dataset: name of the account.
        nonce: name of this very request, any text. The same one gives the same release and is charged once: a cell that
            is run again costs nothing more.
        out: new or empty folder for a copy of the bundle; else it lies in the data folder, see ``folder`` of the receipt.
        title: heading; the name of the data set if empty.
        note: free text for readers.
        publisher: who publishes, for readers.
        parameters_chosen: when epsilon, M, tiles and dates were chosen: ``before_data``, ``after_preview`` or ``paid``. The
            first is refused once these trips were looked at on this computer: by a preview, an exact answer, their ``report`` or
            ``files``. A file is known by its bytes, a frame by its trips in any order; with one cell changed it is another.
        part: declared part of the data set that these trips are, see ``register``.
        mostly_outside: publish although most trips lie outside the tiles. Else that is refused: trips and tiles may not
            belong together. With ``before_data`` it is not looked at, because the refusal would tell something of the trips.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        PrivacyError: the plan does not fit the account or the trips, or they were looked at; nothing was charged.
        InputError: what is no plan, a part that was not declared, a place that cannot be written, or trips that mostly lie
            outside the tiles (its text is for the owner alone); nothing was charged.
        UnfinishedError: it was charged and then something failed; the same call finishes it and charges nothing.

    """
    if parameters_chosen not in CHOSEN:
        raise InputError.unknown("time of choice", parameters_chosen, CHOSEN)
    if parameters_chosen != "before_data":
        if not mostly_outside:
            _must_lie_on_tiles(trips, tiles)
    elif ledger.reservation(dataset, nonce) is None:  # what was charged is finished
        owner.must_be_unseen(trips.fingerprints)
    asked = curator.Request(
        dataset=dataset,
        plan=kind_asked(plan).for_form(plan, has_users=trips.has_users),
        title=title or dataset,
        note=note,
        nonce=nonce,
        parameters_chosen=parameters_chosen,
        part=part,
        publisher=publisher,
    )
    return curator.publish(trips, tiles, asked, ledger, out=None if out is None else Path(out))


def _must_lie_on_tiles(trips: PrivateTrips, tiles: Tessellation) -> None:
    """Refuse trips that mostly lie outside the tiles; raises InputError. That is a look at the trips."""
    owner.remember_looks(trips.fingerprints)
    warned = owner.outside_warning(trips, tiles)
    if warned is None:
        _tell(owner.unknown_ids(trips))
    else:
        raise InputError(
            f"it is not confirmed that these trips and tiles belong together (for your eyes only: {warned})",
            "trips and tiles",
            "Check both, or add mostly_outside=True. Nothing was charged or written.",
        )


def _tell_where_they_lie(trips: PrivateTrips) -> None:
    """Warn where most trips lie outside the tiles, or have ids that no tile has; that is a look at the trips."""
    tiles = trips.tessellation
    _tell((owner.outside_warning(trips, tiles) if tiles is not None else None) or owner.unknown_ids(trips))


def _tell(said: str | None) -> None:
    """Warn in the line of the caller of this package."""
    if said is not None:
        warnings.warn(said, stacklevel=4)


@offered
def void(ledger: Ledger, entry: int, *, reason: str) -> None:
    """Give a charge back if nothing was drawn. The owner declares that; what was drawn on this computer is found and refused.

    Args:
        ledger: that charged it.
        entry: number of the reservation, see ``spent``.
        reason: how it is known that nothing was drawn; stands in the ledger for good.

    Raises:
        PrivacyError: noise was drawn, or another computer made the reservation.
        LedgerError: it became a release, or was given back before.

    """
    curator.void(ledger, entry, reason)


@offered
def top_up(
    release: AnyRelease | Receipt | str | Path,
    epsilon: Fraction | str,
    *,
    ledger: Ledger,
    nonce: str,
    out: str | Path | None = None,
) -> Receipt:
    """Raise the highest epsilon of a release of tables and pay the difference; earlier rungs stay as they were.

    Needs no trips: this computer keeps the exact counts of the release and the state of its noise, encrypted, and continues the
    noise.

    Args:
        release: the release, its receipt, its id, or the place of its bundle.
        epsilon: the new total, a fraction or decimal text; higher than before.
        ledger: the ledger that paid.
        nonce: name of this very request. The same one gives the same release and is charged once.
        out: new or empty folder for a copy of the bundle.

    Raises:
        BudgetExceededError: the account does not hold the difference; nothing was charged.
        PrivacyError: the release is of another kind, or was raised before, or epsilon is not higher; nothing was charged.
        InputError: this ledger paid for no such release on this computer.
        UnfinishedError: it was charged and then something failed; the same call finishes it and charges nothing.

    """
    name = _id_of(release.release if isinstance(release, Receipt) else release)
    return curator.top_up(ledger, name, exact(epsilon), nonce=nonce, out=None if out is None else Path(out))


def _id_of(release: AnyRelease | str | Path) -> str:
    """The id of a release; a text that names no folder or file is taken as an id."""
    if isinstance(release, Release):
        return release.id
    place = Path(release)
    return read_bundle(place).id if isinstance(release, Path) or place.exists() else release


def _unit(unit: PrivacyUnit | str) -> PrivacyUnit:
    return unit if isinstance(unit, PrivacyUnit) else PrivacyUnit.parse(unit)
