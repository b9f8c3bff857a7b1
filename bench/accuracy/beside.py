"""The same figures of DpMobilityReport at equal true epsilon, in an environment of its own.

Its hours state the sensitivity M and need 2 M, so they spend twice what they say. With its fifteen analyses an epsilon of 15/16 on
paper is 1 in truth; with the three that are compared here (visits, flows, hours) 3/4 is. Where it is asked for three tables, ours is
asked for the same three: flows between districts instead of those between tiles, at the weights of the default plan.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from bench import cases
from bench.accuracy.pictures import Numbers, Picture, Truth, of_estimate, summed
from bench.accuracy.plans import today
from bench.accuracy.runs import average
from bench.accuracy.scores import Scores, of_flows, wape
from bench.accuracy.sets import Loaded
from bench.accuracy.tables import number
from bench.running import run_case
from dpcore.estimates import estimate
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound

HERE = Path(__file__).parent
NOMINAL = {"all": Fraction(15, 16), "three": Fraction(3, 4)}
"""What it is told to spend, so that it spends 1."""
THREE = ("visits_per_tile", "od_districts", "trips_per_hour", "total_trips")
MOST_OF_THEIRS = {"visits": 0.5, "district flows": 0.2}
FIGURES = ("visits", "flows", "flows SMAPE", "flows F1", "district flows", "hours")


@dataclass(frozen=True, eq=False)
class Beside:
    """Errors of both, by what they are held against: the trips that each sampled, and all trips."""

    which: str
    version: str
    theirs: Mapping[str, list[Scores]]
    ours: Mapping[str, list[Scores]]

    def rows(self) -> list[str]:
        """Rows of a table."""
        found = []
        for against in ("sampled", "all"):
            for figure in FIGURES:
                theirs, ours = (average(side[against], figure) for side in (self.theirs, self.ours))
                ratio, demand = ours / theirs, MOST_OF_THEIRS.get(figure)
                said = "" if demand is None else f"<= {demand:g}: {'yes' if ratio <= demand else '**no**'}"
                cells = " | ".join(number(value) for value in (theirs, ours, ratio))
                found.append(f"| {figure}, {against} trips | {cells} | {said} |")
        return found


def table(data: Loaded, peer: str, runs: int = 5, max_trips: int = 8) -> str:
    """The comparison on a city, as Markdown."""
    parts = []
    for which, words in (("all", "both with all of their tables"), ("three", "both asked for three tables")):
        found = compared(data, peer, which, runs, max_trips)
        head = f"**DpMobilityReport {found.version}, user level, M = {max_trips}, true epsilon 1, {words}**"
        titles = "| | theirs | estimate | ratio | demand |\n|---|---|---|---|---|"
        parts.append(f"{head}\n\n{titles}\n" + "\n".join(found.rows()))
    return "\n\n".join(parts)


def compared(data: Loaded, peer: str, which: str, runs: int, max_trips: int) -> Beside:
    """So many runs of both."""
    if data.folder is None:
        raise ValueError("only a city has files in the form that the peer reads")
    if not (data.folder / "trips_long.csv").exists():
        cases.long(data.folder)
    bound = ContributionBound.per_user(max_trips)
    plan = _asked(today(data, bound, Fraction(1)), which)
    districts = plan.choices.districts
    if districts is None:
        raise ValueError("the plan has no districts")
    truth = Truth.of(data, bound, (today(data, bound, Fraction(1)), _flows(plan)))
    whole = Truth.of(data, ContributionBound.per_trip(), (today(data, bound, Fraction(1)), _flows(plan)))
    true, all_true = truth.picture(plan.choices), whole.picture(plan.choices)
    ours: dict[str, list[Scores]] = {"sampled": [], "all": []}
    for _ in range(runs):
        estimates = estimate(plan, truth.drawn(plan), data.tiles)
        for against, of, all_trips in (("sampled", true, False), ("all", all_true, True)):
            picture = of_estimate(estimates, truth.near, plan.choices, all_trips=all_trips)
            if picture:
                ours[against].append(_scores(_three(picture), _three(of)))
    version, theirs = _theirs(
        data.folder,
        peer,
        which,
        runs=runs,
        max_trips=max_trips,
        districts=districts,
        everything=_three(all_true),
    )
    return Beside(which, version, theirs, ours)


def _asked(plan: Plan, which: str) -> Plan:
    if which == "all":
        return plan
    weights = {name: weight for name, weight in plan.weights.items() if name in THREE}
    return Plan(plan.bound, weights, plan.rungs, plan.choices)


def _flows(plan: Plan) -> Plan:
    """A plan that counts flows between tiles, for the truth alone."""
    return Plan(plan.bound, {"od_flows": 1}, plan.rungs, plan.choices)


def _three(picture: Picture) -> dict[str, Numbers]:
    """Visits, flows and hours inside the tiles, hours as shares of all ends, as the peer says them."""
    hours = picture["trips_per_hour"].reshape(4, 24)
    found = {
        "visits": picture["visits_per_tile"][:-1],
        "hours": hours / max(1.0, hours[2:].sum()) * 100,
        "district flows": picture["od_districts"][:-1, :-1],
    }
    if "od_flows" in picture:
        found["flows"] = picture["od_flows"][:-1, :-1]
    return found


def _scores(found: Picture, truth: Picture) -> Scores:
    scores = {
        name: wape(np.maximum(found[name], 0), truth[name]) for name in ("visits", "district flows", "hours")
    }
    if "flows" in found:
        scores |= of_flows(found["flows"], truth["flows"])
    return scores


def _theirs(
    city: Path, peer: str, which: str, *, runs: int, max_trips: int, districts: Districts, everything: Picture
) -> tuple[str, Mapping[str, list[Scores]]]:
    """Its version, and the errors of its runs against the trips that it sampled and against all trips."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "theirs.npz"
        words = (str(city), str(float(NOMINAL[which])), str(max_trips), str(runs), which, str(out))
        said = run_case([peer, str(HERE / "their_values.py"), *words], Path(folder))
        with np.load(out) as file:
            tables = dict(file)
    errors: dict[str, list[Scores]] = {"sampled": [], "all": []}
    for run in range(runs):
        names = ("visits", "flows", "hours")
        found, true = ({name: tables[f"{mark}{name}-{run}"] for name in names} for mark in ("", "true-"))
        for one in (found, true):
            flows = np.pad(one["flows"], ((0, 1), (0, 1)))
            one["district flows"] = summed(flows, districts)[:-1, :-1]
        errors["sampled"].append(_scores(found, true))
        errors["all"].append(_scores(found, everything))
    return str(said["version"]), errors
