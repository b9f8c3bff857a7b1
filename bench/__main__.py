"""Run every case in a process of its own and print one table.

    python -m bench [--trips 1e6] [--tiles 500] [--largest 1e7] [--peer PYTHON] [--repeat 3] [--write]

``--peer`` names the Python of an environment that holds DpMobilityReport; it then answers its fifteen analyses on
the same file in the same run, exactly and with noise. CPU seconds are those of the whole process and its children, imports and compiled kernels
loading included; wall times mean something on an idle machine only. ``--write`` puts the table, with the
date and the machine, into bench/README.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import start
from bench.growth import scale_cases
from bench.running import Said, case, figures, median, run_case
from dpcore import demo

HERE = Path(__file__).parent
MARK = "<!-- table -->"


def counting(city: Path, home: Path, size: int, peer: str | None, repeat: int) -> list[tuple[str, str]]:
    """All measures of a city of so many trips: exact and published, beside the peer on the same long-form file."""
    case("count", city, home, "trips.parquet", "all")  # compiles kernels, warms the file cache; not counted
    asked = {
        "exact, trips.parquet": ("count", "trips.parquet", "all"),
        "exact, trips_long.csv": ("count", "trips_long.csv", "all"),
        "exact, the five of Explore, trips.parquet": ("count", "trips.parquet", "five"),
        "published at epsilon 1, M = 5, trips_long.csv": ("publish", "trips_long.csv"),
    }
    runs: dict[str, list[Said]] = {what: [] for what in asked}
    theirs: dict[str, list[Said]] = {"exact": [], "private": []}
    for _ in range(repeat):  # in turn, so that a drift of the machine meets all alike
        for what, (name, *more) in asked.items():
            runs[what].append(case(name, city, home, *more))
        if peer:
            for what, found in theirs.items():
                found.append(run_case([peer, str(HERE / "peer.py"), str(city), what], home))
    rows = [(f"{size:,} trips, {what}", figures(found)) for what, found in runs.items()]
    if not peer:
        return rows
    ours = {"exact": "exact, trips_long.csv", "private": "published at epsilon 1, M = 5, trips_long.csv"}
    for what, found in theirs.items():
        name = f"DpMobilityReport {found[0]['version']}"
        rows.append((f"{size:,} trips, {what}, trips_long.csv, {name}, no HTML", figures(found)))
        ratio = median(found, "cpu") / median(runs[ours[what]], "cpu")
        rows.append(
            (f"{size:,} trips, {what}: CPU seconds of the peer over ours, same file", f"{ratio:.1f} x")
        )
        if what == "exact":
            ratio = median(found, "cpu") / median(runs["exact, trips.parquet"], "cpu")
            rows.append((f"{size:,} trips, {what}: the peer over ours from Parquet", f"{ratio:.1f} x"))
    return rows


def small_cases(city: Path, home: Path) -> list[tuple[str, str]]:
    """Kernel, noise and app figures."""
    rows = []
    for tiles in (500, 5_000, 50_000):
        said = case("tiles", city, home, str(tiles))
        rows.append(
            (
                f"points to tiles, {tiles:,} tiles ({said['corners']:.0f} corners each), one core",
                f"{said['points_per_second'] / 1e6:.1f} million/s; index {said['index_seconds']:.2f} s",
            )
        )
    said = case("noise", city, home)
    rows.append(
        ("geometric ladder, 13 rungs, exact integers", f"{said['ladder'] / 1e6:.1f} million cell-rungs/s")
    )
    rows.append(("OpenDP discrete Laplace, one draw a cell", f"{said['opendp'] / 1e6:.2f} million draws/s"))
    rows.append(
        ("numpy geometric difference (unsafe, for scale)", f"{said['numpy'] / 1e6:.1f} million draws/s")
    )
    rows.append(
        (
            f"sparse ladder, 400 million pairs of 20,000 tiles, a million not empty and all listed, {said['sparse_rungs']} rungs",
            f"{said['sparse_cpu']:.2f} CPU s, {said['sparse_seconds']:.2f} s wall; {said['rss_mb']:.0f} MB",
        )
    )
    rows.append(
        (
            "the same pairs one by one, one rung (extrapolated): OpenDP; numpy, unsafe",
            f"{said['opendp_dense_seconds']:,.0f} s; {said['numpy_dense_seconds']:.1f} s",
        )
    )
    said = case("move", city, home)
    rows.append(
        (
            f"server time of another epsilon on Explore, {said['tiles']:,.0f} tiles: first look, with all estimates; later",
            f"{said['first_look_s']:.1f} CPU s; {said['move_ms']:.0f} CPU ms",
        )
    )
    rows.append(("first counting and drawing of that page", f"{said['first_s']:.1f} s"))
    return rows


def synthesis_cases(home: Path) -> list[tuple[str, str]]:
    """Synthetic trips, large counts and a tree of trajectories (bench/synthesis.py); wall seconds without imports."""
    found = []
    said = run_case([sys.executable, "-m", "bench.synthesis", "roy"], home)
    found.append(
        (
            f"synthetic trips, sound model: count, noise and fit of {said['trips']:,} trips, draw {said['drawn']:,}",
            f"{said['counted'] + said['noised'] + said['fit']:.2f} s + {said['sampled']:.2f} s; {said['rss_mb']:.0f} MB",
        )
    )
    said = run_case([sys.executable, "-m", "bench.synthesis", "stability"], home)
    found.append(
        (
            (
                f"large counts as for the Opal cards, {said['trips']:,} trips with a place and a time at each end, {said['parts']} parts, "
                f"{said['shown']:,} keys shown, none of one column below {said['smallest']}"
            ),
            f"{said['cpu']:.2f} CPU s, {said['seconds']:.2f} s wall; {said['rss_mb']:.0f} MB",
        )
    )
    said = run_case([sys.executable, "-m", "bench.synthesis", "tree"], home)
    found.append(
        (
            f"trajectory tree, {said['trajectories']:,} trajectories, {said['tiles']:,} tiles, height {said['height']}",
            f"{said['seconds']:.2f} s; {said['rss_mb']:.0f} MB",
        )
    )
    return found


def measured(
    folder: Path, trips: int, tiles: int, *, largest: int, peer: str | None, repeat: int
) -> list[tuple[str, str]]:
    """All rows; each part is told on standard error as soon as it is known, for the whole takes a while."""
    home, rows = folder / "home", []
    for size in sorted({10_000, 100_000, trips}):
        city = folder / str(size)
        demo.write_city(city, size, tiles, 7)
        case("long", city, home)
        rows.append(counting(city, home, size, peer, 1 if size > 100_000 and peer else repeat))
        print(*rows[-1], sep="\n", file=sys.stderr)
    rows.append(small_cases(folder / str(trips), home))
    rows.append(synthesis_cases(home))
    rows.append(scale_cases(folder, home, largest))
    print(*rows[-1], sep="\n", file=sys.stderr)
    return [row for part in rows for row in part]


def main() -> int:
    """Print the table, and keep it if asked; 1 if an idle machine took longer for the app than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--trips", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--tiles", type=int, default=500)
    parser.add_argument(
        "--peer", default=os.environ.get("PEER_PYTHON"), help="Python that has DpMobilityReport"
    )
    parser.add_argument(
        "--largest",
        type=lambda text: int(float(text)),
        default=10_000_000,
        help="trips up to which growth is measured",
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="keep the table in bench/README.md")
    options = parser.parse_args()
    load, waits = os.getloadavg()[0], start.measured()
    with TemporaryDirectory() as folder:
        rows = measured(
            Path(folder),
            options.trips,
            options.tiles,
            largest=options.largest,
            peer=options.peer,
            repeat=options.repeat,
        )
    table = "\n".join(
        [
            "| what | figure |",
            "|---|---|",
            *(f"| {what} | {figure} |" for what, figure in [*start.table(waits), *rows]),
        ]
    )
    when = datetime.now(tz=UTC).date().isoformat()
    machine = (
        f"{when}, {os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, "
        f"numpy {version('numpy')}, duckdb {version('duckdb')}, numba {version('numba')}; "
        f"{options.trips:,} trips, {options.tiles:,} tiles unless a row says otherwise; load {os.getloadavg()[0]:.1f}"
    )
    print(f"{machine}\n\n{table}")
    if options.write:
        page = HERE / "README.md"
        head, _, kept = page.read_text(encoding="utf-8").partition(MARK)
        rest = kept[kept.index("\n## ") :] if "\n## " in kept else "\n"  # what other commands wrote
        page.write_text(f"{head}{MARK}\n{machine}\n\n{table}\n{rest}", encoding="utf-8")
    return start.verdict(waits, load)


if __name__ == "__main__":
    sys.exit(main())
