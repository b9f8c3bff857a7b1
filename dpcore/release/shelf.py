"""The bundles in the folder of published releases: list them, and open one by its name.

A name from outside is compared with the listed names and never becomes part of a path. Every bundle is verified before
it is listed. Releases are public, so what was read stays in memory for all visitors of this process. The key is what
identifies the files (path, size, time of change and inode of each), so a file that changes is read again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final

from dpcore import limits, places
from dpcore.errors import AtlasError, BundleError, InputError
from dpcore.release.kind import AnyKind, Card
from dpcore.release.kinds import all_kinds, kind_of, must_be_tables
from dpcore.release.layout import MANIFEST
from dpcore.release.reading import Verdict, read_bundle, verify_bundle
from dpcore.release.release import AnyRelease, Release
from dpcore.release.writing import zipped

MAX_LISTED: Final = 200
"""Only so many bundles of a folder are listed."""
STORY_ENDS: Final = ".story.json"
"""How the name of a story ends; before that it is the name of its bundle."""
_KEPT_RELEASES: Final = limits.MAX_STORY_RELEASES + 1
"""A story that is played, and the release that is looked at."""
_KEPT_OTHERS: Final = 2
"""Releases of other kinds than tables: they may be large."""

_File = tuple[str, int, int, int]
_Files = tuple[_File, ...]


@dataclass(frozen=True)
class Listed:
    """One bundle of the folder: a verified release, or the reason why it is not opened."""

    name: str
    """The release's id, by which it is opened; the file's name if it is not opened."""
    place: Path
    card: Card | None = None
    """What is shown of a verified release; None if it is not opened."""
    reason: str = ""
    """Why it is not opened, in plain words; else empty."""

    @property
    def title(self) -> str:
        """Title of the release; empty if it is not opened."""
        return self.card.title if self.card else ""

    @property
    def kind(self) -> AnyKind | None:
        """Kind of the release; None if it is not opened."""
        return all_kinds()[self.card.kind] if self.card else None

    @property
    def has_story(self) -> bool:
        """Whether a story lies beside a bundle that the Viewer shows."""
        return (
            self.kind is not None
            and (self.kind.in_viewer or bool(self.kind.pictures))
            and _story_beside(self.place).is_file()
        )


class _Kept:
    """What was read, by what identifies its files. The releases used last stay in memory."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.listed: OrderedDict[_Files, Listed] = OrderedDict()
        self.releases: OrderedDict[_Files, AnyRelease] = OrderedDict()
        self.others: OrderedDict[_Files, AnyRelease] = OrderedDict()
        self.verdicts: OrderedDict[_Files, Verdict] = OrderedDict()

    def read(self, place: Path) -> AnyRelease:
        """The release at a place; AtlasError if it cannot be verified."""
        with self.lock:  # many visitors of a new bundle read it only once
            files = _files(place)
            return self._release_at(place, files)

    def _release_at(self, place: Path, files: _Files) -> AnyRelease:
        for kept in (self.releases, self.others):
            if files in kept:
                kept.move_to_end(files)
                return kept[files]
        release = read_bundle(place)
        tables = kind_of(release.plan).in_viewer
        kept, most = (self.releases, _KEPT_RELEASES) if tables else (self.others, _KEPT_OTHERS)
        kept[files] = release
        while len(kept) > most:
            kept.popitem(last=False)
        return release

    def verdict(self, place: Path) -> Verdict:
        """The verdict on the bundle at a place, with its digest; BundleError if it is refused."""
        with self.lock:
            files = _files(place)
            if files not in self.verdicts:
                self.verdicts[files] = verify_bundle(place)
                while len(self.verdicts) > MAX_LISTED:
                    self.verdicts.popitem(last=False)
            return self.verdicts[files]

    def entry(self, place: Path) -> Listed:
        """The entry of the list for a place."""
        try:
            files = _files(place)
            known = self.listed.get(files)
            if known is not None:
                return known
            with self.lock:  # as in `read`
                if files in self.listed:
                    return self.listed[files]
                release = self._release_at(place, files)
                found = Listed(release.id, place, kind_of(release.plan).card(release))
                self._list(files, found)
        except AtlasError as error:
            # Visitors must not see where the folder lies on the server.
            where = error.where.replace(str(place), place.name)
            return Listed(place.name, place, reason=f"{error.what}: {where}. {error.mend}")
        return found

    def _list(self, files: _Files, found: Listed) -> None:
        self.listed[files] = found
        while len(self.listed) > 2 * MAX_LISTED:
            self.listed.popitem(last=False)


_KEPT: Final = _Kept()


def bundles() -> tuple[Listed, ...]:
    """Every bundle of the folder, ordered by file name; empty if there is no folder.

    Of two bundles with the same id only the first is opened. Raises InputError if the folder cannot be read.
    """
    found: list[Listed] = []
    names: set[str] = set()
    for place in _bundles(places.releases()):
        entry = _KEPT.entry(place)
        if entry.card and entry.name in names:
            entry = Listed(place.name, place, reason=f"The release {entry.name} is here already.")
        names.add(entry.name)
        found.append(entry)
    return tuple(found)


def release_of_tables(name: str, there: Sequence[Listed] | None = None) -> Release:
    """The release of tables with that name; InputError if it is not listed, BundleError if it changed meanwhile.

    ``there``: what ``bundles`` found a moment ago; without it the folder is looked through again.
    """
    return must_be_tables(_KEPT.read(_listed_as(name, there).place))


def opened_any(name: str, there: Sequence[Listed] | None = None) -> AnyRelease:
    """The release with that name, of any kind; raises like ``release_of_tables``."""
    return _KEPT.read(place_of(name, there))


def place_of(name: str, there: Sequence[Listed] | None = None) -> Path:
    """Where the bundle of that name lies; InputError if it is not listed. ``there`` is as for ``release_of_tables``."""
    known = bundles() if there is None else there
    return _bundle_named(name, [entry for entry in known if entry.card]).place


def verdict(name: str, there: Sequence[Listed] | None = None) -> Verdict:
    """The verdict on the bundle of that name, of any kind; ``there`` and what it raises are as for ``release_of_tables``."""
    return _KEPT.verdict(place_of(name, there))


def zip_of(name: str) -> bytes:
    """The bundle of that name, of any kind, as one .zip; raises like ``release_of_tables``."""
    place = place_of(name)
    return zipped(place) if place.is_dir() else place.read_bytes()


def story_of(name: str) -> bytes:
    """The file of the story beside the bundle of that name, unread, at most one byte longer than a story may be.

    Raises InputError if there is no such release, or no story beside it.
    """
    try:
        with _story_beside(place_of(name)).open("rb") as file:
            return file.read(limits.MAX_STORY_BYTES + 1)
    except OSError:
        raise InputError(
            "there is no story of this release", "the folder of bundles", "Play one that the library offers."
        ) from None


def _story_beside(place: Path) -> Path:
    """Where the story of a bundle lies: ``spring.story.json`` beside ``spring.zip`` or the folder ``spring``."""
    return place.with_name(f"{place.name if place.is_dir() else place.stem}{STORY_ENDS}")


def looked_at(content: bytes) -> AnyRelease:
    """The verified release in an uploaded .zip, of any kind. Nothing of it is stored or shown to other visitors.

    Raises BundleError if it is not a bundle, was changed, or is too large.
    """
    if len(content) > limits.MAX_UPLOAD_BYTES:
        raise BundleError(
            "the file is too large",
            "upload",
            f"At most {limits.MAX_UPLOAD_BYTES // 2**20} MB can be opened.",
        )
    return read_bundle(content)


def _listed_as(name: str, there: Sequence[Listed] | None = None) -> Listed:
    """The release of that name that the Viewer opens."""
    found = bundles() if there is None else there
    return _bundle_named(name, [entry for entry in found if entry.kind and entry.kind.in_viewer])


def _bundle_named(name: str, shelf: list[Listed]) -> Listed:
    for entry in shelf:
        if entry.name == name:
            return entry
    raise InputError(
        "there is no such release", "the folder of bundles", "Choose one that the library lists."
    )


def _bundles(place: Path) -> list[Path]:
    """The place itself if it is a bundle, else the bundles directly in it."""
    try:
        if place.is_file() or (place / MANIFEST).is_file():
            return [place]
        if not place.is_dir():
            return []
        inside = sorted(path for path in place.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(
            "the folder of bundles cannot be read", str(place), "Set EPSILON_ATLAS_BUNDLES to another folder."
        ) from error
    return [path for path in inside if path.is_dir() or path.suffix.lower() == ".zip"][:MAX_LISTED]


def _files(place: Path) -> _Files:
    """What identifies the files of a bundle without reading them."""
    try:
        if place.is_file():
            found = [_state(place, place.stat())]
        else:  # with one file more it is not a bundle
            found = sorted(islice(_below(str(place)), limits.MAX_BUNDLE_FILES + 1))
    except OSError as error:
        raise BundleError(
            "a bundle cannot be read", place.name, "It may be gone: reload the list."
        ) from error
    return tuple(found)


def _below(folder: str) -> Iterator[_File]:
    """All files below a folder. Links to folders are not followed. Each page looks, so this makes no ``Path`` of any file."""
    with os.scandir(folder) as inside:
        entries = [*inside]
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
        elif entry.is_file():
            yield _state(entry.path, entry.stat())


def _state(path: str | Path, state: os.stat_result) -> _File:
    return str(path), state.st_size, state.st_mtime_ns, state.st_ino
