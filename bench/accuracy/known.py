"""How many tiles come out known beside the forecast: python -m bench.accuracy.known [--shared FOLDER] [--home FOLDER]. Prints a table.

One release each of two invented cities, rented bikes, the same by bike, taxis and check-ins, at five epsilons, of a person with the
bound that follows and of a trip. What lies in a shared folder is left out, and said so, where it is not there.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.accuracy.sets import AbsentError, Loaded, Places, bikes, by_bike, check_ins, city, taxis
from dpcore.api import studies
from dpcore.estimates import estimate, known_tiles
from dpcore.noise.expected_estimates import visits_forecast
from dpcore.planning.default_plan import default_bound, default_plan
from dpcore.privacy import ContributionBound, decimal_text

EPSILONS = tuple(map(Fraction, ("0.1", "0.5", "1", "2", "5")))
VISITS = "visits_per_tile"
_HEAD = (
    "| trips | hidden | epsilon | tiles expected | came | of 100 visits expected | came |",
    "|---|---|---|---|---|---|---|",
)


def compared(data: Loaded, bound: ContributionBound, epsilon: Fraction) -> tuple[str, bool, bool]:
    """A row of the table, and whether tiles and visits came out within the forecast."""
    plan = default_plan(bound, epsilon, data.tiles, data.facts, form=data.trips.form)
    expected = visits_forecast(plan, data.facts)
    if expected is None:
        raise ValueError("a plan without visits, or facts that are not declared")
    drawn = studies.preview(data.trips, plan).measurements
    table = estimate(plan, drawn, data.tiles, of=[VISITS]).tables[VISITS]
    came = known_tiles((table.all_trips or table.counted).at(slice(-1)))
    visits = came.visits or 0.0
    tiles_within = round(expected.tiles[0]) <= came.known <= round(expected.tiles[1])
    visits_within = round(expected.visits[0], 2) <= round(visits, 2) <= round(expected.visits[1], 2)
    hidden = "a trip" if bound.max_trips is None else f"a person, M = {bound.max_trips}"
    cells = (expected.known_tiles, f"{came.known:,}", expected.known_visits, f"{100 * visits:.0f}")
    return (
        f"| {data.name} | {hidden} | {decimal_text(epsilon)} | {' | '.join(cells)} |",
        tiles_within,
        visits_within,
    )


def main() -> None:
    """Print the table and how many rows came out within their forecast."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy.known", description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="folder of real data")
    parser.add_argument("--home", type=Path, help="where cities are kept; default: a temporary folder")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        places = Places(options.shared, options.home or Path(folder), 31, 100_000)
        print(*_HEAD, sep="\n")
        within: list[tuple[bool, bool]] = []
        for made in (
            lambda: city(150, places),
            lambda: city(500, places),
            *(lambda one=one: one(places) for one in (bikes, by_bike, taxis, check_ins)),
        ):
            try:
                data = made()
            except AbsentError as error:
                print(f"left out: {error}")
                continue
            for epsilon in EPSILONS:
                bounds = [ContributionBound.per_trip()]
                if data.facts.users is not None:
                    bounds.append(ContributionBound.per_user(default_bound(epsilon, data.facts)))
                for bound in bounds:
                    row, *inside = compared(data, bound, epsilon)
                    print(row, flush=True)
                    within.append((inside[0], inside[1]))
        tiles, visits = (sum(column) for column in zip(*within, strict=True))
        print(f"within the forecast: known tiles {tiles}, their visits {visits}, of {len(within)} releases")


if __name__ == "__main__":
    main()
