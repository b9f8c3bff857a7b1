"""What computed a release, and the command that computes it again."""

from __future__ import annotations

import platform
import shlex
from fractions import Fraction

import duckdb
import numpy as np

import dpcore
from dpcore.curator.request import Request
from dpcore.curator.synthetic_request import SyntheticRequest
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Step
from dpcore.measures.plan import FIVE_NUMBERS, USUAL_FALSE_FLOWS, Plan
from dpcore.privacy import decimal_text
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.roy_choices import ZIP, RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.levels import DESCRIPTORS


def versions() -> dict[str, str]:
    """Versions of what computed a release, by name."""
    return {
        "epsilon-atlas": dpcore.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "duckdb": duckdb.__version__,
    }


def command(request: Request, timezone: str) -> str:
    """The command that repeats the computation; the files stand as TRIPS and TILES, for their paths are private."""
    plan = request.plan
    words = ["python", "-m", "dpcore", "release", "--trips", "TRIPS", "--tiles", "TILES"]
    words += ["--timezone", timezone, "--privacy-unit", plan.bound.unit.value]
    if plan.bound.max_trips is not None:
        words += ["--max-trips", str(plan.bound.max_trips)]
    words += ["--epsilon", decimal_text(plan.epsilon)]
    words += _choices(plan.choices)
    for name in _usual_and_kept(plan):
        words += ["--bins", f"{name}={','.join(plan.choices.bins(name).edges)}"]
    weights = dict(plan.weights) | ({FIVE_NUMBERS: plan.five_numbers} if plan.five_numbers else {})
    words += ["--measures", ",".join(weights)]
    words += ["--weights", ",".join(f"{name}={weight}" for name, weight in weights.items())]
    if plan.ranges:
        words += ["--buy-ranges", decimal_text(plan.ranges)]
    if plan.false_flows != USUAL_FALSE_FLOWS:
        words += ["--false-flows", decimal_text(plan.false_flows)]
    words += ["--dataset", request.dataset, "--out", "DIR"]
    return shlex.join(words)


def synthesis_command(request: SyntheticRequest, timezone: str) -> str:
    """The command that repeats a synthetic release; files stand as TRIPS, TILES, ZIPS and LEVELS."""
    return command_of_choices(request.choices, request.dataset, timezone)


def command_of_choices(choices: SynthesisChoices, dataset: str, timezone: str) -> str:
    """The command that makes a synthetic release with these choices, every one of them spelled out."""
    words = ["python", "-m", "dpcore", "synth", choices.kind, "--trips", "TRIPS", "--tiles", "TILES"]
    words += ["--timezone", timezone, "--privacy-unit", choices.bound.unit.value]
    if choices.bound.max_trips is not None:
        words += ["--max-trips", str(choices.bound.max_trips)]
    words += ["--epsilon", decimal_text(choices.epsilon)]
    if choices.period is not None:
        words += ["--dates", f"{choices.period.first}/{choices.period.last}"]
    if isinstance(choices, RoyChoices):
        words += _roy(choices)
    elif isinstance(choices, TreeChoices):
        words += _tree(choices)
    else:
        words += _stability(choices)
    words += ["--dataset", dataset, "--out", "DIR"]
    return shlex.join(words)


def _roy(choices: RoyChoices) -> list[str]:
    words = []
    if choices.holidays:
        words += ["--holidays", ",".join(sorted(day.isoformat() for day in choices.holidays))]
    attributes = [name for name in choices.extras if name != ZIP]
    if attributes:
        words += ["--attributes", ",".join(attributes)]
    if choices.zips:
        words += ["--zips", "ZIPS"]
    return [*words, *(["--by-month"] if choices.by_month else [])]


def _tree(choices: TreeChoices) -> list[str]:
    making = choices.making
    levels = choices.named or choices.descriptors != DESCRIPTORS
    return [
        *("--height", str(choices.height)),
        *(("--levels", "LEVELS") if levels else ()),
        *("--trajectory", making.source.value),
        *(() if making.minutes is None else ("--minutes", str(making.minutes))),
        *("--outside", making.outside.value, "--promise", choices.definition.value),
        *("--strategy", choices.strategy.value, "--consistency", choices.consistency.value),
    ]


def _stability(choices: StabilityChoices) -> list[str]:
    combinations = ",".join("+".join(one) for one in choices.combinations)
    return [
        *("--delta", str(choices.delta), "--variant", choices.variant.value),
        *("--combinations", combinations, "--minutes", str(choices.minutes)),
    ]


def _choices(choices: KeyChoices) -> list[str]:
    """Options for what is not as usual."""
    words = []
    if choices.period is not None:
        words += ["--dates", f"{choices.period.first}/{choices.period.last}"]
    if choices.step is not Step.DAY:
        words += ["--step", choices.step.value]
    if choices.windows != WINDOWS:
        words += ["--windows", ",".join(str(hour) for hour in choices.windows)]
    for name, edges in choices.edges.items():
        words += ["--bins", f"{name}={','.join(edges)}"]
    if choices.visits_cap is not None:
        words += ["--points", str(choices.visits_cap)]
    return words


def _usual_and_kept(plan: Plan) -> tuple[str, ...]:
    """Histograms with the usual bins whose ranges are not bought, although those of others are."""
    return tuple(name for name in plan.open_ended if plan.ranges and name not in plan.to_be_ranged)


def top_up_command(release_id: str, epsilon: Fraction) -> str:
    """The command that raised an earlier release."""
    words = [
        "python",
        "-m",
        "dpcore",
        "top-up",
        release_id,
        "--epsilon",
        decimal_text(epsilon),
        "--out",
        "DIR",
    ]
    return shlex.join(words)
