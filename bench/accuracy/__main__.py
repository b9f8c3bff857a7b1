"""Errors of estimates beside drawn values and the state before, and how often ranges hold the truth.

    python -m bench.accuracy [--quick] [--sets city-500,bikes] [--points 8:0.1,default:1,trip:1] [--seed 41] [--draws 5]
                             [--home FOLDER] [--shared FOLDER] [--costs] [--peer PYTHON] [--write]

``--quick`` measures the city of 500 tiles at three points with two draws, for tuning. Cities and counts are kept in
``--home``, so the next run begins at once. Tune on seeds 1 to 3: the seed that judges is another one. ``--costs`` adds
seconds and memory at 500, 2,000 and 10,000 tiles. ``--peer`` names the Python of an environment that holds
DpMobilityReport. All figures of every set are printed; ``--write`` keeps the rest in bench/README.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.accuracy import beside, cost, demands, runs, tables
from bench.accuracy.plans import usual_bound
from bench.accuracy.sets import SETS, AbsentError, Loaded, Places

PAGE = Path(__file__).parents[1] / "README.md"
MARK = "<!-- accuracy -->"
JUDGING_SEED = 41
QUICK = "8:0.1,8:1,trip:1"
EPSILONS = ("0.1", "0.5", "1", "2")
ACCEPTED = ",".join(f"{unit}:{epsilon}" for unit in ("8", "default", "trip") for epsilon in EPSILONS)


def cases_of(points: str, data: Loaded) -> Iterator[runs.Case]:
    """The cases that trips of this form can have. ``default`` is the bound that the default plan proposes."""
    for point in points.split(","):
        unit, _, text = point.partition(":")
        epsilon = Fraction(text)
        if unit == "trip":
            yield runs.Case(None, epsilon)
        elif data.trips.has_users and unit == "default":
            yield runs.Case(usual_bound(data, epsilon), epsilon, proposed=True)
        elif data.trips.has_users:
            yield runs.Case(int(unit), epsilon)


def measured(places: Places, sets: str, points: str, draws: int, small_draws: int) -> tuple[str, str]:
    """The table of demands, and the figures of every set, as Markdown."""
    texts, everything = [], []
    for name in sets.split(","):
        try:
            data = SETS[name](places)
        except AbsentError as absent:
            texts.append(f"### {name}\n\nSkipped: {absent}.")
            continue
        began = time.perf_counter()
        found = [runs.run(data, case, draws, small_draws) for case in dict.fromkeys(cases_of(points, data))]
        everything += found
        texts.append(f"### {data.name[:1].upper()}{data.name[1:]}\n\n{tables.tables(found)}")
        print(f"{data.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return demands.judged_table(everything), "\n\n".join(texts)


def kept(text: str) -> None:
    """Put the figures into the page, between its mark and the next section."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    following = rest[rest.index("\n## ") :] if "\n## " in rest else ""
    PAGE.write_text(f"{head}{MARK}\n{text}\n{following}", encoding="utf-8")


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.accuracy", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--quick", action="store_true", help="one set, three points, two draws")
    parser.add_argument("--sets", help=f"some of {','.join(SETS)}")
    parser.add_argument("--points", help="M:EPSILON, default:EPSILON or trip:EPSILON, such as 8:0.1,trip:1")
    parser.add_argument("--seed", type=int, help="of the city")
    parser.add_argument("--draws", type=int)
    parser.add_argument("--home", type=Path, help="keeps cities and counts for the next run")
    parser.add_argument("--shared", type=Path, default=PAGE.parents[2] / "shared" / "data")
    parser.add_argument("--costs", action="store_true", help="seconds and memory of an estimate")
    parser.add_argument(
        "--peer", default=os.environ.get("PEER_PYTHON"), help="Python that has DpMobilityReport"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep demands, costs and the peer in bench/README.md"
    )
    options = parser.parse_args()
    options.sets = options.sets or ("city-500" if options.quick else ",".join(SETS))
    options.points = options.points or (QUICK if options.quick else ACCEPTED)
    options.draws = options.draws or (2 if options.quick else 5)
    if options.seed is None:
        options.seed = 1 if options.quick else JUDGING_SEED
    return options


def main() -> None:
    """Print the tables, and keep them if asked."""
    options = parsed()
    with TemporaryDirectory() if options.home is None else nullcontext(options.home) as folder:
        home = Path(folder).resolve()
        home.mkdir(parents=True, exist_ok=True)
        os.environ["EPSILON_ATLAS_HOME"] = str(home / "atlas")
        places = Places(options.shared, home, options.seed)
        judged, figures = measured(
            places, options.sets, options.points, options.draws, 0 if options.quick else runs.SMALL_DRAWS
        )
        parts = [
            f"{datetime.now(tz=UTC).date()}, seed {options.seed} of the city, {options.draws} draws.",
            judged,
        ]
        if options.costs:
            parts.append(cost.costs(places))
        if options.peer:
            parts.append(beside.table(SETS["city-500"](places), options.peer))
    print(*parts, figures, sep="\n\n")
    if options.write:
        kept("\n\n".join(parts))


if __name__ == "__main__":
    main()
