"""The fixed texts of the Trajectories page."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpcore.kinds.tree.choices import Outside, Source
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.question import Kind
from dpcore.kinds.tree.tree import Consistency

INTRO: Final = "How many people went which way. You say how delicate each place is: counts of delicate places get more noise."
PRIVATE: Final = "This page shows true lengths, true answers and throw-away trees. They are for you alone."

TERMS: Final = """
**A trajectory** is a sequence of tiles: those of one trip, or all that a person visited on one day.

**The tree** says about how many trajectories began in the same way: at the station; at the station and then the park; and
so on, as many tiles deep as you choose. Rare beginnings are left out.

**A level** says how delicate a visit to a place is, from *Public-ish* to *Critical*. You set it, and it is published. The
more delicate a place is, the more noise its counts get.

**The ε of a level** says how well it is hidden whether somebody *went on to* a place of that level or ended before it. You
choose the ε of Critical. The other levels have a larger ε, because they get less noise. To hide *which* of two places
somebody went to, such as a clinic or a square, the ε of both add up.

**The ε of the whole record** says how well it is hidden whether a trip (or a person) is in the data at all. What a trip or
person in the data did is hidden with twice this ε. It is never smaller than the ε of Critical. The ledger is charged this ε.

**PLDP** stands for *personalised-location differential privacy*: the noise depends on how delicate a location is, not on
who visits it. The idea is that of Deldar and Abadi (2018). The definitions and proofs are our own.

[All words](glossary)
"""

MAKING_TITLE: Final = "1 Trajectories"
LEVELS_TITLE: Final = "2 How delicate places are"
PROMISE_TITLE: Final = "3 Promise"
GROW_TITLE: Final = "4 Grow"
ASK_TITLE: Final = "5 Ask"
STUDY_BUTTON: Final = "What levels buy over ε"
STUDY_HELP: Final = (
    "At each ε of Critical five trees are grown with your levels, five with the uniform allocation, and five with the uniform allocation at which a record loses as "
    "much as with your levels. All are asked 2,000 random sets of tiles. For your eyes only: the errors are made from the true trajectories."
)
STUDY_READ: Final = "Mean relative error ± its standard deviation from tree to tree. Where the last column is the smallest, levels do not pay for what the whole record loses."
PUBLISH_TITLE: Final = "6 Publish"

SOURCES: Final = MappingProxyType({Source.TRIP: "One trip", Source.DAY: "A person's day"})
SOURCE_HELP: Final = (
    "**One trip**: start, the tiles on the way if the file has them, and end.\n\n**A person's day**: everything that one "
    "person visited on one local day, in order of time. A day is made of several trips, so the person is hidden, and at "
    "most M days of each person count.\n\n**A vehicle's day**: before you load the file, rename the column of the vehicle's id "
    "(such as `bikeid`) to `user_id`, and choose the role of each column on the Data page. This hides what one *vehicle* did "
    "in M days. It does not hide a person, who may have used many vehicles."
)
NO_USERS: Final = "This form has no user ids: a trajectory is one trip."
DAY_HIDES: Final = "Hides a person: a day is made of several trips."
DAYS_HELP: Final = "M, the contribution bound. If a person has more days, a secret hash picks M of them."
HEIGHT_HELP: Final = (
    "The height h: only the first h tiles of a trajectory count, and the rest is cut. A higher tree has more counts for the "
    "same ε, so each count is noisier. Choose h without looking at the lengths below."
)
MOVES_HELP: Final = (
    "On: one entry for each move to another tile. Off: one entry every so many minutes since the first, so that staying in "
    "a tile shows too."
)
OUTSIDES: Final = MappingProxyType(
    {
        Outside.LEAVE_OUT: "is left out",
        Outside.PLACE: "is one more place",
        Outside.END: "ends the trajectory",
    }
)
OUTSIDE_HELP: Final = (
    "What happens to a visit that lies in no tile. It is left out; or it counts as a visit to one more place called "
    "`outside`, which is Critical unless you set another level; or the trajectory ends there."
)
LENGTHS_TITLE: Final = "Lengths (exact, for you alone)"
LENGTHS: Final = (
    "How many trajectories have how many tiles, without noise. A height that you choose from this chart is chosen after "
    "looking at the data. You are asked about that before you publish."
)

PUBLIC_LEVELS: Final = "Levels are **public input** and are published. Set them from what places *are*, such as a clinic, never from the trips."
BUDGETS: Final = "The ε of a level is the ε of Critical divided by the weight, times M. You choose the ε of Critical in the next section."
RIGHT: Final = (
    "**Right of 100**: somebody guesses whether the change was made. Without the release, the guess is right 50 of 100 times. "
    "With it, the guess is right at most so often."
)
BY_FILE: Final = "Levels from a file"
CHOOSE_LEVEL: Final = "Choose a level"
SET_LEVEL: Final = "Set level"
LEVEL_OUTSIDE: Final = "Level of what lies outside the tiles"
LEVELS_FILE_HELP: Final = (
    "GeoJSON with the properties `tile_id` and `privacy`, as it is exported here, or a CSV file with the columns "
    "`tile_id,privacy`. Tiles that it does not name become Critical. The GeoJSON may define other levels in its member "
    "`descriptors`."
)
ALL_CRITICAL_HELP: Final = (
    "With this, no place may show more than another: ordinary differential privacy of trajectories."
)
ALL_CRITICAL: Final = (
    "All places are Critical, so both numbers are the same: this is ordinary differential privacy."
)

DEFINITIONS: Final = MappingProxyType(
    {Definition.LOCATION: "Places", Definition.RECORD: "Whole trajectories"}
)
DEFINITION_HELP: Final = (
    "**Places** (location-PLDP): whether somebody *went on to* a place is hidden with the ε of its level. Less noise for "
    "places that are not delicate.\n\n**Whole trajectories** (record-PLDP): whether a whole trajectory is in the data is "
    "hidden with the ε of the most delicate place on it. This saves little noise: any beginning might still lead to a "
    "Critical place, so it gets the noise of one that does."
)
STRATEGIES: Final = MappingProxyType(
    {
        Strategy.ADAPTIVE: "Adaptive",
        Strategy.NON_ADAPTIVE: "Non-adaptive",
        Strategy.UNIFORM: "Uniform",
        Strategy.RECORD: "By the end",
    }
)
STRATEGY_HELP: Final = (
    "How ε is divided between the tiles of a path. **Adaptive**: each tile gets an equal part of what its path may still "
    "spend. **Non-adaptive**: each gets a fixed share of the ε of the highest level on the path. **Uniform**: each gets the "
    "same, as if all places were Critical. **By the end**: the tiles get half. The rest is for the end of the trajectory, "
    "where its highest level is known."
)
CONSISTENCIES: Final = MappingProxyType(
    {Consistency.EQUAL: "Add up exactly", Consistency.SLACK: "Never exceed", Consistency.NONE: "As they are"}
)
CONSISTENCY_HELP: Final = (
    "Noisy counts contradict each other. **Add up exactly**: each count becomes the sum of the counts below it. **Never "
    "exceed**: the sum of the counts below may be smaller, because rare ways were left out. **As they are**: nothing is "
    "changed. None of this costs privacy."
)
OF_A_LEVEL: Final = MappingProxyType(
    {
        Definition.LOCATION: "**Whether somebody went on to a place**, by its level",
        Definition.RECORD: "**Whether a trajectory is in the data**, by its highest level",
    }
)
EPSILON_HELP: Final = "The most that a visit to a Critical place may show. The other levels have a larger ε."

ON_NO_MAP: Final = "What lies outside every tile is one place, `outside`, which is on no map."
TWO_NUMBERS: Final = (
    "The promise has both numbers. The ε of a level is about going on to a place. The ε of the whole record is about being in "
    "the data at all."
)

GROW_HELP: Final = (
    "Counts the trajectories and draws two throw-away trees: one with your levels, and one that treats every place as "
    "Critical (*uniform*). Nothing is charged, and neither is ever published."
)
NOT_GROWN: Final = "Draws this tree and a uniform one, for looking only. Nothing is charged."
NOTHING_TO_ASK: Final = "Grow a tree first."
CHANGED: Final = (
    "You changed something above since the last tree was grown. Grow a new tree to walk it and to ask."
)
THROWN_AWAY: Final = "Drawn for looking only. A release draws new noise."
NODES_HELP: Final = (
    "Beginnings of trajectories that were frequent enough to be kept, and their ends. Rare beginnings are left out. A few "
    "nodes are made by noise alone."
)
ALL_HELP: Final = (
    "The sum of the counts in the tree. The true number is private, so the tree does not hold it."
)
ERROR_HELP: Final = (
    "The mean relative error over 2,000 public questions. Each asks how many trajectories, of those that count under M, pass "
    "all of a few places. If the true answer is below 0.1 % of all, the error is divided by that 0.1 % instead (the *sanity "
    "bound*)."
)
GAIN_HELP: Final = (
    "How much lower the mean error is than that of the uniform tree at the same ε of Critical. Below 0, the levels make it "
    "worse. The price of levels is a larger ε of the whole record."
)
TRUTH_HELP: Final = "The true number among the trajectories that count under M, which the tree counts. Below it: among all. Private."
UNIFORM_HELP: Final = (
    "The same question to a tree that treats every place as Critical, at the same ε of Critical."
)
WALK_HELP: Final = "The first tile of the trajectories; the most frequent tile stands first."
ICICLE: Final = (
    "From left to right: tile after tile. The height of a box is its count. Its colour is the highest level on the way to it; "
    "ends are grey. Click a box to go in, and its left neighbour to go back."
)

KINDS: Final = MappingProxyType(
    {
        Kind.SET: "Pass all",
        Kind.ORDER: "In order",
        Kind.EXACT: "Exactly",
        Kind.PREFIX: "Begin with",
    }
)
KINDS_HELP: Final = (
    "**Pass all**: all places, in any order. **In order**: other places may lie between. **Exactly**: one place directly "
    "after the other, or with wildcards between. **Begin with**: as exactly, from the first tile on."
)
SANITY: Final = (
    "Relative error: the difference from the truth, divided by the truth, of the trajectories that count under M. If the "
    "truth is below 0.1 % of all that count, that 0.1 % is the divisor (the *sanity bound*). Otherwise one rare way would "
    "weigh more than all others."
)
PUBLISH_HELP: Final = (
    "A release draws new noise after the ledger was charged. No tree of this page is ever published. The bundle holds the "
    "noisy tree, synthetic trajectories made from it, the levels, the tiles and a manifest with both numbers."
)
