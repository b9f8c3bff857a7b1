"""The fixed texts of the Synthesize page."""

from __future__ import annotations

from typing import Final

from dpcore.kinds.roy.article import Outliers

INTRO: Final = (
    "Invented trips in the form of your own file. What they keep of the true trips was measured with noise. The "
    "rest is chance."
)
PRIVATE: Final = (
    "This page shows synthetic trips of a throw-away draw beside the true ones. Both are for you alone."
)

MODEL_TAB: Final = "Model of trips (Roy et al.)"
OPAL_TAB: Final = "Opal: publish large counts"

MODES_HELP: Final = (
    "**Sound**: small tables are counted, each with noise for its share of ε. They are made to agree, and new "
    "trips are drawn from them. This keeps its promise.\n\n"
    "**As published**: the mechanism of Roy, Kantarcioglu and Sweeney (DBSec 2016) to the letter. It costs "
    "1.5 times the ε that it names or more, and reads some things off the data without noise. So it is here for study "
    "and **can never be published**."
)

TERMS: Final = """
**Synthetic trips** are drawn from a noisy model of trips: how many go from where to where, at which hour, on which date, how
long. No synthetic trip is a true one. The model was estimated from noisy counts, so the promise of ε holds for the model and
for every trip drawn from it.

**The model** is a set of small tables: starts with ends; hours and day type for each start; dates; durations for each
band of distance; and, where your file has them, zip, type of user, gender and declared attributes. You may choose other tables. What no table holds is lost at any ε. For
example, station and date are independent of one another, given the day type.

**ε (epsilon)** is the total for one synthetic data set. The tables share it. Any number of trips may be drawn from the same
noisy tables without more cost.

**A station** is a tile. Give a table of stations as tiles to have one tile for each station.

**Noise and model.** The difference from the truth is noise (less with a larger ε), what the bound M leaves out, and what the
model leaves out. Draw 20 times to see the noise alone.

**Neighbours.** *Add or remove*: one data set has one trip (or person) more than the other. *Replace one*: both have the same
size and differ in one trip (or person). The same noise costs twice as much ε under *replace one*.

[All words](glossary)
"""

DOMAIN_HELP: Final = (
    "All of this is public, so choose it without looking at the trips. Left out are trips on other dates, trips "
    "outside all tiles, and trips shorter than a minute or as long as a day."
)
NO_PERIOD: Final = (
    "Synthetic trips need public dates: a first and a last day. Choose them here. They are never read off the "
    "trips."
)
HOLIDAYS_HELP: Final = "Public holidays, such as 2024-05-01, 2024-12-25. They count as weekend."
ZIPS_HELP: Final = (
    "The public list of zips that may appear, separated by commas. All others count as `other`. The list is never "
    "read off the trips."
)
NO_ATTRIBUTES: Final = (
    "No attributes were kept when these trips were read. If the file has a column that should be drawn, open **Attributes of the trips** "
    "on the Data page and write its public list."
)
ZIPS_MISSING: Final = "Zips are left out until their public list is typed in above."
MONTHS_HELP: Final = (
    "Stations may then be busy in different months. This needs one more table, so the other tables get a little "
    "more noise."
)

GROUPS_HELP: Final = (
    "Usually durations follow the distance, hours and day types the start, zips the start, user type and gender "
    "the zip, and declared attributes stand alone. Choose groups of your own from: {names}."
)
TOGETHER_HELP: Final = (
    "Groups separated by semicolons. Each is one table that costs a share of ε. Its last attributes are drawn given "
    "the ones before, in the order above, and what an earlier group draws is given too. `start,mode=3` gives it the weight 3 of about 20; usually it is 2."
)
MEASURED_HELP: Final = (
    "Attributes whose association you want to know. Their table costs a share of ε and draws nothing. "
    "Once it is published, the association is read off the release, never off the trips."
)
BANDS_HELP: Final = (
    "Public kilometres at which a band of distances begins. Usually 0.5, 1, 1.5, 2, 3, 4, 6 and 10."
)

NO_RELEASE: Final = (
    "Once synthetic trips are published, their noisy tables tell here which attributes are associated. This is never read off "
    "the trips."
)
ASSOCIATIONS: Final = (
    "Read off the noisy tables of that release, which were paid for, so it costs nothing. Cramér's V from 0 to 1, "
    "without what noise and chance add on average. 95 of 100 tables without association stay below the chance column. The article "
    "asks a chi-square test on the true trips instead."
)
PROPOSED: Final = "Proposed to be counted together: `{groups}`"

CLEANING: Final = (
    "A public rule judges each trip by itself. Left out are trips without a time or a tile at one of their ends, trips "
    "that start on other dates, and trips shorter than 60 seconds or of 24 hours and more. Nothing about other trips "
    "decides it, so removing a person changes no trip of anybody else. If a person is hidden, at most M of the rest "
    "count."
)
CLEANING_PAPER: Final = (
    "**Which trips are left out.** Invalid rows, then outliers: a duration more than {rule}. These quartiles are read off the trips without "
    "noise, so one person's trips decide which trips of others count. **No ε describes that.** The sound mode has fixed public "
    "bounds instead; they are ours."
)
OUTLIERS: Final = (
    'The article says no more than "the statistical 3IQR rule to attributes". The first rule takes it at its word. With the quartiles of '
    "each pair of stations an hour between neighbours is an outlier too; 1.5 is how others read the rule. Of the built-in city they leave out "
    "0.08, 0.52 and 2.33 % of the trips."
)
CLEANED: Final = "For your eyes only: {left} of {of} trips are left after it."

SWEEP: Final = (
    "The article shows AvRLE, EMD, TP and UL for ε from 0.1 to 1, each as mean and standard deviation of 20 draws. "
    "This is the same for your trips and your groups, sound and as published. Every draw looks at the true trips, so this is "
    "for you alone. Nothing is charged."
)
SWEEP_BUTTON: Final = "Sweep: {runs} draws at each of {epsilons} ε, in both modes"
SWEEP_READ: Final = (
    "Each number is the mean over the draws ± the standard deviation from draw to draw. *As published* names "
    "each ε for one group, so its real price is higher. The mean EMD of all tables adds kilometres, days and "
    "hours: compare it only with itself. *As published* leaves out here whatever lies more than "
    f"{Outliers.ATTRIBUTE.words}."
)

SHARES: Final = (
    "ε is divided among the tables, so together they cost ε. A trip adds one to one count of each "
    "table. So the noise of a count follows from the share of its table, and is M times as wide where a person is "
    "hidden."
)

MAPS: Final = "One scale for both: 1\N{MULTIPLICATION SIGN} is the share that each tile would have if all were equal. Grey: nothing."
SERIES: Final = "The original is dashed and brown. The synthetic trips are solid and teal."
NOT_ASKED: Final = (
    "Measures of people, such as trips per person or the radius of gyration, have no answer: synthetic trips "
    "belong to nobody."
)

RUNS: Final = (
    "One draw says little about how good the next one will be. Draw several times to see how much draws differ: "
    "**sigma** is the standard deviation from draw to draw. Every draw looks at the true trips, so this is for "
    "you alone. Nothing is charged, and no draw is published."
)
RUNS_BUTTON: Final = "Draw {runs} times"


PAPER_WARNING: Final = (
    "For study only: never published from here. It is **not private at the ε it names**. Part of it is not "
    "private for any ε: outliers, bins of durations and the number of trips are read off the data without noise."
)
PAPER_COST: Final = (
    "The paper names ε {epsilon} for one synthetic data set. But its {groups} groups of attributes are counted "
    "from the same trips, and each gets noise for the whole ε (Laplace noise of scale 2/ε). Their costs add up. "
    "Under *replace one*, which the paper means, the total is {groups} \N{MULTIPLICATION SIGN} {epsilon} = "
    "**{replace}**. Under *add or remove* it is half of that, **{add}**. The split by station inside a group "
    "costs nothing more."
)
PAPER_FIVE: Final = (
    "The paper has five groups (start and end; start and time; route and duration; start and zip; zip, user type "
    "and gender). They cost 5 ε under replace one and 2.5 ε under add or remove, so **4.5** and **2.25** at its ε "
    "of 0.9. Your trips lack some of these attributes, so they make {groups}."
)
OCCUPIED: Final = (
    "If only occupied cells get noise, the empty cells stay empty and show that nobody was there. **No ε at all** "
    "describes that."
)
FIGURE_1C: Final = (
    "Figure 1 (c) of the paper prints 0.52 to 0.54 % for days that truly have 0.54 to 0.56 %. Its text says that "
    "**every** cell of stations \N{MULTIPLICATION SIGN} dates \N{MULTIPLICATION SIGN} hours gets noise. That "
    "cannot give these numbers. Most cells are empty, and negative noise is cut off at 0. What is left are "
    "*phantoms*: trips that nobody made, spread evenly over all days. They outnumber the true trips and lower the "
    "share of every busy day. Only noise on **occupied** cells alone gives shares like the printed ones, and that "
    "is not differentially private. This is inferred from invented trips of the same size, because the true file "
    "may not be shipped."
)
SIGMAS: Final = (
    "The sigmas of its parts (a), (b) and (d) are those of drawing a million trips without any noise, the square "
    "root of p (1 - p) / N: 0.017 for station 67 (printed 0.019), 0.007 for the busiest route (printed 0.007). So "
    "those tables say almost nothing about the privacy noise."
)
SURROGATE: Final = (
    "Invented trips with the paper's number of trips, stations and days, and with the printed shares. The trips "
    "of the Hubway challenge are not shipped. An owner of the file can load it on the Data page and run the same "
    "here."
)
"""About ``dpcore.kinds.roy.hubway``."""
