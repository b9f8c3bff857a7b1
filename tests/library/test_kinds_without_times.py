"""Trips without times and the kinds of releases: those that need times refuse them by name, and nothing is charged."""

from __future__ import annotations

import pytest

import dpcore
from dpcore.errors import PrivacyError
from tests.library.made_kinds import KINDS, plan_of


@pytest.fixture
def tiles(city):
    return city[1]


@pytest.fixture
def untimed(tmp_path, tiles):
    place = tmp_path / "trips.csv"
    names = tiles.tile_ids
    place.write_text(
        "uid,start_tile,end_tile\n" + "".join(f"u{n},{names[n % 3]},{names[0]}\n" for n in range(9))
    )
    return dpcore.load_trips(place, tiles, timezone="UTC", columns={"no_times": "start_tile"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_needs_times_is_refused_before_anything_is_charged(kind, untimed, tiles, tmp_path):
    ledger = dpcore.open_ledger(tmp_path / "ledger.jsonl")
    dpcore.register(ledger, kind, unit="user", total_budget="100")
    with pytest.raises(PrivacyError, match="these trips have no times, which"):
        dpcore.publish(untimed, tiles, plan_of(kind, tiles), ledger=ledger, dataset=kind, nonce="1")
    assert float(dpcore.accounts(ledger).set_index("dataset").loc[kind, "spent"]) == 0
