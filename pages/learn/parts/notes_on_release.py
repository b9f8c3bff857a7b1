"""Teacher's notes and sources of the lessons on releases as a whole: personalised places, and synthetic trips."""

from typing import Final

PLACES: Final = r"""
**Rates.** A trip has $h = 2$ tiles and an end, $H = 3$ positions. $\varepsilon$ is the budget of Critical and $B$ that of the
other places. With $m = \varepsilon/3$ the number of all who left and each number of a harmless tile get noise of the rate
$(B - m)/2$, a Critical clinic of the rate $m$. A trip that *ended at the station* instead of going on to the clinic differs by
at most $\varepsilon$ in all (theorem A of `dpcore.trajectory_tree`).

**Exclusion.** *Clinic or square* is another question: both trips go on. One count of each place changes by 1, so the odds move by
at most $e^{r_c + r_s}$, with the rates $r_c$ and $r_s$, and in general by $e^{\varepsilon + B}$. Each count speaks for one
answer with the strength of its rate, and is right with the chance $1/(1 + e^{-r})$. The best attacker follows the sharper one.

**All who left less all others.** The variance adds up: with $q = e^{-r}$ and 149 counts it is $149 \cdot 2q/(1-q)^2$. For small $r$ that
is more than the clinic's own noise, for large $r$ it is nothing.

**No way around.** Every definition that protects some values less has this weakness. Plain differential privacy of trips has
not: make all places Critical.

*Ask the class:* who decides what a place is? What if the clinic is the only place that is Critical?
"""
PLACES_SOURCES: Final = (
    "Deldar, Abadi: PLDP-TD, Pervasive and Mobile Computing 49, 2018 (the idea; definitions and proofs here are our own)",
    "Jorgensen, Yu, Cormode: Conservative or liberal? Personalized differential privacy, ICDE 2015",
    "Kotsogiannis and others: One-sided differential privacy, 2020 (the exclusion attack)",
)

TRIPS: Final = r"""
**The model.** Four tables get noise: starts with ends (8 of 16 parts of $\varepsilon$), hours and kind of day by start (5), dates (2),
durations by distance (1). A trip adds 1 to one cell of each, so the parts add up. The tables are made to agree by least squares, negative
cells are projected away, and trips are drawn: start and end, then kind of day and hour by start, then date by kind of day.
What no table joins is drawn independently: the date of a trip knows nothing of its end.

**The measure.** With shares $p$ and $p'$ of the cells of a table, $\tfrac12 \sum |p - p'|$ is the share of trips that must be
changed until both tables agree.

**Figure 1 (c).** An empty cell set to 0 where negative keeps $\mathrm{E}\max(V, 0) = q/(1-q^2)$ trips. The article's noise has
the scale $2/\varepsilon$, so $q = e^{-0.45}$ at $\varepsilon = 0.9$, and 2.3 million empty cells claim 2.4 million trips for
one million real ones. They lie on all days alike, so the busiest days must shrink to less than half. The article prints
0.52 to 0.54 %. Of the ways to noise this very table, only noise on occupied cells alone comes near (0.515 % here), and that shows which cells are
occupied: then no $\varepsilon$ holds. A table of dates alone, with noise on each date, comes as near (about 0.54 %) and is sound, but it
is not the table that the article describes.
This is likely, not proved: it follows from invented trips of the same shape, and the article's data may differ. Its five groups of tables also add up, to
5 times the $\varepsilon$ that it names where one trip is replaced.

*Ask the class:* which table would bring the match back, and what would it cost the others?
"""
TRIPS_SOURCES: Final = (
    "Roy, Kantarcioglu, Sweeney: Practical differentially private modeling of human movement data, DBSec 2016",
    "McKenna, Miklau, Sheldon: Winning the NIST contest, 2021 (choosing tables, measuring, drawing)",
    "Kapp, Mihaljevic: Reconsidering utility: unveiling the limitations of synthetic mobility data generation, 2024",
)
