"""The fixed texts of the Trajectories page: plain words, each term explained where it is used."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpcore.synthesis.tree.choices import Outside, Source
from dpcore.synthesis.tree.plan import Definition, Strategy
from dpcore.synthesis.tree.question import Kind
from dpcore.synthesis.tree.tree import Consistency

INTRO: Final = (
    "Which way people went, tile after tile, with more noise where a place is more delicate. You say how delicate each "
    "place is."
)
PRIVATE: Final = "True lengths, true answers and throw-away trees stand on this page: they are for you alone."

TERMS: Final = """
**A trajectory** is a sequence of tiles: those of one trip, or all that a person visited on one day.

**The tree** holds, for each beginning of a trajectory that was frequent enough, about how many began so: through the
station; through the station, then the park; and so on, as many tiles deep as you choose.

**A level** says how delicate a visit to a place is, from *Public-ish* to *Critical*. It is a word of yours about a
place that everybody may hear, and it decides how much noise the counts get in which the place occurs.

**ε of a level** says how well it is hidden whether somebody *went on to* a place of that level or ended before it. That of
Critical is the ε you choose; those of the others are larger, because less noise is drawn for them. *Clinic or square?* is
another question: there the ε of both places add up.

**ε of the whole record** says how well it is hidden whether a trip (or a person) is in the data at all; what it did, if it
is, is hidden with twice this ε. It is never less than that of Critical, and it is what the ledger is charged.

**PLDP** stands for *personalised-location differential privacy*: the noise goes by how delicate a location is, not by
who visits it. The mechanism follows the idea of Deldar and Abadi (2018); its definitions and proofs are our own.
"""

MAKING_TITLE: Final = "1 Trajectories"
LEVELS_TITLE: Final = "2 How delicate places are"
PROMISE_TITLE: Final = "3 Promise"
GROW_TITLE: Final = "4 Grow"
ASK_TITLE: Final = "5 Ask"
PUBLISH_TITLE: Final = "6 Publish"

SOURCES: Final = MappingProxyType({Source.TRIP: "One trip", Source.DAY: "A person's day"})
SOURCE_HELP: Final = (
    "**One trip**: start, the tiles on the way if the file has them, and end.\n\n**A person's day**: everything that one "
    "person (or vehicle) visited on one local day, in order of time. A day is made of several trips, so it is the "
    "person who is hidden, with at most so many days.\n\n**A vehicle's day**: rename the column of the vehicle's id (such as "
    "`bikeid`) to `user_id` before you load the file, and choose the role of each column on the Data page. Then it is what one *vehicle* did in M days that is hidden, not a person, who "
    "may have used many."
)
NO_USERS: Final = "This form has no user ids: a trajectory is one trip."
DAY_HIDES: Final = "Hides a person: a day is made of several trips."
DAYS_HELP: Final = (
    "M, the contribution bound: of a person with more days, so many are counted, picked by a secret hash."
)
HEIGHT_HELP: Final = (
    "h: only the first tiles of a trajectory count, the rest is cut and said to go on. A high tree asks more questions "
    "of the same ε, so each count is noisier. Choose it without looking at the lengths below."
)
MOVES_HELP: Final = (
    "On: one entry for each move to another tile. Off: the tile at regular times since the first, so that staying is "
    "seen too."
)
OUTSIDES: Final = MappingProxyType(
    {
        Outside.LEAVE_OUT: "is left out",
        Outside.PLACE: "is one more place",
        Outside.END: "ends the trajectory",
    }
)
OUTSIDE_HELP: Final = (
    "A visit in no tile can be skipped as if nobody had seen it, can be a visit to one more place called `outside` "
    "(Critical unless you say otherwise), or can end the trajectory there."
)
LENGTHS_TITLE: Final = "How long they are (private: counted exactly, for you alone)"
LENGTHS: Final = (
    "How many trajectories have how many tiles, without noise. A height that follows from it is a choice made after "
    "looking, and publishing asks how you chose."
)

PUBLIC_LEVELS: Final = (
    "Levels are **public input** and are published. Set them from what places *are*, such as a clinic, never from the "
    "trips: they would give the trips away."
)
BUDGETS: Final = (
    "ε is that of Critical divided by the weight, times M. Choose ε and the promise in the next section."
)
RIGHT: Final = (
    "**Right of 100**: a guess between what is and what would be after the change that is right 50 of 100 times becomes right so "
    "often at most."
)
BY_LIST: Final = "The same by list, or from a file"
LEVELS_FILE_HELP: Final = (
    "GeoJSON with the properties `tile_id` and `privacy`, as it is exported here, or a CSV file with the columns "
    "`tile_id,privacy`. Tiles that it does not name become Critical. A member `descriptors` of the GeoJSON changes the scale."
)
ALL_CRITICAL_HELP: Final = (
    "Ordinary ε-differential privacy of trajectories: no place may show more than another."
)
ALL_CRITICAL: Final = (
    "All places are Critical, so both numbers are the same: ordinary differential privacy of trajectories."
)

DEFINITIONS: Final = MappingProxyType(
    {Definition.LOCATION: "Places", Definition.RECORD: "Whole trajectories"}
)
DEFINITION_HELP: Final = (
    "**Places** (location-PLDP): for each level, whether somebody *went on to* a place of it may show the ε of the "
    "level. Gains most.\n\n**Whole trajectories** (record-PLDP): a trajectory may show the ε of the most delicate place "
    "on it, as a whole. Gains little: every beginning might still lead to a Critical place, so it is counted as if it did."
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
    "How ε is laid along a path. **Adaptive**: each tile gets an equal part of what its path may still spend. "
    "**Non-adaptive**: a fixed share of the ε of the highest level on the path. **Uniform**: the same for all, as if "
    "all places were Critical. **By the end**: half for the tiles, the rest where the trajectory ends, when its highest "
    "level is known."
)
CONSISTENCIES: Final = MappingProxyType(
    {Consistency.EQUAL: "Add up exactly", Consistency.SLACK: "Never exceed", Consistency.NONE: "As they are"}
)
CONSISTENCY_HELP: Final = (
    "Noisy counts contradict each other. **Add up exactly**: each count becomes the sum of those below it. **Never "
    "exceed**: those below are no more than it, because rare ways were dropped. **As they are**: nothing is mended. It "
    "costs no privacy."
)
OF_A_LEVEL: Final = MappingProxyType(
    {
        Definition.LOCATION: "**Whether somebody went on to a place**, by its level",
        Definition.RECORD: "**Whether a trajectory is in the data**, by its highest level",
    }
)
EPSILON_HELP: Final = (
    "What a visit to a Critical place, the most delicate ones, may show at most. Other levels have more."
)

BY_LEVEL: Final = (
    "**Whom the ε of a level is about.** It holds for trajectories that end earlier but stay in the data, and for those of "
    "people with at most M of them. Where a whole trajectory is missing of a person with more, another one takes its place: "
    "that may show the ε of its level and that of the lowest level together. The ε of the whole record holds for everyone."
)
ON_NO_MAP: Final = (
    "What lies outside every tile is on no map: as a place, `outside`, it is {level}. The list below sets it."
)
TWO_NUMBERS: Final = "Both numbers belong together: that of a level is about going on to a place, that of the record about being in the data at all."

GROW_HELP: Final = (
    "Counts the trajectories and draws a throw-away tree, and beside it one with the uniform allocation at the same ε of "
    "Critical. Nothing is charged; neither is ever published."
)
NOT_GROWN: Final = "Draws two trees for looking, this one and the uniform one. Nothing is charged."
NOTHING_TO_ASK: Final = "Grow a tree first. Then ask how many went which way."
CHANGED: Final = (
    "Something above was changed since the last tree was grown: grow it anew to walk it and to ask."
)
THROWN_AWAY: Final = "Drawn for looking, with noise that is thrown away. What is published is drawn afresh."
NODES_HELP: Final = (
    "Beginnings of trajectories that were frequent enough to be kept, and their ends. What the noise could hide is left "
    "out; a few are made by noise alone."
)
ALL_HELP: Final = "The sum of what the tree kept. The true number is secret, so the tree does not know it."
ERROR_HELP: Final = (
    "Mean relative error over 2,000 public questions: how many of the trajectories that count under M pass all of a few "
    "places. Below 0.1 % of them the error is taken relative to that (the *sanity bound*)."
)
GAIN_HELP: Final = (
    "How much lower the mean error is than that of the uniform allocation at the same ε of Critical. Below 0 the levels "
    "make it worse. They are paid for with a larger ε of the whole record."
)
TRUTH_HELP: Final = (
    "Of the trajectories that count under M, which the tree is about; beneath it of all. Private."
)
UNIFORM_HELP: Final = (
    "The same question to a tree that treats every place as Critical, at the same ε of Critical."
)
WALK_HELP: Final = "The first tile; the most frequent ones come first."
ICICLE: Final = (
    "From left to right: tile after tile. The height of a box is its count; its colour the highest level on the way to it, "
    "grey the ends. Click a box to go in, its left neighbour to go back."
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
    "**Pass all**: in whatever order. **In order**: others may lie between. **Exactly**: one directly "
    "after the other, or with wildcards between. **Begin with**: exactly, from the first tile on."
)
TYPED_HELP: Final = (
    "`A, B` passes both · `A > B` A and later B · `A B` directly after · `A * B` one tile between · `A ** B` any number "
    'between · `^ A B` begins so. Ids or names; put one with spaces or signs in "quotes".'
)
SANITY: Final = (
    "Relative error: the difference from the truth, divided by the truth of those that count under M, or by 0.1 % of "
    "all that count where the truth is smaller (the *sanity bound*): else a rare way would count for more than all others."
)
PUBLISH_HELP: Final = (
    "A release draws its noise afresh, after the ledger was charged: no tree of this page ever becomes one. The bundle "
    "holds the noisy tree, synthetic trajectories made from it, the levels, the tiles and a manifest with both numbers."
)
