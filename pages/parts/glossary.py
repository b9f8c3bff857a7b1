"""The words of this app, explained once, for every page that uses or links to them."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

PAGE: Final = "pages/learn/glossary.py"
"""Where all of them stand; listed wherever lessons are."""

TERMS: Final = MappingProxyType(
    {
        "Differential privacy": (
            "A promise about everything that is published: whether one person (or one trip) is in the data or not, every "
            "result is almost equally likely. It is kept by adding random noise to every count."
        ),
        "ε (epsilon)": (
            "How much may show. Small: strong protection, much noise; large: little of both. The odds that somebody is in the data "
            "move by a factor of at most e to the power ε; those of what somebody in the data did, by e to the power 2 ε."
        ),
        "δ (delta)": (
            "Slack on top of ε: any set of results may be e to the power ε times as likely, plus δ. It makes room for results "
            "that give somebody away, such as that a rare place is listed; it is not the probability of passing ε, which may be "
            "larger. Counts whose keys are listed beforehand need none: then δ is 0."
        ),
        "Privacy unit": (
            "Whom to hide: everything that a person did, or one single trip. Where single trips are hidden, somebody with k "
            "trips has k times the ε."
        ),
        "M (contribution bound)": (
            "At most so many trips of each person count. A small M needs less noise and leaves out more of what busy people did."
        ),
        "Neighbours": (
            "Two data sets that nobody shall be able to tell apart. Here one of them has one privacy unit more (*add or "
            "remove*): ε hides whether somebody is there, 2 ε what somebody there did. Elsewhere both have the same size and "
            "differ in one (*replace one*): ε hides what somebody did and does not hide whether they are there."
        ),
        "Sensitivity": (
            "The most that one privacy unit can change a whole table, all changes added up. Noise is as wide as the sensitivity "
            "divided by ε."
        ),
        "L0, L1, L2, L\N{INFINITY}": (
            "Four sizes of a change: how many counts move, how far all move together, the root of the sum of squares, and how "
            "far the one moves that moves most. The sensitivity of a count here is an L1."
        ),
        "Discrete Laplace noise": (
            "Whole numbers around zero, each step away less likely by the same factor: e to the power minus ε over the "
            "sensitivity. Also called two-sided geometric noise; whole numbers leave no telltale digits. All counts here have it."
        ),
        "Gaussian noise": (
            "Noise in the shape of a bell. It needs a δ, and is the better choice where one person changes many counts a little."
        ),
        "95 % interval": (
            "95 times out of 100 the noise of a count is no larger than this. It speaks of the noise alone, not of the trips "
            "that M leaves out, and of a count that you chose before looking: among the largest of many, noise has lifted "
            "more than it lowered."
        ),
        "Drowned by noise": (
            "A count so small that noise alone could make it. Drawn grey: merge tiles, or raise ε. A tile whose 95 % range "
            "ends low on the scale of the map is known to have **few or none** instead: it is drawn almost as the paper, with its own line in the legend."
        ),
        "Rungs": (
            "The stops of the slider. The noise of a smaller ε is the noise of the larger one made coarser, so looking at all "
            "stops tells no more than the largest one does. Of a release it tells no less either: every stop is public."
        ),
        "Trip": (
            "One way from a start to an end, each with a place and a time. It counts on the day, and in the week, of its end."
        ),
        "Tessellation": (
            "The tiles on which visits and flows are counted: areas that do not overlap. It is public and must be chosen "
            "without looking at the trips."
        ),
        "Outside": "Trips whose place lies in no tile. They count, under that name.",
        "Visit": "A start or an end of a trip in a tile. One trip makes two, so it moves a table of visits by 2.",
        "Flow": (
            "The trips from one tile to another, also called origin and destination (OD). There are as many flows as pairs of "
            "tiles, most of them empty."
        ),
        "Measure": (
            "One question that may be asked of trips, such as visits per tile. Its keys are public and its sensitivity is proved."
        ),
        "Public": (
            "Known or chosen without looking at the trips: tiles, dates, bins, M and ε. What is read off the trips tells "
            "something about them, however harmless it looks."
        ),
        "Preview": (
            "Noise beside the truth, for the owner's eyes alone and thrown away afterwards. It is never published: choosing a "
            "pleasing draw would break the promise."
        ),
        "Release": (
            "Noisy tables that were paid for and may be shown to anybody. Looking at them, sliding and clicking, costs nothing more."
        ),
        "Budget": (
            "The largest total ε that a data set may ever cost. When it is spent, nothing more is published about these people."
        ),
        "Ledger": (
            "The account book of a data set: what was spent, on what, and what is left. It is written before the noise is drawn, "
            "so a crash may lose budget and never privacy."
        ),
        "Sequential composition": (
            "What several answers about the same people tell adds up, and so do their ε. Asking the same question again is paid again."
        ),
        "Parallel composition": (
            "Counts of parts that no privacy unit can share cost together as much as the dearest of them. Days are no such "
            "parts for a person, who travels on many of them."
        ),
        "zCDP": (
            "A way to count what Gaussian noise costs, by a number named rho: those of all answers add up and are turned into ε "
            "and δ at the end. For many answers that is a smaller total than adding each ε."
        ),
        "Post-processing": (
            "Everything that is done with published numbers alone: rounding, adding, drawing maps. It costs no ε, because it "
            "tells nothing that they did not tell."
        ),
        "Clipping": (
            "Cutting negative noisy counts off at zero. It makes a small mistake at each empty place, always in the same "
            "direction, so totals are taken from counts that were not clipped."
        ),
        "Consistency": (
            "Noisy numbers that ought to agree, such as a total and its parts, are moved as little as possible until they do. "
            "It is post-processing."
        ),
        "Threshold": (
            "Noisy counts below it are not listed. Where all keys are public it costs nothing; where the keys come from the data "
            "it decides how small δ is."
        ),
        "Ghost flow": (
            "A flow that nobody travelled, made by noise on an empty pair of tiles. With many empty pairs there are many, "
            "unless a threshold stands high enough. How many false flows may pass is chosen before a release."
        ),
        "Suppression": (
            "Hiding small counts, such as those below ten. It is not differential privacy: what is hidden often follows from "
            "other tables."
        ),
        "Differencing": (
            "Subtracting two results that differ by a little, such as one day or one street. Exact results give the difference "
            "away; noisy ones give noise."
        ),
        "Membership attack": (
            "Guessing from what was published whether somebody is in the data. With ε and even chances nobody is right more "
            "often than e to the power ε, divided by one more than that. What somebody in the data did is guessed with 2 ε."
        ),
        "Quantile": (
            "The value below which a given share of all values lies; the median is the one for one half. Taken from the data "
            "as it is, it would be somebody's own value."
        ),
        "Exponential mechanism": (
            "Chooses one answer out of a public list, one that fits the data well with a greater chance. ε says how much greater. "
            "Five-number summaries and bought ranges are drawn so, by OpenDP, with a floating-point scale of noise, rounded up."
        ),
        "Synthetic trips": (
            "Invented trips, drawn from noisy tables. They keep what the tables hold, lose the rest, and promise what the "
            "tables promise."
        ),
        "Privacy descriptor": (
            "The level of a place, such as *clinic* or *square*: whether somebody went on to a place of the highest level is hidden "
            "with the smallest ε. To which of two places, with the sum of both; whether a trip is there at all, with the largest."
        ),
        "Central model": (
            "The owner sees the trips as they are and adds the noise; everybody else sees the result. In the local model each "
            "phone adds noise of its own, which takes far more of it."
        ),
        "Audit": (
            "Running a mechanism many times on two neighbours to see how well its results tell them apart. It can find a "
            "mechanism out; it can never prove that one is right."
        ),
        "Seed": (
            "A number from which a computer makes the same random numbers again. Right for a class on invented data, wrong "
            "for noise that shall protect: who knows the seed can take the noise away."
        ),
    }
)
"""Each word with its explanation, Markdown, in the order in which they build on each other."""


def explained(words: Iterable[str]) -> str:
    """Some words with their explanations as Markdown, each a paragraph; KeyError for one that is not there."""
    return "\n\n".join(f"**{word}**  \n{TERMS[word]}" for word in words)
