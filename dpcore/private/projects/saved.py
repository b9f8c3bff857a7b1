"""Where projects are: loading, saving, listing and deleting them.

Each owner has a folder of their own, named by a keyed digest of the login. A project is one file of mode 0600 there, named by
a keyed digest as well: JSON and a keyed checksum, so nobody without the key of the private folder changes what a project says
of its trips. Its public tiles are another file, written before it, and so is what lies under its map. A file that cannot be
read is refused with what to do.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from dpcore.errors import InputError
from dpcore.private import kept, store
from dpcore.private.bounding import bounding_key
from dpcore.private.kept_tiles import keep_tiles, tiles_of
from dpcore.private.projects.project import Project, is_id, unreadable
from dpcore.tiles import Tessellation

_FILE, _TILES, _LOOKS, _CONTEXT = ".project", ".tiles", ".looks", ".context"
_WRITING: Final = Lock()
"""One tab at a time reads a project, changes it and writes it. Two servers on one folder could still lose a change."""


@dataclass(frozen=True, repr=False)
class Listed:
    """A project in the list of recent ones."""

    id: str
    project: Project | None
    """None for a file that cannot be read."""
    changed: float
    """When it was saved last, in seconds since 1970."""
    fault: InputError | None = None


def recent(login: str) -> list[Listed]:
    """The projects of a login, the one that was saved last first. Damaged ones are listed too, so that they can be deleted."""
    return sorted(_listed_projects(_folder(login)), key=lambda one: -one.changed)


def saved_project(login: str, project: str) -> Project:
    """A project of a login. Raises InputError if there is none, or its file cannot be read."""
    return _project(_place(login, project))


def stamp(login: str, project: str) -> int | None:
    """A number that changes whenever a project is saved. None if it was deleted."""
    try:
        return _place(login, project).stat().st_mtime_ns
    except OSError:
        return None


def new_project(login: str, project: Project, tessellation: Tessellation | None = None) -> str:
    """Save a new project. Returns its id: a keyed digest that says nothing and that nobody can guess."""
    with _WRITING:
        name = kept.name_of(bounding_key(), "project", login, str(time.time_ns()))
        _write(login, name, project, tessellation)
    return name


def changed_project(
    login: str,
    project: str,
    change: Callable[[Project], Project],
    tessellation: Tessellation | None = None,
) -> Project:
    """Change a project as it stands now, so that what another tab changed meanwhile is not lost. Returns the new one.

    ``tessellation``: its public tiles, if they are new. They are kept with it, whatever becomes of their file. Raises InputError as ``opened`` does: a project that was deleted elsewhere is not written again.
    """
    with _WRITING:
        now = saved_project(login, project)
        new = change(now)
        if new != now:
            _write(login, project, new, tessellation)
    return new


def kept_tiles_of(login: str, project: str, digest: str) -> Tessellation:
    """The tiles of a project by their digest. Raises InputError if they are not there, or damaged."""
    found = tiles_of(_tiles_place(login, project, digest))
    if found is None:
        raise InputError(
            "the tiles of this project are not kept any more",
            "a project of the private folder",
            "Load trips and tiles again on the Data page. All that you chose is still there.",
        )
    return found


def keep_context(login: str, project: str, content: bytes) -> str:
    """Keep what lies under the map of a project, in place of what was there; returns the digest by which it is found."""
    digest = sha256(content).hexdigest()
    place = _context_place(login, project, digest)
    kept.keep(place, lambda out: out.write(content))
    _delete_beside(login, project, _CONTEXT, but=place)
    return digest


def kept_context(login: str, project: str, digest: str) -> bytes | None:
    """What ``keep_context`` kept. None if it is not there, or was changed."""
    found = kept.kept_content(_context_place(login, project, digest), bytes)
    return found if found is not None and sha256(found).hexdigest() == digest else None


def delete(login: str, project: str) -> None:
    """Delete a project and all that was derived for it: prepared trips, exact counts, tiles, digests of files.

    What was said of columns goes for all files, because nothing tells for which project it was said. What another project
    has loaded stays. So do the prepared trips of a damaged project, until ``store.forget``: nothing tells
    which they are. Ledger, releases, keys and the owner's own files stay. So do the looks at each file by its keyed digest, and
    nothing else: whoever deletes a project has looked all the same, and a later release must say so. Raises InputError if
    they cannot be written; then nothing is deleted.
    """
    with _WRITING:
        found = None
        with suppress(InputError):
            found = saved_project(login, project)
        if found is not None and found.looks:
            place = _place(login, project, _LOOKS)
            content = Project("Looks of a deleted project", looks=found.looks).to_bytes()
            kept.keep(place, lambda out: out.write(content), _key(place))
        _place(login, project).unlink(missing_ok=True)
        for ending in (_TILES, _CONTEXT):
            _delete_beside(login, project, ending)
        if found is not None:
            _delete_derived(found)


def looks_of_deleted(login: str) -> list[Project]:
    """What remains of the projects that a login deleted: their looks. Raises InputError if a file is damaged."""
    found = [
        kept.kept_content(path, Project.from_bytes, _key(path))
        for path in sorted(_folder(login).glob(f"*{_LOOKS}"))
    ]
    if None in found:
        raise InputError(
            "it cannot be read at which files you looked in a project that you deleted",
            "a file of the private folder",
            "Restore the folder from a backup, or declare yourself, at a release, that you looked.",
        )
    return [one for one in found if one is not None]


def _delete_derived(gone: Project) -> None:
    found = [one.project for folder in store.folder("projects").iterdir() for one in _listed_projects(folder)]
    others = [one for one in found if one is not None]
    used = {name for other in others if other.loaded for name in other.loaded.trips.folders}
    for name in set(gone.derived) - used:
        shutil.rmtree(store.folder("cache") / name, ignore_errors=True)
    # Public tiles are read again when they are needed; the other projects have their own, and their own columns too.
    for name in ("tessellations", "shapes"):
        shutil.rmtree(store.folder("cache") / name, ignore_errors=True)
    # Also the digests of files whose loading was refused. One that was of use is worked out again.
    files = {file for other in others for file in _fingerprints(other)}
    for path in store.folder("digests").glob("[!.]*"):  # not what another process is just writing
        if kept.kept_content(path, lambda content: str(content, "ascii", "replace")) not in files:
            path.unlink(missing_ok=True)


def _fingerprints(project: Project) -> set[str]:
    """Of every file that was loaded or looked at in a project."""
    found = set(project.looks)
    if project.loaded is not None:
        trips = project.loaded.trips
        found |= set(trips.file_fingerprints or (trips.fingerprint,))
    return found


def _listed_projects(folder: Path) -> list[Listed]:
    found = []
    for path in folder.glob(f"*{_FILE}"):
        with suppress(OSError):  # another tab deleted it first
            when = path.stat().st_mtime
            try:
                found.append(Listed(path.stem, _project(path), when))
            except InputError as error:
                found.append(Listed(path.stem, None, when, error))
    return found


def _project(path: Path) -> Project:
    if not path.exists():
        raise InputError(
            "there is no such project",
            "the address, or another tab",
            "It was deleted, or belongs to another owner. Open one of the list on the Data page, or go on with what is shown here.",
        )
    found = kept.kept_content(path, Project.from_bytes, _key(path))
    if found is None:
        raise unreadable()
    return found


def _key(path: Path) -> bytes:
    """The key of a project's checksum. It covers the place, so no project passes for that of another login."""
    return kept.name_of(bounding_key(), "checksum", path.parent.name, path.name).encode()


def _write(login: str, project: str, content: Project, tessellation: Tessellation | None) -> None:
    """Tiles first, and those of before last: at no moment does a project name tiles that are not there."""
    if tessellation is not None:
        keep_tiles(_tiles_place(login, project, tessellation.digest), tessellation)
    place = _place(login, project)
    kept.keep(place, lambda out: out.write(content.to_bytes()), _key(place))
    if tessellation is not None and content.loaded is not None:
        _delete_beside(
            login, project, _TILES, but=_tiles_place(login, project, content.loaded.trips.tiles_digest)
        )


def _delete_beside(login: str, project: str, ending: str, but: Path | None = None) -> None:
    for path in _folder(login).glob(f"{_place(login, project, '').name}*{ending}"):
        if path != but:
            path.unlink(missing_ok=True)


def _tiles_place(login: str, project: str, digest: str) -> Path:
    return _place(login, project, f"-{kept.name_of(bounding_key(), 'tiles', digest)}{_TILES}")


def _context_place(login: str, project: str, digest: str) -> Path:
    return _place(login, project, f"-{kept.name_of(bounding_key(), 'context', digest)}{_CONTEXT}")


def _folder(login: str) -> Path:
    return store.folder("projects", kept.name_of(bounding_key(), "login", login))


def _place(login: str, project: str, ending: str = _FILE) -> Path:
    """The file of a project. An id comes from an address, so it is no path: anything else names a file that is not there."""
    name = project if is_id(project) else "unknown"
    return _folder(login) / f"{name}{ending}"
