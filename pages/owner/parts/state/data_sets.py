"""Data sets: trips with their public tiles and dates. The built-in city is one that all visitors share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import count
from threading import Lock
from typing import Final

from dpcore import demo
from dpcore.api import owner, studies
from dpcore.api.code import Loading, load_code
from dpcore.context import Context, fitted
from dpcore.errors import InternalError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import default_bound, default_plan
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.tiles import Tessellation
from dpcore.views.maps.context_message import MapContext, pack_context
from dpcore.views.maps.tile_map import MapGeometry, packed_tiles
from dpcore.views.numbers import sentences
from pages.owner.parts.state.draft import START_RUNG, known_beforehand
from pages.owner.parts.state.results import Growing, Kept, NumberedPreview

DEMO_MARK = sentences.DEMO_MARK
OWNER_MARK = sentences.OWNER_MARK

_USUAL_EPSILON = Fraction(1)  # it decides how many districts there are


@dataclass(frozen=True, repr=False, eq=False)
class DataSet:
    """Trips, the tiles they are counted on, and the public period of the series."""

    trips: owner.PrivateTrips
    tessellation: Tessellation
    choices: KeyChoices
    """Dates, windows and bins of its tables: public."""
    period_observed: bool
    """Whether the period was read off the trips: a choice made after looking."""
    is_demo: bool
    geometry: MapGeometry
    loading: Loading = field(default_factory=Loading)
    """How its files were loaded, for the code that pages show."""
    context: MapContext | None = None
    """What lies under its tiles on maps, if the owner gave something."""

    @property
    def period(self) -> Period | None:
        """The public period of the series."""
        return self.choices.period

    @property
    def under(self) -> bytes | None:
        """What its maps draw under the tiles, packed."""
        return self.context.packed if self.context else None

    @property
    def facts(self) -> Facts:
        """What is known of it without looking: nothing but its public tiles, unless it is the built-in city."""
        return known_beforehand(len(self.tessellation.tile_ids), is_demo=self.is_demo)

    def usual_plan(self, bound: ContributionBound) -> Plan:
        """The plan that a release has by default, at every rung: pages for looking show what such a release would give."""
        plan = default_plan(
            bound,
            _USUAL_EPSILON,
            self.tessellation,
            self.facts,
            self.choices,
            form=self.trips.form,
        )
        return replace(plan, rungs=RUNGS)

    @cached_property
    def first_bounds(self) -> tuple[ContributionBound, ...]:
        """The bounds that Explore begins with: the one of the first draft, and that of one trip."""
        most = default_bound(_USUAL_EPSILON, self.facts, self.choices)
        return ContributionBound.per_user(most), ContributionBound.per_trip()

    @property
    def observed(self) -> Period | None:
        """The period, if it was read off the trips: private until a release names it."""
        return self.period if self.period_observed else None

    @property
    def mark(self) -> str:
        """What every picture of this data set carries."""
        return DEMO_MARK if self.is_demo else OWNER_MARK


def data_set(
    trips: owner.PrivateTrips,
    tessellation: Tessellation,
    choices: KeyChoices,
    *,
    is_demo: bool = False,
    period_observed: bool = False,
    loading: Loading | None = None,
) -> DataSet:
    """A data set with the geometry that its maps share; ``loading``: how its files were loaded, if not in the usual way."""
    geometry = MapGeometry.of(tessellation, owner.kept_bytes(tessellation, packed_tiles))
    choices = choices.for_form(has_users=trips.has_users)
    return DataSet(trips, tessellation, choices, period_observed, is_demo, geometry, loading or Loading())


def loading(data: DataSet) -> tuple[str, str]:
    """The cell of code that loads such a data set; names of files and the box of a grid stand as placeholders."""
    of = data.trips
    return load_code(
        demo=data.is_demo, timezone=of.timezone, how=data.loading, rule=of.rule, attributes=of.attributes
    )


def with_context(data: DataSet, context: Context | None) -> DataSet:
    """The data set with this under its maps, and with tiles called after its places; None: with nothing under them."""
    bounds = (*data.tessellation.bounds,)
    fits = None if context is None else fitted(context, bounds)
    tiles = data.tessellation.among(() if fits is None else fits.landmarks)
    geometry = replace(data.geometry, packed=owner.kept_bytes(tiles, packed_tiles), tiles=tiles)
    under = None if fits is None else MapContext(fits, pack_context(fits, geometry.packed, bounds))
    return replace(data, tessellation=tiles, geometry=geometry, context=under)


# What all visitors share: the built-in city and its first previews. Nobody lives in that city, its truth is public and every
# visitor has it, so the noise of its previews protects nobody. Real trips never come here: ``is_demo`` is set by
# ``built_in_city`` alone, and every other preview, also that of another bound, is kept in the session of its owner.
_SHARED: Final = Kept()
_BUILDING: Final = Lock()
_NUMBERS: Final = count(-1, -1)  # a visitor's own draws have the numbers from 1


def built_in_city() -> DataSet:
    """The built-in city; two visitors who come at once wait for the same one."""
    with _BUILDING:
        trips, tessellation = owner.demo_city()

    def city() -> DataSet:
        found = data_set(trips, tessellation, KeyChoices(demo.DEMO_PERIOD), is_demo=True)
        return with_context(found, demo.city_context(demo.DEMO_TILES, demo.DEMO_SEED))

    return replace(_SHARED.last("city", (trips.fingerprint, tessellation.digest), city), trips=trips)


def draw_shared(city: DataSet, plan: Plan) -> NumberedPreview:
    """A preview of a built-in city for all visitors, which the caller keeps. InternalError for trips of anybody else."""
    _must_be_built_in(city)
    return NumberedPreview(studies.preview(city.trips, plan), next(_NUMBERS))


def first_preview(city: DataSet, bound: ContributionBound) -> Growing:
    """The preview of a built-in city that all visitors see first. InternalError for trips of anybody else."""
    _must_be_built_in(city)
    return _SHARED.last(
        "preview",
        (city.trips.fingerprint, city.tessellation.digest, bound),
        lambda: Growing(city.trips, city.tessellation, city.usual_plan(bound), next(_NUMBERS), _SHARED),
        most=len(city.first_bounds),
    )


def _must_be_built_in(city: DataSet) -> None:
    if not city.is_demo:
        raise InternalError.at("a preview of loaded trips that would be shared")


def draw_first() -> None:
    """Build the built-in city and draw what Explore shows first, before anybody asks."""
    city = built_in_city()
    for bound in city.first_bounds:
        first_preview(city, bound).showing(["visits_per_tile"])
    chosen = first_preview(city, city.first_bounds[0])
    chosen.showing(chosen.explored)
    chosen.tiles_right(START_RUNG)
