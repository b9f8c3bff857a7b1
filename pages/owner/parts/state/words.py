"""The fixed texts of the pages for owners."""

from __future__ import annotations

from types import MappingProxyType

from dpcore.privacy import PrivacyUnit
from pages.parts.glossary import explained

DATE_FORM = "YYYY-MM-DD"
"""How every field for a date shows it, as all pages do."""

# Whom to hide.
UNITS = MappingProxyType({PrivacyUnit.USER: "A person", PrivacyUnit.TRIP: "One trip"})
UNIT_HELP = (
    "**A person**: all trips of a person are hidden together, and so is whether the person is in the data at all. For "
    "this, at most M trips of each person count.\n\n"
    "**One trip** (*item* in the literature): any single trip is hidden, but a person with many trips shows. All trips count."
)
NO_USERS = (
    "This file has no user ids. So a person's trips cannot be found, and only single trips can be hidden."
)
BOUND_HELP = (
    "M, the contribution bound. A small M needs less noise but leaves out more trips of busy people. A secret hash of each "
    "person's own trips decides which trips count. Choose M without looking at the result. If you choose M because the "
    "picture looks good, your choice reveals something about the data."
)

# Explore and Report.
GLOSSARY = explained(
    (
        "Differential privacy",
        "ε (epsilon)",
        "Privacy unit",
        "M (contribution bound)",
        "95 % interval",
        "Stands out",
        "Drowned by noise",
        "Flows that stand out",
        "Stops, rungs",
        "Outside",
    )
)
FLOWS_HELP = (
    "Trips from one tile to another. Most pairs of tiles have no trip, and yet noise gives many of them a count. A flow "
    "stands out if noise alone could hardly have made it: of all empty pairs, about one gets that far. A *false flow* is such "
    "an empty pair. Lines show the strongest flows between two different tiles, thick at their destination."
)
RHYTHM_HELP = (
    "Trips by date and weekday of their end, and starts and ends by hour of day (local time). Below each picture: the noise "
    "alone (95 % of it is within ±), and the error of noise and bound together, as the median and the largest over all counts."
)
COUNTING = "Being counted and estimated."
ESTIMATING = "Estimating from all tables together"
TO_RELEASE = "Plan a release like this"
TO_RELEASE_HELP = "Takes whom to hide, M and ε to the Release page. You chose them after looking at the trips, and the release says so."
PURPOSE = "Drag ε and see what privacy costs: noise that protects also blurs the map."
MORE = "More choices"
SERIES_LEGEND = "**Teal**: the estimate for all trips, with its likely range. **Brown**: the truth."
NO_PERIOD = (
    "Trips over time need a public period: a first and a last day. Choose it on the **Data** page. It is never read off the "
    "trips unless you ask for it."
)
PERIOD_OBSERVED = (
    "The period was read off the trips. That is a choice made after looking, which ε does not cover."
)
SHARES = (
    "ε is divided among the pictures, so together they cost ε. Finer pictures get a larger share, because their counts are smaller. "
    "*Sensitivity* is how much one person (or trip) can change a picture. The noise is wider by that factor."
)

# Data: the trips.
ZONES_NOTE = "This file has zone ids instead of coordinates. The tiles must have the same ids."
DATA_INTRO = (
    "Trips stay on this computer. Nothing that you load is sent anywhere or shown to anyone else. Prepared trips are kept in "
    "your data folder until you delete their project or let the app forget them. What you load and choose is saved as you go, and "
    "comes back after a reload, after a restart and in a second tab."
)
FORGET = (
    "Deletes the prepared trips and exact counts of everything that was loaded on this computer, and what was said of the "
    "columns of files. Your files stay where they are. Projects keep no count of trips. They keep what you chose, such as dates "
    "that you typed and tiles, also a grid over the extent of the trips, and ask for the files again."
)
PLACE_HELP = (
    "Uploads are held in memory, so they are for small files. Larger files are read from the folder that "
    "`EPSILON_ATLAS_DATA` names when the app is started. Spark counts what one computer cannot hold."
)
STILL_CHOSEN = "Still chosen: {names}."
UPLOAD_AGAIN = "Before, you uploaded {names}. Uploads are not kept as files. What was loaded of them is kept. To load other trips on the same tiles, choose **As loaded**; to load these anew, give the files again."
EMPTY_FILES = "No records, only a header: {names}. Check that the file is complete."
UPLOAD_HELP = (
    "One row for each trip, for each place and time of a trip, or for each place and time of a person. Columns are recognised by their "
    "names, and you can say by hand what each is. Files of bike shares, taxis and smart cards load as they are published."
)
FILES_HELP = (
    "Several files are one data set, for example one file for each month, or a folder with one file for each day. Each file "
    "is read once: if you add a month, only that month is read. Either all files have users or none has, and the same holds "
    "for coordinates. The same user id is the same person in every file."
)
CANCEL_HELP = "Nothing is kept of the file that is being read. Files that were read to their end need not be read again."
CANCELLED = "Loading {name} was stopped. What was loaded before is still there. Nothing was kept of the file that was being read."
NO_FOLDER = (
    "No data folder is configured. Start the app with `EPSILON_ATLAS_DATA=/path/to/folder make run` to read "
    "large files from there."
)
ZONE_HELP = (
    "Hours and dates are local times of the city. Times without an offset are taken as local times. Times with an offset are "
    "converted."
)

# Data: what one count covers.
KEYS_HELP = (
    "What one count of each table covers. These choices are public, so make them without looking at the trips. Choose weeks "
    "where a day has few trips, and wide bins where there are few people. The first bin has no lower end and the last no upper "
    "end, so every value has a bin."
)
VISITS_HELP = (
    "With 2, both ends count. With more, the tiles on the way count too, where the file holds more than two records of a "
    "trip. The noise of the map grows with this number."
)
WINDOWS_HELP = "Hours from 0 to 23, smallest first. Each window ends where the next begins. The last one runs past midnight."
PERIOD_HELP = (
    "The days that the series covers. They are public: choose them without looking at the trips. Trips on other days count "
    "under 'before' and 'after'."
)
DAYS_OF_OTHERS = "These days are still those of the trips that are loaded. Trips on other days count under 'before' and 'after'."
DROP_HELP = "Otherwise the whole file is refused because of one bad record, and nothing is loaded."
OBSERVED_PERIOD = (
    "Reads the first and last day off the trips. They tell when somebody travelled. That is good enough for looking, but for "
    "a release choose the days yourself."
)
OBSERVED_DAYS = (
    "The trips run from {days}. So far only you see this. If you use these two days, they become public: every release with a "
    "series over dates names them, and so tells when somebody travelled."
)

# Data: the tiles.
AS_LOADED = "The {tiles:,} tiles of the trips that are loaded. Give another month in step 1, and its first and last day in step 3."
TILES_HELP = (
    "The tessellation: the areas on which visits and flows are counted. It must be public, so choose it without looking at "
    "the trips."
)
TILES_FILES = "A Shapefile is one .zip with all of its parts. A CSV is a table of stations, or has the shapes as text (WKT) in a column."
OTHER_ID = (
    "Trips with zone ids are matched by **{}** now. Most files name their zones by {}. If yours does, trips fall into wrong "
    "tiles."
)
TILE_ID_HELP = "The property that is different for each tile. Trips with zone ids are matched by it."
REACH_HELP = (
    "Each station becomes a tile: all places that are nearest to it, up to so many metres away. Trips with station ids are "
    "matched by the id, whatever the reach. Trips with coordinates are matched by where they begin and end."
)
MERGE_HELP = "Some ids occur several times in this file, because a place has several parts. This joins the parts to one tile."
MATCH_HELP = (
    "Spreadsheets drop zeros of ids, and publishers write an id behind a name. Each rule here keeps all these tiles apart. An id of the "
    "trips that no tile has then means the tile whose id has the same form. An id that a tile has always means that tile."
)
CRS_HELP = (
    "For a file that declares none, and whose coordinates are no degrees. The publisher of the file names it, mostly as an EPSG code. A "
    "wrong one puts the tiles elsewhere."
)
OVERLAPS_HELP = (
    "Each place must lie in one tile, or a trip would count in two. The tile that keeps the shared place is cut out of the other "
    "one. If tiles overlap by more than a fraction of a percent, look at the file first."
)
HALVE_HELP = (
    "Districts group tiles, so that flows between them stand out of the noise. Without usable ones in the file, the map is halved, "
    "and each half again."
)
BOX_HELP = (
    "Type the edges in degrees, or draw a box on the sheet and take it. The sheet shows the outline of the tiles that are "
    "loaded now. Scroll to zoom."
)
WIDTH_HELP = "Smaller squares tell more about places. Larger squares have larger counts, so more of them stand out of the noise."
H3_HELP = (
    "H3 covers the earth with hexagons of 16 sizes. Each resolution has seven times as many hexagons as the one before. Their ids "
    "mean the same everywhere, so releases on H3 can be laid beside each other."
)
SIZE_HELP = (
    "Declare about how many trips and people there are, as you know it without looking at the trips. Then you see which tiles a "
    "release could tell something about, before anything is counted."
)
PEOPLE_HELP = "With it a release that hides a person is expected; without it, one that hides single trips."
NO_SIZE = (
    "At no size would most tiles be known at ε {epsilon}. Spend more ε, or load more trips. Large regions and the whole city may "
    "still be known."
)
EXTENT_WARNING = (
    "The edges of this box are places of single trips: the westernmost, southernmost, easternmost and northernmost one. That "
    "is fine for looking. For a release, choose a box that you would have chosen without the trips, such as the city limits."
)
"""Said before the extent of the trips is read."""
