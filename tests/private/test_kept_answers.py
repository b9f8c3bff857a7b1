"""Exact answers on disk: what was counted, by that engine and that code, or nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.measures import MEASURES
from dpcore.measures.measure import Engine
from dpcore.privacy import ContributionBound
from dpcore.private import exact, kept
from dpcore.private.bounding import bounded
from dpcore.private.exact import answer_file, exact_answers, keep, stored
from tests.cities import Trip, private

ANSWER = np.array([[-1, 2, 5], [0, 0, 3], [80, 1, 2**40]], np.int64)
FLOWS = MEASURES["od_flows"]
PER_TRIP = ContributionBound.per_trip()


@pytest.fixture
def counted(monkeypatch):
    """The engines that counted, one after another."""
    engines = []

    def seen(engine, count):
        return lambda *asked: engines.append(engine) or count(*asked)

    watched = {engine: seen(engine, count) for engine, count in exact.ENGINES.items()}
    monkeypatch.setattr(exact, "ENGINES", watched)
    return engines


def flows(trips):
    return exact_answers(bounded(trips, PER_TRIP), [FLOWS]).answers["od_flows"].tolist()


@pytest.mark.parametrize(
    "answer", [ANSWER, ANSWER[:, :0], ANSWER.T.copy().T], ids=["some", "none", "columns"]
)
def test_an_answer_is_read_as_it_was_kept(tmp_path, answer):
    keep(tmp_path / "kept.npy", answer)
    found = stored(tmp_path / "kept.npy")
    assert found.dtype == np.int64
    assert found.tolist() == answer.tolist()


def test_an_answer_with_any_bit_flipped_or_cut_off_anywhere_is_none(tmp_path):
    place = tmp_path / "kept.npy"
    keep(place, ANSWER)
    whole = place.read_bytes()
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        place.write_bytes(flipped)
        assert stored(place) is None, bit
    for length in range(len(whole)):
        place.write_bytes(whole[:length])
        assert stored(place) is None, length
    place.write_bytes(whole + b"\0")
    assert stored(place) is None


def test_a_flipped_bit_in_a_count_is_counted_again(counted):
    trips = private([Trip("u", "A", "B")] * 80)
    first = flows(trips)
    place = answer_file(bounded(trips, PER_TRIP), FLOWS)
    content = bytearray(place.read_bytes())
    content[content.index(80)] ^= 64
    place.write_bytes(content)
    assert flows(trips) == first
    assert flows(trips) == first, "and kept well"
    assert len(counted) == 2


def test_an_engine_that_is_asked_to_check_counts_itself(counted):
    trips = private([Trip("u", "A", "B")] * 3)
    for engine in (Engine.COMPILED, Engine.DUCKDB, Engine.COMPILED, Engine.DUCKDB):
        assert flows(replace(trips, engine=engine))[-1] == [3]
    assert counted == [Engine.COMPILED, Engine.DUCKDB]


def test_other_code_counts_again(counted, monkeypatch):
    trips = private([Trip("u", "A", "B")])
    flows(trips)
    monkeypatch.setattr(kept, "code_digest", lambda: "corrected")
    flows(trips)
    assert len(counted) == 2
