"""What personal levels buy a trajectory tree: the error of random set queries against the uniform allocation.

    python -m bench.trajectory_tree FOLDER [--repeat 10] [--queries 4000]

FOLDER holds Citi Bike Jersey City files in their original form and ``grid500m.geojson``. A trajectory is what one
bike visited on one day: start and end tile of each trip, a start that is where the bike stood counted once. The
places are the tiles that hold a station: stations are public. Levels are dealt to them by a fixed shuffle for each
repetition; all settings of a repetition share it. Settings in which levels do not pay are printed like the others.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from hashlib import shake_256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcore.noise import discrete_laplace, geometric
from dpcore.privacy import ContributionBound
from dpcore.private.tile_sequences import TileSequences
from dpcore.private.tree_growth import grow
from dpcore.sparse_noise import specks
from dpcore.trajectory_tree.consistency import Consistency, consistent
from dpcore.trajectory_tree.levels import DESCRIPTORS, Descriptor, Levels
from dpcore.trajectory_tree.noise_source import NoiseSource
from dpcore.trajectory_tree.paths import paths_of
from dpcore.trajectory_tree.plan import Definition, Strategy, TreePlan
from dpcore.trajectory_tree.price import price_of_tree
from dpcore.trajectory_tree.weights import integer_weights
from dpcore.trajectory_tree.workload import relative_error, workload

EXACT = NoiseSource(discrete_laplace, specks, geometric)
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


def bike_days(folder: Path) -> tuple[TileSequences, tuple[str, ...]]:
    """The trajectories, and the names of the tiles that hold a station, ascending."""
    features = json.loads((folder / "grid500m.geojson").read_text(encoding="utf-8"))["features"]
    rings = np.array([feature["geometry"]["coordinates"][0] for feature in features])
    names = np.array([feature["properties"]["tile_id"] for feature in features])
    low, high = rings.min(axis=1), rings.max(axis=1)
    days: dict[tuple[str, str], list[tuple[str, int, int]]] = defaultdict(list)
    tile_of: dict[tuple[str, str], int] = {}
    for begun, bike, start, end in _trips(folder):
        for point in (start, end):
            if point not in tile_of:
                at = np.array(point, np.float64)
                inside = np.flatnonzero(((low <= at) & (at < high)).all(axis=1))
                tile_of[point] = int(inside[0]) if len(inside) else -1
        days[bike, begun[:10]].append((begun, tile_of[start], tile_of[end]))
    used = sorted({tile for tile in tile_of.values() if tile >= 0}, key=lambda tile: names[tile])
    number = {tile: at for at, tile in enumerate(used)}
    sequences = []
    for day in sorted(days):
        visited: list[int] = []
        for _, start, end in sorted(days[day]):
            if start >= 0 and visited[-1:] != [number[start]]:
                visited.append(number[start])
            if end >= 0:
                visited.append(number[end])
        sequences.append(visited)
    return TileSequences.of(sequences), tuple(names[used].tolist())


Point = tuple[str, str]


def _trips(folder: Path) -> Iterator[tuple[str, str, Point, Point]]:
    """Start as ISO text, bike, start and end point (longitude, latitude) of every trip; columns by their order."""
    for file in sorted(folder.glob("JC-*.csv")):
        with file.open(encoding="utf-8", newline="") as text:
            rows = csv.reader(text)
            next(rows)
            for row in rows:
                yield _iso(row[1]), row[11], (row[6], row[5]), (row[10], row[9])


def _iso(text: str) -> str:
    if "/" not in text:
        return text
    return datetime.strptime(text, "%m/%d/%y %H:%M").isoformat(" ")  # noqa: DTZ007 -- a city's wall clock


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
        tree = consistent(grow(sequences, setting.plan(tiles, deal, strategy), EXACT), how)
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
    print("| levels | h | eps | allocation | record loses up to | error | uniform | reduction | best group |")
    print("|---|---|---|---|---|---|---|---|---|")
    for setting in settings():
        ours, uniform = (
            errors(sequences, tiles, setting, strategy, repeat=options.repeat, queries=options.queries)
            for strategy in (setting.strategy, Strategy.UNIFORM)
        )
        price = price_of_tree(setting.plan(tiles, 0, setting.strategy), ContributionBound.per_trip())
        less = 1 - ours / uniform
        print(
            f"| {setting.scale.name} | {setting.height} | {setting.epsilon} | {setting.strategy.value} "
            f"| {float(price.record):g} | {ours[0]:.3f} | {uniform[0]:.3f} "
            f"| {less[0]:.1%} | {less[1:].max():.1%} |"
        )


if __name__ == "__main__":
    main()
