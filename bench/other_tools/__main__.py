"""The same ten trips counted by other tools and here: the tables of docs/reference/other-tools.md.

    python -m bench.other_tools [--environments FOLDER] [--write]

Each tool runs in an environment of its own, with the versions of ``ten_trips.PINS``. It is made in the folder where it is not there yet.
``--write`` puts the tables into the page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import dpcore
from bench.other_tools.ten_trips import BOX, HEXAGON, PINS, ROWS, TILES, ZONE, points, tiles, width
from bench.running import environment
from dpcore.api.compat import ANALYSES
from dpcore.noise.samplers import discrete_laplace
from dpcore.tiles.grids import hexagon_grid, square_grid
from dpcore.tiles.tessellation import Box

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reference" / "other-tools.md"
TEN_DAYS = dpcore.KeyChoices(period=dpcore.Period(date(2024, 10, 20), date(2024, 10, 29)))
DRAWS = 1_000_000  # their mean is 0.0 if rounded: farther off with a chance below 1e-17


def counts(measure: str, *, only: str = "", step: str = "", area: Any = None, **cut: str) -> Any:  # noqa: ANN401 - a frame
    """The exact table of a measure: of the trips, or of points that are ``cut``; in bins of 500 steps."""
    area = area or dpcore.load_tiles(tiles("tile_id", TILES))
    frame = points(only=only).drop(columns=["tid"] if cut else [])
    trips = dpcore.load_trips(frame, area, timezone=ZONE, **cut)  # type: ignore[arg-type]  # text
    bins = (
        {"edges": {measure: tuple(round(float(step) * number, 3) for number in range(500))}} if step else {}
    )
    return dpcore.exact_table(trips, measure, choices=dpcore.KeyChoices(period=TEN_DAYS.period, **bins))


def largest(measure: str, only: str, step: str) -> float:
    """The edge below the last bin that is not empty."""
    table = counts(measure, only=only, step=step)
    return float(table.bin_start[table["value"] > 0].iloc[-1])


def cut_trips(**cut: str) -> int:
    """How many trips points are cut into, visits included."""
    return int(counts("ds_statistics", **cut).set_index("statistic")["value"]["trips"])


def beside_dpmobilityreport() -> list[float]:
    """Our values of these rows."""
    visits = counts("visits_per_tile").set_index("tile_id")["value"]
    made = sum(len(counts(name)) > 0 for name in ANALYSES)
    times = [largest("travel_time", who, "5") for who in ("ben", "cat 1")]
    return [cut_trips(), visits.sum(), visits["A"], counts("od_flows")["value"].sum(), *times, made]


def beside_scikit_mobility() -> list[float]:
    """Our values of these rows."""
    flows = counts("od_flows").set_index(["origin", "destination"])["value"]
    square = square_grid(Box(*BOX), 1_000).polygons[0].bounds
    radius = largest("radius_of_gyration", "ann", "0.01")
    jumps = counts("jump_length")["value"].sum()
    return [
        flows.sum(),
        flows.get(("B", "B"), 0),
        jumps,
        radius,
        cut_trips(stays="200m,20min"),
        round(width(square)),
    ]


def beside_opendp() -> list[float]:
    """Our values of these rows."""
    plan = dpcore.Plan.up_to(dpcore.ContributionBound.per_user(2), {"visits_per_tile": 1}, "1")
    rate = plan.rho("visits_per_tile", plan.rungs[-1])
    mean = round(float(np.mean(discrete_laplace(rate, DRAWS))), 1)
    visits = counts("visits_per_tile")
    return [float(1 / rate), float(1 / rate), mean, mean, len(visits)]


def beside_h3() -> list[float]:
    """Our values of these rows."""
    visits = counts("visits_per_tile").set_index("tile_id")["value"]
    west, south, east, north = BOX
    around = hexagon_grid(Box(west - 0.1, south - 0.1, east + 0.1, north + 0.1), 7)
    in_hexagon = counts("visits_per_tile", area=around).set_index("tile_id")["value"][HEXAGON]
    return [visits.sum(), visits.drop("outside").sum(), in_hexagon, in_hexagon]


OURS: dict[str, Callable[[], list[float]]] = {
    "DpMobilityReport": beside_dpmobilityreport,
    "scikit-mobility": beside_scikit_mobility,
    "trackintel": lambda: [cut_trips(stays="200m,20min")] * 3,
    "MovingPandas": lambda: [
        cut_trips(),
        cut_trips(trip_gap="30min"),
        largest("travel_time", "cat 1", "5"),
        largest("jump_length", "ann 1", "0.01"),
    ],
    "OpenDP": beside_opendp,
    "H3 with geopandas": beside_h3,
}


def theirs(tool: str, environments: Path, scratch: Path) -> list[float]:
    """What the tool says, in its environment."""
    python = environment(environments, tool, PINS[tool])
    said = subprocess.run(
        [python, str(HERE / "their_values.py"), tool],
        env={**os.environ, "TMPDIR": str(scratch)},  # DpMobilityReport empties folders there
        cwd=scratch,
        capture_output=True,
        text=True,
        check=True,
    )
    values: list[float] = json.loads(said.stdout.splitlines()[-1])
    return values


def written(value: float) -> str:
    """Whole numbers as such, others with two decimals at most."""
    near = round(float(value), 2) + 0.0  # no minus before a zero
    return f"{near:,.0f}" if near == int(near) else f"{near:,}"


def table(tool: str, there: Sequence[float], here: Sequence[float]) -> str:
    """The rows of a tool as Markdown, between marks by which they are found again."""
    pins = (pin.split("==")[1] for pin in PINS[tool].split())
    name = " and ".join(f"{one} {pinned}" for one, pinned in zip(tool.split(" with "), pins, strict=False))
    lines = [
        f"| {what} | {written(one)} | {written(other)} |"
        for what, one, other in zip(ROWS[tool], there, here, strict=True)
    ]
    rows = "\n".join(lines)
    return f"<!-- {tool} -->\n| | {name} | here |\n|---|---|---|\n{rows}\n<!-- end -->"


def put(text: str, tool: str, made: str) -> str:
    """The page with this table in place of the old one."""
    mark = re.compile(rf"<!-- {re.escape(tool)} -->.*?<!-- end -->", re.DOTALL)
    return mark.sub(lambda _: made, text, count=1)


def main() -> None:
    """Print the tables, and keep them if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.other_tools", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--environments", type=Path, help="folder of the environments; None: they are made anew"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep the tables in docs/reference/other-tools.md"
    )
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        for tool, here in OURS.items():
            made = table(tool, theirs(tool, options.environments or scratch / "of", scratch), here())
            print(f"{made}\n", flush=True)
            if options.write:
                PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), tool, made), encoding="utf-8")


if __name__ == "__main__":
    main()
