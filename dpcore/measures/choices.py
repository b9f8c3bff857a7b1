"""Which measures there are, and what an owner chooses about their keys before anything is counted. All of it is public.

*Choices* are dates, time windows and bins. None of them is read off the trips. Instead, ranges of histograms may be
purchased: such a range is the result of a mechanism whose epsilon was paid, so it is as public as any other choice.

*The registry* holds the measures in the order of tables and reports. Code that needs a fact of all measures asks each
measure for it (``Each``), so a registered measure needs no mention anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from numbers import Integral
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, TypeVar

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.exact_json import read_as
from dpcore.measures.attribute import Categories, distinct
from dpcore.measures.bins import Bins
from dpcore.measures.keys import Districts, Period, Step
from dpcore.measures.measure import Measure
from dpcore.measures.split import checked_splits, not_split, split
from dpcore.measures.sums import BY, Sum, checked_sums, measures_of, sum_of

WINDOWS: Final = (2, 6, 10, 14, 18, 22)
"""Hours at which the usual time windows begin. Each ends where the next one begins; the last ends at 2 on the next day."""

USUAL_MOST_TRIPS: Final = 160
"""The cap of ``total_trips`` if none was chosen: 20 times the bound M = 8."""

_NO_COUNT: Final = -1
_NO_EDGES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})


def _known_step(step: object) -> Step:
    try:
        return Step(str(step))
    except ValueError:
        raise PrivacyError("unknown step", repr(step), "Choose day, week or month.") from None


def _hours(windows: object) -> tuple[int, ...]:
    """The listed hours. Anything but a list of whole numbers becomes a list that is refused."""
    if not isinstance(windows, Iterable) or isinstance(windows, str):
        return ()
    hours = [_count(hour) for hour in windows]
    return () if _NO_COUNT in hours else tuple(hours)


def _count(number: object) -> int:
    """A whole number as a Python int; -1 for anything else."""
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 0:
        return _NO_COUNT
    return int(number)


def _edge_texts(measure: str, edges: object) -> tuple[str, ...]:
    """Edges as decimal text, whether they were given as numbers or as text: a float 0.1 becomes ``0.1``."""
    if not isinstance(edges, Iterable) or isinstance(edges, str):
        raise PrivacyError("edges of bins must be a list", measure, "Give one such as (5, 10, 20).")
    return tuple(str(edge) for edge in edges)


@dataclass(frozen=True)
class KeyChoices:
    """Dates, time windows and bins of the tables. The defaults are the usual ones."""

    period: Period | None = None
    """Dates that ``trips_over_time`` covers. That measure needs them."""
    step: Step = Step.DAY
    """What one count of ``trips_over_time`` covers."""
    windows: tuple[int, ...] = WINDOWS
    """Rising hours at which the windows of ``visits_per_time_tile`` begin. The last window runs past midnight."""
    edges: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NO_EDGES)
    """Rising edges chosen by the owner, by measure: decimal texts in the unit of the measure."""
    visits_cap: int | None = None
    """None: a trip counts at both of its ends. A number k: also in each tile that it passes between them (a stay counts
    once), at most k visits for each trip."""
    districts: Districts | None = None
    """Which district each tile lies in. Flows between districts need it."""
    most_trips: int | None = None
    """The cap C: ``total_trips`` counts at most so many trips of a person. None: ``USUAL_MOST_TRIPS``."""
    sums: tuple[Sum, ...] = ()
    """Numbers of each trip that are added up. Each has two measures, ``sum_NAME`` and ``mean_NAME``. A mapping is taken too:
    ``{"fare": "0:100:0.01"}``."""
    by: str | None = None
    """The table in whose cells they are added up, one of ``sums.BY``. None: over all trips."""
    splits: tuple[Categories, ...] = ()
    """Declared attributes by whose categories the tables of trips are split, the first one first; none, one or two.
    A mapping is taken too: ``{"mode": ["bus", "rail"]}``."""
    users: bool = True
    """Whether the form of the data names people, which is public. If not, no table has a row for the number of people."""

    def __post_init__(self) -> None:
        """Refuse impossible choices. Steps, windows and edges are brought to their one written form."""
        if self.period is not None and not isinstance(self.period, Period):
            raise PrivacyError("a period has a first and a last day", "period", "Give Period(first, last).")
        object.__setattr__(self, "step", _known_step(self.step))
        object.__setattr__(self, "windows", _hours(self.windows))
        if not self.windows or list(self.windows) != sorted({hour % 24 for hour in self.windows}):
            raise PrivacyError(
                "time windows must begin at rising hours",
                "windows",
                "Give hours from 0 to 23, each once, smallest first, such as 2,6,10,14,18,22.",
            )
        if (
            self.visits_cap is not None
            and not 2 <= _count(self.visits_cap) <= self.visits_cap <= limits.MAX_POINTS_PER_TRIP
        ):
            raise PrivacyError(
                f"a trip can count at 2 to {limits.MAX_POINTS_PER_TRIP:,} points",
                "visits",
                "Choose a cap in that range, or none to count both ends only.",
            )
        if self.visits_cap is not None:
            object.__setattr__(self, "visits_cap", int(self.visits_cap))
        if self.most_trips is not None and not 1 <= _count(self.most_trips) <= limits.MAX_TRIPS_PER_USER:
            raise PrivacyError(
                f"the cap on trips of a person must be a whole number from 1 to {limits.MAX_TRIPS_PER_USER:,}",
                "most trips",
                "Give the most trips of a person that the total counts. They are never read off the data.",
            )
        if self.most_trips is not None:
            object.__setattr__(self, "most_trips", int(self.most_trips))
        if self.districts is not None and not isinstance(self.districts, Districts):
            raise PrivacyError(
                "districts name the group of each tile",
                "districts",
                "Give Districts(names, of_tiles), or take them from the tiles.",
            )
        object.__setattr__(self, "sums", checked_sums(self.sums))
        if self.by is not None and (self.by not in BY or not self.sums):
            raise PrivacyError(
                "sums are told for the cells of a table" if self.sums else "there is no sum to tell by table",
                "by",
                f"Choose one of {', '.join(BY)}, or none for one number. --sum says what is added up.",
            )
        object.__setattr__(self, "splits", checked_splits(self.splits))
        distinct([*self.splits, *(one for total in self.sums if (one := total.attribute) is not None)])
        if not isinstance(self.edges, Mapping):
            raise PrivacyError(
                "edges must be listed by measure", "edges", "Give {'travel_time': (5, 10, 20)}, for example."
            )
        edges = {
            name: self._bins(name, _edge_texts(name, listed)).edges for name, listed in self.edges.items()
        }
        own = {name: found for name, found in sorted(edges.items()) if found != BINS[name].edges}
        object.__setattr__(self, "edges", MappingProxyType(own))

    def __hash__(self) -> int:
        return hash(
            (
                *(one for name, one in vars(self).items() if name in _WRITTEN and name != "edges"),
                *self.edges.items(),
            )
        )

    @cached_property
    def made(self) -> dict[str, Measure]:
        """Its measures that were asked for so far, by name. ``measure_named`` fills it: a plan asks for each of them often."""
        return {}

    def for_form(self, *, has_users: bool) -> KeyChoices:
        """The same choices for a form of data with or without a user column."""
        return self if self.users is has_users else replace(self, users=has_users)

    def bins(self, measure: str, usual: Bins | None = None) -> Bins:
        """The bins of a histogram: the owner's or the usual ones. Give ``usual`` for a measure that is not registered yet."""
        usual = usual or BINS[measure]
        return usual.between(self.edges[measure]) if measure in self.edges else usual

    def _bins(self, measure: str, edges: Sequence[str]) -> Bins:
        if measure not in BINS:
            raise PrivacyError(
                "this measure has no bins to choose", measure, f"Choose one of {', '.join(BINS)}."
            )
        return BINS[measure].between(edges, measure)

    def terms(self) -> dict[str, object]:
        """The choices as plain values in their one written form. Defaults are left out."""
        return {
            name: write(vars(self)[name])
            for name, (write, _, _) in _WRITTEN.items()
            if vars(self)[name] != vars(USUAL)[name]
        }

    @classmethod
    def of_terms(cls, written: Mapping[str, object]) -> KeyChoices:
        """The choices from their written form. Raises ValueError, TypeError or PrivacyError if they cannot be read."""
        if not written.keys() <= _WRITTEN.keys():
            raise ValueError("a choice of keys is unknown")
        made = {name: _WRITTEN[name] for name in written}
        read = {
            name: read_as(one[1], written[name], f"choices of keys, {name}") for name, one in made.items()
        }
        return cls(**{name: make(read[name]) for name, (_, _, make) in made.items()})


_Texts: TypeAlias = tuple[str, ...]
_WRITTEN: Final[Mapping[str, tuple[Callable[[Any], object], Any, Callable[[Any], Any]]]] = {
    "period": (
        lambda days: [days.first.isoformat(), days.last.isoformat()],
        tuple[date, date],
        lambda days: Period(*days),
    ),
    "step": (lambda step: step.value, str, Step),
    "windows": (list, tuple[int, ...], tuple),
    "edges": (
        lambda edges: {name: list(listed) for name, listed in edges.items()},
        Mapping[str, _Texts],
        dict,
    ),
    "visits_cap": (int, int, int),
    "districts": (Districts.terms, Mapping[str, object], Districts.of_terms),
    "most_trips": (int, int, int),
    "sums": (lambda sums: [one.text for one in sums], _Texts, lambda texts: tuple(map(sum_of, texts))),
    "by": (str, str, str),
    "splits": (
        lambda splits: [[one.name, *one.words] for one in splits],
        tuple[_Texts, ...],
        lambda splits: tuple(Categories(name, tuple(words)) for name, *words in splits),
    ),
    "users": (bool, Literal[False], bool),
}
"""Of each choice: what writes it, the type of what is written, and what makes the choice of that again."""

USUAL: Final = KeyChoices()
"""The usual windows and bins, and no period."""


Maker = Callable[[KeyChoices], Measure]
"""A function that makes a measure with the chosen keys."""

_MAKERS: Final[dict[str, Maker]] = {}
_USUAL: Final[dict[str, Measure]] = {}

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(_USUAL)
"""Every measure by name, with the usual keys."""


def register(*makers: Maker) -> None:
    """Add measures at the end of the registry; a new measure needs nothing else. ValueError if a name is taken."""
    for make in makers:
        measure = make(USUAL)
        if measure.name in _MAKERS:
            raise ValueError(f"there is already a measure named {measure.name}")
        _MAKERS[measure.name], _USUAL[measure.name] = make, measure


def measure_named(name: str, choices: KeyChoices = USUAL) -> Measure:
    """The measure with that name and the chosen keys. Raises InputError, with the known names, for any other name."""
    if choices is USUAL and name in MEASURES:
        return MEASURES[name]
    if name not in choices.made:
        choices.made[name] = _measure_made(name, choices)
    return choices.made[name]


def _measure_made(name: str, choices: KeyChoices) -> Measure:
    """``measure_named``, made anew."""
    for one in choices.sums:
        if name in one.names:
            by = None if choices.by is None else _MAKERS[choices.by](choices)
            return split(measures_of(one, by)[one.names.index(name)], choices.splits)
    if name not in _MAKERS:
        raise InputError.unknown("measure", name, [*sorted(_MAKERS), *names_of_sums(choices)])
    return split(_MAKERS[name](choices), choices.splits)


def names_of_sums(choices: KeyChoices) -> tuple[str, ...]:
    """The measures that its sums add: a sum and a mean of each."""
    return tuple(name for one in choices.sums for name in one.names)


def must_be_split(name: str, choices: KeyChoices) -> None:
    """Refuse a table that the choices split and that is not of trips alone. Raises PrivacyError."""
    if choices.splits and not measure_named(name, choices).splits:
        raise not_split(name)


Fact = TypeVar("Fact")


class Each(Mapping[str, Fact]):
    """One fact of every measure that has it, by the name of the measure, in the order of the registry."""

    def __init__(self, of: Callable[[Measure], Fact | None]) -> None:
        self._of = of

    def __getitem__(self, name: str) -> Fact:
        found = self._of(MEASURES[name])
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name, measure in MEASURES.items() if self._of(measure) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


BINS: Final = Each(lambda measure: measure.bins)
"""The usual bins of every histogram."""
GRIDS: Final = Each(lambda measure: measure.grid)
"""The grid of every histogram."""
