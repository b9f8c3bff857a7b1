"""Plans that are made from decimal text and words: the default plan of tables, and the plans of the other kinds of release.

``dpcore.Plan`` is a plan of tables with shares of one's own. The commands and the library make the plans of other kinds here,
so a word means the same in both.
Only public facts are used, and nothing is counted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from dpcore import limits
from dpcore.api.offered import offered
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.attribute import attributes_of
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts
from dpcore.planning import default_plan as rules
from dpcore.privacy import ContributionBound, exact_epsilon
from dpcore.release import KINDS, AnyKind, kind_of
from dpcore.release.kinds.tables import TABLES
from dpcore.release.release import IsAsked
from dpcore.synthesis.roy_choices import MEASURED_WEIGHT, WEIGHT, ZIP, RoyChoices, groups_of, zips_of
from dpcore.synthesis.stability.choices import (
    COMBINATIONS,
    StabilityChoices,
    divisions_of,
    exact_delta,
    shares_of,
    usual_delta,
    usual_variant,
)
from dpcore.synthesis.stability.plan import Variant
from dpcore.synthesis.stability.zones import must_be_of, read_zones
from dpcore.synthesis.tree.choices import DEFAULT_HEIGHT, Making, Outside, Source, TreeChoices
from dpcore.synthesis.tree.levels_file import names_in_lower_case, read_levels
from dpcore.synthesis.tree.plan import Definition, Strategy, usual_strategy
from dpcore.synthesis.tree.tree import Consistency
from dpcore.tiles import Tessellation

_Word = TypeVar("_Word", bound=Enum)


USUAL_COMBINATIONS: Final = tuple("+".join(columns) for columns in COMBINATIONS)
"""As for the Opal cards: each column alone, and time and place together."""
UNZONED: Final = ("refuse", "outside")
"""What becomes of tiles that only the table of zones or only the tessellation knows."""


@offered
def default_plan(
    bound: ContributionBound | None,
    epsilon: Fraction | str,
    tiles: Tessellation,
    *,
    about_trips: int | None = None,
    about_users: int | None = None,
    choices: KeyChoices = USUAL,
    measures: Sequence[str] | None = None,
    has_users: bool = True,
    has_points: bool = True,
) -> Plan:
    """The plan of tables that commands and pages take: default measures and shares, districts, and the cap of the total.

    It follows from public facts alone. Declare about how many trips and people there are: more then follows from the size of
    the data.

    Args:
        bound: privacy unit and contribution bound. None: hide a person, with the M for which the estimates are expected to be
            best with the declared numbers, or 4 without them.
        epsilon: total of all measures, a fraction or decimal text.
        tiles: the public tiles.
        about_trips: approximate number of trips.
        about_users: approximate number of people.
        choices: dates, windows, bins; districts and the cap of the total where you choose them.
        measures: names of measures; None for the default ones.
        has_users: whether the trips name people, as ``has_users`` of loaded trips says.
        has_points: whether the trips have coordinates, as ``has_points`` of loaded trips says.

    Raises:
        InputError: an unknown measure.
        PrivacyError: an epsilon, or declared numbers, that cannot be.
        TessellationError: the tiles cannot be divided into districts.

    """
    facts, total = Facts(about_trips, about_users, len(tiles.tile_ids)), exact(epsilon)
    return rules.default_plan(
        bound or ContributionBound.per_user(rules.default_bound(total, facts, choices)),
        total,
        tiles,
        facts,
        choices,
        has_users=has_users,
        has_points=has_points,
        measures=measures,
    )


@offered
def model_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    period: Period,
    *,
    holidays: Collection[date] = (),
    attributes: Sequence[str] = (),
    zips: Sequence[str] = (),
    by_month: bool = False,
    draw: Mapping[str, str | Sequence[str]] | None = None,
    together: Sequence[str] = (),
    measure: Sequence[str] = (),
    bands: Sequence[str] = (),
) -> RoyChoices:
    """The plan of synthetic trips that are drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016).

    Args:
        bound: privacy unit and contribution bound.
        epsilon: total of all tables, a fraction or decimal text.
        period: public dates; trips on other days are left out.
        holidays: days of the period that count as weekend.
        attributes: of riders that are drawn too: ``user_type``, ``gender``. The trips must have such columns.
        zips: public list of zips; with it the zip of riders is drawn too.
        by_month: whether stations may be busy in different months.
        draw: declared attributes of the trips that are drawn too, as ``attributes`` of ``load_trips`` declares them.
        together: groups of attributes that are counted together, such as ``"start+mode"``, or ``"start+mode=3"`` with a weight
            of its own (of about 20). The last ones of a group are drawn given the ones before.
        measure: groups that are counted only to tell how their attributes are associated.
        bands: steps of distance in kilometres, as decimal text; none for the usual ones.

    Raises:
        PrivacyError: an epsilon, an attribute, a holiday or steps of distance that cannot be.
        InputError: a zip, an attribute or a group that can be none.

    """
    _must_be_period(period)
    listed = zips_of(zips, "zips", "entry")
    extras = (*([ZIP] if listed else []), *attributes)
    return RoyChoices(
        bound,
        exact(epsilon),
        period,
        frozenset(holidays),
        extras,
        listed,
        by_month,
        attributes_of(draw),
        groups_of(together, WEIGHT, "together"),
        groups_of(measure, MEASURED_WEIGHT, "measure"),
        tuple(bands),
    )


@offered
def stability_plan(
    bound: ContributionBound,
    epsilon: Fraction | str,
    *,
    delta: Fraction | str | None = None,
    combinations: Sequence[str] = USUAL_COMBINATIONS,
    period: Period | None = None,
    minutes: int = 15,
    variant: str | None = None,
    parts: Mapping[str, str | Sequence[str]] | None = None,
    skip: Period | None = None,
    zones: Mapping[str, str] | str | Path | None = None,
    tiles: Tessellation | None = None,
    unzoned: str = "refuse",
    shares: Mapping[str, int] | None = None,
) -> StabilityChoices:
    """The plan of large noisy counts of trip ends, as for the Opal cards: small counts are left out.

    Args:
        bound: privacy unit and contribution bound.
        epsilon: total of all combinations, a fraction or decimal text.
        delta: total of all combinations, a fraction or text such as ``"0.000001"``, ``"1e-6"`` or ``"1/8000000"``. None: 0.000001,
            or with the variant ``opal`` that of the Opal cards, 1/8,000,000 for each combination.
        combinations: columns that are counted together, such as ``"on_time+on_loc"``; of ``on_time``, ``on_loc``, ``off_time``
            and ``off_loc``.
        period: public dates, each counted apart; None: all days together.
        minutes: length of a bin of times; divides a day.
        variant: ``user``, ``add-remove``, ``tight`` or ``opal``; None: ``user``, or ``add-remove`` with the unit trip.
        parts: attributes of trips with their public categories, each counted apart: ``{"mode": ["bus", "train"]}``. The trips must
            be loaded with them. Trips of other categories are left out.
        skip: days within the period that are left out, such as those between two weeks.
        zones: public zones of tiles, such as postcodes of stops: ``{tile id: zone}``, or a CSV file with ``tile_id`` and ``zone``.
            Places are then zones. A tile without a zone counts as an unknown place.
        tiles: the public tiles; a file of zones cannot be read without them.
        unzoned: what the file of zones says of other tiles, and tiles without a zone: ``refuse``, or ``outside``.
        shares: the share of epsilon of columns, 1 to 1,000, such as ``{"on_loc": 3}``; of others it is 1. A combination gets those of its
            columns.

    Raises:
        PrivacyError: an epsilon, a delta, a share, a column or a length that cannot be, or a variant that does not fit the unit.
        InputError: an unknown variant, or zones or categories that cannot be.

    """
    _must_be_period(period, may_lack=True)
    _must_be_period(skip, may_lack=True)
    noise = usual_variant(bound.unit) if variant is None else _word(Variant, variant, "variant")
    if delta is None:
        delta = usual_delta(noise, len(combinations))
    made = StabilityChoices(
        bound,
        exact(epsilon),
        delta if isinstance(delta, Fraction) else exact_delta(delta, "delta"),
        noise,
        tuple(tuple(column.strip() for column in one.split("+")) for one in combinations),
        period,
        minutes,
        divisions_of(attributes_of(parts)),
        skip,
        shares=shares_of(shares or {}),
    )
    made.plan()  # refuses what cannot be
    if isinstance(zones, Mapping):
        made = replace(made, zones=tuple(zones.items()))
        if tiles is not None:
            must_be_of(made.zones, tiles)
    elif zones is not None:
        if tiles is None:
            raise InputError(
                "a file of zones names tiles",
                "tiles",
                "Give the tiles too, or the zones as {tile id: zone}.",
            )
        made = with_zones_of(made, Path(zones), tiles, unzoned=unzoned)
    return made


def with_zones_of(
    choices: StabilityChoices, place: Path, tiles: Tessellation, *, unzoned: str = "refuse"
) -> StabilityChoices:
    """The choices with the zones of a file; InputError where it cannot be used."""
    if unzoned not in UNZONED:
        raise InputError.unknown("way with tiles without a zone", unzoned, UNZONED)
    data = _public_file(place, "zones")
    return replace(choices, zones=read_zones(data, tiles, name=place.name, outside=unzoned == "outside"))


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
    _must_be_period(period, may_lack=True)
    definition = _word(Definition, promise, "promise")
    made = TreeChoices(
        bound,
        exact(epsilon),
        height,
        making=Making(
            _word(Source, trajectory, "trajectory"),
            minutes,
            _word(Outside, outside, "place of visits in no tile"),
        ),
        definition=definition,
        strategy=usual_strategy(definition) if strategy is None else _word(Strategy, strategy, "strategy"),
        consistency=_word(Consistency, consistency, "consistency"),
        period=period,
    )
    if isinstance(levels, Mapping):
        names = names_in_lower_case(made.descriptors)
        named = {tile: names.get(str(level).strip().casefold(), level) for tile, level in levels.items()}
        made = replace(made, named=tuple(named.items()))
    elif levels is not None:
        if tiles is None:
            raise InputError(
                "a file of levels names tiles",
                "tiles",
                "Give the tiles too, or the levels as {tile id: level}.",
            )
        made = with_levels_of(made, Path(levels), tiles)
    if tiles is not None:
        made.plan(tiles)  # refuses a level of a tile that is not there
    return made


def with_levels_of(choices: TreeChoices, place: Path, tiles: Tessellation) -> TreeChoices:
    """The choices with the levels of a file; InputError or PrivacyError where it cannot be used."""
    data = _public_file(place, "levels")
    outside = choices.making.outside is Outside.PLACE
    named, descriptors = read_levels(data, tiles, name=place.name, outside=outside)
    return replace(choices, named=named, descriptors=descriptors)


def _public_file(place: Path, what: str) -> bytes:
    """The bytes of a public table, one more than it may have at most."""
    try:
        with place.open("rb") as file:
            return file.read(limits.MAX_TESSELLATION_BYTES + 1)
    except OSError:
        raise InputError(
            f"the {what} cannot be read", str(place), "Check the name and the rights of the file."
        ) from None


def nonce_of(plan: IsAsked, *facts: str) -> str:
    """A nonce that follows from a plan and from what else makes a request: the same request is charged once.

    In a notebook a changed plan gets another nonce, so it is another request and not the old one with other terms.
    """
    text = json.dumps([kind_asked(plan).python(plan), *facts])
    return sha256(text.encode()).hexdigest()[:24]


def kind_asked(plan: IsAsked) -> AnyKind:
    """The kind of release that a plan asks for; InputError for what is no plan."""
    if not any(type(plan) is kind.asked for kind in KINDS.values()):
        raise InputError(
            "this is no plan of a release",
            type(plan).__name__,
            "Give a Plan, or what model_plan, stability_plan or tree_plan made.",
        )
    return kind_of(plan)


def must_be_of_tables(plan: IsAsked) -> None:
    """Refuse a plan of another kind than tables; raises InputError."""
    if kind_asked(plan) is not TABLES:
        raise InputError(
            "only a plan of tables is previewed here",
            type(plan).__name__,
            "Give a Plan. The pages Synthesize and Trajectories preview the other kinds.",
        )


def exact(epsilon: Fraction | str) -> Fraction:
    """An exact epsilon; raises PrivacyError for a float, or decimal text beyond the limits."""
    return epsilon if isinstance(epsilon, Fraction) else exact_epsilon(epsilon)


def rung_asked(epsilon: Fraction | str | None) -> Fraction | None:
    """The epsilon of the rung that is asked for, read as ``exact`` does; None for the finest."""
    return None if epsilon is None else exact(epsilon)


def _must_be_period(period: object, *, may_lack: bool = False) -> None:
    """Refuse what is no period, such as text; raises PrivacyError."""
    if not isinstance(period, Period) and not (may_lack and period is None):
        raise PrivacyError(
            "this is no period",
            "period",
            "Give Period(date(2024, 3, 4), date(2024, 3, 31)), with date from datetime.",
        )


def _word(kind: type[_Word], word: str, what: str) -> _Word:
    """The member of an enumeration that a word names."""
    known = {str(one.value): one for one in kind}
    if word not in known:
        raise InputError.unknown(what, word, [*known])
    return known[word]
