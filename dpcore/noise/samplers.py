"""Exact integer noise: the discrete Laplace law, and the ladder that gives it at several epsilons at once.

All randomness is ``os.urandom``, and every decision compares integers. Floating point appears nowhere, because the
doubles that a float Laplace can reach depend on the data (Mironov, CCS 2012). The run time depends on the noise drawn, so
readers of a release must not learn how long it took.

**Law.** Let ``rho = epsilon / sensitivity`` and ``q = exp(-rho)``. A *half* is geometric, ``P(G >= y) = q**y``. The noise
of a cell is ``V = G - H`` with two independent halves, so ``P(V = v) = (1 - q) / (1 + q) * q**abs(v)``.

**Theorem (ladder).** Let ``rho1 < rho2``, ``q1 > q2`` and ``r = q2 / q1 = exp(-(rho2 - rho1))``.

(a) *Up*: ``G1 ~ Geom(q1)``, independent ``Z ~ Geom(r)``, ``G2 = min(G1, Z)``. Then ``G2 ~ Geom(q2)``, and
    ``D = G1 - G2`` is independent of ``G2``.
(b) *Down*: ``G2 ~ Geom(q2)``, ``G1 = G2 + B X``, independent ``X ~ Geom(q1)`` and
    ``B ~ Bernoulli((1 - r) / (1 - q2))``. Then ``(G1, G2)`` has the same joint law as in (a).
(c) So the noisy values of several rungs together cost the epsilon of the highest one.

Proof. (a) ``P(G2 >= y) = (q1 r)**y = q2**y``. Further ``P(G2=j, D=0) = (1-q1) q1**j r**j = q2**j (1-q1)`` and
``P(G2=j, D=d) = (1-r) r**j (1-q1) q1**(j+d) = q2**j (1-r) (1-q1) q1**d`` for ``d >= 1``. Each is a product of a function
of ``j`` and a function of ``d``, hence independence. (b) Dividing by ``P(G2=j) = (1-q2) q2**j`` leaves
``P(D=0) = (1-q1)/(1-q2) = P(B X=0)`` and ``P(D=d) = P(B=1) (1-q1) q1**d = P(B X=d)``. (c) The two halves are independent
copies, so ``Y1 = x + G1 - H1 = Y2 + (D - D')``, where ``D - D'`` is independent of ``Y2`` and of the count ``x``. The
chain of rungs is Markov, so by induction every lower rung is post-processing of the highest one shown. QED.
(Gradual release: Koufogiannis, Han, Pappas 2015. The minimum form and the integer draws are our construction.)

**Climbing later.** ``P(V = v, min(G, H) = m) = (1 - q)**2 * q**(abs(v) + 2 m)``: the smaller half is ``Geom(q**2)``
whatever V is. By (c) the lower rungs depend on the pair (G, H) through V alone. So the pair of a cell may be drawn, given
V, when the next rung is bought. Until then only the exact count must be kept, secretly (``climb``).

**Exactness.** The logarithms of all probabilities are rational. A draw compares random bits with certified binary digits
of a probability, and reads more of both only where they agree (``Steps``); or it is Bernoulli(exp(-u/t)) of Canonne,
Kamath, Steinke (NeurIPS 2020, Algorithm 1). No probability here is a dyadic rational (Lindemann and Weierstrass). So
digits can always be certified, and comparisons end with probability 1.
"""

from __future__ import annotations

import os
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Integers = NDArray[np.int64]

MAX_TERM: Final = 2**52
"""Numerator and denominator of a rho stay below this. Then 64-bit integers hold every product and every draw."""
_CHUNK: Final = 2**15  # cells drawn together: halves and tables stay in the processor's cache
_FEW: Final = 2**12  # for fewer draws a table of 2**16 entries is not worth building


def _random_words(n: int, bits: int) -> NDArray[np.uint64]:
    """``n`` words of 16, 32 or 64 random bits from the operating system."""
    return np.frombuffer(os.urandom(n * bits // 8), f"<u{bits // 8}")


def below(m: int, n: int) -> Integers:
    """``n`` exactly uniform integers on ``{0, ..., m - 1}``; ValueError unless ``1 <= m < 2**63``.

    It keeps the top bits of random words and rejects values of ``m`` and more. Without a modulo there is no bias.
    """
    if not 1 <= m < 2**63:
        raise ValueError("a uniform draw needs a range of 1 to 2**63 - 1")
    bits = (m - 1).bit_length()
    width = 16 if bits <= 16 else 32 if bits <= 32 else 64
    out = np.zeros(n, np.int64)
    done = 0 if bits else n
    while done < n:
        wanted = n - done
        drawn = _random_words(wanted * 2**bits // m + wanted // 64 + 8, width) >> (width - bits)
        drawn = drawn[drawn < m][:wanted]
        out[done : done + len(drawn)] = drawn
        done += len(drawn)
    return out


def bernoulli_exp(u: Integers, t: int) -> NDArray[np.bool_]:
    """True with probability exactly ``exp(-u / t)``, independently for each u, for integers ``0 <= u <= t``.

    Canonne, Kamath, Steinke 2020, Algorithm 1: the first K at which Bernoulli(u / (t K)) fails is odd with that
    probability. The event is split into Bernoulli(u / t) and Bernoulli(1 / K), so that no product can overflow.
    ValueError unless ``1 <= t < 2**63`` and every ``u`` lies within 0 to ``t``.
    """
    if u.size and not 0 <= int(u.min()) <= int(u.max()) <= t:
        raise ValueError("exp(-u / t) is drawn only for 0 <= u <= t")
    active = np.flatnonzero(below(t, len(u)) < u)
    result = np.ones(len(u), np.bool_)
    k = 1
    while len(active):
        k += 1
        more = (below(t, len(active)) < u[active]) & (below(k, len(active)) == 0)
        result[active[~more]] = k % 2 == 1
        active = active[more]
    return result


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers ``low <= 2**bits * exp(-x) <= high`` for a rational ``x >= 0``.

    Taylor's series of ``exp(-x / c)``, ``c = ceil(x)``, alternates with falling terms, so the rest is smaller than the
    next term. The c-th power follows by squaring. Every step rounds outwards.
    """
    power = max(1, ceil(x))
    num, den = x.numerator, x.denominator * power
    low = high = term_low = term_high = 1 << bits
    n = 0
    while term_high > 1:
        n += 1
        term_low, term_high = term_low * num // (den * n), -(-term_high * num // (den * n))
        low, high = (low - term_high, high - term_low) if n % 2 else (low + term_low, high + term_high)
    low, high = max(low - 1, 0), high + 1
    result_low = result_high = 1 << bits
    for digit in f"{power:b}":
        result_low, result_high = result_low**2 >> bits, -(-(result_high**2) >> bits)
        if digit == "1":
            result_low, result_high = result_low * low >> bits, -(-result_high * high >> bits)
    return result_low, result_high


def certified(bounds: Callable[[int], tuple[int, int]], bits: int) -> int:
    """``floor(2**bits * p)`` for an irrational p given by bounds, which are refined until they agree (Ziv's loop).

    ``bounds(b)`` gives integers ``low <= 2**b * p <= high``, which come arbitrarily near to each other, relative to 2**b.
    """
    spare = 64
    while True:
        low, high = bounds(bits + spare)
        if low >> spare == high >> spare:
            return low >> spare
        spare *= 2


class Steps:
    """A law on 0, 1, 2, ... given by certified digits of its tails ``P(Y >= 1) > P(Y >= 2) > ...``.

    A draw is the number of tails above one uniform real, of which only the needed bits are read: 16 bits and a table for
    nearly all draws, then ``bits`` in all, then 64 more at a time while there is a tie.
    """

    def __init__(self, tails: Sequence[int], digits: Callable[[int, int], int], bits: int = 63) -> None:
        """Take ``floor(2**bits * P(Y >= y))`` for y = 1, 2, ... to the first 0, and ``digits(y, bits)`` for more bits."""
        self._edges = np.array(tails[::-1], np.int64)
        self._digits = digits
        self._bits = bits

    @cached_property
    def _table(self) -> NDArray[np.int16]:
        """The draw if the 16 leading bits decide it alone; -1 if a tail lies among their continuations."""
        first = np.arange(2**16, dtype=np.int64) << (self._bits - 16)
        last = first + (2 ** (self._bits - 16) - 1)
        most = len(self._edges) - np.searchsorted(self._edges, first, "left")
        least = len(self._edges) - np.searchsorted(self._edges, last, "right")
        return np.where(most == least, least, -1).astype(np.int16)

    def _settle(self, x: Integers) -> Integers:
        """Draws from ``bits`` leading bits of each uniform. Ties are settled one by one."""
        above = np.searchsorted(self._edges, x, "right")
        y = len(self._edges) - above
        for i in np.flatnonzero(self._edges[above - 1] == x):  # edge 0 is 0, so above >= 1
            y[i] = self._more(int(x[i]), int(y[i]))
        return y.astype(np.int64, copy=False)

    def _more(self, x: int, y: int) -> int:
        """The draw of a uniform with leading bits ``x``, which is known to be ``y`` or more."""
        bits = self._bits
        while True:
            x = x << 64 | int(_random_words(1, 64)[0])
            bits += 64
            while x < (edge := self._digits(y + 1, bits)):
                y += 1
            if x > edge:
                return y

    def draw(self, n: int) -> Integers:
        """``n`` independent draws."""
        if n < _FEW:
            return self._settle((_random_words(n, 64) >> (64 - self._bits)).astype(np.int64))
        head = _random_words(n, 16)
        y = self._table.take(head).astype(np.int64)
        rest = np.flatnonzero(y < 0)
        tail = (_random_words(len(rest), 64) >> (80 - self._bits)).astype(np.int64)
        y[rest] = self._settle((head[rest].astype(np.int64) << (self._bits - 16)) | tail)
        return y


def coin(bounds: Callable[[int], tuple[int, int]], bits: int = 63) -> Steps:
    """A coin that shows 1 with exactly the irrational probability given by ``bounds`` (see ``certified``)."""

    def digits(y: int, bits: int) -> int:
        return certified(bounds, bits) if y == 1 else 0

    return Steps([digits(1, bits), 0], digits, bits)


def _check(rho: Fraction) -> None:
    """Refuse a rho that is not an exact positive fraction with terms below ``MAX_TERM``."""
    if not isinstance(rho, Fraction) or rho <= 0:
        raise ValueError("rho must be an exact positive Fraction, never a float")
    if max(rho.numerator, rho.denominator) >= MAX_TERM:
        raise ValueError("the terms of each rho, and of each step between rungs, must be below 2**52")


@lru_cache(maxsize=256)
def _geometric_steps(rho: Fraction, bits: int = 63, spare: int = 64) -> Steps:
    """The law ``P(Y >= y) = exp(-rho y)``. It is cached, because the rungs of a plan are drawn many times."""

    def digits(y: int, bits: int) -> int:
        return certified(partial(exp_bounds, rho * y), bits)

    scale = bits + spare
    low, high = exp_bounds(rho, scale)
    tail_low = tail_high = 1 << scale
    tails = [1]
    while tails[-1]:
        tail_low, tail_high = tail_low * low >> scale, -(-tail_high * high >> scale)
        sure = tail_low >> spare == tail_high >> spare
        tails.append(tail_low >> spare if sure else digits(len(tails), bits))
    return Steps(tails[1:], digits, bits)


def geometric(rho: Fraction, n: int) -> Integers:
    """``n`` exact draws of the geometric law ``P(Y >= y) = exp(-rho y)``, y = 0, 1, 2, ...

    For small rho ``Y = m high + low`` with a power of two m. The two parts are independent: ``high`` has the rate
    ``rho m``, and ``low`` on ``{0, ..., m - 1}`` is uniform, thinned by ``exp(-rho low)``, which rejects at most 1 in 8.
    ValueError if rho is not an exact positive Fraction with terms below ``MAX_TERM``.
    """
    _check(rho)
    m = 1 << max(0, (Fraction(1, 8) // rho).bit_length() - 1)  # largest power of two with rho m <= 1/8
    high = _geometric_steps(rho * m).draw(n)
    if m == 1:
        return high
    high *= m
    done = 0
    while done < n:
        wanted = n - done
        low = below(m, wanted + wanted // 12 + 8)
        low = low[bernoulli_exp(low * rho.numerator, rho.denominator)][:wanted]
        high[done : done + len(low)] += low
        done += len(low)
    return high


def discrete_laplace(rho: Fraction, n: int) -> Integers:
    """``n`` exact draws of the discrete Laplace law of rate rho. ``rho = epsilon / sensitivity`` gives pure epsilon-DP.

    Ghosh, Roughgarden, Sundararajan (STOC 2009). ValueError as for ``geometric``.
    """
    return geometric(rho, n) - geometric(rho, n)


def check_rungs(rhos: Sequence[Fraction]) -> None:
    """Refuse, with a ValueError, an empty ladder and rungs that do not rise strictly or are not exact fractions."""
    if not rhos:
        raise ValueError("a ladder needs a rung")
    for rho in rhos:
        _check(rho)
    for coarse, fine in pairwise(rhos):
        if fine <= coarse:
            raise ValueError("the rungs of a ladder must rise strictly, coarsest first")
        _check(fine - coarse)


def refine(half: Integers, coarse: Fraction, fine: Fraction) -> Integers:
    """Halves of the next finer rung from those of a coarser one: theorem (a).

    A half of 0 stays 0 and needs no draw. That depends on the noise only. ValueError unless ``coarse < fine``.
    """
    check_rungs([coarse, fine])
    result = half.copy()
    live = np.flatnonzero(half)
    result[live] = np.minimum(half[live], geometric(fine - coarse, len(live)))
    return result


@lru_cache(maxsize=256)
def _coarsening_coin(fine: Fraction, coarse: Fraction) -> Steps:
    """B of theorem (b), ``P(B = 1) = (1 - exp(-(fine - coarse))) / (1 - exp(-fine))``."""

    def bounds(bits: int) -> tuple[int, int]:
        one = 1 << bits
        step_low, step_high = exp_bounds(fine - coarse, bits)
        fine_low, fine_high = exp_bounds(fine, bits)
        low = (one - step_high << bits) // (one - fine_low)
        high = -(-(one - step_low << bits) // (one - fine_high))
        return low, high

    return coin(bounds)


def coarsening(fine: Fraction, coarse: Fraction, n: int) -> Integers:
    """The increase of ``n`` halves from a finer rung down to a coarser one: ``B X`` of theorem (b), independent of all else.

    The difference of two such increases, added to a released value, gives the value of the coarser rung: post-processing.
    ValueError unless ``coarse < fine``.
    """
    check_rungs([coarse, fine])
    gain = _coarsening_coin(fine, coarse).draw(n)
    hit = np.flatnonzero(gain)
    gain[hit] = geometric(coarse, len(hit))
    return gain


def ladder(rhos: Sequence[Fraction], n: int) -> Integers:
    """Noise of ``n`` cells at every rung. All rungs together cost the epsilon of the highest one.

    Cells are independent, and each rung alone is discrete Laplace. Add the same exact counts to every row. Never show the
    noise itself: with a released value it reveals the count.

    Args:
        rhos: epsilon over sensitivity of each rung, exact, strictly rising.
        n: number of cells.

    Returns:
        Noise, int64, shape ``(len(rhos), n)``, coarsest rung first.

    Raises:
        ValueError: no rung, rungs that do not rise, floats, or terms of ``MAX_TERM`` and more.

    """
    check_rungs(rhos)
    noise = np.empty((len(rhos), n), np.int64)
    for start in range(0, n, _CHUNK):
        part = slice(start, min(start + _CHUNK, n))
        plus, minus = (geometric(rhos[0], part.stop - start) for _ in range(2))
        noise[0, part] = plus - minus
        for rung, (coarse, fine) in enumerate(pairwise(rhos), 1):
            plus, minus = refine(plus, coarse, fine), refine(minus, coarse, fine)
            noise[rung, part] = plus - minus
    return noise


def climb(noise: Integers, rho: Fraction, finer: Sequence[Fraction]) -> Integers:
    """Noise of the same cells at finer rungs, continuing the ladder of the given noise.

    The halves of each cell are drawn from their exact law given the noise, then refined by theorem (a). Together with the
    rungs shown before, all rungs have the joint law of one ladder and cost the epsilon of the highest.

    Args:
        noise: released minus exact at the finest rung so far, int64, shape ``(n,)``. As secret as the data.
        rho: epsilon over sensitivity of that rung.
        finer: the rates of the rungs to add, exact, strictly rising, above ``rho``.

    Returns:
        Noise, int64, shape ``(len(finer), n)``, coarsest rung first.

    Raises:
        ValueError: no rung, rungs that do not rise, floats, or terms of ``MAX_TERM`` and more.

    """
    rhos = [rho, *finer]
    check_rungs(rhos)
    if not finer:
        raise ValueError("a ladder that climbs needs a finer rung")
    shared = geometric(2 * rho, len(noise))
    plus, minus = np.maximum(noise, 0) + shared, np.maximum(-noise, 0) + shared
    rows = np.empty((len(finer), len(noise)), np.int64)
    for rung, (coarse, fine) in enumerate(pairwise(rhos)):
        plus, minus = refine(plus, coarse, fine), refine(minus, coarse, fine)
        rows[rung] = plus - minus
    return rows
