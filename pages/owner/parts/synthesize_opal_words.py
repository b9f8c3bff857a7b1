"""The fixed texts of the tab of large counts."""

from __future__ import annotations

from typing import Final

INTRO: Final = (
    "In 2017 Sydney published taps of its Opal cards this way: count every combination of time and place that occurs, add "
    "noise, and show only what is still large. Here a tap **on** is where and when a trip starts, a tap **off** where and "
    "when it ends. On and off are counted apart, so that no published row ties them together."
)
TERMS: Final = """
**A combination** is what is counted together, such as time and place of taps on: each pair that occurs is a *key* with a
count. **A part** is one date; each is counted by itself.

**ε (epsilon)** says how far a count may give away one trip. **δ (delta)** is added on top: the probability of any set of
results may differ by so much more. Here it covers that something is shown at all that only one trip (or person) makes, such as a
stop that nobody else used at that hour. It should be far smaller than one over the number of people.

**The threshold** follows from ε and δ alone: a noisy count below it is not shown. So a missing row says "few", not "none".

**Replace one** compares data sets of equal size that differ in one trip; **add or remove** those of which one has one more.
The same noise is worth twice the ε under the first. Opal states the first; accounts here count the second.

**A part costs nothing extra**, since a trip is in one part only; combinations add up, since a trip is in all of them. A
person is in many parts: with *a person* hidden, at most M trips count over all parts together.

**Without δ**: places and times of a city are no secret. Where all possible keys are listed beforehand, the empty ones can
get noise as well, and δ is 0.
"""
VARIANT_HELP: Final = (
    "**Add or remove one trip**: half the noise of Opal for the same ε, and half the threshold.\n\n"
    "**Replace one trip, lowest threshold**: Opal's noise with the lowest threshold that keeps its δ.\n\n"
    "**As published for Opal**: its noise in whole numbers, and its threshold as the files show it."
)
EPSILON_HELP: Final = (
    "Shared between the combinations, one share for each column: of 8, the four single columns get 1 each and the two pairs "
    "2 each, as in the Opal release."
)
DELTA_HELP: Final = (
    "Shared evenly: of 7.5e-07, six combinations get 1/8,000,000 each, as in the Opal release."
)
THRESHOLDS: Final = (
    "Opal's thresholds are 2 ln(2/δ)/ε + 1 = **34.18** for ε 1 and **17.59** for ε 2. Ours are worked out exactly for noise in "
    "whole numbers, where no rounding can hide a difference, and need no more than their δ. The δ in the last column is what "
    "that threshold really has: at most."
)
EXHIBIT: Final = (
    "**Look at the real release.** In the file of places for 8 to 14 August 2016 the smallest of 8,605 counts is **34**, which "
    "is 34.18 rounded; the file of times and places for 25 to 31 July begins with counts of **18**, which is 17.59 rounded. So the files "
    "follow their document. Source: Transport for NSW, Opal Tap On and Tap Off (CC BY 4.0), with Asghar, Tyler, Kaafar 2017, "
    "arXiv:1705.05957. The files are not part of this app."
)
CRITICS: Final = (
    "Culnane, Rubinstein and Teague (arXiv:1704.08547) looked for people in it: most of its protection comes from counting on "
    "and off apart and from leaving small counts out. Where one place on determines the place off, such as a ferry, rows can "
    "still be paired."
)
PUBLISHED_COST: Final = (
    "What the Opal release costs: its document says ε 8 and δ 7.5e-07 under *replace one*. Its noise is worth a quarter of "
    "that δ, and ε 4 under *add or remove*."
)
ONE_TRIP: Final = (
    "**This protects one trip, not a person.** Somebody with k trips has k times the ε, and soon no δ at all:"
)
KEPT: Final = (
    "**Left out** is the expected share of all trips whose row is too small to be shown. **Without δ** every possible key gets "
    "noise, empty ones too, from a threshold at which about one empty key is shown by chance: the same ε, and δ = 0."
)
BETTER: Final = (
    "Tiles and times are public lists here, so the way **without δ** gives the same promise with nothing left to chance, and "
    "often shows more; the Release page publishes flows and arrivals by time of day so. What is published from here is the way "
    "with δ, as Opal did it: for keys that nobody can list, and for comparing."
)
DENSITY: Final = (
    "What would be left out with other bins, at the same price. This looks at your trips: bins that are chosen by it are a "
    "choice made after looking, which no accounting sees."
)
EMPTY: Final = "Nothing is large enough to be shown: raise ε, choose wider bins or fewer combinations, or count all days together."
REPEATED: Final = (
    "The bundle's `trips.parquet` repeats the rows of one combination that tells both ends, or else of the best one of starts and "
    "of the best one of ends: then each row tells one end, and there are about twice as many rows as trips."
)
