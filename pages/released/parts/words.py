"""The fixed texts of the pages for viewers: plain words, each term explained where it is used."""

from __future__ import annotations

from types import MappingProxyType

EMPTY = """
There is no release here yet.

- Releases appear here when their bundles lie in the folder that `EPSILON_ATLAS_BUNDLES` names when the app is
  started (by default the folder `releases` of the app's data folder).
- To look at one bundle that somebody gave you, choose its .zip file below. It is checked first, and stays in your own
  visit.
"""
LIBRARY = (
    "Each release was paid for once and shows noisy counts only. Looking at it, sliding and clicking, costs no "
    "privacy: all of it is public already."
)
UPLOAD = "Look at a bundle of your own (.zip)"
NOT_OPENED = "Not opened"
WALK_HELP = (
    "Walk the tree of beginnings and ask how many went which way. It costs no privacy: all of it is public."
)
WALK = (
    "From left to right: tile after tile. The height of a box is the number of trajectories that begin so, with its range "
    "where you point; its colour the most delicate level on the way. Click a box to go in."
)
PATTERNS = "Tiles that many trajectories visit in this order, others between them or not."
TREE_PRICE = "Its level decides how much noise a place gets. Both numbers belong together: what a visit to a place of a level may show, and what the whole record may show, which was charged."
NO_VISITS = "This release holds no visits per tile, so there is no map of them."
NO_FLOWS = "This release holds no flows between tiles."
NO_RANKING = "This release holds neither visits nor flows, so there is nothing to rank."
NO_RHYTHM = "This release holds no counts over time, by weekday or by hour."
NO_PERIOD = "This release has no period, so it holds no counts over dates."
BAND = (
    ":material/show_chart: The band holds 95 % of the noise around each count. The vertical axis grows where "
    "noise needs more room."
)
LINES = (
    "Lines show the strongest flows between two different tiles, thick at their destination: one choice for all ε. "
    "Dashed ones are drowned by noise."
)
CLICK = "Click a tile, or choose one:"
RANKINGS = (
    "The first ten by noisy count. **Ahead of the next**: the chance that a place stands before the one below it among "
    "{counted}. **In the top**: the chance that it belongs to the first ten among them."
)
ACCURACY = (
    "How wide the noise is follows from ε, the share of the measure and its sensitivity alone, so it tells nothing "
    "about anyone. **Can be read from**: of all counts of a table, about one empty one gets that far by chance."
)
SENSITIVITY = (
    "The measures share ε, and their costs add up. *Sensitivity*: how much one privacy unit can change a whole table; "
    "the noise is wider by that factor."
)
VERIFY = (
    "Anyone can check that a bundle is as it was written: unpack it, name its folder in place of FOLDER, and compare "
    "the digest with that in the owner's ledger."
)
DOWNLOADS = (
    "Tables hold every released rung; negative counts stand in them as they are. In spreadsheets, names that could be "
    "taken for a formula begin with an apostrophe."
)
PRESENT_HELP = "Full width and large letters, for a wall or a meeting."
VERIFIED = (
    "Every file is as it was written: sums, manifest, keys and tables agree. Who wrote it is told by the digest in the "
    "owner's ledger; see Guarantee."
)
DOTS = (
    "Twenty dots, each one chance in twenty: what the count may be, as far as the noise leaves it open (supposing that "
    "beforehand every count was equally likely). Count the dots beyond your number."
)
ABSENT_RANK = (
    "Pairs that are not listed take no part in the ranking: their noisy counts were smaller. Of the listed pairs {false} "
    "can be expected to be noise alone; for such a pair the interval and the chances do not hold."
)
SHARED_SCALE = (
    "All small maps share one colour scale, the same at every ε: from few (dark) to many (light). Grey is what noise alone "
    "could have made."
)
ELSEWHERE = MappingProxyType(
    {
        "visits_per_tile": "The map stands under **Map**, the order of the tiles under **Rankings**.",
        "od_flows": "The lines and the table stand under **Flows**, their order under **Rankings**.",
    }
)
"""Where the pictures of measures over tiles are."""
CURVES = MappingProxyType(
    {
        "visits_per_tile": "Share of visits in the busiest tiles",
        "od_flows": "Share of trips in the busiest flows",
    }
)
REPORT_ELSEWHERE = "The whole report with its slider and all tables is under **Measures**."
STATIC = "The same file with maps and tables alone. It is smaller by the 4.8 MB of the chart library."
REPORT = "Every measure with its pictures, tables and words in one file that needs no network; it has the slider too."
STEP_BACK = "Exit presentation"
NOTHING = "There is no release to look at yet. The library says how one gets here."
