"""How cost grows, one thing at a time: python -m bench.growth_table [--largest 1e7] [--repeat 1] [--write].

Trips, tiles, files and people are counted with all fifteen measures from Parquet; stops and tiles with estimates are published, with
ledger and bundle. Each case is a process of its own, measured after a first one that fills caches of tiles. The power is that with which CPU seconds above those of the
smallest size grow between the two largest. ``--write`` puts the table into docs/explanation/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.engines import lay_squares, put
from bench.running import Said, case, median
from dpcore import demo

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "benchmarks.md"
MARK, END = "<!-- growth -->", "<!-- end of growth -->"
TILES = 500
Case = tuple[int, Path, Sequence[str]]
"""A size, its city, and the case of ``bench.cases`` with its words."""


def of_trips(folder: Path, largest: int) -> Iterator[Case]:
    """Ever more trips on 500 tiles."""
    for size in (10**power for power in range(4, 9) if 10**power <= largest):
        demo.write_city(folder, size, TILES, 7)
        yield size, folder, ("count", "trips.parquet", "all")


def of_tiles(folder: Path, largest: int) -> Iterator[Case]:
    """Ever more squares under the same trips."""
    for most in (100, 1_000, 10_000, 60_000):
        demo.write_city(folder, min(1_000_000, largest), TILES, 7)
        yield lay_squares(folder, most), folder, ("count", "trips.parquet", "all")


def of_files(folder: Path, largest: int) -> Iterator[Case]:
    """The same trips in ever more files."""
    demo.write_city(folder, min(1_000_000, largest), TILES, 7)
    trips, parts = pq.read_table(folder / "trips.parquet"), folder / "parts"
    for many in (1, 4, 16, 64):
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
        for number in range(many):
            begin, end = len(trips) * number // many, len(trips) * (number + 1) // many
            pq.write_table(trips[begin:end], parts / f"{number}.parquet")
        yield many, folder, ("count", "parts", "all")


def of_stops(folder: Path, largest: int) -> Iterator[Case]:
    """Ever more epsilons at which one release shows itself."""
    demo.write_city(folder, min(100_000, largest), TILES, 7)
    for stops, epsilon in ((1, "0.1"), (4, "0.5"), (8, "2"), (13, "10")):
        yield stops, folder, ("publish", "trips.parquet", epsilon)


def of_people(folder: Path, largest: int) -> Iterator[Case]:
    """The same trips of ever more people, of whom at most five trips count each."""
    demo.write_city(folder, min(1_000_000, largest), TILES, 7)
    trips = pq.read_table(folder / "trips.parquet")
    at = trips.schema.get_field_index("user_id")
    for many in (1_000, 10_000, 100_000, 1_000_000):
        people = pa.array(np.arange(len(trips)) % many).cast(trips.schema.field(at).type)
        pq.write_table(trips.set_column(at, "user_id", people), folder / "trips.parquet")
        yield many, folder, ("count", "trips.parquet", "all", "5")


def of_estimates(folder: Path, largest: int) -> Iterator[Case]:
    """Releases on ever more tiles, with their estimates and draws."""
    for many in (100, 500, 2_000, 5_000):
        demo.write_city(folder, min(100_000, largest), many, 7)
        yield many, folder, ("publish", "trips.parquet", "1")


GROWS: dict[str, Callable[[Path, int], Iterator[Case]]] = {
    "trips, 500 tiles": of_trips,
    "squares, 1,000,000 trips": of_tiles,
    "files, 1,000,000 trips": of_files,
    "people, 1,000,000 trips": of_people,
    "stops of a release, 100,000 trips": of_stops,
    "tiles of a release with estimates, 100,000 trips": of_estimates,
}


def grown(folder: Path, what: str, largest: int, repeat: int) -> list[tuple[int, list[Said]]]:
    """Each size with its runs."""
    found = []
    for size, city, (name, *words) in GROWS[what](folder / what, largest):
        runs = [case(name, city, folder / "home", *words) for _ in range(repeat + 1)]
        found.append((size, runs[1:]))
        print(what, size, runs[-1], file=sys.stderr, flush=True)
    shutil.rmtree(folder / what)
    return found


def power(sizes: Sequence[int], costs: Sequence[float]) -> float | None:
    """With which power costs above the first one grow between the last two sizes; None where the last is not twice the first."""
    if len(sizes) < 3 or costs[-2] <= costs[0] or costs[-1] < 2 * costs[0]:
        return None
    return log((costs[-1] - costs[0]) / (costs[-2] - costs[0])) / log(sizes[-1] / sizes[-2])


def row(what: str, found: Sequence[tuple[int, list[Said]]]) -> str:
    """A row of Markdown."""
    sizes = [size for size, _ in found]
    cpu, memory = ([median(runs, figure) for _, runs in found] for figure in ("cpu", "rss_mb"))
    grows = power(sizes, cpu)
    cells = (
        ", ".join(f"{size:,}" for size in sizes).replace(", ", "; "),
        "; ".join(f"{cost:.2f}" for cost in cpu),
        "; ".join(f"{size:,.0f}" for size in memory),
        "-" if grows is None else f"{grows:.2f}",
    )
    return f"| {what} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and keep it if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth_table", description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=lambda text: int(float(text)), default=10**7, help="trips")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument(
        "--only", nargs="+", choices=GROWS, default=[*GROWS], metavar="WHAT", help="rows of the table"
    )
    parser.add_argument("--write", action="store_true", help="keep the table in the page of benchmarks")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = [
            row(what, grown(Path(folder), what, options.largest, options.repeat)) for what in options.only
        ]
    when = datetime.now(tz=UTC).date().isoformat()
    head = "| what grows | sizes | CPU seconds | MB | power |\n|---|---|---|---|---|"
    made = f"{when}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.\n\n{head}\n" + "\n".join(rows)
    print(made)
    if options.write:
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), made, MARK, END), encoding="utf-8")


if __name__ == "__main__":
    main()
