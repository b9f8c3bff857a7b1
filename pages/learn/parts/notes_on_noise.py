"""Teacher's notes and sources of the lessons on noise: its shapes, its ghosts, and its last digits."""

from typing import Final

SHAPES: Final = r"""
**One count.** Laplace noise has the density $\tfrac{\varepsilon}{2} e^{-\varepsilon |x|}$, geometric noise the chances
$\tfrac{1-q}{1+q}\, q^{|x|}$ with $q = e^{-\varepsilon}$. Both keep $\left|\ln \tfrac{P(y \mid \text{in})}{P(y \mid \text{out})}\right|
\le \varepsilon$. For Gaussian noise the logarithm is $(2x - 1)/(2\sigma^2)$, which no number bounds: it passes
$\varepsilon$ beyond $x = \varepsilon\sigma^2 + \tfrac12$. There, as everywhere, $P(\cdot \mid \text{in}) \le e^{\varepsilon}
P(\cdot \mid \text{out}) + \delta$. So $\delta$ is no chance of passing $\varepsilon$: that chance is $\Phi(\tfrac{1}{2\sigma} -
\varepsilon\sigma)$, 18 % at $\varepsilon = 0.1$ and $\delta = 0.01$.

**Many counts.** If one person changes $k$ counts by 1, geometric noise needs the rate $\varepsilon/k$ and grows like $k$;
Gaussian noise grows like $\sqrt{k}$. The smallest $\sigma$ solves $\Phi(\tfrac{1}{2\sigma} - \varepsilon\sigma) -
e^{\varepsilon}\,\Phi(-\tfrac{1}{2\sigma} - \varepsilon\sigma) = \delta$ for one count; for $k$ it is $\sqrt{k}$ times that.
This $\sigma$ is exact, so at $\varepsilon = 1$, $\delta = 10^{-6}$ Gaussian noise is narrower from 9 counts on; lesson 9 goes by concentrated
privacy, whose bound is a little wide, and says 11.

**The game.** Right alarms are at most $\min(e^{\varepsilon} a + \delta,\ 1 - e^{-\varepsilon}(1 - \delta - a))$ for wrong alarms
$a$. A fair coin is guessed with probability at most $(e^{\varepsilon} + \delta)/(1 + e^{\varepsilon})$. Geometric noise on
one count reaches it: the bound is tight.

*Ask the class:* who beat the bot, and would they do so in 1,000 rounds? Why does nobody reach the wedge with many counts?
"""
SHAPES_SOURCES: Final = (
    "Ghosh, Roughgarden, Sundararajan: Universally utility-maximizing privacy mechanisms, STOC 2009 (geometric noise)",
    "Balle, Wang: Improving the Gaussian mechanism for differential privacy, ICML 2018",
    "Wasserman, Zhou: A statistical framework for differential privacy, 2010 (right and wrong alarms)",
)

GHOSTS: Final = r"""
**Ghosts.** With $q = e^{-\varepsilon}$ an empty flow shows $t$ or more with the chance $q^t/(1+q)$. Of $n$ empty flows
$n\,q^t/(1+q)$ are ghosts. If negative counts are set to 0 and all others kept, each empty flow adds
$\mathrm{E}\max(V, 0) = q/(1-q^2)$ trips: 0.43 at $\varepsilon = 1$.

**Threshold.** Every flow of the public list gets noise, then small ones are left out. Leaving out looks at noisy counts
alone, so it costs nothing: pure $\varepsilon$, $\delta = 0$.

**Stability.** Without a public list only flows that occur get noise. The flow of a lone trip is shown with the chance
$\delta = q^{T-1}/(1+q)$, and without this trip never; so here, and not in general, $\delta$ is the chance of one event. No $\varepsilon$ covers an answer that is possible in one world only. In
$1/\delta$ releases it happens once on average, and at least once in 63 of 100 such series.

*Ask the class:* which threshold would you choose, and for whom? Who loses when rare flows are lost?
"""
GHOSTS_SOURCES: Final = (
    "Cormode, Procopiuc, Srivastava, Tran: Differentially private publication of sparse data, ICDT 2012",
    "Korolova, Kenthapadi, Mishra, Ntoulas: Releasing search queries and clicks privately, WWW 2009 (stability)",
)

BITS: Final = r"""
**The comb.** A program draws a fraction $u$ of $53$ binary digits and returns $c - \mathrm{sgn}(u - \tfrac12)\,
\ln(1 - 2|u - \tfrac12|)/\varepsilon$. There are finitely many fractions, so the outputs for one count form a comb. Adding
another count and rounding gives another comb. An output that stands in one comb only has a likelihood ratio without limit:
no $\varepsilon$ holds, whatever the formula on paper says.

**The attack.** Turn the formula round, and try the few fractions near the result, for both counts. The search finds the true
one always, so the attacker is never wrong: an answer tells the secret or nothing.

**The mending.** Integer noise, drawn by comparing random integers, without logarithms: every integer is possible for every
count, with chances that differ by $e^{\varepsilon}$ at most. Rounding floats afterwards helps only if the grid is coarse
and the proof covers it.

*Ask the class:* why do large counts suffer less? Would it help to print only two digits?
"""
BITS_SOURCES: Final = (
    "Mironov: On significance of the least significant bits for differential privacy, CCS 2012",
    "Haney, Desfontaines, Hartman, Shrestha, Hay: Precision-based attacks and interval refining, arXiv 2207.13793 (2022)",
    "Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy, 2020 (exact integer samplers)",
)
