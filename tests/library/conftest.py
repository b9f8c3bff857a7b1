"""A synthetic city, and a release of every kind that one account paid for."""

from __future__ import annotations

import pytest

import dpcore
from dpcore import demo
from tests.library.made_kinds import KINDS, plan_of


@pytest.fixture(autouse=True)
def own_home(home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    return home


@pytest.fixture(scope="module")
def city(home):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        demo.write_city(home / "city", 60_000, 60, 7)
        tiles = dpcore.load_tiles(home / "city" / "tiles.geojson")
        return dpcore.load_trips(home / "city" / "trips.parquet", tiles, timezone="Europe/Berlin"), tiles


@pytest.fixture(scope="module")
def walked(city, home):
    """The receipt of each kind, all paid from one account."""
    trips, tiles = city
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        ledger = dpcore.open_ledger()
        dpcore.register(ledger, "city", unit="user", total_budget="15", population="invented people")
        return {
            kind: dpcore.publish(
                trips, tiles, plan_of(kind, tiles), ledger=ledger, dataset="city", nonce=kind
            )
            for kind in KINDS
        }
