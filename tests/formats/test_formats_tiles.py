"""Every format of tiles that the docs list is read with the right ids, in the right place."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import AtlasError, TessellationError
from dpcore.tiles import read_tessellation
from tests.formats.door import bytes_of, tiles_of
from tests.formats.tiles_index import TILES
from tests.formats.trips_index import FOLDER as TRIPS_FOLDER

LOADED = [case for case in TILES if not case.refused]
REFUSED = [case for case in TILES if case.refused]


@pytest.mark.parametrize("case", LOADED, ids=str)
def test_a_file_is_read_with_its_ids_in_its_place(case, tmp_path):
    tiles = tiles_of(case, bytes_of(case, tmp_path), tmp_path)
    assert tiles.tile_ids == tuple(sorted(case.ids))
    lng, lat, there = case.at
    (found,) = tiles.index.assign(np.array([lng]), np.array([lat]))
    assert tiles.tile_ids[found] == there


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_file_that_is_refused_says_what_it_is(case, tmp_path):
    with pytest.raises(AtlasError) as refused:
        tiles_of(case, bytes_of(case, tmp_path), tmp_path)
    assert str(refused.value).startswith(case.refused)


SAID_OF_TRIPS = ("this looks like trips", "no column for the latitude", "the text is not UTF-8")
"""What is said of trips instead of tiles. None of it holds a cell, unlike other messages about tiles, which are public."""


@pytest.mark.parametrize("path", sorted(TRIPS_FOLDER.iterdir()), ids=lambda path: path.name)
def test_no_file_of_trips_is_taken_for_a_map(path):
    with pytest.raises(TessellationError) as refused:
        read_tessellation(path.read_bytes(), f"{path.stem}.csv")
    assert str(refused.value).startswith(SAID_OF_TRIPS)
