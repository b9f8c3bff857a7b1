"""Tiles of bundles are remembered by their bytes, and by nothing less."""

import pytest

from dpcore.errors import BundleError
from dpcore.release import reading
from dpcore.release.reading import read_tiles
from dpcore.tiles.drawn import tiles_geojson
from tests.cities import four_tiles


def test_the_same_bytes_are_checked_once(monkeypatch):
    data = tiles_geojson(four_tiles())
    first = read_tiles(data)
    monkeypatch.setattr(reading, "read_tessellation", None)
    assert read_tiles(bytes(bytearray(data))) is first
    assert first.digest == four_tiles().digest


def test_a_byte_more_or_another_one_is_checked_anew_and_refused_each_time():
    data = tiles_geojson(four_tiles())
    read_tiles(data)
    for changed in (data + b" ", data.replace(b"1.0", b"1.5", 1), data.replace(b'"A"', b'"E"', 1)):
        for _ in range(2):
            with pytest.raises(BundleError):
                read_tiles(changed)


def test_only_a_few_cities_are_remembered():
    assert read_tiles.cache_info().maxsize <= 4
