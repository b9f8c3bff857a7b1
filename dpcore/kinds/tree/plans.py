"""The plan of a trajectory tree, from decimal text and words.

Only public facts are used, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dpcore.api.offered import offered
from dpcore.api.plans import exact, must_be_period, public_file, word_of
from dpcore.errors import InputError
from dpcore.kinds.tree.choices import DEFAULT_HEIGHT, Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.levels_file import names_in_lower_case, read_levels
from dpcore.kinds.tree.plan import Definition, Strategy, usual_strategy
from dpcore.kinds.tree.tree import Consistency
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation


@offered
def tree_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    *,
    levels: Mapping[str, str] | str | Path | None = None,
    tiles: Tessellation | None = None,
    height: int = DEFAULT_HEIGHT,
    trajectory: str = "trip",
    minutes: int | None = None,
    outside: str = "leave-out",
    promise: str = "location",
    strategy: str | None = None,
    consistency: str = "equal",
    period: Period | None = None,
) -> TreeChoices:
    """The plan of a tree of trajectories: noisy counts of how trajectories begin, with more noise for more delicate places (PLDP-TD).

    Args:
        bound: privacy unit and contribution bound; days count instead of trips where a trajectory is a day.
        epsilon: of Critical places for one trajectory, a fraction or decimal text. You pay more: times M, and times up to 5
            for a Public-ish place. Ask ``price`` first.
        levels: public privacy levels: ``{tile id: level}`` with ``Public-ish``, ``Low``, ``Medium``, ``High`` or ``Critical`` (in upper or lower case), or a
            GeoJSON or CSV file with ``tile_id`` and ``privacy``. A tile that is not named is Critical.
        tiles: the public tiles; a file of levels cannot be read without them.
        height: visits of a trajectory that count.
        trajectory: ``trip``, or ``day``: the local day of a person, which needs the unit user.
        minutes: note the tile every so many minutes; None: each move to another tile once.
        outside: what becomes of visits in no tile: ``leave-out``, ``place`` (one more place) or ``end`` (of the trajectory).
        promise: what levels protect: ``location``, going on to a place, or ``record``, the whole trajectory.
        strategy: how epsilon is laid along a path: ``uniform``, ``non-adaptive``, ``adaptive`` or ``record``; None: the usual one.
        consistency: how estimates are made to add up: ``equal``, ``slack`` or ``none``.
        period: public dates; trips on other days are left out. None: all days.

    Raises:
        PrivacyError: a promise without meaning, such as the day of a person with the unit trip.
        InputError: an unknown word, a level of a tile that is not there, or a file that cannot be read.

    """
    must_be_period(period, may_lack=True)
    definition = word_of(Definition, promise, "promise")
    made = TreeChoices(
        bound,
        exact(epsilon),
        height,
        making=Making(
            word_of(Source, trajectory, "trajectory"),
            minutes,
            word_of(Outside, outside, "place of visits in no tile"),
        ),
        definition=definition,
        strategy=usual_strategy(definition) if strategy is None else word_of(Strategy, strategy, "strategy"),
        consistency=word_of(Consistency, consistency, "consistency"),
        period=period,
    )
    if isinstance(levels, Mapping):
        names = names_in_lower_case(made.descriptors)
        spelled = {tile: names.get(str(level).strip().casefold(), level) for tile, level in levels.items()}
        made = replace(made, named=tuple(spelled.items()))
    elif levels is not None:
        if tiles is None:
            raise InputError(
                "a file of levels names tiles",
                "tiles",
                "Give the tiles too, or the levels as {tile id: level}.",
            )
        place, place_outside = Path(levels), made.making.outside is Outside.PLACE
        data = public_file(place, "levels")
        named, scale = read_levels(data, tiles, name=place.name, outside=place_outside)
        made = replace(made, named=named, descriptors=scale)
    if tiles is not None:
        made.plan(tiles)  # refuses a level of a tile that is not there
    return made
