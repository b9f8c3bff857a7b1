"""Counts and a share of epsilon become a measurement.

Every value is an integer plus exact discrete Laplace noise from the geometric ladder, so all rungs of one measurement
together cost what its highest rung costs (``samplers.py``). All cells of the public key set get noise alike, whether
they occur in the data or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures import Measure
from dpcore.measures.bought import draws_of_ranges
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement, Origin
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.noise.samplers import check_rungs, climb, ladder
from dpcore.noise.sparse import sparse_ladder, threshold_for
from dpcore.privacy import noise_rate

LEAST_RATE: Final = Fraction(1, 2**40)
"""Smallest rate of published noise: beyond a thousand of its widths no value or threshold reaches the limits of a bundle."""


def is_sparse(keys: KeySet) -> bool:
    """Whether a table has too many cells to be listed whole. This is public: it does not depend on the data."""
    return keys.size > limits.MAX_DENSE_CELLS


def measured(
    measure: Measure,
    keys: KeySet,
    cells: NDArray[np.int64],
    counts: NDArray[np.int64],
    plan: Plan,
    *,
    origin: Origin,
) -> Measurement:
    """A new measurement of exact counts at every rung of the plan.

    Args:
        measure: what was counted.
        keys: its public key set.
        cells: numbers of the cells that occur, ascending.
        counts: exact counts of those cells, integers.
        plan: bound, share and rungs.
        origin: whether this is a preview that is thrown away, or a release that was paid for.

    """
    sensitivity, share = measure.sensitivity(plan.bound), plan.share(measure.name)
    rhos = [noise_rate(share, rung, sensitivity) for rung in plan.rungs]
    shown, threshold = None, None
    if is_sparse(keys):
        threshold = threshold_for(keys.size, rhos[-1], plan.false_flows)
        shown, values = sparse_ladder(cells, counts, keys.size, rhos, threshold)
    else:
        values = ladder(rhos, keys.size)
        values[:, cells] += counts
    return Measurement(
        origin=origin,
        measure=measure.name,
        counts=measure.counts,
        keys=keys,
        bound=plan.bound,
        sensitivity=sensitivity,
        rungs=plan.rungs,
        share=share,
        half_widths=tuple(half_width(rho) for rho in rhos),
        values=values,
        cells=shown,
        threshold=threshold,
        listed_at=None if shown is None else plan.rungs[-1],
        expected_false=plan.false_flows,
    )


def must_be_drawable(plan: Plan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler and noise too wide for a table. PrivacyError."""
    draws_of_ranges(plan)  # refuses a plan that pays for ranges when there are none to buy
    for name in plan.weights:
        rates = [plan.rho(name, rung) for rung in plan.rungs]
        if rates[0] < LEAST_RATE:
            raise PrivacyError(
                "the noise of this plan would be wider than a table may hold",
                name,
                "Give the measure a larger weight, or choose a smaller M or a higher epsilon.",
            )
        try:
            check_rungs(rates)
        except ValueError:
            raise PrivacyError(
                "the weights, M and epsilon of this plan make numbers too long to draw exactly",
                name,
                "Choose smaller weights, or an epsilon with fewer decimals.",
            ) from None


def raised(measurement: Measurement, counts: NDArray[np.int64], finer: Sequence[Fraction]) -> Measurement:
    """The same measurement with finer rungs on top. All its rungs together cost the epsilon of the highest.

    In a sparse measurement the listed cells stay listed and absent cells stay absent. That choice was paid for before, and
    the finer values of listed cells are a function of the same ladder (proof in ``sparse``).

    Args:
        measurement: what was released so far.
        counts: exact counts of its listed cells, in their order; never those of other data or another bound.
        finer: total epsilons to add, above the highest rung, rising.

    """
    before = measurement.rho(-1)
    rhos = [measurement.rho_at(rung) for rung in finer]
    values = counts + climb(measurement.values[-1] - counts, before, rhos)
    return replace(
        measurement,
        rungs=(*measurement.rungs, *finer),
        half_widths=(*measurement.half_widths, *(half_width(rho) for rho in rhos)),
        values=np.concatenate([measurement.values, values]),
    )
