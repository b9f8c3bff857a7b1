"""Tiles, dates and public lists make the domain; what was chosen is written down and read back as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
import shapely

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.choices import RoyChoices, domain_of
from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.plan import Variant
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.tiles import Box, square_grid
from tests.cities import four_tiles
from tests.synthesis.small import choices_of_terms

WEEK = Period(date(2024, 4, 1), date(2024, 4, 7))
ROY = RoyChoices(
    ContributionBound.per_user(4),
    Fraction(3, 2),
    WEEK,
    frozenset({date(2024, 4, 2)}),
    ("gender", "zip"),
    ("2", "1"),
)
LARGE = StabilityChoices(
    ContributionBound.per_trip(),
    Fraction(8),
    Fraction(1, 10**6),
    Variant.OPAL,
    (("on_loc",), ("on_time", "on_loc")),
    WEEK,
)


def test_stations_are_tiles_in_their_order_with_a_point_inside():
    tiles = four_tiles()
    stations = domain_of(tiles, WEEK).stations
    assert stations.ids == tiles.tile_ids
    for shape, lng, lat in zip(tiles.polygons, stations.longitudes, stations.latitudes, strict=True):
        assert shape.contains(shapely.Point(lng, lat))


@pytest.mark.parametrize(
    ("extras", "zips"),
    [
        (("income",), ()),
        (("gender", "gender"), ()),
        (("zip",), ()),
        ((), ("1",)),
        (("zip",), ("x" * 21,)),
        (("zip",), ("",)),
    ],
)
def test_lists_that_do_not_fit_are_refused(extras, zips):
    with pytest.raises(PrivacyError):
        domain_of(four_tiles(), WEEK, extras=extras, zips=zips)


def test_more_pairs_than_can_be_drawn_are_refused_before_their_distances_are_worked_out():
    side = 50 / 111.19492664455873
    many = square_grid(Box(0.0, -side / 2, side, side / 2), 1000)
    assert len(many.tile_ids) > 2_000
    with pytest.raises(PrivacyError, match="coarser"):
        domain_of(many, WEEK)


@pytest.mark.parametrize("choices", [ROY, LARGE], ids=["roy", "stability"])
def test_choices_come_back_from_what_was_written_down(choices):
    assert choices_of_terms(choices.terms()) == choices
    for name in choices.terms():
        for wrong in (None, 3.5, [[]], {"a": 1}, "\0"):
            terms = {**choices.terms(), name: wrong}
            if wrong is None and (name == "max_trips" or (name, choices) == ("period", LARGE)):
                continue  # nothing means trip by trip, or all days
            with pytest.raises((KeyError, TypeError, ValueError, PrivacyError)):
                choices_of_terms(terms)


def test_epsilon_and_delta_are_split_exactly_and_equal_choices_are_equal():
    plan = LARGE.plan()
    assert (plan.epsilon, plan.delta) == (8, Fraction(1, 10**6))
    assert [one.epsilon for one in plan.combinations] == [Fraction(8, 3), Fraction(16, 3)]
    assert LARGE.loss == (4, Fraction(1, 10**6))
    assert ROY.loss == (Fraction(3, 2), 0)
    assert ROY.extras == ("zip", "gender")


def test_a_tile_that_is_called_as_what_is_not_known_is_refused_where_the_domain_is_built():
    with pytest.raises(PrivacyError, match="unknown places") as refused:
        domain_of(replace(four_tiles(), tile_ids=("A", "B", "C", "not listed")), WEEK)
    assert "another id" in refused.value.mend
    domain_of(replace(four_tiles(), tile_ids=("A", "B", "C", "UNKNOWN")), WEEK)  # here it means nothing
