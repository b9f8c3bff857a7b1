"""Every bound on input, in one place, so that no file can exhaust the machine."""

from __future__ import annotations

from typing import Final

# Trips files.
MAX_UPLOAD_BYTES: Final = 50 * 2**20  # an upload is held in memory; .streamlit/config.toml says the same
MAX_FILE_BYTES: Final = 64 * 2**30  # what a file on disk may hold once decompressed
MAX_UPLOAD_UNPACKED_BYTES: Final = 2 * 2**30  # what an uploaded archive may grow to while it is read
MAX_TRIP_ROWS: Final = 1_000_000_000
MAX_FIELD_CHARACTERS: Final = 4_096
MAX_GEOMETRY_CHARACTERS: Final = 200_000  # of a field with the line of a trip
MAX_RECORD_BYTES: Final = 2**20  # one line of a CSV file
MAX_COLUMNS: Final = 256
MAX_NESTED_COLUMNS: Final = 4_096  # of a Parquet file: columns within columns, and what groups them
MAX_FOOTER_BYTES: Final = 64 * 2**20  # of a Parquet file
MAX_FOOTER_VALUES: Final = 2_000_000  # values in that footer: about 20,000 row groups times columns
MAX_PAGES_BYTES: Final = 2**28  # unpacked pages of a Parquet file that are in memory at the same time
DECODED_TEXT_BYTES: Final = 32 * 2**20  # records of a Parquet file that are decoded at a time
MAX_ARCHIVE_DIRECTORY_BYTES: Final = 2**20  # table of contents of a zip archive
MAX_UPLOAD_ROWS: Final = 5_000_000  # a small archive can hold very many short records
MAX_ZIP_CHARACTERS: Final = 20  # of a postal code
MAX_LISTED_PROBLEMS: Final = 20  # bad records that the page lists one by one; then it counts them by reason
MAX_BAD_RECORDS: Final = 10_000  # a file that is refused anyway is read no further than this many bad records
CSV_BLOCK_BYTES: Final = 8 * 2**20  # bytes read at a time; the longest record must fit
MAX_RUNS_IN_MEMORY: Final = 4_000_000  # long form: with more pieces of trips, pairing uses files
MAX_POINTS_IN_MEMORY: Final = 16_000_000  # the same for records between the ends of those pieces
MAX_TRIPS_FILES: Final = 2_000  # of one data set
MAX_UPLOADED_FILES: Final = 100  # of one data set
MAX_FOLDER_ENTRIES: Final = 100_000  # names that are read to find the trips files below a folder
MAX_TRAJECTORY_BYTES: Final = 64 * 2**20  # of one GeoLife file, which is read whole
MIN_TRIP_GAP_S: Final = 60  # rules that cut points into trips: seconds without a point that end a trip
MAX_TRIP_GAP_S: Final = 7 * 86_400
MIN_STAY_S: Final = 60  # seconds that a stay lasts at least
MAX_STAY_S: Final = 7 * 86_400
MIN_STAY_M: Final = 10  # metres within which a stay lies
MAX_STAY_M: Final = 50_000
MAX_ATTRIBUTES: Final = 16  # attributes of a trip that are kept
MAX_CATEGORIES: Final = 1_000  # public categories of one attribute
MAX_CATEGORY_CHARACTERS: Final = 80
MAX_ATTRIBUTE_UNITS: Final = (
    1_000_000_000  # a bound of a number, in its unit: sums of all trips stay within 64 bits
)

# Tessellations.
MAX_TESSELLATION_BYTES: Final = 256 * 2**20
MAX_TILES: Final = 60_000
MAX_TILE_CORNERS: Final = 1_000_000  # of one tile
MAX_CORNERS: Final = 12_000_000  # of all tiles together
MAX_TILE_ID_CHARACTERS: Final = 80
MAX_TILE_NAME_CHARACTERS: Final = 120
MAX_JSON_DEPTH: Final = 64
MIN_TILE_SQUARE_METRES: Final = 1
MAX_SLIVER_SHARE: Final = 1e-4  # overlap over the smaller tile; so little is rounding and repaired
MAX_OVERLAP_PAIRS: Final = 1_000_000  # overlapping pairs that are measured before the file is refused
MAX_OVERLAPS: Final = (
    5_000  # pairs of tiles that may overlap, where the owner says which tile keeps a shared place
)
MIN_STATION_RADIUS_M: Final = 10
MAX_STATION_RADIUS_M: Final = 50_000
MAX_STATION_SPREAD_M: Final = (
    1_000_000  # from the middle of a table of stations; farther away distances are distorted
)
MAX_DATABASE_STEPS: Final = 200_000_000  # steps of SQLite for one GeoPackage: about ten seconds
MAX_DATABASE_OBJECTS: Final = 2_000  # tables, indexes, views and triggers of one GeoPackage
MAX_DATABASE_SCHEMA_CHARACTERS: Final = 2_000_000  # of the statements that make them
MAX_DATABASE_TEXT_CHARACTERS: Final = (
    100_000  # of one of these statements, and of a value that describes a layer
)
MAX_CHILD_SECONDS: Final = 120  # of the child process that reads formats of others
MAX_CHILD_MEMORY_BYTES: Final = 4 * 2**30
MAX_CHILD_ANSWER_BYTES: Final = 512 * 2**20
MAX_CHILD_TEXT_BYTES: Final = 64 * 2**20  # of the properties of all tiles

# What lies under a map.
MAX_CONTEXT_BYTES: Final = 100 * 2**20  # of a file as its owner gives it
MAX_CONTEXT_FEATURES: Final = 500_000  # of that file
MAX_CONTEXT_BRACKETS: Final = (
    8_000_000  # of a GeoJSON file: each opens a list or an object, of a hundred bytes
)
MAX_KEPT_CONTEXT_BYTES: Final = 16 * 2**20  # of the simplified one, in a project and in a bundle

# Privacy parameters.
MIN_EPSILON: Final = "0.001"
MAX_EPSILON: Final = "20"
MAX_EPSILON_DECIMALS: Final = 6
MAX_TRIPS_PER_USER: Final = 10_000

# Time.
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2100
MAX_PERIOD_DAYS: Final = 3_700

# Keys that an owner may choose.
MAX_BINS: Final = 500  # edges of one histogram
MAX_DISTRICTS: Final = (
    500  # groups of tiles; all pairs of them, with outside, are a table that is listed whole
)
MAX_POINTS_PER_TRIP: Final = 1_000  # points of one trip that may count, where all its points count

MAX_SUM_UNITS: Final = 4_000_000  # that one trip adds to a table: times MAX_TRIP_ROWS it is below MAX_BUNDLE_VALUE, so no sum overflows
MAX_PARTS_OF_TABLES: Final = 2_000  # combinations of categories by which tables are split

# Counting: memory of the engine before it spills to the private folder.
ENGINE_MEMORY_BYTES: Final = 6 * 2**30

# The noise of a table with more cells is drawn sparsely instead of cell by cell.
MAX_DENSE_CELLS: Final = 300_000
MAX_SPARSE_CELLS: Final = 2**42  # a batch of jumps, each cut to the table, then adds up within 64 bits

# Projects of the app.
MAX_PROJECT_BYTES: Final = 8 * 2**20  # of the file of one project
MAX_PROJECT_NAME_CHARACTERS: Final = 80

# Texts of a release.
MAX_TITLE_CHARACTERS: Final = 120
MAX_NOTE_CHARACTERS: Final = 4_000
MAX_NONCE_CHARACTERS: Final = 200

# Stories.
MAX_STORY_BYTES: Final = 2**20  # room for all steps with all their sentences, in any letters
MAX_STORY_STEPS: Final = 200
MAX_STORY_RELEASES: Final = 20
MAX_SENTENCE_CHARACTERS: Final = 600  # of one step

# The ledger.
MAX_TOTAL_BUDGET: Final = "100"  # epsilon of one account: five times the most expensive release
MAX_TOTAL_DELTA: Final = "0.0001"  # delta of one account; public, never 1 over a private number
MAX_DELTA: Final = "0.00001"  # delta of one release
MIN_DELTA: Final = "1e-30"  # a smaller one would need thresholds with more digits than anybody uses
DEFAULT_DELTA: Final = "0.000001"  # delta on the command line where none is given
MAX_AMOUNT_DIGITS: Final = 40  # of the numerator and of the denominator of a price
MAX_NAME_CHARACTERS: Final = 80  # of a data set, a part or a chain
MAX_POPULATION_CHARACTERS: Final = 1_000
MAX_PARTS: Final = 1_000
MAX_ENTRY_CHARACTERS: Final = 200_000  # of one line of the ledger
LEDGER_WAIT_SECONDS: Final = 30  # how long one writer waits for another

# Release bundles.
MAX_BUNDLE_BYTES: Final = 2**30  # of a zipped bundle
MAX_BUNDLE_UNPACKED_BYTES: Final = 2 * 2**30  # of all its files together, counted while they are read
MAX_BUNDLE_FILES: Final = 200
MAX_MANIFEST_BYTES: Final = 4 * 2**20
MAX_REPORT_FLOWS: Final = 5_000  # drawn and listed in a report: a browser still scrolls through it
MAX_BUNDLE_ROWS: Final = 20_000_000  # of one released table
MAX_BUNDLE_RUNGS: Final = 64
MAX_BUNDLE_WEIGHT: Final = 1_000_000  # of a measure
MAX_BUNDLE_VALUE: Final = 2**52  # of a noisy count, up or down: sums stay within 64 bits
MAX_RELEASE_TEXT_CHARACTERS: Final = 1_000  # names, the declared population, versions
MAX_COMMAND_CHARACTERS: Final = 4_000
MAX_SYNTHETIC_TRIPS: Final = 20_000_000  # that are drawn for one bundle
MAX_TREE_PLACES: Final = 4_000_000  # kept places of a tree; end markers make three times as many rows
MAX_WALKED_VISITS: Final = 20_000_000  # nodes of a released tree times its height: 80 MB a table
