"""The open project: read before a page is shown, saved after it.

A session changes what its visitor changed and nothing else: field by field, whoever writes last wins, so two tabs that change
different things lose nothing. Looks at trips are only ever added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.api import owner, studies
from dpcore.api.code import Loading
from dpcore.context.file import context_bytes, context_of_bytes
from dpcore.errors import AtlasError, InputError
from dpcore.measures.choices import KeyChoices
from dpcore.views.maps.address import PROJECT
from pages.owner.parts.state.data_sets import data_set
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.draft_kept import put_back
from pages.owner.parts.state.session import BUILT_IN, Opened, Session, session
from pages.parts.messages import show_refusal
from pages.parts.roles import admitted

CONTEXT: Final = "map context"
"""The choice of a project that names the file of its context."""
_ABSENT: Final = object()
_DAMAGED: Final = InputError(
    "what this project says of its data set cannot be read",
    "a project of the private folder",
    "Load the files again on the Data page.",
)
_DELETED: Final = InputError(
    "the project was deleted in another tab", "projects", "Open another one, or begin a new one."
)

_CONTEXT_GONE: Final = InputError(
    "what lay under the map of this project is gone or damaged, so the map is shown without it",
    "a file of the private folder",
    "Put it under the map again on the Data page. Trips, tiles and choices are all there.",
)


def login() -> str:
    """Whose projects are shown: the address that is logged in, empty on the owner's own computer."""
    return admitted().address


@contextmanager
def saved_changes() -> Iterator[None]:
    """Around a page or a fragment of the owner: what its visitor changes is saved, however the run ends.

    A fault of projects is told first, and the page works without them.
    """
    mine, told = session(), st.container()  # a fault comes and goes, and moves nothing that stays
    try:
        begin()
    except AtlasError as fault:
        mine.project = mine.project or Opened()
        mine.project.fault = fault
    if mine.project is not None and mine.project.fault is not None:
        with told:
            show_refusal(mine.project.fault)
        mine.project.fault = None
    try:
        yield
    finally:
        keep()


def begin() -> None:
    """Before a page of the owner: open the project of the address or the last one, and take in what other tabs changed."""
    mine = session()
    mine.save = keep
    if mine.project is None:
        mine.project = Opened()
        _open_first_project(mine, st.query_params.get(PROJECT))
    else:
        mine.noted()
        _catch_up(mine, mine.project)
    if mine.project is not None and mine.project.id is not None:
        st.query_params[PROJECT] = mine.project.id


def keep() -> None:
    """After a page: save what its visitor changed. A fault is told by the next page; nothing is lost before the tab closes."""
    mine = st.session_state.get("atlas")
    if not isinstance(mine, Session) or mine.project is None:
        return
    try:
        _save(mine, mine.project)
    except AtlasError as fault:
        mine.project.fault = fault


def open_project(mine: Session, project: str) -> None:
    """Show another project in place of the one before. Raises InputError, and then that one stays."""
    found = studies.projects.saved_project(login(), project)
    mine.forget()
    mine.project = Opened(project, found, studies.projects.stamp(login(), project))
    mine.form.values = dict(found.choices)
    _see(mine, found)
    _reopen(mine, mine.project)


def rename(mine: Session, name: str) -> None:
    """Give the open project another name; it is saved with the page. Raises InputError for what is no name."""
    if mine.project is not None:
        wanted = replace(mine.project.saved, name=name.strip())
        _save(mine, mine.project, name=wanted.name)


def delete(mine: Session, project: str) -> None:
    """Delete a project with all that was derived for it. If it is the open one, the built-in city comes in its place."""
    studies.projects.delete(login(), project)
    if mine.project is not None and mine.project.id == project:
        mine.forget()
        st.query_params.pop(PROJECT, None)


def _open_first_project(mine: Session, asked: str | None) -> None:
    """The project of the address; without one, or where there is none, the one that was saved last."""
    listed = _see_all(mine)
    wanted = [asked] if asked else []
    fault = None
    try:
        _see_deleted(mine)
    except InputError as problem:
        fault = problem
    for project in [*wanted, *(one.id for one in listed if one.project is not None)]:
        try:
            open_project(mine, project)
        except InputError as problem:
            fault = fault or problem
            continue
        break
    if fault is not None and mine.project is not None:
        mine.project.fault = mine.project.fault or fault


def see_elsewhere(mine: Session) -> None:
    """Remember the looks of other tabs, whichever project they have open. A fault of projects was told before the page."""
    with suppress(AtlasError):
        _see_all(mine)
        _see_deleted(mine)
    if mine.data is not None:
        mine.seen.update(*(mine.looks.get(file, ()) for file in mine.data.trips.fingerprints))


def _see_all(mine: Session) -> list[studies.projects.Listed]:
    """All projects, the last one first. Their looks are remembered, also at files that were not loaded."""
    listed = studies.projects.recent(login())
    for one in listed:
        if one.project is not None:
            _see(mine, one.project)
    return listed


def _see_deleted(mine: Session) -> None:
    """Remember the looks of deleted projects: who deletes a project looked all the same. Raises InputError."""
    for deleted in studies.projects.looks_of_deleted(login()):
        _see(mine, deleted)


def _see(mine: Session, project: studies.Project) -> None:
    """Remember the looks of a project: trips that were looked at once were looked at, in whichever project.

    Those of projects of earlier versions are told to commands and programs so, too.
    """
    owner.remember_looks(project.looks)
    for file, looks in project.looks.items():
        mine.looks.setdefault(file, set()).update(Look[look] for look in looks if look in Look.__members__)


def _reopen(mine: Session, project: Opened) -> None:
    """Load the data set of a project, as it was prepared; where that is gone, the built-in city and what to do."""
    loaded = project.saved.loaded
    if loaded is None or project.id is None:
        return
    try:
        tiles = studies.projects.kept_tiles_of(login(), project.id, loaded.trips.tiles_digest)
        trips = studies.reopened(loaded.trips, tiles)
        choices = KeyChoices.of_terms(studies.read_as(Mapping[str, object], loaded.terms["choices"]))
        loading = studies.read_as(Loading, loaded.terms["loading"])
        observed = bool(loaded.terms["period_observed"])
        if observed:
            choices = replace(choices, period=owner.observed_period(trips))
        values = dict(mine.form.values)
        mine.load(data_set(trips, tiles, choices, period_observed=observed, loading=loading))
        mine.restore(values)
        project.fault = put_context_under(mine)
    except AtlasError as fault:
        project.fault = fault
    except (KeyError, TypeError, ValueError):
        project.fault = _DAMAGED


def put_context_under(mine: Session) -> AtlasError | None:
    """Put what the open project keeps under the map of the loaded tiles; returns what to say where that is not possible.

    The data set is shown without it then, and the project no longer names it.
    """
    digest = mine.form.values.get(CONTEXT)
    data, project = mine.data, mine.project
    if not isinstance(digest, str) or data is None or data.is_demo or project is None or project.id is None:
        return None
    try:
        content = studies.projects.kept_context(login(), project.id, digest)
        if content is not None:
            context = context_of_bytes(
                content, "the map context of this project", (*data.tessellation.bounds,)
            )
            mine.put_under(context)
            return None
    except AtlasError:
        pass  # a file of another version, or of other tiles: the same to be done
    mine.form.values.pop(CONTEXT)
    return _CONTEXT_GONE


def _catch_up(mine: Session, project: Opened) -> None:
    """Take in what another tab changed, except where this one changed the same field meanwhile."""
    if project.id is None:
        return
    stamp = studies.projects.stamp(login(), project.id)
    if stamp is None:
        mine.forget()  # deleted means deleted: nothing of it is saved again from here
        mine.project = Opened(fault=_DELETED)
        return
    if stamp == project.stamp:
        return
    try:
        now = studies.projects.saved_project(login(), project.id)
    except InputError as fault:
        project.fault, project.stamp = fault, stamp
        return
    before, project.saved, project.stamp = project.saved, now, stamp
    _see(mine, now)
    if now.loaded != before.loaded:
        values = mine.form.values
        here = {name: one for name, one in values.items() if before.choices.get(name, _ABSENT) != one}
        mine.data = None
        mine.form.values = {**now.choices, **here}
        mine.form.show_again()
        _reopen(mine, project)
        return
    if mine.data is not None:
        mine.seen.update(*(mine.looks.get(file, ()) for file in mine.data.trips.fingerprints))
    _take_in(mine, before.choices, now.choices)


def _take_in(mine: Session, before: Mapping[str, object], now: Mapping[str, object]) -> None:
    """Take the fields that changed in the file, and let the widgets show them."""
    values = mine.form.values
    theirs = [
        name
        for name in {*now, *before}
        if now.get(name, _ABSENT) != before.get(name, _ABSENT)
        and values.get(name, _ABSENT) == before.get(name, _ABSENT)
    ]
    for name in theirs:
        values.pop(name, None)
    values.update((name, now[name]) for name in theirs if name in now)
    mine.form.show_again(theirs)
    if CONTEXT in theirs and mine.data is not None and not mine.data.is_demo:
        mine.put_under(None)
        put_context_under(mine)
    if mine.drafted is not None and theirs:
        put_back(mine.drafted, values, theirs)
        mine.agree()


def _save(mine: Session, project: Opened, *, name: str | None = None) -> None:
    """Write what differs from what this session read or wrote last, and what lies under the map."""
    _save_fields(mine, project, name=name)
    kept, data = mine.project, mine.data
    if kept is None or kept.id is None or data is None or data.is_demo or data.context is None:
        return
    if CONTEXT not in mine.form.values:  # it is new, or the project is
        content = context_bytes(data.context.context)
        mine.form.values[CONTEXT] = studies.projects.keep_context(login(), kept.id, content)
        _save_fields(mine, kept, name=None)


def _save_fields(mine: Session, project: Opened, *, name: str | None) -> None:
    """Write the fields of a project; those of other trips are another project."""
    saved, values = project.saved, mine.noted()
    loaded = _way_to_data(mine) or saved.loaded
    if saved.loaded is not None and loaded is not None and _other_trips(saved.loaded, loaded):
        # The one before stays as it was.
        mine.project = project = Opened()
        saved = project.saved
    name = name or (saved.name if loaded is None or saved.name != BUILT_IN else _name_for(loaded))
    looks = {
        file: tuple(sorted(look.name for look in seen)) for file, seen in _looks(mine, saved, loaded).items()
    }
    folders = loaded.trips.folders if loaded else ()
    derived = tuple(dict.fromkeys([*saved.derived, *folders, *sorted(mine.prepared)]))
    now = studies.Project(name, loaded, values, looks, derived)
    if now == saved:
        mine.prepared.clear()
        return
    tiles = mine.data.tessellation if mine.data is not None and loaded != saved.loaded else None
    if project.id is None:
        project.id = studies.projects.new_project(login(), now, tiles)
        written = now
    else:
        written = studies.projects.changed_project(
            login(), project.id, lambda file: _merged_project(file, saved, now), tiles
        )
    project.saved = now
    mine.prepared.clear()
    # What another tab wrote in between is taken in by the next run.
    project.stamp = studies.projects.stamp(login(), project.id) if written == now else None


def _merged_project(file: studies.Project, before: studies.Project, now: studies.Project) -> studies.Project:
    """The project of the file with what changed here."""
    choices = dict(file.choices)
    for name in {*before.choices, *now.choices}:
        if before.choices.get(name, _ABSENT) != now.choices.get(name, _ABSENT):
            choices.pop(name, None)
            if name in now.choices:
                choices[name] = now.choices[name]
    looks = {
        one: tuple(sorted({*file.looks.get(one, ()), *now.looks.get(one, ())}))
        for one in {*file.looks, *now.looks}
    }
    return studies.Project(
        now.name if now.name != before.name else file.name,
        now.loaded if now.loaded != before.loaded else file.loaded,
        choices,
        looks,
        tuple(dict.fromkeys([*file.derived, *now.derived])),
    )


def _way_to_data(mine: Session) -> studies.Loaded | None:
    """What finds the loaded data set again; None for the built-in city, and for trips on Spark."""
    data = mine.data
    if data is None or data.is_demo:
        return None
    trips = studies.kept_trips(data.trips)
    if trips is None:
        return None
    terms = {
        # Days that were read off the trips are read off them again: an exact number stays with the prepared trips.
        "choices": (replace(data.choices, period=None) if data.period_observed else data.choices).terms(),
        "loading": studies.written(data.loading),
        "period_observed": data.period_observed,
    }
    return studies.Loaded(trips, terms)


def _other_trips(one: studies.Loaded, other: studies.Loaded) -> bool:
    return one.trips.fingerprint != other.trips.fingerprint


def _looks(mine: Session, saved: studies.Project, loaded: studies.Loaded | None) -> dict[str, set[Look]]:
    """The looks at the files of this project: those that were loaded, and those that were looked at and not loaded yet."""
    files = (loaded.trips.file_fingerprints or (loaded.trips.fingerprint,)) if loaded else ()
    return {file: mine.looks[file] for file in (*files, *saved.looks, *mine.ahead) if mine.looks.get(file)}


def _name_for(loaded: studies.Loaded) -> str:
    """The name of the file, as far as it can be shown."""
    shown = "".join(one for one in loaded.trips.name if one.isprintable()).strip()
    return shown[: limits.MAX_PROJECT_NAME_CHARACTERS] or "Trips"
