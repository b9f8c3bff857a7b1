"""Exact tables in, noisy tables out: the only way from private counts to synthetic trips.

*Tables of groups* get noise on every cell, occupied or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpcore.kinds.roy.workload import NoisyTables, SynthesisPlan
from dpcore.measures.measurement import Origin
from dpcore.private.synthetic.drawing import Counts, noised, rates_must_be_drawable


def must_be_drawable(plan: SynthesisPlan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler. Raises PrivacyError."""
    rates_must_be_drawable({group.name: plan.rho(group) for group in plan.groups})


def noisy_tables(exact: Mapping[str, Counts], plan: SynthesisPlan, *, origin: Origin) -> NoisyTables:
    """New noisy tables of a plan. Together they cost its epsilon.

    Args:
        exact: counts by name of the group, in its shape, of trips that are bounded as the plan says.
        plan: shares of epsilon and the bound.
        origin: whether this is a draw for looking, which is thrown away, or one that was paid for.

    """
    values = {group.name: noised(exact[group.name], plan.rho(group)) for group in plan.groups}
    return NoisyTables(plan, values, origin)
