"""How far chance may move a difference, and which of many differences are more than chance.

The error of a difference of two releases is ``sum of a_i V_i + Z``. Each V is discrete Laplace noise of a rate rho. Z is normal and
stands for the sample of trips that count, and for sums of very many draws.

*From whole numbers to all numbers.* Let L be a continuous Laplace number of rate rho. ``round(L)`` and V have the same law away from
0, and ``round(L)`` is 0 less often: ``1 - exp(-rho / 2) <= tanh(rho / 2)``. So V is ``round(L)``, set to 0 at times. Setting a term
to 0 makes a sum of symmetric terms large less often if the rest is unimodal (Anderson 1955). Rounding moves a term by at most one
half. Hence ``P(|sum a V + Z| >= t) <= P(|sum a L + Z| >= t - sum a / 2)``.

*Closed form.* A sum of Laplace numbers of rates r_i has the density ``sum w_i (r_i / 2) exp(-r_i |x|)`` with
``w_i = product over j != i of 1 / (1 - (r_i / r_j)**2)``: partial fractions of the characteristic function. Equal rates are moved
apart downwards, which only widens the sum. The tail of one Laplace number and a normal one is known (Reed 2006).

*Many differences.* Benjamini and Hochberg (1995): of all announced differences at most ``FALSE`` are expected to be chance. Every cell
counts as tested, listed or not. Ranges have the confidence that belongs to it (Benjamini and Yekutieli 2005). So a range excludes 0
exactly where a difference is announced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtr

Numbers = NDArray[np.float64]

FALSE: Final = 0.05
"""At most this share of what is announced is expected to be false."""
_APART: Final = 1.03  # least ratio of two rates: the partial fractions of nearer ones cancel
_NOTHING: Final = 1e-6  # of the largest part: what a part without weight is taken for
_HALVINGS: Final = 45
_ROOT: Final = 2**0.5


@dataclass(frozen=True, eq=False)
class Law:
    """The law of the errors of n differences."""

    weights: Numbers
    """What one count of each noise is in the unit of the difference, 0 or more, shape (parts, n)."""
    rates: Numbers
    """Rate rho of each noise, shape (parts, n)."""
    sigma: Numbers
    """Deviation of the normal part, shape (n,)."""

    def tail(self, size: Numbers) -> Numbers:
        """The chance of an error of at least this size, to either side; never too small. Shape (n,)."""
        spread = self.weights / self.rates
        spread = np.maximum(spread, _NOTHING * np.maximum(spread.max(axis=0), self.sigma) + 1e-12)
        rates = np.sort(1 / spread, axis=0)
        for part in range(len(rates) - 2, -1, -1):
            rates[part] = np.minimum(rates[part], rates[part + 1] / _APART)
        far = np.maximum(size - self.weights.sum(axis=0) / 2, 0.0)
        found = np.zeros(len(far))
        for part, rate in enumerate(rates):
            others = np.delete(rates, part, axis=0)
            found += _two_sided_tail(far, rate, self.sigma) / np.prod(1 - (rate / others) ** 2, axis=0)
        found[far <= 0] = 1.0
        return np.clip(found, 0.0, 1.0)

    def half_width(self, chance: float) -> Numbers:
        """The size that an error reaches with this chance, rounded up; shape (n,). Equal laws are solved once."""
        columns = np.concatenate([self.weights, self.rates, self.sigma[None]])
        some, where = np.unique(columns, axis=1, return_inverse=True)
        weights, rates = np.split(some[:-1], 2)
        wide: Numbers = _reached(Law(weights, rates, some[-1]), chance)[where.ravel()]
        return wide


def _reached(law: Law, chance: float) -> Numbers:
    """The sizes that errors reach with a chance, by halving."""
    low: Numbers = np.zeros(len(law.sigma))
    reach = np.log(2 * 10 ** len(law.rates) / chance)
    spread = (law.weights / law.rates).sum(axis=0)
    high: Numbers = law.weights.sum(axis=0) + 2 * reach * (spread + law.sigma) + 1e-9
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        beyond = law.tail(middle) > chance
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high


def _two_sided_tail(size: Numbers, rate: Numbers, sigma: Numbers) -> Numbers:
    """The two-sided tail of a Laplace number of a rate plus a normal one."""
    sigma = np.maximum(sigma, 1e-9 / rate)
    z, u = size / sigma, rate * sigma
    normal = np.exp(-z * z / 2)
    inner = np.where(z < u, 0.5 * erfcx(np.maximum(u - z, 0.0) / _ROOT) * normal, 0.0)
    outer = np.where(z < u, 0.0, np.exp(np.minimum(u * u / 2 - u * z + log_ndtr(z - u), 0.0)))
    found: Numbers = 2 * ndtr(-z) + inner + outer - 0.5 * erfcx((z + u) / _ROOT) * normal
    return found


def level_of(chances: Numbers, tested: int) -> float:
    """The chance up to which differences are announced (Benjamini and Hochberg), at least that of the first place.

    ``chances``: of the listed cells; ``tested``: number of all cells. Those that are not listed count as chance.
    """
    ordered = np.sort(chances)
    places = np.arange(1, len(ordered) + 1)
    held = np.flatnonzero(ordered <= FALSE * places / max(tested, 1))
    return FALSE * (int(held[-1]) + 1 if len(held) else 1) / max(tested, 1)
