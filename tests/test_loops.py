"""Loops give what their functions give, with and without numba, and what is kept of them is never trusted blindly."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from dpcore import loops
from dpcore.errors import InternalError
from dpcore.loops import byte_at, loop, word_at
from tests.conftest import ROOT


@loop
def half(number: float) -> float:
    return number / 2


@loop
def sums(values, words, factor: int, out) -> int:
    for i in range(len(values)):
        out[i] = half(values[i]) * factor + np.float64(words[i, 1])
    return len(out)


@loop
def copied(values):
    found = np.empty(len(values))
    for i in range(len(values)):
        found[i] = values[i]
    return found


@loop
def bytes_from(address, out) -> bool:
    out[0], out[1] = word_at(address), byte_at(address)
    return out[0] == out[1]


VALUES, WORDS = np.arange(5.0), np.arange(10, dtype=np.uint64).reshape(5, 2)
EXPECTED = [1.0, 5.5, 10.0, 14.5, 19.0]


def result():
    out = np.empty(5)
    return sums(VALUES, WORDS, 5, out), out.tolist()


@pytest.fixture
def place(monkeypatch, tmp_path):
    """An empty folder for what is kept, and loops that know nothing."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(sums, "_known", {})
    return tmp_path


def test_a_loop_gives_what_its_function_gives_and_is_kept(place):
    assert result() == (5, EXPECTED)
    (kept,) = place.glob("*.loop")
    assert kept.stat().st_mode & 0o777 == 0o600
    before = kept.stat().st_mtime_ns
    sums._known.clear()
    assert (result(), kept.stat().st_mtime_ns) == ((5, EXPECTED), before)


@pytest.mark.parametrize("content", [b"", b"damaged", None])
def test_kept_code_that_was_changed_is_compiled_again(place, content):
    result()
    (kept,) = place.glob("*.loop")
    whole = kept.read_bytes()
    changed = whole[:-1] + bytes([whole[-1] ^ 1]) if content is None else content
    kept.write_bytes(changed)
    sums._known.clear()
    assert result() == (5, EXPECTED)
    assert kept.read_bytes() != changed


def test_other_types_and_another_source_have_names_of_their_own(place, monkeypatch):
    result()
    sums(VALUES.astype(np.float32), WORDS, 5, np.empty(5))
    assert (len(sums.signatures), len([*place.glob("*.loop")])) == (2, 2)
    monkeypatch.setattr(loops, "_surroundings", lambda: "another version")
    sums._known.clear()
    result()
    assert len([*place.glob("*.loop")]) == 3


def test_what_cannot_be_kept_is_left_to_numba(place):
    assert copied(VALUES).tolist() == VALUES.tolist()  # it makes an array
    wide = np.zeros((5, 3), np.uint64)
    wide[:, :2] = WORDS
    out = np.empty(5)
    assert (sums(VALUES, wide[:, :2], 5, out), out.tolist()) == (5, EXPECTED)  # an array in pieces
    assert sums(VALUES, WORDS, True, out) == 5
    assert not [*place.glob("*.loop")]


def test_nothing_is_kept_where_no_folder_can_be_written(place, monkeypatch):
    (place / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(place / "file" / "cache"))
    assert result() == (5, EXPECTED)


@pytest.mark.usefixtures("place")
def test_memory_is_read_in_loops_alone():
    held, out = np.array([2**40 + 7], np.uint64), np.zeros(2, np.uint64)
    assert bytes_from(np.uint64(held.ctypes.data), out) is False
    assert out.tolist() == [2**40 + 7, 7]
    with pytest.raises(InternalError):
        word_at(np.uint64(0))


def test_kept_code_needs_no_numba(tmp_path):
    """The second process is the one that counts."""
    code = "import sys; from tests.test_loops import result; print(result(), 'numba' in sys.modules)"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == [f"(5, {EXPECTED}) {loads}" for loads in (True, False)]
