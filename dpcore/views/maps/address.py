"""The address of a view: which release, picture, places and epsilon a link shows. Everything in it is public.

A link comes from anyone. Each part is compared with what there is, and what is unknown falls back to a default with
a note that repeats nothing of the link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from dpcore import wings
from dpcore.measures import MEASURES
from dpcore.noise.expected_estimates import TOTAL
from dpcore.privacy import decimal_text
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.kinds.tables import TABLES
from dpcore.release.release import Release
from dpcore.release.sums import sums_on_tiles
from dpcore.views.ground import part_choice
from dpcore.views.ground.reading import drawn_is_nearer
from dpcore.views.ground.selection import NOTHING, Selection, districts_shown, query_of, selection_named
from dpcore.views.maps.two_sides import LOOKS, Look, SideShown
from dpcore.views.maps.window_message import windows_of

VIEWS: Final = tuple(dict.fromkeys([*TABLES.views, *wings.names_of("views/tables")]))
"""The views, in the order of their buttons."""

NEEDS: Final = MappingProxyType(
    {"map": ("visits_per_tile",), "flows": ("od_flows",), "rankings": ("visits_per_tile", "od_flows")}
)
"""Views that show certain measures (one of them is enough)."""

READ_OF: Final = frozenset({"visits_per_tile", "od_flows", "od_districts", "trips_per_hour"})
"""Tables of which the page to read tells."""

UNKNOWN_RELEASE: Final = "The link names a release that is not here. This is another one."
UNKNOWN_VIEW: Final = "The link names an unknown view. This is the first one."
UNKNOWN_TILE: Final = "The link names a tile that this release does not have."
UNKNOWN_DISTRICT: Final = "The link names a district that this release does not have."
UNKNOWN_RUNG: Final = "The link names an ε that was not released. This is the largest one that was."

UNKNOWN_TIME: Final = "The link names a time window that this release does not have."
UNKNOWN_PAIR: Final = "The link compares with something that this release does not have."
UNKNOWN_PART: Final = "The link names a category that this release does not have. These are all parts."
UNKNOWN_COLOURS: Final = (
    "The link colours the map by numbers that this release does not have. These are the visits."
)
UNKNOWN_SECTION: Final = (
    "The link names a section of the report that this release does not have. This is the first one."
)
UNKNOWN_NUMBERS: Final = "The link names a way of showing numbers that there is not. These are the estimates."

PROJECT: Final = "project"
"""Under which the address of an owner's page names a project. Its value says nothing, and opens nothing without the login."""
ESTIMATE: Final = "estimate"
RELEASED: Final = "released"
"""What a link says where it shows estimates, which it need not say, or released counts."""
MERGED: Final = (10, 20, 50)
"""Percent to each side, up to which tiles can be merged."""


@dataclass(frozen=True)
class Address:
    """What is looked at. ``rung`` counts from the coarsest released one."""

    view: str
    rung: int
    chosen: Selection = NOTHING
    """The tiles or districts that are chosen."""
    present: bool = False
    released: bool = False
    """Whether released counts are shown and not the estimates."""
    merged: int = 0
    """Tiles are merged until the likely range of a region is at most so many percent to each side; 0: they are not."""
    window: int | None = None
    """Number of the time window that the map shows; None: the whole period."""
    beside: str = ""
    """What the map is compared with (``two_sides.SideShown.choices``); empty: nothing."""
    look: Look = "swipe"
    """How both sides are shown."""
    colours: str = ""
    """The sum or mean that colours the tiles of the map; empty: visits."""
    part: part_choice.PartChoice = ()
    """The categories that are chosen of tables that are split; empty: all."""
    section: str = ""
    """The section of the report that is open (``measures.Section``); empty: the first."""

    def link(self, release: Release, name: str) -> dict[str, str]:
        """The query of a link that leads here; ``name``: under which the release is listed."""
        query = {"release": name, "view": self.view, "rung": decimal_text(release.plan.rungs[self.rung])}
        if self.chosen.places:
            tiles = release.tessellation
            known = districts_shown(release.plan, tiles) if self.chosen.districts else None
            query |= query_of(self.chosen, tiles, known)
        if self.part:
            query["part"] = part_choice.text_of_choice(self.part)
        if self.present:
            query["present"] = "1"
        if self.released:
            query["numbers"] = RELEASED
        if self.merged and self.view == "map" and not self.released:  # elsewhere it does nothing
            query["merge"] = str(self.merged)
        if self.section and self.view == "measures":
            query["section"] = self.section
        return query | self._on_the_map(release) if self.view == "map" else query

    def _on_the_map(self, release: Release) -> dict[str, str]:
        query = {}
        if self.colours:
            query["colours"] = self.colours
        if self.window is not None:
            query["window"] = windows_of(release.plan)[self.window]
        # What was chosen beside another window or stop may be no choice here.
        if SideShown(release.plan, self.rung, window=self.window).keeps(self.beside):
            query |= {"beside": self.beside, "as": self.look}
        return query


def release_named(query: Mapping[str, str], names: Sequence[str]) -> tuple[str, str]:
    """The release that a link names, or the first there is, and a note (empty if all is well)."""
    asked = query.get("release", names[0])
    return (asked, "") if asked in names else (names[0], UNKNOWN_RELEASE)


def address(query: Mapping[str, str], release: Release) -> tuple[Address, tuple[str, ...]]:
    """What a link shows of a release, and a note for each part that is unknown.

    An epsilon is one of the released ones as it is written there (``0.5``); nothing else is parsed.
    """
    notes = []
    view = query.get("view", opening_view(release) if query.keys() <= {"release"} else first_view(release))
    if view not in VIEWS:
        view, notes = first_view(release), [UNKNOWN_VIEW]
    written = [decimal_text(rung) for rung in release.plan.rungs]
    rung = query.get("rung", written[-1])
    if rung not in written:
        rung = written[-1]
        notes.append(UNKNOWN_RUNG)
    chosen, note = _selection(query, release)
    notes += note
    numbers, merge = query.get("numbers"), query.get("merge", "0")
    merged = {str(percent): percent for percent in (0, *MERGED)}
    if numbers not in {None, ESTIMATE, RELEASED} or merge not in merged:
        notes.append(UNKNOWN_NUMBERS)
    window, beside, look, unknown = _comparison(query, release, written.index(rung))
    notes += unknown
    colours = query.get("colours", "")
    if colours not in {"", *sums_on_tiles(release)}:
        colours = ""
        notes.append(UNKNOWN_COLOURS)
    section = query.get("section", "")
    if section not in {
        "",
        *(MEASURES[name].section.value for name in release.measurements if name in MEASURES),
    }:
        section = ""
        notes.append(UNKNOWN_SECTION)
    part = part_choice.choice_of_text(query.get("part", ""), release.plan.choices.splits)
    notes += [UNKNOWN_PART] if part is None else []
    return (
        Address(
            view,
            written.index(rung),
            chosen,
            present=query.get("present") == "1",
            released=numbers == RELEASED,
            merged=merged.get(merge, 0),
            window=window,
            beside=beside,
            look=look,
            colours=colours,
            part=part or (),
            section=section,
        ),
        tuple(notes),
    )


def _selection(query: Mapping[str, str], release: Release) -> tuple[Selection, list[str]]:
    """The places that a link chooses, and a note where one is unknown."""
    of_districts = not {"district", "districts"}.isdisjoint(query)
    known = districts_shown(release.plan, release.tessellation) if of_districts else None
    chosen, wrong = selection_named(query, release.tessellation, known)
    return chosen, [UNKNOWN_DISTRICT if of_districts else UNKNOWN_TILE] if wrong else []


def _comparison(
    query: Mapping[str, str], release: Release, rung: int
) -> tuple[int | None, str, Look, list[str]]:
    """Window, other side and look of a link, and notes."""
    notes, at, window = [], query.get("window"), None
    if at is not None:
        there = windows_of(release.plan)
        window = there.index(at) if at in there else None
        notes += [] if at in there else [UNKNOWN_TIME]
    beside = query.get("beside", "")
    asked = query.get("as", "swipe")
    look = next((name for name in LOOKS if name == asked), None)
    if (beside and not SideShown(release.plan, rung, window=window).keeps(beside)) or look is None:
        return window, "", "swipe", [*notes, UNKNOWN_PAIR]
    return window, beside, look, notes


def opens_on_released(release: Release) -> bool:
    """Whether the Viewer opens on released counts, where a link names neither an epsilon nor numbers: they are the nearer ones."""
    visits = release.measurements.get("visits_per_tile")
    return visits is not None and drawn_is_nearer(visits, -1)


def as_shown(at: Address, release: Release) -> Address:
    """Where a view really looks: at the released counts of a release whose estimates cannot be computed."""
    return (
        at if at.released or are_computed(estimates_to_show(release, of=())) else replace(at, released=True)
    )


def opening_view(release: Release) -> str:
    """The page to read, where a release has something to say there; else the first view of numbers. Links to a stop or a place open that."""
    choices = release.plan.choices
    said = READ_OF & release.measurements.keys() or (choices.sums and not choices.splits)
    return "read" if said else first_view(release)


def first_view(release: Release) -> str:
    """The first view of numbers that has something to show."""
    for view in ("map", "flows"):
        if view == "map" and sums_on_tiles(release):
            return view
        if any(measure in release.measurements for measure in NEEDS[view]):
            return view
    told = any(
        name in MEASURES for name in release.measurements if name != TOTAL
    )  # sums and a total have no rhythm
    return "rhythm" if told else "measures"
