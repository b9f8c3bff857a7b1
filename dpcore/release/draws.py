"""The folder ``draws`` of a bundle: joint draws of its estimates, made, written, read as claims, and made again.

One row a cell, one column a draw (``draw_000`` to ``draw_099``), whole numbers. They follow from the estimates as the files state
them and from a seed, the digest of the released values. So whoever has the bundle makes them again, and they cost no privacy. Another
computer may round the other way, so each number may differ by ``NEAR``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.estimates import Estimates, draws, words
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.release.canonical import CHANGED
from dpcore.release.estimates import rounded_estimates
from dpcore.release.files import ListedFiles
from dpcore.release.layout import MANIFEST, draws_csv_name, draws_parquet_name
from dpcore.release.release import Draws, Release, Stated
from dpcore.release.table_checks import cells_of
from dpcore.release.table_files import csv_bytes, must_say_the_same, parquet_bytes, read_parquet
from dpcore.release.tables import key_columns
from dpcore.tiles import Tessellation

NEAR: Final = 1
"""How far a number of a file may lie from the one that is made again."""
COLUMNS: Final = tuple(f"draw_{number:03}" for number in range(draws.DRAWS))


def with_draws(release: Release, stated: Stated) -> Stated:
    """What a bundle states, with draws of it. Whatever fails here leaves a bundle without them, which says so."""
    if not stated.computed or not _could_be(release.plan):
        return stated
    try:
        why = _why_none(release.plan, release.measurements)
        made = Draws({}, why_none=why) if why else _draws(release, stated.estimates)
    except Exception:  # noqa: BLE001 - nothing may stop what was paid for
        made = Draws({}, why_none=words.FAILED)
    return replace(stated, draws=made)


def draws_at(release: Release, estimates: Estimates) -> Draws | None:
    """Draws of estimates of a release at any rung, as a bundle would hold them; None where there can be none."""
    return with_draws(release, Stated(rounded_estimates(release.plan, estimates))).draws


def _draws(release: Release, estimates: Estimates) -> Draws:
    plan, held = release.plan, release.measurements
    return Draws(
        draws.joint_draws(plan, held, release.tessellation, estimates, seed_of(held, estimates.rung))
    )


def seed_of(measurements: Mapping[str, Measurement], rung: int = -1) -> bytes:
    """The digest of all values that were released at a rung, which decides the chance of the draws."""
    digest = sha256()
    for name, one in measurements.items():
        digest.update(f"{name} {one.values.shape[1]}\n".encode())
        digest.update(np.ascontiguousarray(one.values[rung], "<i8").data)
    return digest.digest()


def _could_be(plan: Plan) -> bool:
    return not {*draws.MEASURES}.isdisjoint(plan.weights)


def _why_none(plan: Plan, measurements: Mapping[str, Measurement]) -> str:
    """Why the public facts of a release leave nothing to draw; empty if they leave some."""
    return "" if draws.drawable(plan, measurements) else words.SPLIT if plan.choices.splits else words.LARGE


def names(plan: Plan, among: tuple[str, ...] = draws.MEASURES) -> tuple[str, ...]:
    """Names of the files that a bundle of a plan may hold; ``among``: the tables that it says it has."""
    found = [name for name in draws.MEASURES if name in plan.weights and name in among]
    return tuple(file(name) for name in found for file in (draws_csv_name, draws_parquet_name))


def contents(stated: Stated) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file."""
    if stated.draws is None:
        return
    for name, found in stated.draws.tables.items():
        columns = _keys(stated.estimates.tables[name].keys)
        table = pa.table(columns | dict(zip(COLUMNS, map(pa.array, found.T), strict=True)))
        yield draws_csv_name(name), csv_bytes(table)
        yield draws_parquet_name(name), parquet_bytes(table)


def _keys(keys: KeySet) -> dict[str, pa.Array]:
    """The key columns of a table that lists all its cells."""
    positions = np.unravel_index(keys.all_cells, keys.shape)
    return {
        name: column.take(pa.array(where))
        for axis, where in zip(keys.axes, positions, strict=True)
        for name, column in key_columns(axis).items()
    }


def stated_draws(
    plan: Plan,
    tiles: Tessellation,
    measurements: Mapping[str, Measurement],
    stated: Stated,
    files: ListedFiles,
) -> Stated:
    """What the files of a bundle hold of draws, beside what its manifest says of them. Whether they are true, only ``must_follow`` tells.

    Raises BundleError, naming the file, for draws that such a release cannot have, and for what is no table of draws.
    """
    found = stated.draws
    if found is None:
        return stated
    why, wanted = _why_none(plan, measurements), draws.drawable(plan, measurements)
    if found.why_none not in {why, words.FAILED} or {*found.tables} != (
        {*()} if found.why_none else {*wanted}
    ):
        raise BundleError("these cannot be the draws of such a release", f"{MANIFEST}, estimates", CHANGED)
    read = {name: _read(plan.measure(name).keys(tiles.tile_ids), name, files) for name in found.tables}
    return replace(stated, draws=replace(found, tables=MappingProxyType(read)))


def _read(keys: KeySet, name: str, files: ListedFiles) -> NDArray[np.int64]:
    place, csv = draws_parquet_name(name), draws_csv_name(name)
    fields = [(one, column.type) for axis in keys.axes for one, column in key_columns(axis).items()]
    schema = pa.schema([*fields, *((one, pa.int64()) for one in COLUMNS)])
    table = read_parquet(files.content(place), schema, place)
    whole = not any(table[one].null_count for one in COLUMNS)
    if not whole or len(cells_of(table, keys.axes, place)) != keys.size:
        raise BundleError("the draws do not hold all keys", place, CHANGED)
    must_say_the_same(files, csv, table, schema, "the draws differ from their Parquet file")
    found = np.stack([table[one].to_numpy() for one in COLUMNS], axis=1)
    if ((found < 0) | (found > limits.MAX_BUNDLE_VALUE)).any():
        raise BundleError("this is no number of a draw", place, CHANGED)
    return found


def must_follow(release: Release, stated: Stated) -> bool:
    """Refuse draws that do not follow from estimates and tables; raises BundleError, naming the file.

    Returns False if another method made them, so that they cannot be made again.
    """
    found = stated.draws
    if found is None or found.why_none:
        return True
    if found.method != draws.METHOD:
        return False
    made = _draws(release, stated.estimates)
    for name, numbers in made.tables.items():
        if (np.abs(found.tables[name] - numbers) > NEAR).any():
            raise BundleError(
                "the draws do not follow from estimates and tables", draws_parquet_name(name), CHANGED
            )
    return True
