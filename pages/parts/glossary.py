"""The terms of this project, explained once: for the page Glossary, for other pages, and for docs/reference/glossary.md."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

PAGE: Final = "pages/learn/glossary.py"
"""Where all of them stand; listed wherever lessons are."""

TERMS: Final = MappingProxyType(
    {
        "Differential privacy": (
            "A promise about everything that is published: every result is almost equally likely whether one person "
            "(or one trip) is in the data or not. Random noise on every count keeps it."
        ),
        "ε (epsilon)": (
            "How much may show. A small ε protects strongly and needs much noise. A guess whether somebody is in the data, right 50 of "
            "100 times by luck, is right at most 53 at ε = 0.1, 74 at 1, nearly always at 5. The odds that somebody is in it change by a factor "
            "of at most e to the power ε, of what somebody did by e to the power 2 ε."
        ),
        "δ (delta)": (
            "Slack on top of ε: any set of results may be e to the power ε times as likely, plus δ. It is needed "
            "where the result itself can give somebody away, such as a rare place on a list. Note that it is not the "
            "probability of passing ε, which may be larger. Where all keys are listed beforehand, δ is 0."
        ),
        "Privacy unit": (
            "What is hidden: everything that a person did (*user level*), or one single trip (*trip level*). At trip "
            "level, somebody with k trips has k times the ε."
        ),
        "User level, trip level": (
            "The two privacy units. At user level all trips of a person are hidden together, and at most M of them "
            "count. At trip level all trips count and one trip is hidden, but a person with many trips shows. The literature "
            "calls trip level *item level*."
        ),
        "M (contribution bound)": (
            "At most M trips of each person count. A small M needs less noise and leaves out more trips of busy "
            "people."
        ),
        "Neighbours": (
            "Two data sets that nobody shall be able to tell apart. Here one has one privacy unit more (*add or "
            "remove*): ε hides whether somebody is there, 2 ε what they did. Elsewhere both have the same size and "
            "differ in one unit (*replace one*): ε hides what somebody did, not whether they are there."
        ),
        "Sensitivity": (
            "The most that one privacy unit can change a whole table, all changes added up. The noise is as wide as "
            "the sensitivity divided by ε."
        ),
        "Local sensitivity": (
            "The most that one privacy unit can change a result of *these* data. The *global* one, which noise here follows, "
            "is the most in any data. For the median of many equal durations the local one is 0 and the global one half a day. "
            "The local one is read off the data, so noise as wide as it would give some of them away."
        ),
        "L0, L1, L2, L\N{INFINITY}": (
            "Four sizes of a change. L0: how many counts change. L1: the sum of all changes. L2: the root of the sum "
            "of their squares. L\N{INFINITY}: the largest change. The sensitivity of a count here is an L1."
        ),
        "Discrete Laplace noise": (
            "Whole numbers around zero. Each step away from zero is less likely by the same factor, e to the power "
            "minus ε over the sensitivity. It is also called two-sided geometric noise. All counts here have it."
        ),
        "Gaussian noise": (
            "Noise in the shape of a bell. It needs a δ. It is the better choice where one person changes many counts "
            "a little."
        ),
        "95 % interval": (
            "95 times out of 100 the noise of a count is no larger than this. It is about the noise alone, not about "
            "trips that M leaves out. It holds for a count that you chose before looking: the largest of many counts "
            "were more often raised by noise than lowered."
        ),
        "Share that counts": (
            "How many of all trips the released counts hold. At user level M leaves trips out. A paid total of all trips, at "
            "most C of each person, tells how many. At trip level all trips count."
        ),
        "Estimate": (
            "What all tables of a release tell together, about the trips that count or about all trips. For all trips it assumes "
            "that people who travel a lot go where others go, and when others go. It costs no ε and is never negative. The released count "
            "stays the fact."
        ),
        "Likely range": (
            "The range of an estimate, which aims at 95 % of tiles on average. It rests on a model of noise and of places that are "
            "alike. It is no guarantee: where the model fails, fewer ranges hold."
        ),
        "Draws": (
            "What all true counts may be together, told a hundred times. Add up the same tiles in each draw: the middle 95 of the 100 sums "
            "are the range of the sum. Adding ends of ranges gives a wrong one. In each draw the share that counts is one number for all "
            "tiles, because its error does not average out."
        ),
        "Drowned by noise": (
            "A count so small that noise alone could make it, drawn grey and hatched. Larger tiles or a larger ε help. "
            "A tile whose 95 % range ends low on the scale of the map is known to have **few or none**: it is as light "
            "as paper. The legend names both where they occur."
        ),
        "Stands out": (
            "A count stands out if noise alone could hardly have made it. Of all cells of its table, about one empty "
            "one gets that far by chance. What does not stand out is drowned by noise, or has few or none."
        ),
        "Readable tile": ("A tile whose visits stand out of the noise."),
        "Known tile": (
            "A tile is known if the likely range of its estimate reaches at most 25 % of the estimate to either side. *Of 100 "
            "visits* weighs tiles by their estimates, since a few busy tiles often hold most visits. A tile whose range holds 0 is "
            "nearly empty, or noise hides what it has."
        ),
        "Flows that stand out": (
            "The flows that stand out of the noise. At most one of them is expected to be false, that is, made by "
            "noise on a pair of tiles without a trip."
        ),
        "Stops, rungs": (
            "The ε that the slider can show. Files and code call them *rungs* of the ladder. The noise of a smaller ε is that of "
            "the larger ε made coarser, so all stops together tell no more than the one with the largest ε. A release "
            "publishes all its stops, so a lower one protects no better."
        ),
        "Ladder": (
            "One draw of noise for all stops: the noise of a stop is that of the next finer one plus further noise. "
            "So the slider is itself private, and a release can be raised later by continuing the same draw."
        ),
        "Top-up": (
            "Raising a release to a larger ε for the difference in price. The new stops are finer; the old ones stay "
            "as they were. Listed pairs stay listed, and no pair is added."
        ),
        "Trip": (
            "A way from a start to an end, each with a place and a time. It counts on the day and in the week of its "
            "end."
        ),
        "Points, trip rule": (
            "Places and times of a person without trips, as of a GPS tracker. A public rule cuts them: where a person has no "
            "point for longer than a gap, or from stay to stay. Every release says the rule."
        ),
        "Tessellation": (
            "The tiles: areas that do not overlap, on which visits and flows are counted. It is public and must be "
            "chosen without looking at the trips."
        ),
        "District": (
            "A public group of neighbouring tiles, from the file of tiles or made by halving the map. There are far fewer "
            "pairs of districts than of tiles, so flows between them stand out of the noise."
        ),
        "Region": (
            "Tiles merged on a map until their visits are readable at the relative error that the reader chooses. As ε falls, "
            "regions grow: the map gets coarser instead of noisier. They cost no ε."
        ),
        "Outside": ("The place of a trip end that lies in no tile. Such ends are counted under that name."),
        "Visit": (
            "A start or an end of a trip in a tile. One trip makes two visits, so its sensitivity in a table of "
            "visits is 2."
        ),
        "Flow": (
            "The trips from one tile or district to another, also called an origin-destination (OD) flow. There is a flow "
            "for each *pair* of places in each direction, and most flows between tiles are empty."
        ),
        "Measure": (
            "One question that may be asked of trips, such as visits per tile. Its keys are public and its "
            "sensitivity is proved."
        ),
        "Key": (
            "What names one count of a table, such as a tile, or an hour on weekdays. Keys are listed beforehand "
            "without looking at the trips, except for large counts."
        ),
        "Weight": (
            "How ε is shared between measures: each gets the part of ε that its weight has in the sum. A larger "
            "weight means less noise for that measure."
        ),
        "Five-number summary": (
            "The values below which 5, 25, 50, 75 and 95 % of all values lie. They are read off the noisy bins of a "
            "histogram for free, or bought with a share of ε. The smallest and the largest value are never published."
        ),
        "Public": (
            "Known or chosen without looking at the trips: tiles, dates, bins, M and ε. Whatever is read off the "
            "trips tells something about them."
        ),
        "Preview": (
            "Noise beside the truth, for the owner alone. It is thrown away and never published: choosing a pleasing "
            "draw would break the promise."
        ),
        "Owner, viewer": (
            "The two roles of the app. An owner may see the trips and previews. A viewer sees releases only."
        ),
        "Forecast": (
            "What a plan will give, worked out before anything is paid. It uses public facts alone: the number of "
            "tiles, ε, M, and how many trips and people you declare."
        ),
        "Release": (
            "Noisy results that were paid for and may be shown to anybody. Looking at them costs nothing more."
        ),
        "Bundle": (
            "The folder or .zip file of a release: its tables, the tiles, and the manifest. Anyone may hold it and "
            "check it."
        ),
        "Manifest, digest": (
            "The manifest lists the files of a bundle, the plan and the promise. Its digest is a checksum (SHA-256) "
            "that the ledger keeps too: if both agree, the bundle is the one that was paid for."
        ),
        "Library": (
            "The page that lists all releases in the folder of releases. In the documentation, *library* is the "
            "Python package `dpcore`."
        ),
        "Budget": (
            "The largest ε that all releases about a data set may cost together. When it is spent, nothing more is "
            "published about these people."
        ),
        "Ledger": (
            "The account book: what was spent, on what, and what is left. A release is charged before its noise is "
            "drawn, so a crash can lose budget but never privacy."
        ),
        "Account": (
            "The part of the ledger that belongs to one data set. All releases about the same people must be charged "
            "to one account: no program can notice that two accounts are about the same people."
        ),
        "Currency of an account": (
            "Whose ε it counts: per person (*user*) or per trip. An account per person takes only releases that hide "
            "persons. An account per trip takes both kinds. The currency is fixed at the first release."
        ),
        "Part": (
            "A declared part of a data set that shares no person (or, in an account per trip, no trip) with any other "
            "part. Parts are charged side by side: the account pays for the dearest one, not for the sum. No program "
            "can check the declaration."
        ),
        "Nonce": (
            "The name of one request to publish. The same nonce gives the same release and is charged once, so a run "
            "that was cut short can be repeated."
        ),
        "Reservation": (
            "A charge whose release is not finished yet. Finishing it costs nothing more. It can be given back only "
            "if no noise was drawn."
        ),
        "Sequential composition": (
            "Several answers about the same people: their ε add up. Asking the same question again is paid again."
        ),
        "Parallel composition": (
            "Answers about parts that share no privacy unit: together they cost as much as the dearest of them. Days "
            "are no such parts at user level, because a person travels on many days."
        ),
        "zCDP": (
            "A way to count what Gaussian noise costs, by a number named rho. The rho of all answers add up and are "
            "turned into ε and δ at the end. For many answers this gives a smaller total than adding each ε."
        ),
        "Post-processing": (
            "Everything that is done with published numbers alone, such as rounding, adding or drawing maps. It costs "
            "no ε, because it tells nothing new about the data."
        ),
        "Clipping": (
            "Setting negative noisy counts to zero. It raises small counts on average and lowers none, so totals are "
            "taken from counts that were not clipped."
        ),
        "Consistency": (
            "Noisy numbers that ought to agree, such as a total and its parts, are changed as little as possible "
            "until they agree. It is post-processing."
        ),
        "Threshold": (
            "Noisy counts below it are not listed. Where all keys are public, it costs nothing. Where the keys come "
            "from the data, it decides how small δ is."
        ),
        "Ghost flow": (
            "A flow that nobody travelled, made by noise on a pair of tiles without trips, also called a *false "
            "flow*. How many may be listed is chosen before a release, and the threshold follows from it."
        ),
        "Large counts": (
            "A kind of release: counts of times and places that are shown only if they reach a threshold, as for the "
            "Opal cards of Sydney. Their keys come from the data, so they need a δ."
        ),
        "Suppression": (
            "Hiding small counts, such as those below ten. It is not differential privacy: hidden counts often follow "
            "from other tables."
        ),
        "Differencing": (
            "Subtracting two results that differ by a little, such as one day or one street. Exact results give away "
            "the difference. Noisy ones give mostly noise."
        ),
        "Reconstruction": (
            "Working out the rows behind many published results, as one solves equations. Enough results that are exact, or have too "
            "little noise, give nearly all rows away. Against this the ε of all results are added up, and the ledger stops at "
            "the budget."
        ),
        "Membership attack": (
            "Guessing from what was published whether somebody is in the data. With even chances before, the guess is "
            "right with probability at most e to the power ε, divided by one more than that. For what somebody in the "
            "data did, take 2 ε."
        ),
        "Quantile": (
            "The value below which a given share of all values lies. The median is the quantile for one half. The "
            "exact quantile would be somebody's own value."
        ),
        "Exponential mechanism": (
            "Draws one answer from a public list; an answer that fits the data well has a greater chance, and ε says "
            "how much greater. Here OpenDP draws bought five-number summaries and ranges of bins this way, with a "
            "scale in floating point that is rounded up."
        ),
        "Synthetic trips": (
            "Invented trips, drawn from noisy tables. They keep what the tables hold and lose the rest. Their promise "
            "is that of the tables."
        ),
        "Cramér's V": (
            "How strongly two attributes are associated, from 0 to 1. The article on synthetic trips asks a chi-square test on the "
            "true trips instead. With many trips such a test finds even what is too weak to matter, and it reads the data "
            "without noise. V is chi-square without the size of the data, here of noisy tables."
        ),
        "Sound and paper mode": (
            "Two ways to make synthetic trips. *Sound* keeps its promise, and every release is made so. *Paper* mode "
            "follows a published article to the letter, costs more ε than it names, and cannot be published."
        ),
        "Privacy descriptor": (
            "The level of a place, such as a clinic or a square. Whether somebody *went on to* a place of the highest "
            "level is hidden with the smallest ε. To which of two places they went: with the sum of both ε. Whether a "
            "trip is there at all: with the largest ε."
        ),
        "Levels": (
            "How delicate a visit to a place is: usually Public-ish, Low, Medium, High or Critical. The owner sets "
            "them from what places are, never from trips, and they are published. Counts of delicate places get more "
            "noise."
        ),
        "Trajectory": ("A sequence of tiles: those of one trip, or all that one person visited on one day."),
        "Trajectory tree": (
            "Noisy counts of how many trajectories begin with a tile, with two given tiles, and so on. Beginnings "
            "whose noisy count is too small are left out. The number of tiles that count is its *height*."
        ),
        "PLDP": (
            "Personalised-location differential privacy: the noise of a count depends on how delicate a place is, not "
            "on who visits it. Its promise has two numbers: the ε of a level and the ε of the whole record. The "
            "second is charged."
        ),
        "Intimate stalker": (
            "The attacker of the article on PLDP-TD. Its text is not open, so this reading is ours: somebody close to a person "
            "who knows all of a way but one place. Which place that is, is hidden with the ε of its level plus that of the "
            "lowest level; with all places Critical, with twice its ε."
        ),
        "Exclusion attack": (
            "Sharp counts of harmless places also say who was *not* at a delicate one. Every promise that protects "
            "some places less has this weakness."
        ),
        "Central model": (
            "The owner sees the trips as they are and adds the noise. Everybody else sees the result. In the *local "
            "model* each phone adds its own noise, which takes far more of it."
        ),
        "The wall": (
            "The part of the code that may touch trips and exact counts (`dpcore/private`). A test checks that only "
            "the owner's tools and the door import it."
        ),
        "The door": (
            "The only way from exact counts to a release (`dpcore/curator`): it takes the price, charges the ledger, "
            "draws the noise and writes the bundle, in this order."
        ),
        "Audit": (
            "Running a mechanism many times on two neighbours to see how well its results tell them apart. It can "
            "show that a mechanism is wrong. It can never prove that one is right."
        ),
        "Seed": (
            "A number from which a computer makes the same random numbers again. It is right for invented data in a "
            "class. It is wrong for noise that shall protect: whoever knows the seed can take the noise away."
        ),
    }
)
"""Each word with its explanation, Markdown, in the order in which they build on each other."""


def explained(words: Iterable[str]) -> str:
    """Some words with their explanations as Markdown, each a paragraph; KeyError for one that is not there."""
    return "\n\n".join(f"**{word}**  \n{TERMS[word]}" for word in words)
