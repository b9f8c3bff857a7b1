"""Choosing what is compared: truth, a preview, a release of the library, or an uploaded bundle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from operator import itemgetter

import streamlit as st

from dpcore.api import owner
from dpcore.comparison import (
    Side,
    can_be_compared,
    side_of_any,
    side_of_measurements,
    side_of_release,
    side_of_tables,
)
from dpcore.measures import MEASURES
from dpcore.measures.measure import Typical
from dpcore.privacy import RUNGS, decimal_text
from dpcore.release import AnyRelease, Release, kind_of, shelf
from dpcore.release.kinds.tables import TABLES
from dpcore.release.one_part import part_of
from dpcore.release.shelf import Listed
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import percent, plain, sentence
from pages.owner.parts.compare import pictures as words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look, answerable
from pages.owner.parts.state.session import index_of, session
from pages.parts.widget_keys import TOLD_OF


class Source(Enum):
    """Where the tables of a side come from."""

    TRUTH = "Truth of the loaded trips"
    PREVIEW = "Preview at an ε"
    LIBRARY = "Release of the library"
    UPLOAD = "Bundle from a file"


@dataclass(frozen=True, repr=False, eq=False)
class Chosen:
    """One side as it was chosen."""

    side: Side
    tiles: Tessellation
    key: tuple[object, ...]
    """Says which tables these are, within what the session keeps of one data set."""
    release: Release | None = None
    """If it is one of tables."""
    listed: bool = False
    """Whether it is a whole release of the library, which a link can name."""

    @property
    def private(self) -> bool:
        """Whether it is no release, so that true counts may be in it which nobody paid for."""
        return not self.side.released


RELEASED = (Source.LIBRARY, Source.UPLOAD)
"""Where nothing is looked at that was not released."""


def side_picked(
    data: DataSet, letter: str, sources: tuple[Source, ...], first: Source | None
) -> Chosen | None:
    """The side that the owner picks, or None while nothing is there or picked; AtlasError for a bundle that is none."""
    st.markdown(f"**{letter}**")
    source = st.selectbox(
        f"{letter} is",
        sources,
        format_func=lambda one: one.value,
        index=None if first is None else index_of(sources, first),
        placeholder=words.OTHER_SIDE,
        key=f"compare {letter}",
        label_visibility="collapsed",
    )
    if source is None:
        return None
    if source is Source.TRUTH:
        return _truth(data, letter)
    if source is Source.PREVIEW:
        return _preview(data, letter)
    release = _release_picked(letter) if source is Source.LIBRARY else _uploaded(letter)
    if release is None:
        return None
    if kind_of(release.plan) is not TABLES:
        return _of_other_kind(release, letter)
    found = _rung_of(_part_of(release, letter), letter)
    return replace(found, listed=source is Source.LIBRARY and not release.plan.choices.splits)


def _truth(data: DataSet, letter: str) -> Chosen:
    trips, choices = data.trips, session().plan().choices  # with the districts of the preview
    names = [
        name
        for name in answerable(trips.form, data.choices.period)
        if MEASURES[name].typical is not Typical.UNKNOWN
        and (choices.districts is not None or not MEASURES[name].needs_districts)
    ]
    session().looked(Look.COMPARED)

    def counted() -> Side:
        tables = owner.exact_tables(trips, names, None, choices)
        return side_of_tables(f"{letter}: truth", tables, data.tessellation)

    key = ("truth", trips.fingerprint, data.tessellation.digest, choices)
    return Chosen(_last_side(letter, key, counted), data.tessellation, key)


def _preview(data: DataSet, letter: str) -> Chosen:
    draft = session().draft()
    epsilon = st.select_slider(
        "ε", RUNGS, format_func=decimal_text, value=RUNGS[draft.rung], key=f"compare {letter} epsilon"
    )
    drawn = session().drawn()
    counted = percent(drawn.preview.counted_share)
    st.caption(f"Per {draft.bound}, as chosen on Explore. Drawn values: {counted} of the trips count.")
    session().looked(Look.COMPARED)

    def laid() -> Side:
        name = f"{letter}: preview, ε {decimal_text(epsilon)}"
        return side_of_measurements(name, drawn.preview.measurements, epsilon, data.tessellation)

    key = ("preview", drawn.number, epsilon)
    return Chosen(_last_side(letter, key, laid), data.tessellation, key)


def _comparable() -> list[Listed]:
    """The releases of the library that can be compared, the latest first."""
    there = [
        (entry.card.created, entry)
        for entry in shelf.bundles()
        if entry.card and entry.kind and can_be_compared(entry.kind)
    ]
    return [entry for _, entry in sorted(there, key=itemgetter(0), reverse=True)]


def _latest(there: Sequence[Listed]) -> dict[str, str]:
    """The latest release as B, and as A the one of its kind before it, of its data set if there is one; the same where there is one alone."""
    last = there[0]
    of_kind = [entry for entry in there[1:] if entry.kind == last.kind]
    before = next((entry for entry in of_kind if _dataset(entry) == _dataset(last)), [*of_kind, last][0])
    return {"A": before.name, "B": last.name}


def _dataset(entry: Listed) -> str:
    return "" if entry.card is None else entry.card.dataset


def first_sources(sources: tuple[Source, ...]) -> tuple[Source, Source | None]:
    """Where both sides are from at first: the library if it holds two releases of a kind; else the trips; else nobody knows the other.

    No side begins with a file, which nobody has given yet, and none with the release of the other side.
    """
    there = _comparable()
    if there and len({*_latest(there).values()}) == 2:
        return Source.LIBRARY, Source.LIBRARY
    return sources[0], sources[1] if sources[1] is not Source.UPLOAD else None


def _release_picked(letter: str) -> AnyRelease | None:
    there = _comparable()
    names = {entry.name: entry.title for entry in there}
    if not names:
        st.info(words.NO_RELEASES, icon=":material/book_2:")
        return None
    name = st.selectbox(
        "Release",
        list(names),
        index=index_of(names, st.session_state.get(TOLD_OF, {}).get(letter) or _latest(there)[letter]) or 0,
        format_func=lambda one: f"{names[one]} ({one})",
        key=f"compare {letter} release",
    )
    return shelf.opened_any(name)


def _uploaded(letter: str) -> AnyRelease | None:
    file = st.file_uploader("Bundle", type="zip", help=words.UPLOAD, key=f"compare {letter} file")
    if file is None:
        st.info(words.WAITING, icon=":material/upload_file:")
        return None
    return session().kept.last(f"bundle {letter}", file.file_id, lambda: shelf.looked_at(file.getvalue()))


def _of_other_kind(release: AnyRelease, letter: str) -> Chosen:
    """A release of synthetic trips, large counts or a tree: it has one epsilon and no parts to choose."""
    st.caption(f"{kind_of(release.plan).about}.")
    key = ("release", release.id, release.anchor.hash)
    side = _last_side(letter, key, lambda: side_of_any(release, name=f"{letter}: {release.id}"))
    return Chosen(side, release.tessellation, key)


def _part_of(release: Release, letter: str) -> Release:
    """The part that the owner picks where the tables are split, else the whole release."""
    splits = release.plan.choices.splits
    if not splits:
        return release
    picked = {
        one.name: st.selectbox(
            sentence(one.title),
            one.labels,
            key=f"compare {letter} part {release.id} {one.name}",
        )
        for one in splits
    }
    key = (release.anchor.hash, *picked.values())
    return session().kept.last(f"part {letter}", key, lambda: part_of(release, picked))


def _rung_of(release: Release, letter: str) -> Chosen:
    rungs = release.plan.rungs
    epsilon = rungs[-1]
    if len(rungs) > 1:
        epsilon = st.select_slider(
            "ε", rungs, rungs[-1], format_func=decimal_text, key=f"compare {letter} {release.id}"
        )

    st.caption(f"Released counts, no estimates. {plain(' '.join(TABLES.card(release).told))}")

    name = ", ".join((release.id, *release.part.values()))

    def laid() -> Side:
        return side_of_release(release, epsilon, f"{letter}: {name}, ε {decimal_text(epsilon)}")

    key = ("release", release.id, release.anchor.hash, *release.part.values(), epsilon)
    return Chosen(_last_side(letter, key, laid), release.tessellation, key, release)


def _last_side(letter: str, key: tuple[object, ...], make: Callable[[], Side]) -> Side:
    """The side that was made last, unless another one is chosen."""
    return session().kept.last(f"side {letter}", key, make)
