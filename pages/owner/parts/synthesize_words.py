"""The fixed texts of the Synthesize page: plain words, each term explained where it is used."""

from __future__ import annotations

from typing import Final

INTRO: Final = (
    "Trips that nobody made, in the form of your own file. What they keep of the true trips was measured with noise. The "
    "rest is drawn by chance."
)
PRIVATE: Final = "Synthetic trips of a throw-away draw beside the true ones: both are for you alone."

MODEL_TAB: Final = "Model of trips (Roy et al.)"
OPAL_TAB: Final = "Opal: publish large counts"

MODES_HELP: Final = (
    "**Sound**: small tables are counted, each with noise for its share of ε, made to agree, and new trips are drawn from "
    "them. It keeps its promise.\n\n"
    "**As published**: the mechanism of Roy, Kantarcioglu and Sweeney (DBSec 2016) to the letter. It costs several times "
    "what it names and reads some things off the data without noise, so it is here to be looked at and **can never be "
    "published**."
)

TERMS: Final = """
**Synthetic trips** are drawn from a law of trips: how many go from where to where, at which hour, on which date, how long.
No synthetic trip is a true one. The law was estimated from noisy counts, so the promise of ε holds for the law and for
every trip drawn from it.

**The model** is a tree of small tables: starts with ends; hours and day type for each start; dates; durations for each
band of distance; and, where your form has them, zip, type of user and gender. What no table holds is lost whatever the ε:
here a station and a date are independent of one another, given the day type.

**ε (epsilon)** is the total for one synthetic data set; the tables share it. Any number of trips may be drawn from the same
noisy tables without more cost.

**A station** is a tile: give a station table as tiles to have one tile for each station.

**Noise and model.** What differs from the truth is noise (less with a higher ε), what the bound M leaves out, and what the
model leaves out. Draw 20 times to see the noise alone.

**Neighbours.** *Add or remove*: two data sets of which one has one trip (or person) more. *Replace one*: two data sets of
equal size that differ in one. The same noise costs twice as much ε under the second.
"""

DOMAIN_HELP: Final = (
    "All of this is public: choose it without looking at the trips. Trips on other dates, outside all tiles, shorter than "
    "a minute or as long as a day are left out."
)
NO_PERIOD: Final = "Synthetic trips need public dates: the first and the last day. Choose them here; they are never read off the trips."
HOLIDAYS_HELP: Final = "Public holidays, such as 2024-05-01, 2024-12-25. They count as weekend."
ZIPS_HELP: Final = (
    "The public list of zips that may appear, separated by commas; all others count as `other`. The list is never "
    "read off the trips."
)
ZIPS_MISSING: Final = "Zips are left out until their public list is typed in above."
MONTHS_HELP: Final = (
    "Tells the months of each station apart, for one more table and so a little more noise on the others."
)

SHARES: Final = (
    "Each table is counted with its share of ε; together they cost ε. A trip adds one to one count of each table, so the noise "
    "of a count is that of its share, times M where a person is hidden."
)

MAPS: Final = "One scale for both: 1\N{MULTIPLICATION SIGN} is the share that each tile would have if all were equal. Grey: nothing."
SERIES: Final = "The original is dashed and brown, the synthetic trips solid and teal."
NOT_ASKED: Final = "Measures of people (trips per person, radius of gyration and so on) have no answer: synthetic trips belong to nobody."

RUNS: Final = (
    "One draw says little about how good the next will be. Draw several times and see how far apart they lie: **sigma**, the "
    "standard deviation from draw to draw. Every draw looks at the true trips, so this is for you alone; nothing is "
    "charged, and no draw of it is published."
)
RUNS_BUTTON: Final = "Draw {runs} times"


PAPER_WARNING: Final = (
    "For study only: never published from here. It is **not private at the ε it names**, and part of it is not private for "
    "any ε: outliers, bins of durations and the number of trips are read off the data without noise."
)
PAPER_COST: Final = (
    "The paper names ε {epsilon} for one synthetic data set. But its {groups} groups of attributes are counted from the same "
    "trips, and each is noised with the whole ε (Laplace noise of scale 2/ε). Their costs add up. Under *replace one*, which "
    "the paper means, that is {groups} \N{MULTIPLICATION SIGN} {epsilon} = **{replace}**; under *add or remove* half of it, **{add}**. The split by "
    "station inside a group costs nothing more."
)
PAPER_FIVE: Final = (
    "In the paper there are five groups (start and end; start and time; route and duration; start and zip; zip, user type "
    "and gender): 5 ε under replace one, 2.5 ε under add or remove, so **4.5** and **2.25** at its ε of 0.9. Your trips lack "
    "some of these attributes, so they make {groups}."
)
OCCUPIED: Final = (
    "With noise on occupied cells only, the empty cells stay empty and show that nobody was there: **no ε at all** "
    "describes that."
)
FIGURE_1C: Final = (
    "Figure 1 (c) of the paper prints .52 to .54 % for days that truly have .54 to .56 %. Noise on **every** cell of "
    "stations \N{MULTIPLICATION SIGN} dates \N{MULTIPLICATION SIGN} hours, as its text says, cannot give that: most cells are empty, negative noise is cut off at 0, and "
    "what is left are *phantoms*, trips that nobody made, spread evenly over all days. They outnumber the true trips and push "
    "every busy day down. Only noise on **occupied** cells alone gives shares like the printed ones, and that is not "
    "differentially private. This is inferred from invented trips of the same size; the true file may not be shipped."
)
SIGMAS: Final = (
    "The sigmas of its parts (a), (b) and (d) are what drawing a million trips gives by itself, the square root of "
    "p (1 - p) / N: .017 for station 67 (printed .019), .007 for the busiest route (printed .007). Those tables say almost "
    "nothing about the privacy noise."
)
SURROGATE: Final = (
    "Invented trips with the paper's number of trips, stations and days and the printed shares. The trips of the "
    "Hubway challenge are not shipped; an owner of the file can load it on the Data page and run the same here."
)
"""About ``dpcore.demo.hubway``."""
