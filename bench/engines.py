"""Visits per tile and flows, exact, from one Parquet file: other engines and here, each a process of its own.

    python -m bench.engines [--trips 1e5 1e6 4e6] [--tiles 500] [--squares 60000] [--engines NAME ...] [--repeat 3]
        [--environments FOLDER] [--write]

Each engine runs in an environment with the versions of ``engine_counts.PINS``, which is made in the folder where it is not there yet.
Every cell of both tables is compared with ours. CPU seconds are those of the whole process, imports included. Ours is the command
``exact``, which reads and checks all records again, and keeps none that fit into memory. ``--write`` puts the table into bench/README.md.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.engine_counts import ENGINES, PINS
from bench.running import Said, environment, exact, median, run_case
from dpcore import demo
from dpcore.tiles import number_of_squares, read_tessellation, square_grid
from dpcore.tiles.drawn import tiles_geojson

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
MARK, END = "<!-- engines -->", "<!-- end of engines -->"
TABLES = ("visits_per_tile", "od_flows")
OURS = "here"
Cells = Mapping[tuple[str, ...], int]


def counted(engine: str, python: str, city: Path, out: Path) -> Said:
    """One run of an engine, or of ours: both tables lie in the folder ``out`` afterwards."""
    out.mkdir(exist_ok=True)
    if engine != OURS:
        return run_case([python, str(HERE / "engine_counts.py"), engine, str(city), str(out)], out)
    return exact(city, city / "home", out, TABLES, "trips.parquet")


def cells(out: Path, table: str) -> Cells:
    """The cells of a table that are not 0."""
    with (out / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    found = {tuple(keys): int(value) for *keys, value in rows if int(value)}
    if header[-1] != "value" or len(found) != sum(int(row[-1]) != 0 for row in rows):
        raise RuntimeError(f"{out.name}: {table} is no table of counts")
    return found


def that_differ(one: Path, other: Path) -> int:
    """The number of cells of both tables that are not the same in two folders."""
    pairs = [(cells(one, table), cells(other, table)) for table in TABLES]
    return sum(a.get(key) != b.get(key) for a, b in pairs for key in {*a, *b})


def measured(
    city: Path, engines: Sequence[str], environments: Path | None, repeat: int
) -> tuple[dict[str, list[Said]], dict[str, int]]:
    """The runs of each engine and of ours, in turn so that a drift of the machine meets all alike; and its cells that differ.

    ``environments``: None takes this very Python for all. A first run of each is not counted: it compiles, and fills caches of files.
    """
    pythons = {OURS: sys.executable}
    for engine in engines:
        pythons[engine] = environment(environments, engine, PINS[engine]) if environments else sys.executable
    outs = {engine: city / f"of {engine}" for engine in pythons}
    runs: dict[str, list[Said]] = {engine: [] for engine in pythons}
    for number in range(repeat + 1):
        for engine, python in pythons.items():
            said = counted(engine, python, city, outs[engine])
            if number:
                runs[engine].append(said)
    return runs, {engine: that_differ(outs[OURS], outs[engine]) for engine in engines}


def lay_squares(city: Path, most: int) -> int:
    """Lay at most so many equal squares over the city, in place of its tiles; returns how many there are."""
    box = read_tessellation(city / "tiles.geojson", "tiles.geojson").bounds
    metres = 50.0
    while number_of_squares(box, metres) > most:
        metres *= 1.001
    tiles = square_grid(box, metres)
    (city / "tiles.geojson").write_bytes(tiles_geojson(tiles))
    return len(tiles.tile_ids)


def row(trips: int, tiles: int, runs: Mapping[str, Sequence[Said]], differ: Mapping[str, int]) -> str:
    """CPU seconds and memory of each engine, the middle of its runs, as a row of Markdown."""
    said = [
        f"{median([*found], 'cpu'):.2f} s, {median([*found], 'rss_mb'):,.0f} MB"
        + (f", {differ[engine]:,} cells differ" if differ.get(engine) else "")
        for engine, found in runs.items()
    ]
    return f"| {trips:,}, {tiles:,} | {' | '.join(said)} |"


def head(runs: Mapping[str, Sequence[Said]]) -> str:
    """The names and versions of the engines as the head of a table of Markdown."""
    names = [f"{engine} {found[0]['version']}".strip() for engine, found in runs.items()]
    return f"| trips, tiles | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}"


def put(page: str, made: str, mark: str = MARK, end: str = END) -> str:
    """The page with this table in place of the old one between two marks."""
    before, _, rest = page.partition(mark)
    return f"{before}{mark}\n{made}\n{end}{rest.partition(end)[2]}"


def main() -> None:
    """Print the table, and keep it if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__.splitlines()[0])
    parser.add_argument("--trips", type=lambda text: int(float(text)), nargs="+", default=[10**5, 10**6])
    parser.add_argument("--tiles", type=int, default=500)
    parser.add_argument("--squares", type=int, help="at most so many squares in place of the tiles")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=[*ENGINES])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--environments", type=Path, help="folder of the environments; None: they are made anew"
    )
    parser.add_argument("--write", action="store_true", help="keep the table in bench/README.md")
    options = parser.parse_args()
    lines: list[str] = []
    with TemporaryDirectory() as folder:
        for trips in options.trips:
            city = Path(folder) / str(trips)
            demo.write_city(city, trips, options.tiles, 7)
            tiles = lay_squares(city, options.squares) if options.squares else options.tiles
            places = options.environments or Path(folder) / "environments"
            runs, differ = measured(city, options.engines, places, options.repeat)
            lines += [] if lines else [head(runs)]
            lines.append(row(trips, tiles, runs, differ))
            print(lines[-1], file=sys.stderr, flush=True)
    when = datetime.now(tz=UTC).date().isoformat()
    same = "All cells are equal" if "differ" not in " ".join(lines) else "Cells that are not named are equal"
    made = (
        f"{when}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, the middle of {options.repeat}. {same}.\n\n"
        + "\n".join(lines)
    )
    print(made)
    if options.write:
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
