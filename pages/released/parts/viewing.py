"""The one owner of a viewer's state: which release is looked at, where in it, and what was uploaded to be looked at.

It follows the link of the page and writes it. Releases are public; an uploaded one stays in its visitor's session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dpcore.release import AnyRelease, Card, Release, Verdict, kind_of, shelf, verify_bundle
from dpcore.release.kinds import must_be_tables
from dpcore.views.ground.part_choice import PartChoice
from dpcore.views.ground.selection import Selection
from dpcore.views.maps.address import Address, address, as_shown, opens_on_released, release_named
from dpcore.views.maps.two_sides import Look
from pages.parts.roles import Role, require

MAX_UPLOADS = 5


@dataclass(frozen=True, repr=False, eq=False)
class Uploaded:
    """A bundle that this visitor brought, verified."""

    card: Card
    content: bytes
    verdict: Verdict
    release: AnyRelease

    @property
    def is_of_tables(self) -> bool:
        """Whether stories and the views of tables show it."""
        return kind_of(self.release.plan).in_viewer


@dataclass(repr=False)
class Viewing:
    """What this visitor looks at."""

    uploads: dict[str, Uploaded] = field(default_factory=dict)
    """By the name under which they are chosen."""
    upload_seen: str = ""
    """Id of the file that was checked last, so that it is not checked again at every rerun."""
    name: str = ""
    release: Release | None = None
    """Kept for reruns: moving a control never goes to the disk."""
    at: Address = field(default_factory=lambda: Address("map", 0))
    start: int = 0
    """Rung with which the slider began."""
    order: int = 0
    """Rises when a list or a link, not the map, chose places: that outranks a click before."""
    notes: tuple[str, ...] = ()
    """Notes about parts of a link that are unknown."""
    written: Mapping[str, str] | None = None
    """The query as this page wrote it last."""
    played: object = None
    """The step of a story that is looked at; None if the Viewer looked somewhere since."""
    steered: int = 0
    """Rises with every step of a story: its stop outranks one that was chosen in the browser before. 0 outside of stories."""
    timed: int = 0
    """Rises when a link or a control, not the bar of time, chose a window."""
    since: tuple[object, Any] | None = None
    """What changed since an earlier release (``change_view.Since``), after the release of which that was worked out."""

    def follow(self, names: list[str]) -> None:
        """Look at what the link says, or go on where this visitor was; ``names``: releases there are."""
        query, self.played = st.query_params.to_dict(), None
        if query == self.written and self.name in names:
            self.release = release_shown(self.name)
            return
        if not query and self.name in names:  # the page was left and is visited again
            self.release = release_shown(self.name)
            return
        name, note = release_named(query, names)
        self.look_at(name, query, *([note] if note else []))

    def look_at(self, name: str, query: Mapping[str, str], *notes: str) -> None:
        """Look at a release as a query says."""
        release = release_shown(name)
        at, found = address(query, release)
        if {"rung", "numbers"}.isdisjoint(query):
            at = replace(at, released=opens_on_released(release))
        at = as_shown(at, release)
        self.name, self.release, self.at, self.notes = name, release, at, (*notes, *found)
        self.start = at.rung
        self.timed += 1
        self.played = None
        self.choose(at.chosen)

    def go(
        self,
        *,
        view: str | None = None,
        rung: int | None = None,
        present: bool | None = None,
        released: bool | None = None,
        merged: int | None = None,
        beside: str | None = None,
        look: Look | None = None,
        colours: str | None = None,
        section: str | None = None,
    ) -> None:
        """Another view, rung or way of showing; None leaves each as it is."""
        at = self.at
        self.notes = () if view else self.notes
        self.at = replace(
            at,
            view=at.view if view is None else view,
            rung=at.rung if rung is None else rung,
            present=at.present if present is None else present,
            released=at.released if released is None else released,
            merged=at.merged if merged is None else merged,
            beside=at.beside if beside is None else beside,
            look=at.look if look is None else look,
            colours=at.colours if colours is None else colours,
            section=at.section if section is None else section,
        )

    def time(self, window: int | None) -> None:
        """Show a time window on the map, or with None the whole period."""
        self.at = replace(self.at, window=window)
        self.timed += 1

    def stopped(self, window: int) -> None:
        """The bar of time was let go at another window."""
        self.at = replace(self.at, window=window)

    def choose(self, chosen: Selection) -> None:
        """Other places, chosen in a list or by a link: the map is told."""
        self.at = replace(self.at, chosen=chosen)
        self.order += 1

    def clicked(self, chosen: Selection) -> None:
        """Other places, clicked on the map."""
        self.at = replace(self.at, chosen=chosen)

    def choose_part(self, part: PartChoice) -> None:
        """Other categories of tables that are split. Maps and slider of a part are its own: they begin where this one stands."""
        self.at = replace(self.at, part=part)
        self.start = self.at.rung
        self.timed += 1
        self.choose(self.at.chosen)

    def write_link(self) -> None:
        """Bring the browser's address line to what is looked at."""
        if self.release is None:
            return
        query = self.at.link(self.release, self.name)
        if st.query_params.to_dict() != query:
            st.query_params.from_dict(query)
        self.written = query


def saved_name(release: Release) -> str:
    """The beginning of the names of files that are made of a release, or of a part of it."""
    named = "-".join((release.id, *release.part.values()))
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in named)


def viewing() -> Viewing:
    """This visitor's state; made at the first visit."""
    mine: Viewing = st.session_state.setdefault("viewing", Viewing())
    return mine


def release_shown(name: str) -> Release:
    """A release that the Viewer shows, by its name, from this visitor's uploads or from the shelf. For viewers only."""
    require(Role.VIEWER)
    mine = viewing().uploads.get(name)
    return shelf.release_of_tables(name) if mine is None else must_be_tables(mine.release)


def opened_any(name: str) -> AnyRelease:
    """A release of any kind, by its name, from this visitor's uploads or from the shelf. For viewers only."""
    require(Role.VIEWER)
    mine = viewing().uploads.get(name)
    return shelf.opened_any(name) if mine is None else mine.release


def bundle_of(name: str) -> Path | bytes:
    """The bundle of a release on the shelf, or what this visitor brought. For viewers only."""
    require(Role.VIEWER)
    mine = viewing().uploads.get(name)
    return shelf.place_of(name) if mine is None else mine.content


def verdict(name: str) -> Verdict:
    """What was checked of it."""
    require(Role.VIEWER)
    mine = viewing().uploads.get(name)
    return shelf.verdict(name) if mine is None else mine.verdict


def zip_of(name: str) -> Callable[[], bytes]:
    """What makes its whole bundle as one .zip, for a download.

    Streamlit makes downloads in a thread that knows no visitor. So the role is checked here, and an upload is taken from here.
    """
    require(Role.VIEWER)
    mine = viewing().uploads.get(name)
    return partial(shelf.zip_of, name) if mine is None else lambda: mine.content


def on_shelf() -> tuple[shelf.Listed, ...]:
    """What the shelf holds."""
    require(Role.VIEWER)
    return shelf.bundles()


def cards() -> dict[str, Card]:
    """What is known of the releases that the Viewer shows without opening them, by name; uploads first."""
    require(Role.VIEWER)
    mine = {name: one.card for name, one in viewing().uploads.items() if one.is_of_tables}
    listed = {one.name: one.card for one in on_shelf() if one.card and one.kind and one.kind.in_viewer}
    return mine | listed


def titles() -> dict[str, str]:
    """Titles of the releases that the Viewer shows, by name, no two alike: uploads first, and the newest period, with which it opens."""
    require(Role.VIEWER)
    mine, known = viewing().uploads, cards()
    newest = sorted(known, key=lambda name: (name in mine, known[name].begins), reverse=True)
    return told_apart({name: known[name].title + " (uploaded)" * (name in mine) for name in newest})


def told_apart(found: Mapping[str, str]) -> dict[str, str]:
    """Titles by name: an id tells those apart that share one.

    A list knows its choices by their text, and a release and what continues it share a title.
    """
    shared = {title for title, times in Counter(found.values()).items() if times > 1}
    return {name: f"{title} ({name})" if title in shared else title for name, title in found.items()}


def take(content: bytes) -> None:
    """Verify an uploaded .zip and keep it in this visitor's session, with the latest few."""
    require(Role.VIEWER)
    release = shelf.looked_at(content)
    card, mine = kind_of(release.plan).card(release), viewing().uploads
    mine.pop(f"upload:{release.id}", None)  # what is brought again is the latest
    mine[f"upload:{release.id}"] = Uploaded(card, content, verify_bundle(content), release)
    while len(mine) > MAX_UPLOADS:
        mine.pop(next(iter(mine)))
