"""The owner's side of the library: trips in, previews for the owner's eyes, and bundles that were paid for.

Thin functions over ``dpcore.api.owner`` (what the owner may look at) and ``dpcore.curator`` (what is paid for); what needs
neither is in ``dpcore.api.public``. The package itself offers them: ``import dpcore`` and ``dpcore.load_trips``. What
``preview`` and ``exact_table`` give is private and stays with the owner of the trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pandas as pd

from dpcore import curator
from dpcore.api import owner
from dpcore.api.owner import PrivateTrips
from dpcore.curator import Receipt
from dpcore.curator import price as _price
from dpcore.errors import InputError
from dpcore.ledger import Account, Ledger
from dpcore.ledger.account import Price
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_budget
from dpcore.release import CHOSEN
from dpcore.tiles import STATION_RADIUS_M, Tessellation, read_tessellation
from dpcore.tiles.reading import TileFrame, tessellation_of

__all__ = [
    "PrivateTrips",
    "demo_city",
    "exact_table",
    "load_tiles",
    "load_trips",
    "open_ledger",
    "preview",
    "price",
    "publish",
    "register",
]


demo_city = owner.demo_city
preview = owner.preview


def load_tiles(
    source: str | Path | TileFrame,
    *,
    id_column: str | None = None,
    merge_duplicates: bool = False,
    station_radius: float = STATION_RADIUS_M,
) -> Tessellation:
    """The checked tiles of a file or a GeoDataFrame; ``notes`` tell what was repaired.

    Files are GeoJSON, GeoPackage, or CSV tables of stations, of which each becomes the tile of the places nearest to it.

    Args:
        source: path, or a frame with one row a tile and a coordinate system.
        id_column: column that names a tile; None: the first known one, such as ``tile_id``.
        merge_duplicates: join rows with one id into one tile; else they are refused.
        station_radius: how many metres the tile of a station reaches.

    Raises:
        TessellationError: tiles overlap, repeat, or have no place on the globe; tiles are named.

    """
    if isinstance(source, (str, Path)):
        place = Path(source)
        return read_tessellation(
            place,
            place.name,
            id_column=id_column,
            merge_duplicates=merge_duplicates,
            station_radius=station_radius,
        )
    if not hasattr(source, "to_crs"):  # a table without shapes has none
        raise InputError(
            "these are no tiles", type(source).__name__, "Give a path, or a GeoDataFrame with one row a tile."
        )
    return tessellation_of(source, id_column=id_column, merge_duplicates=merge_duplicates)


def load_trips(
    source: str | Path | pd.DataFrame,
    tiles: Tessellation,
    *,
    timezone: str | None,
    columns: Mapping[str, str] | None = None,
    drop_bad: bool = False,
) -> PrivateTrips:
    """Trips of a file or a data frame, ready to be counted on some tiles. Private: only their owner may hold them.

    Args:
        source: path of a CSV or Parquet file, or of a folder of such files, or a frame with the same columns. A GeoDataFrame of points needs no
            ``lat`` and ``lng``. A frame is not changed.
        tiles: public tiles, chosen without looking at the trips.
        timezone: IANA name of the city's clock; hours and dates are local to it.
        columns: role -> column name, where columns have names of their own: ``{"uid": "person"}``.
        drop_bad: leave out bad records and count them in ``report``, instead of refusing all.

    Raises:
        InputError: something cannot be used; lines and columns are named, cells never.

    """
    bad_records = owner.BadRecords.DROP if drop_bad else owner.BadRecords.REFUSE
    if isinstance(source, pd.DataFrame):
        return owner.load_frame(source, tiles, timezone=timezone, mapping=columns, bad_records=bad_records)
    if not isinstance(source, (str, Path)):
        raise InputError("these are no trips", type(source).__name__, "Give a path or a data frame.")
    files = owner.trips_files([source])
    seen = [owner.inspect(file, columns) for file in files]
    return owner.load(files, seen, tiles, timezone=timezone, bad_records=bad_records)


def exact_table(
    trips: PrivateTrips, measure: str, *, bound: ContributionBound | None = None, choices: KeyChoices = USUAL
) -> pd.DataFrame:
    """The exact answer of one measure: key columns as text, then ``value``. For the owner only, never for sharing.

    Without a bound all trips count. Raises InputError for an unknown measure.
    """
    return pd.DataFrame(owner.exact_table(trips, measure, bound, choices))


def price(plan: Plan, unit: PrivacyUnit | str) -> Price:
    """What a plan costs an account that counts epsilon per ``user`` or per ``trip``, exactly and step by step.

    Raises PrivacyError for a plan that protects trips in an account of users.
    """
    return _price(plan, _unit(unit))


def open_ledger(place: str | Path | None = None) -> Ledger:
    """The ledger in a file or at a PostgreSQL URL; None: that of this installation. It is checked line by line.

    Raises LedgerError where it cannot be trusted. A new file begins a new ledger: what others paid is not in it.
    """
    return curator.default_ledger() if place is None else curator.ledger_at(place)


def register(
    ledger: Ledger,
    dataset: str,
    *,
    unit: PrivacyUnit | str,
    total_budget: Fraction | str,
    population: str = "",
) -> Account:
    """The account of a data set: whose epsilon it counts, and the most that all its releases may take together.

    Args:
        ledger: where it is kept.
        dataset: name under which everything about these people is charged.
        unit: currency, ``user`` or ``trip``. An account of users takes user-level releases only, one of trips takes both.
        total_budget: the whole epsilon, a fraction or decimal text, for good: nobody can raise it.
        population: who is in the data, in words.

    Raises:
        PrivacyError: it was registered before with other terms, which stand.

    """
    total = total_budget if isinstance(total_budget, Fraction) else exact_budget(total_budget)
    return curator.register(ledger, Account(dataset, population, _unit(unit), total))


def publish(
    trips: PrivateTrips,
    tiles: Tessellation,
    plan: Plan,
    *,
    ledger: Ledger,
    dataset: str,
    nonce: str,
    out: str | Path | None = None,
    title: str = "",
    note: str = "",
    parameters_chosen: str = "after_preview",
    part: str | None = None,
) -> Receipt:
    """Charge a registered data set, draw fresh noise once, and write the bundle that anyone may hold.

    Args:
        trips: loaded with these tiles.
        tiles: the public tiles.
        plan: what is published.
        ledger: holds the account that pays.
        dataset: name of the account.
        nonce: name of this very request, any text. The same one gives the same release and is charged once: a cell that
            is run again costs nothing more.
        out: new or empty folder for a copy of the bundle; else it lies in the data folder, see ``folder`` of the receipt.
        title: heading; the name of the data set if empty.
        note: free text for readers.
        parameters_chosen: when epsilon, M, tiles and dates were chosen: ``before_data``, ``after_preview`` or ``paid``.
        part: declared part of the data set that these trips are.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        UnfinishedError: it was charged and then something failed; the same call finishes it and charges nothing.

    """
    if parameters_chosen not in CHOSEN:
        raise InputError.unknown("time of choice", parameters_chosen, CHOSEN)
    asked = curator.Request(
        dataset=dataset,
        plan=plan.for_form(has_users=trips.has_users),
        title=title or dataset,
        note=note,
        nonce=nonce,
        parameters_chosen=parameters_chosen,
        part=part,
    )
    return curator.publish(trips, tiles, asked, ledger, out=None if out is None else Path(out))


def _unit(unit: PrivacyUnit | str) -> PrivacyUnit:
    return unit if isinstance(unit, PrivacyUnit) else PrivacyUnit.parse(unit)


OFFERED: Final[Mapping[str, object]] = MappingProxyType(
    {
        "demo_city": demo_city,
        "exact_table": exact_table,
        "load_tiles": load_tiles,
        "load_trips": load_trips,
        "open_ledger": open_ledger,
        "preview": preview,
        "price": price,
        "publish": publish,
        "register": register,
    }
)
"""What the package offers to owners, by name; see ``dpcore``."""
