"""The page *What loads* lists every file of this folder with the options that its test takes, and counts them right."""

from __future__ import annotations

import shlex

from tests.docs.texts import REFERENCE, rows, section, text_of
from tests.formats.tiles_index import FOLDER as TILES_FOLDER
from tests.formats.tiles_index import GEOJSON, MAPS, STATIONS, TILES, TilesCase
from tests.formats.tiles_index import REFUSED as NO_TILES
from tests.formats.trips_index import BIKES, OTHERS, POINTS, SCOOTERS, TAXIS, TRIPS, TripsCase
from tests.formats.trips_index import FOLDER as TRIPS_FOLDER
from tests.formats.written_files import MADE

PAGE = REFERENCE / "formats.md"
HEADINGS = {
    "Bike share": BIKES,
    "Scooters": SCOOTERS,
    "Taxis": TAXIS,
    "Positions and libraries": POINTS,
    "Other trips": OTHERS,
    "Tiles: GeoJSON": GEOJSON,
    "Tiles: other files": MAPS,
    "Tiles: stations": STATIONS,
    "Tiles that are refused": NO_TILES,
}
"""Heading of the page -> its lines."""
WANTED = 0.85
"""The share of formats that load with at most one option."""


def options_of(case: TripsCase | TilesCase) -> int:
    """How many options a file needs."""
    return sum(word.startswith("--") for word in shlex.split(case.options))


def row_of(case: TripsCase | TilesCase) -> list[str]:
    """The line of a file in the table of the page."""
    return [
        case.what,
        f"`{case.options}`" if case.options else "refused" if case.refused else "none",
        case.remark,
    ]


def summary() -> str:
    """The sentence that counts the lines."""
    loaded = [options_of(case) for case in (*TRIPS, *TILES) if not case.refused]
    more = sum(needed > 1 for needed in loaded)
    return (
        f"Of {len(TRIPS) + len(TILES)} formats, {loaded.count(0)} load as they are, {loaded.count(1)} with one option, "
        f"{more} with more, and {len(TRIPS) + len(TILES) - len(loaded)} are refused."
    )


def test_the_page_lists_every_format_with_its_options_and_no_other():
    for title, cases in HEADINGS.items():
        assert rows(section(PAGE, title)) == [row_of(case) for case in cases], title
    assert sum(HEADINGS.values(), ()) == (*TRIPS, *TILES)


def test_the_page_counts_its_lines_right_and_most_formats_need_one_option_at_most():
    assert summary() in text_of(PAGE)
    for cases in (TRIPS, TILES):
        assert len(cases) >= 30
        assert sum(not case.refused and options_of(case) <= 1 for case in cases) >= WANTED * len(cases)


def test_every_file_of_the_folder_is_listed_once():
    for folder, cases in ((TRIPS_FOLDER, TRIPS), (TILES_FOLDER, TILES)):
        listed = [case.file for case in cases]
        assert sorted(set(listed)) == sorted(listed)
        assert {path.name for path in folder.iterdir()} == set(listed) - set(MADE)
