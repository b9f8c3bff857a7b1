"""What an owner chooses for synthetic trips (Roy, Kantarcioglu, Sweeney 2016, sound mode), and the domain that follows.

Public, no data: every list (tiles, dates, holidays, zips) is one that everybody may know. The list of zips is checked entry
by entry before anything is charged.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Final, cast

import numpy as np
import shapely

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.domain import BAND_EDGES, PLACE_AND_TIME, Group, Stations, TripDomain
from dpcore.kinds.roy.workload import MAX_TABLE_CELLS, SynthesisPlan
from dpcore.measures import attribute as declaring
from dpcore.measures.keys import Period
from dpcore.measures.riders import EXTRAS, PEOPLE, ZIP, Attribute, may_be_a_zip
from dpcore.planning.choice import FILE, Choice, names
from dpcore.privacy import ContributionBound, decimal_text
from dpcore.release import terms as written
from dpcore.tiles import Tessellation
from dpcore.tiles.drawn import as_drawn

_LISTED: Final = 5  # entries that a refusal names
OTHER: Final = "other"
"""Category of zips that are not on the list."""
MAX_ZIPS: Final = 5_000
MAX_DRAWN_CHARACTERS: Final = 60_000
"""Of all declared attributes that are drawn, as texts: the ledger keeps them."""
MAX_BANDS: Final = 100
MAX_GROUPS: Final = 24
"""Of one kind: drawn together, or only measured."""
WEIGHT: Final = 2
"""Of a group that is drawn together, if its owner names none; of a full weight of 20."""
MEASURED_WEIGHT: Final = 1
_NAMES: Final = r"[a-z][a-z0-9_]{0,39}"
_GROUP: Final = re.compile(rf"({_NAMES}(?:\s*[,+]\s*{_NAMES})+)(?:\s*=\s*([0-9]{{1,3}}))?")
_KILOMETRES: Final = re.compile(r"[0-9]{1,5}(\.[0-9]{1,3})?")
MAX_ZIP_CHARACTERS: Final = limits.MAX_ZIP_CHARACTERS


def zips_of(entries: Sequence[str], where: str, unit: str = "line") -> tuple[str, ...]:
    """The distinct zips among some entries, in their order, without empty ones.

    Raises InputError for entries that are not zips, and names the first of them by number. ``where`` and ``unit`` say what
    the list and an entry are called in that message.
    """
    texts = [entry.strip() for entry in entries]
    wrong = [number for number, text in enumerate(texts, 1) if text and not may_be_a_zip(text)]
    if wrong:
        more = f" and {len(wrong) - _LISTED:,} more" if len(wrong) > _LISTED else ""
        named = ", ".join(f"{number:,}" for number in wrong[:_LISTED])
        raise InputError(
            "some of the zips cannot be zips",
            f"{where}, {unit} {named}{more}",
            "A zip has 2 to 12 letters, digits, spaces or hyphens, such as 02139.",
        )
    return tuple(dict.fromkeys(text for text in texts if text))


def domain_of(
    tessellation: Tessellation,
    period: Period,
    *,
    holidays: Collection[date] = (),
    extras: Sequence[str] = (),
    zips: Sequence[str] = (),
    by_month: bool = False,
    declared: Sequence[declaring.Attribute] = (),
    together: Sequence[Group] = (),
    measured: Sequence[Group] = (),
    bands: Sequence[str] = (),
) -> TripDomain:
    """The domain in which each tile is a station at its label point, with the named attributes.

    A station has the number of its tile. Label points are those of the tiles as a bundle draws them, so that a reader of a
    release gets the same domain. ``extras`` are out of ``EXTRAS``; the other arguments are those of ``RoyChoices``.

    Raises PrivacyError for too many tiles, an unknown attribute, or zips without their list.
    """
    unknown = [name for name in extras if name not in EXTRAS]
    if unknown or len(set(extras)) != len(extras):
        raise PrivacyError(
            "this is not an attribute of a trip, or it is named twice",
            ", ".join(unknown or extras),
            f"Choose among {', '.join(EXTRAS)}.",
        )
    _check_zips(zips, wanted=ZIP in extras)
    pairs = len(tessellation.tile_ids) ** 2
    if pairs > MAX_TABLE_CELLS:  # before the distances of all pairs are computed
        raise PrivacyError(
            f"a table would have {pairs:,} cells",
            f"flows between {len(tessellation.tile_ids):,} tiles",
            f"At most {MAX_TABLE_CELLS:,} are drawn: choose coarser tiles.",
        )
    tiles = as_drawn(tessellation)
    points = shapely.point_on_surface(np.array(tiles.polygons))
    stations = Stations(
        tiles.tile_ids,
        tuple(shapely.get_y(points).tolist()),
        tuple(shapely.get_x(points).tolist()),
        (BAND_EDGES[0], *map(float, bands)) if bands else BAND_EDGES,
    )
    return TripDomain(
        stations,
        period,
        frozenset(holidays),
        Attribute(ZIP, tuple(zips), unknown=OTHER) if ZIP in extras else None,
        tuple(attribute for name, attribute in PEOPLE.items() if name in extras),
        by_month,
        tuple(declared),
        tuple(together),
        tuple(measured),
    )


def groups_of(texts: Sequence[str], weight: int, where: str) -> tuple[Group, ...]:
    """Groups of attributes from texts such as ``start+mode``, ``start,mode`` or ``start,mode=3`` with a weight of its own.

    Raises InputError for a text that is no group.

    >>> groups_of(["hour, mode=3", "start+mode"], 2, "--together")
    (Group(axes=('hour', 'mode'), weight=3), Group(axes=('start', 'mode'), weight=2))
    """
    found = []
    for text in texts:
        said = _GROUP.fullmatch(text.strip())
        if said is None:
            raise InputError(
                "not a group of attributes", where, "Write two or more, such as start,mode or start,mode=3."
            )
        names, own = said.groups()
        found.append(
            Group(tuple(re.split(r"\s*[,+]\s*", names)), weight if own is None else min(int(own), 10**6))
        )
    return tuple(found)


def check_bands(bands: Sequence[str]) -> None:
    """Refuse texts that are no ascending kilometres, in decimals; raises PrivacyError."""
    decimal = all(_KILOMETRES.fullmatch(text) for text in bands)
    steps = [Fraction(text) for text in bands] if decimal else []
    rising = all(low < high for low, high in pairwise([Fraction(str(BAND_EDGES[0])), *steps]))
    if len(steps) != len(bands) or not rising or len(bands) > MAX_BANDS:
        raise PrivacyError(
            "these are no steps of distance",
            "bands",
            f"Give at most {MAX_BANDS} ascending kilometres above {BAND_EDGES[0]}, such as 0.5,1,2,5.",
        )


def _check_zips(zips: Sequence[str], *, wanted: bool) -> None:
    short = all(0 < len(zip_) <= MAX_ZIP_CHARACTERS and zip_.isprintable() for zip_ in zips)
    if wanted != bool(zips) or len(zips) > MAX_ZIPS or not short:
        raise PrivacyError(
            "the list of zips and the attribute zip belong together",
            "zips",
            f"Give the attribute and a public list of 1 to {MAX_ZIPS:,} short texts, or leave both out: the values are never "
            "read off the data.",
        )


def one_month(period: Period) -> bool:
    """Whether all days lie in one month."""
    return f"{period.first:%Y-%m}" == f"{period.last:%Y-%m}"


@dataclass(frozen=True)
class RoyChoices:
    """All choices for synthetic trips; together with the tiles they make a plan. ``CHOICES`` says what each is."""

    kind: ClassVar[str] = "roy"

    bound: ContributionBound
    epsilon: Fraction
    """Total of all tables."""
    period: Period
    """Public dates; trips on other days are left out."""
    holidays: frozenset[date] = frozenset()
    extras: tuple[str, ...] = ()
    """Attributes of the rider, out of ``EXTRAS``; with ``zip`` there are ``zips``."""
    zips: tuple[str, ...] = ()
    by_month: bool = False
    draw: tuple[declaring.Attribute, ...] = ()
    together: tuple[Group, ...] = ()
    measured: tuple[Group, ...] = ()
    bands: tuple[str, ...] = ()
    """Kilometres as decimal text; none for the usual ones."""

    def __post_init__(self) -> None:
        """Order the attributes, so that equal choices are equal; refuse choices that contradict themselves."""
        if len(set(self.extras)) != len(self.extras):
            raise PrivacyError("an attribute is named twice", "attributes", "Name each of them once.")
        usual = [name for name in EXTRAS if name in self.extras]
        others = [name for name in self.extras if name not in EXTRAS]
        object.__setattr__(self, "extras", (*usual, *others))
        declaring.distinct(self.draw)
        if sum(len(declaring.text_of(one)) for one in self.draw) > MAX_DRAWN_CHARACTERS:
            raise PrivacyError(
                "the lists of the attributes are too long for the ledger",
                ", ".join(one.name for one in self.draw),
                f"Draw fewer categories: {MAX_DRAWN_CHARACTERS:,} letters together at most.",
            )
        check_bands(self.bands)
        for which in ("together", "measured"):
            object.__setattr__(self, which, self._groups_in_order(vars(self)[which]))
        beyond = sorted(day for day in self.holidays if not self.period.first <= day <= self.period.last)
        if beyond:
            raise PrivacyError(
                "a holiday is outside the dates",
                f"holidays, {beyond[0].isoformat()}",
                f"Name those from {self.period.first.isoformat()} to {self.period.last.isoformat()}.",
            )
        if self.by_month and one_month(self.period):
            raise PrivacyError(
                "all dates lie in one month",
                "months told apart",
                "Leave it out: a table of one month would cost a share of epsilon and tell nothing.",
            )

    def _groups_in_order(self, groups: Sequence[Group]) -> tuple[Group, ...]:
        """Groups in their order, the attributes of each in the order in which they are drawn; unknown ones last."""
        if len(groups) > MAX_GROUPS:
            raise PrivacyError(
                f"{len(groups)} groups, the limit is {MAX_GROUPS}", "groups", "Leave some of them out."
            )
        order = [*PLACE_AND_TIME, *self.extras, *(one.name for one in self.draw)]
        rank = {name: number for number, name in enumerate(order)}
        return tuple(
            Group(tuple(sorted(one.axes, key=lambda name: (rank.get(name, len(rank)), name))), one.weight)
            for one in groups
        )

    def __repr__(self) -> str:
        """One line: the kind, epsilon, and whom it hides; no days, which may have been read off the trips."""
        return f"<Plan of synthetic trips: epsilon {decimal_text(self.epsilon)} per {self.bound}>"

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta for one privacy unit that is added or removed."""
        return self.epsilon, Fraction(0)

    def plan(self, tessellation: Tessellation) -> SynthesisPlan:
        """The plan on some tiles; raises PrivacyError if it is too large or contradicts itself."""
        domain = domain_of(
            tessellation,
            self.period,
            holidays=self.holidays,
            extras=self.extras,
            zips=self.zips,
            by_month=self.by_month,
            declared=self.draw,
            together=self.together,
            measured=self.measured,
            bands=self.bands,
        )
        return SynthesisPlan(domain, self.bound, self.epsilon)

    def terms(self) -> dict[str, object]:
        """The choices as the ledger and the manifest store them."""
        own = written.terms_of(self, _TERMS, _LATER)
        return {"kind": self.kind, **written.bound_terms(self.bound), **own}

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> RoyChoices:
        """The choices from what ``terms`` gave; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
        return cls(written.bound_of(terms), **written.read_terms(terms, _TERMS, _LATER))


def _group_text(group: Group) -> str:
    return f"{group.name}={group.weight}"


def _groups(value: object) -> tuple[Group, ...]:
    found = groups_of(written.texts_of(value, MAX_GROUPS), 0, "terms")
    if list(map(_group_text, found)) != list(cast("Sequence[str]", value)):
        raise ValueError("not the canonical form of a group")
    return found


def _attributes(value: object) -> tuple[declaring.Attribute, ...]:
    texts = written.texts_of(value, limits.MAX_ATTRIBUTES, MAX_DRAWN_CHARACTERS)
    found = tuple(map(declaring.attribute_of, texts))
    if list(map(declaring.text_of, found)) != list(texts):
        raise ValueError("not the canonical form of an attribute")
    return found


_GROUPS: Final[written.Term] = (lambda groups: list(map(_group_text, groups)), _groups)
_LATER: Final = ("draw", "together", "measured", "bands")
"""Choices that are written only where they are made: releases of earlier versions do not have them."""
_TERMS: Final[Mapping[str, written.Term]] = {
    "epsilon": written.FRACTION,
    "period": written.PERIOD,
    "holidays": written.DAYS,
    "extras": written.texts(len(EXTRAS)),
    "zips": written.texts(MAX_ZIPS),
    "by_month": written.FLAG,
    "draw": (lambda draw: list(map(declaring.text_of, draw)), _attributes),
    "together": _GROUPS,
    "measured": _GROUPS,
    "bands": written.texts(MAX_BANDS),
}


def _days(text: str) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(day.strip()) for day in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("give days such as 2024-04-01,2024-05-01") from None


def _zips(text: str) -> tuple[str, ...]:
    place = Path(text)
    most = MAX_ZIPS * 4 * (MAX_ZIP_CHARACTERS + 2)
    try:
        with place.open("rb") as file:
            data = file.read(most + 1)
        lines = data.decode("utf-8-sig").splitlines() if len(data) <= most else []
    except (OSError, UnicodeDecodeError):
        lines = []
    found = zips_of(lines, place.name)
    if not found:
        raise InputError(
            "the list of zips cannot be read",
            str(place),
            f"Give a text file with 1 to {MAX_ZIPS:,} zips, one a line.",
        )
    return found


CHOICES: Final = (
    Choice("period", flag="--dates"),
    Choice("holidays", "counted as weekend", "DAY,DAY,...", _days),
    Choice(
        "attributes",
        "of riders: user_type and gender",
        "a,b",
        names,
        of=lambda plan: [name for name in plan.extras if name != ZIP],
    ),
    Choice("zips", "public list of zips, one a line; zips are then drawn too", FILE, _zips),
    Choice("by_month", "stations may be busy in different months", read=bool),
    Choice("", flag="--attribute", of=lambda _: None, texts=lambda plan: map(declaring.text_of, plan.draw)),
    Choice(
        "draw",
        "attributes declared with --attribute that are drawn too",
        "a,b",
        names,
        of=lambda plan: {one.name: one.declared for one in plan.draw},
        texts=lambda plan: [",".join(one.name for one in plan.draw)] if plan.draw else [],
    ),
    Choice(
        "together",
        "a group of attributes that is counted together; the last ones are drawn given the ones before; may be given several "
        f"times. Attributes: {', '.join(PLACE_AND_TIME)}, and those that are drawn. WEIGHT: of about 20; default: {WEIGHT}",
        "a,b[=WEIGHT]",
        many=True,
        of=lambda plan: list(map(_group_text, plan.together)),
        texts=lambda plan: [_group_text(one).replace("+", ",") for one in plan.together],
    ),
    Choice(
        "measure",
        "attributes that are counted together only to tell how they are associated, see synth groups; may be given several times; "
        f"default weight: {MEASURED_WEIGHT}",
        "a+b[=WEIGHT]",
        many=True,
        of=lambda plan: list(map(_group_text, plan.measured)),
    ),
    Choice(
        "bands",
        "public steps of distance, such as 0.5,1,2,5; default: 0.5,1,1.5,2,3,4,6,10",
        "KM,KM,...",
        names,
    ),
)
