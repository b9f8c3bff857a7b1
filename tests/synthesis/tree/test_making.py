"""How a trajectory is made: what has no meaning is refused, and what was written down comes back."""

from __future__ import annotations

import itertools

import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.tree.choices import TRIPS_BY_TILE, Making, Outside, Source


@pytest.mark.parametrize("minutes", [0, -5, 1_441, 2.5, True, "5"])
def test_an_interval_without_meaning_is_refused(minutes):
    with pytest.raises(PrivacyError, match="whole number of minutes"):
        Making(minutes=minutes)


def test_every_making_comes_back_from_what_was_written_down():
    for source, minutes, outside in itertools.product(Source, (None, 1, 1_440), Outside):
        making = Making(source, minutes, outside)
        assert Making.of_terms(making.terms()) == making
    assert Making() == TRIPS_BY_TILE


@pytest.mark.parametrize("name", ["source", "minutes", "outside"])
@pytest.mark.parametrize("wrong", [3.5, [], {"a": 1}, "x", True])
def test_what_was_never_written_is_refused(name, wrong):
    with pytest.raises((KeyError, TypeError, ValueError, PrivacyError)):
        Making.of_terms({**Making().terms(), name: wrong})
    with pytest.raises((KeyError, TypeError)):
        Making.of_terms({})
    with pytest.raises(TypeError):
        Making.of_terms([])
