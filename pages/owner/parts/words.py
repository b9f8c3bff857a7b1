"""The fixed texts of the pages: plain words, each term explained where it is used."""

from __future__ import annotations

from types import MappingProxyType

from dpcore.privacy import PrivacyUnit
from pages.parts.glossary import explained

DATE_FORM = "YYYY-MM-DD"
"""How every field for a date shows it, as all pages do."""
UNITS = MappingProxyType({PrivacyUnit.USER: "A person", PrivacyUnit.TRIP: "One trip"})
UNIT_HELP = (
    "**A person**: all trips of anyone are hidden together; nobody can tell whether that person is in the "
    "data at all. To make that possible, only so many trips of each person count.\n\n"
    "**One trip**: any single trip is hidden, but someone with many trips shows. All trips count."
)
BOUND_HELP = (
    "M, the contribution bound. Fewer trips per person need less noise but leave out more of the busy "
    "people's trips. Which trips count is decided by a secret hash of each person's own trips. Choose M "
    "without looking at the result: a bound picked because the picture is pleasing tells something."
)
GLOSSARY = explained(
    (
        "Differential privacy",
        "ε (epsilon)",
        "Privacy unit",
        "M (contribution bound)",
        "95 % interval",
        "Drowned by noise",
        "Rungs",
        "Outside",
    )
)
NO_USERS = "This form has no user ids, so a person's trips cannot be found: only single trips can be hidden."
FLOWS_HELP = (
    "Trips from one tile to another. There are far more pairs of tiles than trips, so noise alone makes many flows out "
    "of nothing. A flow stands out when noise could hardly have made it: of all empty pairs, about one gets that far. "
    "Lines show the strongest flows between two different tiles, thick at their destination."
)
RHYTHM_HELP = (
    "Trips by date and weekday of their end, and starts and ends by hour of day (local time). Below each picture stands "
    "how wrong it is: the noise alone, and noise and bound together, for the middle count and for the worst."
)
EMPTY_FILES = "No records, only a header: {names}. Is that file complete?"
COUNTING = "Comes with flows and rhythm, which are being counted."
SERIES_LEGEND = (
    ":material/show_chart: **Teal**: noisy, with 95 % of the noise. **Brown, dashed**: the truth, all trips."
)
NO_PERIOD = (
    "Trips over time need a public period: its first and last day. Choose it on the **Data** page; it is "
    "never read off the trips silently."
)
SHARES = (
    "The pictures together cost ε: each spends its share. Finer pictures get more, because their counts are "
    "smaller. One person (or trip) can change a picture by its *sensitivity*, so its noise is wider by that factor."
)
ZONES_NOTE = "This form has zone ids instead of coordinates: the tiles must carry the same ids."
DATA_INTRO = (
    "Trips stay on this computer. Nothing that you load is sent anywhere, and nothing of it becomes visible to "
    "anyone else. Prepared trips are kept in your own data folder, so that the next start is quick, until you "
    "let the app forget them. Reloading the page starts over with the built-in city."
)
FORGET = (
    "Deletes the prepared trips and exact counts of everything that was ever loaded on this computer. Your files "
    "stay where they are."
)
PERIOD_OBSERVED = "The period was read off the trips: a choice made after looking, which no accounting sees."
PLACE_HELP = (
    "Uploads are held in memory and are for small files. Larger files are read from the folder that "
    "`EPSILON_ATLAS_DATA` names when the app is started. Spark counts what one computer cannot hold."
)
UPLOAD_HELP = (
    "One row a trip (`user_id, started_at, ended_at, start_lat, start_lng, end_lat, end_lng`), or one row a "
    "record (`uid, tid, datetime, lat, lng`), bike-share files old and new, or New York taxi files with zone ids."
)
FILES_HELP = (
    "Several files are one data set, for example one file a month or a folder with one file a day. Each file is read once: "
    "a month more reads that month only. All files must agree in whether there are users and coordinates. The same "
    "user id is the same person in every file."
)
CANCEL_HELP = (
    "Nothing of the file that is being read stays. Files that were read to their end need not be read again."
)
CANCELLED = "Loading {name} was stopped. What was loaded before is still there; nothing of the file that was being read stays."
NO_FOLDER = (
    "No data folder is configured. Start the app with `EPSILON_ATLAS_DATA=/path/to/folder make run` to read "
    "large files from there."
)
COLUMNS_HELP = (
    "Which column plays which role. Other columns are never read, except zip, gender and type of user in the files of "
    "bike shares: they are kept with the trips, for synthesis, and are forgotten with them."
)
ZONE_HELP = (
    "Hours and dates are those of the city's own clock. Times without an offset are taken as that clock; times "
    "with an offset are converted to it."
)
KEYS_HELP = (
    "What one count of each table covers. All of it is public, so choose it without looking at the trips: weeks where "
    "days are few, wider bins where people are few. Every value has its bin: the first is open below, the last above."
)
VISITS_HELP = (
    "2 counts both ends. More also counts the tiles that a trip passes between them, where the file holds more than two "
    "records of a trip; the noise of the map grows with it."
)
WINDOWS_HELP = (
    "Hours from 0 to 23, smallest first. Each window ends where the next begins; the last runs past midnight."
)
PERIOD_HELP = (
    "The days that the series covers. Public: choose them without looking at the trips. Other days count under "
    "'before' and 'after'."
)
DROP_HELP = "Otherwise one bad record refuses the whole file, and nothing is loaded."
OBSERVED_PERIOD = (
    "Reads the first and last day off the trips. That shows when somebody travelled first and last: good enough "
    "for looking, but for a release choose the days yourself."
)
OBSERVED_DAYS = (
    "The trips run from {days}. Only you see this so far. Used, these two days become public: every release with a series "
    "over dates names them, and so says when somebody travelled first and last."
)
TILES_HELP = (
    "The tessellation: the areas on which visits and flows are counted. It must be public and chosen "
    "without looking at the trips."
)
OTHER_ID = "Trips with zone ids are matched by **{}** now. If they name their zones by {}, as most do, they fall into wrong tiles."
TILE_ID_HELP = "Each tile needs a name of its own. Trips with zone ids are matched with it."
REACH_HELP = (
    "Each station becomes a tile: the places nearest to it, up to so many metres away. Trips with station ids are "
    "matched by the id, whatever the reach; trips with coordinates by where they begin and end."
)
BY_STATION_HELP = (
    "The file names stations besides coordinates. Counted by station, each end of a trip falls into the tile with the "
    "id of its station; distances are then not known. The tiles must be a table of these stations."
)
MERGE_HELP = "Some ids repeat in this file: one place in several parts. Merged, their shapes become one tile."
BOX_HELP = (
    "Type the edges in degrees, or draw a box on the sheet and take it. The sheet shows the outline of the tiles "
    "that are loaded now; scroll to zoom."
)
EXTENT_WARNING = (
    "The edges of this box are the places of single trips: the westernmost, southernmost, easternmost and "
    "northernmost one. For looking that is fine; before a release choose a box that you would have chosen without "
    "the trips, such as the city limits."
)
"""Said before the extent of the trips is read."""
