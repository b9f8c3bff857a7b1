"""What the teacher is told in the lessons about people in counts: the mathematics, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Notes:
    """The last part of a lesson."""

    mathematics: str
    sources: tuple[str, ...]


COUNTING: Final = Notes(
    r"""
**Subtracting.** Two sums over sets that differ by one record give that record. A rule that looks at each table alone
cannot see it: whether a count is safe depends on all other tables that will ever be printed. Hiding cells does not help
either where row sums are printed: a single hidden cell of a row is the sum less the others.

**The bound.** Let a mechanism be $\varepsilon$-differentially private, and let one trip be there or not with even chances.
Odds move by at most $e^{\varepsilon}$, so nobody is right more often than $e^{\varepsilon}/(1+e^{\varepsilon})$. Here each
table gets $\varepsilon/2$ and a trip changes a count by 1. Who knows all other trips needs the second table alone and is
right with $e^{\varepsilon/2}/(1+e^{\varepsilon/2})$; who subtracts two noisy tables has the noise of both. Both stay below,
because a trip of the last day is in one of the tables only.

**The noise** of a table is one ladder for all stops of the slider, so that moving it tells no more (lesson 2).

*Ask the class:* which tables of your town are printed every month? What would a table of hours, or of age groups, add?
""",
    (
        "Denning, Denning, Schwartz: The tracker: a threat to statistical database security, ACM TODS 1979",
        "Dinur, Nissim: Revealing information while preserving privacy, PODS 2003",
        "Wasserman, Zhou: A statistical framework for differential privacy, JASA 2010 (guessing under the bound)",
    ),
)

ASKING: Final = Notes(
    r"""
**The unit.** One trip is hidden. It starts in one tile, so it changes the table by 1 in all, and noise of scale
$1/\varepsilon$ fits. Visits, which count both ends, would need twice as much.

**Averaging.** Noise of $\varepsilon$ and sensitivity 1 has variance $2q/(1-q)^2$ with $q = e^{-\varepsilon}$. The mean of
$n$ fresh answers has an $n$-th of it. At $\varepsilon = 0.5$ its rounded value is right for 58 % of the tiles after 20
answers and for 99 % after 200. The bill is $n\varepsilon$: nothing is broken, it was paid for without anybody saying so.

**Rescaling.** A stop shows $c + u/\varepsilon$ with one and the same $u$. Two stops are two equations:
$c = (\varepsilon_2 y_2 - \varepsilon_1 y_1)/(\varepsilon_2 - \varepsilon_1)$. No $\varepsilon$ describes this.

**The ladder.** Each half of the noise at a finer stop is the smaller of the coarser half and a fresh draw. Coarser noise
is then finer noise with something added that knows nothing of the count. All stops together tell what the finest tells.

*Ask the class:* how many questions until half of the tiles are known? What would a fair price for the slider be?
""",
    (
        "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006 (composition)",
        "Koufogiannis, Han, Pappas: Gradual release of sensitive data under differential privacy, 2015 (the idea of the ladder)",
    ),
)

UNITS: Final = Notes(
    r"""
**Group privacy.** If each trip is hidden with $\varepsilon$, the presence of a person with $k$ trips is hidden with $k\varepsilon$:
taking the trips away one by one moves the odds by $e^{\varepsilon}$ at most each time. A belief of one half can become
$e^{k\varepsilon}/(1+e^{k\varepsilon})$; it crosses 99 % from $k > \ln(99)/\varepsilon = 4.6/\varepsilon$ trips.

**The attack.** For noise that is likely as $e^{-\rho|v|}$ the odds of a count $y$, given $c$ others and $n$ own trips, move
by $\rho(|y-c| - |y-c-n|)$. Summed over all flows of the person this is the best test there is (Neyman and Pearson). Some
answers move the odds as far as the bound. Others move them less: between $c$ and $c+n$, and where the flows contradict each other.
So for more than one trip the attacker is right less often than the bound.

**The case.** Google shared weekly flows with $\varepsilon = 0.66$ for each journey of a person, each journey counted once a
week. Houssiau, Rocher and de Montjoye ran the test for 32 different journeys: right in 95.4 % of the cases. The bound is
$32 \cdot 0.66 = 21.1$, more than 99.99 %. With the whole numbers that this app draws, the same test is right a little more often.

**Hiding people.** At most $M$ trips of each person count, and the noise is $M$ times as wide. Then $\varepsilon$ holds for
the presence of everybody, and $\varepsilon k/M$ for who makes $k < M$ trips. *Which* trips somebody made who is there is two steps,
all trips out and others in: $2\varepsilon$.

*Ask the class:* who is left alone by *one trip is hidden*? Who would choose M, and what does it cost them?
""",
    (
        "Houssiau, Rocher, de Montjoye: On the difficulty of achieving differential privacy in practice, Nature Communications 2022",
        "Bassolas and others: Hierarchical organization of urban mobility, Nature Communications 2019 (the release)",
        "Dwork, Roth: The algorithmic foundations of differential privacy, 2014, section 2.3 (groups)",
    ),
)

CONTRIBUTION: Final = Notes(
    r"""
**Four measures of one change** $d$ (a list of numbers, one for each count): $L_0$ is how many are not zero,
$L_1 = \sum|d_i|$, $L_2 = \sqrt{\sum d_i^2}$, $L_\infty = \max|d_i|$. Laplace noise of scale $L_1/\varepsilon$ hides every $d$
up to $L_1$; Gaussian noise goes by $L_2$; thresholds for rare cells need $L_0$ and $L_\infty$.

**With at most $M$ trips** of each person, over everything that a person could do:

| table | $L_0$ | $L_1$ | $L_2$ | $L_\infty$ |
|---|---|---|---|---|
| visits, both ends | $2M$ | $2M$ | $2M$ | $2M$ |
| flows | $M$ | $M$ | $M$ | $M$ |
| starts and ends by hour | $2M$ | $2M$ | $\sqrt2\,M$ | $M$ |

No single person reaches all four: many different counts make $L_0$ large, one and the same count the others. $L_0$ is
also at most the number of counts.

**Which trips count** must depend on that person's trips alone. Here it is the first M; a release takes those with the
smallest secret hash, so that nobody can foretell them. A shared random sample would not do: one person less would change
whose trips are drawn for all others.

*Ask the class:* which table lets one person do least? What would change if each pair of places counted once a person?
""",
    (
        "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006",
        "Wilson, Zhang, Lam, Desfontaines and others: Differentially private SQL with bounded user contribution, PETS 2020",
    ),
)
