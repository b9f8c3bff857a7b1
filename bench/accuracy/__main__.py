"""Errors of estimates beside drawn values and the state before, one table a set.

    python -m bench.accuracy [--quick] [--sets city-500,bikes] [--seed 41] [--draws 5] [--max-trips 8,default]
                             [--epsilons 0.1,0.5,1,2] [--home FOLDER] [--shared FOLDER] [--peer PYTHON] [--write]

``--quick`` measures the city of 500 tiles at three points with two draws, for tuning. Cities and counts are kept in
``--home``, so the next run begins at once. Tune on seeds 1 to 3; the seed that judges is another one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.accuracy import demands, runs
from bench.accuracy.sets import SETS, AbsentError, Places

HERE = Path(__file__).parent
JUDGING_SEED = 41
QUICK = ("8:0.1", "8:1", "trip:1")
ACCEPTED = ("8:0.1", "8:0.5", "8:1", "8:2", "trip:0.1", "trip:0.5", "trip:1", "trip:2")


def measured(places: Places, options: argparse.Namespace) -> str:
    """The tables of all sets, as Markdown; each is told on standard error as soon as it is known."""
    texts = []
    for name in options.sets.split(","):
        try:
            data = SETS[name](places)
        except AbsentError as absent:
            texts.append(f"### {name}\n\nSkipped: {absent}.")
            continue
        began, found = time.perf_counter(), []
        for point in options.points.split(","):
            unit, _, epsilon = point.partition(":")
            if unit != "trip" and not data.trips.has_users:
                continue
            case = demands.case_of(None if unit == "trip" else int(unit), epsilon)
            found.append(runs.run(data, case, options.draws))
        parts = [f"### {data.name}, seed {places.seed}" if data.folder else f"### {data.name}"]
        if judged := demands.judged_table(found):
            parts.append(judged)
        parts += [f"**{one.case.name}**: {demands.line_of(one)}\n\n{demands.table_of(one)}" for one in found]
        texts.append("\n\n".join(parts))
        print(f"{data.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return "\n\n".join(texts)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.accuracy", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="one set, three points, two draws")
    parser.add_argument("--sets", default=None, help=f"some of {','.join(SETS)}")
    parser.add_argument("--points", default=None, help="M:EPSILON or trip:EPSILON, such as 8:0.1,trip:1")
    parser.add_argument("--seed", type=int, default=None, help="of the city")
    parser.add_argument("--draws", type=int, default=None)
    parser.add_argument("--home", type=Path, default=None, help="keeps cities and counts for the next run")
    parser.add_argument("--shared", type=Path, default=HERE.parents[2] / "shared" / "data")
    options = parser.parse_args()
    quick = options.quick
    options.sets = options.sets or ("city-500" if quick else ",".join(SETS))
    options.points = options.points or ",".join(QUICK if quick else ACCEPTED)
    options.draws = options.draws or (2 if quick else 5)
    seed = options.seed if options.seed is not None else (1 if quick else JUDGING_SEED)
    with TemporaryDirectory() if options.home is None else nullcontext(options.home) as folder:
        home = Path(folder).resolve()
        home.mkdir(parents=True, exist_ok=True)
        os.environ["EPSILON_ATLAS_HOME"] = str(home / "atlas")
        print(measured(Places(options.shared, home, seed), options))


if __name__ == "__main__":
    main()
