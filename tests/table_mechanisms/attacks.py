"""What an attacker can prove about epsilon and delta from many draws on two neighbouring data sets."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.chance import ALPHA, chance_beyond, state, towards

Scores = tuple[np.ndarray, np.ndarray]
"""Scores of draws on a data set and on its neighbour: the attacker thinks of the first where a score is large."""

_CUTS = 200


def must_tell_at_most(epsilon: float, *attacks: Scores, delta: float = 0.0) -> None:
    """No attack proves more than epsilon; each does so of a right product by ``ALPHA``."""
    state(len(attacks) * ALPHA)
    found = max(proven_epsilon(*attack, delta) for attack in attacks)
    assert found <= epsilon, f"epsilon is {found:.3f} at least"


def must_tell_more_than(epsilon: float, *attacks: Scores, delta: float = 0.0) -> None:
    """An attack proves more than epsilon. By what chance it would not, with the same cut, is stated."""
    parts = [_parts(*attack, delta) for attack in attacks]
    best = max(parts, key=lambda counts: _bound(*counts, delta))
    state(_chance_of_missing(best, float(epsilon), delta))
    found = float(_bound(*best, delta))
    assert found > epsilon, f"only {found:.3f} was proved"


def proven_epsilon(here: np.ndarray, there: np.ndarray, delta: float = 0.0) -> float:
    """A bound below epsilon that holds with probability 1 - ALPHA, from scores on both data sets."""
    return float(_bound(*_parts(here, there, delta), delta))


def _parts(here, there, delta):
    """Draws of each data set at or above a cut, and all. The cut is chosen on the first 30 % of the draws, counted on the others."""
    first, second = int(0.3 * len(here)), int(0.3 * len(there))
    seen = np.unique(np.concatenate([here[:first], there[:second]]))
    if len(seen) > _CUTS:
        seen = np.unique(np.quantile(seen, np.linspace(0, 1, _CUTS), method="nearest"))

    def above(scores, cuts):
        return len(scores) - np.searchsorted(np.sort(scores), cuts)

    bounds = _bound(above(here[:first], seen), first, above(there[:second], seen), second, delta)
    best = seen[np.argmax(bounds)]
    return above(here[first:], best), len(here) - first, above(there[second:], best), len(there) - second


def _bound(k, n, m, of, delta):
    """Epsilon from Clopper-Pearson bounds of both chances: k of n draws here, m of as many there."""
    k, m = np.asarray(k, float), np.asarray(m, float)
    low = np.where(k > 0, stats.beta.ppf(ALPHA / 2, np.maximum(k, 1e-9), n - k + 1), 0.0)
    high = np.where(m < of, stats.beta.isf(ALPHA / 2, m + 1, np.maximum(of - m, 1e-9)), 1.0)
    return np.log(np.maximum(low - delta, 1e-300) / high)


def _chance_of_missing(counts, epsilon, delta):
    """As ``chance_of_missing`` of one count, on both sides: the chances may be nearer than they look, and so may the next draws."""
    k, n, m, of = counts

    def is_noticed(nats):
        fewer = towards(towards(k / n, 0.0, nats / n, of_first=True), 0.0, nats / n, of_first=False)
        more = towards(towards(m / of, 1.0, nats / of, of_first=True), 1.0, nats / of, of_first=False)
        return _bound(fewer * n, n, more * of, of, delta) > epsilon

    return 4 * chance_beyond(is_noticed)
