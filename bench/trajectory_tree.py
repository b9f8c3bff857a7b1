"""What personal levels buy a trajectory tree: the error of random set queries against the uniform allocation.

    python -m bench.trajectory_tree FOLDER [--repeat 10] [--queries 4000]

FOLDER holds Citi Bike Jersey City files in their original form and ``grid500m.geojson``. A trajectory is what one
bike visited on one day, made as a person's day is: each move to another tile counts once. The places are the tiles
that hold a station: stations are public. Levels are dealt to them by a fixed shuffle for each
repetition; all settings of a repetition share it. Settings in which levels do not pay are printed like the others. The
uniform allocation is compared at the same epsilon of Critical, and, in the last column, at what a whole record may lose.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from hashlib import shake_256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.kinds.tree.choices import Making, Source, TreeChoices
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor, Levels
from dpcore.kinds.tree.paths import paths_of
from dpcore.kinds.tree.plan import MAX_HEIGHT, Definition, Strategy, TreePlan, price_of_tree
from dpcore.kinds.tree.private.drawing import EXACT_NOISE
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences, sequences_of
from dpcore.kinds.tree.queries import relative_error, workload
from dpcore.kinds.tree.tree import Consistency, consistent, integer_weights
from dpcore.measures.data_form import ALL_RECORDED
from dpcore.privacy import ContributionBound
from dpcore.private.prepare import Preparation
from dpcore.private.prepared import LocalRows
from dpcore.private.prepared.writing import PartWriter, Pipeline
from dpcore.private.source import ReadReport
from dpcore.private.source.batch import MISSING, POINT_TRIPS
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation, read_tessellation

TWO = (Descriptor("Low", Fraction(1, 10)), Descriptor("Critical", Fraction(1)))


@dataclass(frozen=True)
class Scale:
    """How levels are dealt: descriptors and the share of places that each gets."""

    name: str
    descriptors: tuple[Descriptor, ...]
    shares: tuple[float, ...]

    def levels(self, tiles: Sequence[str], deal: int) -> Levels:
        """The levels of one deal; the same number gives the same levels."""
        words = np.frombuffer(shake_256(f"levels {deal}".encode()).digest(8 * len(tiles)), "<u8")
        last = np.rint(np.cumsum(self.shares) * len(tiles))
        level = np.empty(len(tiles), np.int64)
        level[np.argsort(words)] = np.searchsorted(last, np.arange(len(tiles)), side="right") + 1
        return Levels(tuple(tiles), self.descriptors, level)


FIVE = Scale("five levels, 70/12/6/6/6", DESCRIPTORS, (0.70, 0.12, 0.06, 0.06, 0.06))
FIVE_STRICT = Scale("five levels, 30/30/20/10/10", DESCRIPTORS, (0.3, 0.3, 0.2, 0.1, 0.1))
TENFOLD = Scale("two levels 1:10, 80/20", TWO, (0.8, 0.2))


NOBODY_IS_BOUNDED = ContributionBound.per_user(limits.MAX_TRIPS_PER_USER)
KEY = bytes(16)  # ranks nobody, as nobody is bounded


def bike_days(folder: Path) -> tuple[TileSequences, tuple[str, ...]]:
    """The trajectories, and the names of the tiles that hold a station, ascending."""
    grid = read_tessellation(folder / "grid500m.geojson", "grid500m.geojson")
    trips = pa.concat_batches([_trips(file) for file in sorted(folder.glob("JC-*.csv"))])
    ends = [(trips[f"{end}_lng"].to_numpy(), trips[f"{end}_lat"].to_numpy()) for end in ("start", "end")]
    used = np.unique([grid.index.assign(*places) for places in ends])
    used = used[used >= 0]
    tiles = Tessellation.of(
        [grid.tile_ids[tile] for tile in used],
        [grid.tile_names[tile] for tile in used],
        [grid.polygons[tile] for tile in used],
        "tiles with a station",
    )
    choices = TreeChoices(NOBODY_IS_BOUNDED, Fraction(1), MAX_HEIGHT, making=Making(Source.DAY))
    with TemporaryDirectory() as place, Pipeline() as pipeline:
        writer = PartWriter(Path(place), "bikes", Preparation(tiles, KEY))
        part = writer.describe(writer.write(pipeline, [trips]), ReadReport.empty())
        own = PrivateTrips(
            name="bikes",
            _rows=LocalRows.of([part]),
            folder=Path(place),
            tile_ids=tiles.tile_ids,
            form=ALL_RECORDED,
            timezone="America/New_York",
            _reading=ReadReport.empty(),
            tiles_digest=tiles.digest,
            fingerprint="",
        )
        return sequences_of(own, tiles, choices, KEY), tiles.tile_ids


def _trips(file: Path) -> pa.RecordBatch:
    """The trips of a file by the order of its columns, a bike in the role of a person, as readers hand trips on.

    The readers themselves refuse this: who protects a bike protects nobody. Here nothing is published.
    """
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.reader(text))[1:]
    started, ended = (pa.array([_clock(row[at]) for row in rows], pa.timestamp("us")) for at in (1, 2))
    columns = {
        "user_id": pa.array([row[11] for row in rows]),
        "complete": pa.array([True] * len(rows)),
        "started_at": started,
        "ended_at": ended,
        "start_us": started.cast(pa.int64()),
        "end_us": ended.cast(pa.int64()),
        **{name: pa.array([0] * len(rows), pa.int8()) for name in MISSING},
    }
    for name, at in {"start_lat": 5, "start_lng": 6, "end_lat": 9, "end_lng": 10}.items():
        columns[name] = pa.array([float(row[at]) for row in rows])
    return pa.RecordBatch.from_pydict(columns, POINT_TRIPS)


def _clock(text: str) -> datetime:
    form = "%m/%d/%y %H:%M" if "/" in text else "%Y-%m-%d %H:%M:%S"
    return datetime.strptime(text, form)  # noqa: DTZ007 -- a city's wall clock


@dataclass(frozen=True)
class Setting:
    """One line of the table."""

    scale: Scale
    height: int
    epsilon: str
    strategy: Strategy
    definition: Definition = Definition.LOCATION

    def plan(self, tiles: Sequence[str], deal: int, strategy: Strategy) -> TreePlan:
        """The plan of one deal of levels."""
        return TreePlan(
            self.scale.levels(tiles, deal), Fraction(self.epsilon), self.height, self.definition, strategy
        )


def errors(
    sequences: TileSequences,
    tiles: Sequence[str],
    setting: Setting,
    strategy: Strategy,
    *,
    repeat: int,
    queries: int = 2_000,
    how: Consistency = Consistency.EQUAL,
    deals: Sequence[int] = (),
) -> NDArray[np.float64]:
    """Average relative error of integer weights: of all queries and of each group; mean over deals and noise.

    ``repeat`` trees, each with a deal of its own, or with the given ones in turn.
    """
    work = workload("bike-days", queries, len(tiles), setting.height)
    true = sequences.paths(setting.height, len(tiles))
    found = []
    for number in range(repeat):
        deal = deals[number % len(deals)] if deals else number
        tree = consistent(grow(sequences, setting.plan(tiles, deal, strategy), EXACT_NOISE), how)
        error = relative_error(work, true, paths_of(tree, integer_weights(tree)))
        found.append([error.mean, *error.groups])
    return np.array(found).mean(axis=0)


def reductions(
    sequences: TileSequences, tiles: Sequence[str], setting: Setting, *, repeat: int, queries: int = 2_000
) -> NDArray[np.float64]:
    """By how much a setting lowers the error of the uniform allocation: 0.25 is a quarter; negative where it does not."""
    ours, uniform = (
        errors(sequences, tiles, setting, strategy, repeat=repeat, queries=queries)
        for strategy in (setting.strategy, Strategy.UNIFORM)
    )
    return 1 - ours / uniform


def settings() -> Iterator[Setting]:
    """Those of the documented comparison, and those in which personal levels buy little or nothing."""
    for epsilon in ("0.1", "0.25", "0.5", "1"):
        for scale in (FIVE, TENFOLD):
            for strategy in (Strategy.NON_ADAPTIVE, Strategy.ADAPTIVE):
                yield Setting(scale, 3, epsilon, strategy)
    for height in (4, 6, 8):
        yield Setting(FIVE_STRICT, height, "0.5", Strategy.ADAPTIVE)
    yield Setting(FIVE_STRICT, 3, "0.25", Strategy.NON_ADAPTIVE)
    for scale in (FIVE, TENFOLD):
        yield Setting(scale, 3, "0.5", Strategy.RECORD, Definition.RECORD)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.trajectory_tree")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--queries", type=int, default=4_000)
    options = parser.parse_args()
    sequences, tiles = bike_days(options.folder)
    print(f"{len(sequences.lengths):,} bike-days, {len(tiles)} tiles, {options.repeat} deals of levels\n")
    print(
        "| levels | h | eps | allocation | record loses up to | error | uniform | reduction | best group "
        "| uniform, for all that a record loses |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for setting in settings():
        ours, uniform = (
            errors(sequences, tiles, setting, strategy, repeat=options.repeat, queries=options.queries)
            for strategy in (setting.strategy, Strategy.UNIFORM)
        )
        price = price_of_tree(setting.plan(tiles, 0, setting.strategy), ContributionBound.per_trip())
        less = 1 - ours / uniform
        # The uniform allocation spends no more than epsilon on anybody; here it gets what the other may cost a record.
        dearer = replace(setting, epsilon=str(price.record))
        same = errors(
            sequences, tiles, dearer, Strategy.UNIFORM, repeat=options.repeat, queries=options.queries
        )
        print(
            f"| {setting.scale.name} | {setting.height} | {setting.epsilon} | {setting.strategy.value} "
            f"| {float(price.record):g} | {ours[0]:.3f} | {uniform[0]:.3f} "
            f"| {less[0]:.1%} | {less[1:].max():.1%} | {same[0]:.3f} |"
        )


if __name__ == "__main__":
    main()
