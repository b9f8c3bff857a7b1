"""The fixed texts of the pages for viewers."""

from __future__ import annotations

from types import MappingProxyType

EMPTY = """
There is no release here yet.

- Releases appear here when their bundles lie in the folder that `EPSILON_ATLAS_BUNDLES` names when the app is
  started (by default the folder `releases` of the app's data folder).
- To look at a bundle that somebody gave you, choose its .zip file below. It is checked first, and nobody else sees it.
"""
LIBRARY = (
    "Each release shows counts with noise in them, which hides people or single trips. It was paid for once, in privacy, when it was "
    "published: looking at it costs no more."
)
UPLOAD = "Look at a bundle of your own (.zip)"
NOT_OPENED = "Not opened"
STORED = "It was paid for once: looking at it costs no more privacy."
KIND_REPORT = "All views on one page that needs no network"
EPSILON_LINK = "[ε (epsilon)](glossary?word=epsilon)"
GREY = "Tiles without a colour have few or none."
LINES_OF_FLOWS = "Lines on a map are flows. They are thick where they end."
BY_NUMBER = (
    "By estimate, by released count: the largest number, which may be chance. Noise may hide a busier place."
)
SINCE = "What changed since {when}"
SINCE_HELP = (
    "Which tiles rose or fell by more than the noise explains. All of it follows from what was released."
)
WALK_HELP = (
    "Walk the tree of beginnings and ask how many went which way. This costs no privacy: all of it is public."
)
WALK = (
    "From left to right: tile after tile. The height of a box is the number of trajectories that begin in this "
    "way; point at it to see its range. Its colour is the most delicate level on the way. Click a box to go in."
)
PATTERNS = "Tiles that many trajectories visit in this order, with or without other tiles between them."
TREE_PRICE = (
    "The level of a place decides how much noise its counts get. The promise has two numbers: what a visit to a "
    "place of a level may show, and what the whole record may show. The second was charged."
)
COLOURS = "Colours of the map"
AS_TABLE = "The same as a table"
NO_VISITS = "This release holds no visits per tile, so there is no map of them."
NO_DRAWN_FLOWS = (
    "Counts of flows between tiles were not released: by their noise hardly one could be read. The estimate of them is on the "
    "other side of the switch."
)
ESTIMATED_LINES = (
    "Lines show the strongest estimated flows between two different districts from afar, and between two different tiles when "
    "near. They are thick at their destination. While ε moves they are dashed, until the estimates of the stop are there."
)
ESTIMATED_ORDER = (
    "The order is by estimate. Where likely ranges overlap, it is open. Chances of ranks belong to the released counts: see the "
    "other side of the switch."
)
LIKELY_BAND = (
    "The band is the likely range of each estimate. The vertical axis grows where it needs more room."
)
DERIVED_WEEK = "Derived from the dates at no cost: their noise adds up."
NO_FLOWS = "This release holds no flows between tiles."
NO_RANKING = "This release holds neither visits nor flows, so there is nothing to rank."
NO_RHYTHM = "This release holds no counts over time, by weekday or by hour."
NO_PERIOD = "This release has no period, so it holds no counts over dates."
BAND = (
    "The band holds 95 % of the noise around each count. The vertical axis grows where noise needs more room."
)
LINES = (
    "Lines show the strongest flows between two different districts from afar, and between two different tiles when near. They are "
    "thick at their destination. Flows that noise alone could have made are not drawn."
)
WHOLE_PERIOD = ", of the whole period"
ESTIMATING = "Computing the estimates of this ε"
NO_SELECTED_FLOWS = "This release says nothing about the flows of this choice. Estimates may: see the switch."
RANKINGS = (
    "The first ten by noisy count. **Ahead of the next**: the chance that a place really comes before the one "
    "below it. **In the top**: the chance that it is really among the first ten. Both are about {counted}."
)
ACCURACY = (
    "The width of the noise follows from ε, the share of the measure and its sensitivity alone, so it tells "
    "nothing about anyone. **Can be read from**: of all counts of a table, about one empty one gets that far by "
    "chance."
)
SENSITIVITY = (
    "The measures share ε, and their costs add up. *Sensitivity* is how much one privacy unit can change a whole "
    "table. The noise is wider by that factor."
)
VERIFY = (
    "Anyone can check that a bundle was not changed. Unpack it, write the name of its folder in place of FOLDER, "
    "and compare the digest with the one in the owner's ledger."
)
DOWNLOADS = (
    "Tables hold every released stop, and negative counts as they are. Names that a spreadsheet could take for a "
    "formula begin with an apostrophe."
)
PRESENT_HELP = "Full width and large letters, for a wall or a meeting."
VERIFIED = (
    "No file was changed: checksums, manifest, keys and tables agree. The digest in the owner's ledger tells who "
    "wrote it; see Guarantee."
)
DOTS = (
    "Twenty dots, each one chance in twenty, show what the true count may be. This supposes that every count was "
    "equally likely beforehand. Count the dots beyond your number."
)
ABSENT_RANK = (
    "Pairs that are not listed have no rank: their noisy counts were smaller. Of the listed pairs {false} can be "
    "expected to be noise alone. For such a pair the interval and the chances do not hold."
)
FIRST_OF_SUMS = "The {most:,} largest of {cells:,} sums are listed."
SHARED_SCALE = (
    "All small maps share one colour scale, the same at every ε: from few (dark) to many (light). Grey: noise "
    "alone could have made the count, or half of the likely range is as wide as the number."
)
ELSEWHERE = MappingProxyType(
    {
        "visits_per_tile": "The map stands under **Map**, the order of the tiles under **Rankings**.",
        "od_districts": "The table stands under **Flows**, the order under **Rankings**.",
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
PART_HELP = "Several are added up. All of it was released, so a choice costs no privacy."
FEWER_BESIDE = "The {most} parts with the largest released sums are drawn beside each other."
ORDER_OF_SUMS = "The order is by the noisy sum. Where ranges overlap, it is open."
ONE_SCALE = "All small maps share one colour scale, the same at every ε."
TOTALS_OF_PARTS = (
    "The released counts of each part added up. Tables that list only their largest counts have no total: they stand under **Flows**. "
    "Measures of people are not split; they stand in the report of each part."
)
SUMMARY_OF_PART = "This report shows one part. The report of all parts is under **Measures**. Choose one category of each attribute."
LISTED_SUMS = (
    "A part lists a cell only if its noisy count was large enough. A cell that a part leaves out adds nothing to the sum, and one "
    "that it lists was more often raised by noise than lowered."
)
TO_PRINT = (
    "The report at the ε that is chosen here, without charts and without any script. On paper it begins with a summary of one sheet: map, strongest flows, "
    "numbers over time and the promise. Print page 1 alone to have only that."
)
REPORT_ELSEWHERE = "The report with its charts is under **Measures**."
STATIC = "The same file with maps and tables but no charts. It is 4.8 MB smaller."
REPORT = "Every measure with its pictures, tables and words at the ε that is chosen here, in one file that needs no network. On paper it begins with a summary of one sheet."
TAKE_ALONG = "One page a step. Files hold what the steps show, with ranges and source, and need no network. A story of many steps takes a minute."
PICTURE_HELP = "Take this view along as a picture, with its ranges and its source."
PICTURES = "Each view with its title, colours, ranges and source, drawn without a browser."
STEP_BACK = "Exit presentation"
NOTHING_THERE = "This release holds no table that this view shows."
ONE_PART = "This view shows one part. Choose one category of each attribute."
NOTHING = "There is no release to look at yet. The Library says how to add one."
ESTIMATE_BESIDE = "Estimate, from this count and from what most tiles are like"
NONE_OPENED = (
    "There is no release that can be looked at here. The Library says why of each bundle that was refused."
)
STORY = (
    "A story is a list of views, each with a sentence of yours. It holds ids of releases and links, and no table. Add views with "
    "**Add this view** in the Viewer, or start from a release."
)
UNREAD = "The story that this tab kept cannot be read. It may be of another version. Download it, if you want to keep it."
DISCARD = "Discard it"
BEGIN = "Start from a release, or open a file"
START_FROM = "Release"
START = "Start"
START_HELP = (
    "The promise, the map, the flows, the rhythm and what is sure, with sentences made of the estimates. Where it is compared with an "
    "earlier release, what changed comes first. It takes the place of the steps below, which can be brought back."
)
NO_VIEWS = "This release holds no table of which a first sentence is made. Add its views in the Viewer."
COMPARED = "Compared with"
COMPARED_HELP = (
    "The earlier release from which the change is told. Releases that must not be compared are not offered."
)
LATEST = "The latest earlier release that fits"
NO_EARLIER = "No release"
NOT_COMPARED = "These are not offered:"
LATER = "Its days are later."
ADD_CHANGE = "Add the change"
ADD_CHANGE_HELP = "Put what changed between the two releases into your story, as its last step."
UNDO = "Undo"
REPLACED = "This story replaced another one. Undo brings that one back, and keeps this one behind it."
DROPPED = "A step was left out here."
STARTING = "Making sentences of the estimates"
OPEN_STORY = "Open a story (.json, at most {most} MB). It takes the place of the steps below, which can be brought back"
ADD_VIEW = "Add this view"
ADD_HELP = "Put what you see into your story, with its stop and choice. The page **Story** lists the steps."
ADDED = "Step {many} of your story."
PLAY = "Play"
PLAY_HELP = "Full screen. Arrow keys and space go on, Home and End jump, Escape ends."
FILE_HELP = "The story as a small file: ids and digests of releases, links and your sentences."
TITLE = "Title"
SENTENCE = "Sentence"
UP, DOWN, DROP = "Move up", "Move down", "Leave out"
KEPT = (
    "This story is kept in this browser tab and ends with it. Download it to keep it. A file that lies beside its bundle on the shelf "
    "can be played by everyone, and each step has a link."
)
NO_STORY = (
    "There is no story in this tab. A story of your own lives in the browser tab in which it was made, so the address of its steps "
    "leads nowhere else. Download its file there and open it here, or ask whoever sent you the address for the file."
)
MOVED = "The slider stands at another ε. The sentence tells of the ε at which this step began."
TO_STORY = "To the page Story"
STEP_OF = "step {step} of {steps}"
FIRST, BACK, NEXT, LAST, END_STORY = "First step (Home)", "Back", "Next", "Last step (End)", "End"
PLAY_SHELF = "Play the story"
RIGHT_OF = "# {times}"
WINNERS = "Sorted by noisy count: what noise raised stands higher."
LEFT_OUT = "Trips beyond the bound are not counted."
