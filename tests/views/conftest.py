"""Releases of which tests of views take pictures, and the slide of a view."""

from __future__ import annotations

import pytest

from dpcore import limits
from dpcore.tiles import Tessellation
from dpcore.views.maps.address import address
from dpcore.views.pictures import slide_of, view_titles
from dpcore.views.pictures.slide import Slide
from tests.release.made_releases import grid, made_release

VIEWS = [*view_titles()]


@pytest.fixture(scope="module")
def release():
    measures = (
        "visits_per_tile",
        "visits_per_time_tile",
        "od_flows",
        "trips_over_time",
        "trips_per_hour",
        "travel_time",
        "trips_per_user",
    )
    return made_release(weights=dict.fromkeys(measures, 1), epsilon="10")


@pytest.fixture(scope="module")
def large():
    """A grid with districts and long names."""
    tiles = grid()
    named = tuple(f"A quarter around the old station of the north {one}" for one in tiles.tile_ids)
    return made_release(
        tessellation=Tessellation(tiles.tile_ids, named, tiles.polygons),
        weights={
            "visits_per_tile": 2,
            "od_districts": 1,
            "trips_over_time": 1,
            "trips_per_hour": 1,
            "total_trips": 1,
        },
        epsilon="10",
        title=("A title that is long " * 50)[: limits.MAX_TITLE_CHARACTERS],
    )


def seen(release, view: str, said: str | None = None, **link: str) -> Slide:
    at, notes = address({"view": "guarantee" if view == "promise" else view, **link}, release)
    return slide_of(release, at, said, notes)
