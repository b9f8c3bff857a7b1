"""A folder of trips: which of its files are read, and which are left out and why.

Names alone decide that, never what a file holds. So each file is read, or named with the reason before anything is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS
from dpcore.private.source.content import Content
from dpcore.private.source.vocabulary import may_be_of_people, normal_name

_LINK: Final = "it is a link, and a folder holds only what lies in it"
_MARKED: Final = "its name begins with a dot or an underscore"
_NO_ENDING: Final = "no ending says what it holds; name it .csv, for example"
_ABOUT: Final = "by its name it is about data"
_BESIDE: Final = "it lies beside trajectories of GeoLife"
_SHEET: Final = "a spreadsheet is not read; save it as CSV UTF-8"
_OTHER: Final = "no trips end so; unpack it, or save it as CSV"
_ABOUT_DATA: Final = re.compile(r"(read[ _-]?me|licen[cs]e|changelog|copying|notice)\b", re.IGNORECASE)
"""How files begin that publishers put beside data."""
_ENDING: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, sorted(TRIPS_ENDINGS, key=len, reverse=True)))}|\.(?:gz|gzip|bz2|zip))$",
    re.IGNORECASE,
)
_SHEETS: Final = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
_NAMED: Final = 10
"""Files that a note names."""


@dataclass(frozen=True)
class TripsFolder:
    """What lies in a folder, at any depth, by paths inside it. Public, as names of files are."""

    trips: tuple[str, ...]
    """Files that are read, sorted."""
    left_out: tuple[tuple[str, str], ...]
    """Files that are not, sorted, each with the reason. What programs write about their own files is not listed."""


def folder_of_trips(folder: Path) -> TripsFolder:
    """The files of a folder. Raises InputError if it holds too many names."""
    found = sorted(_below(folder))
    tracks = any(inside.lower().endswith(Content.PLT.endings) for inside, why in found if not why)
    texts = Content.CSV.endings[1:]
    found = [
        (inside, why or (_BESIDE if tracks and inside.lower().endswith(texts) else ""))
        for inside, why in found
    ]
    return TripsFolder(
        tuple(inside for inside, why in found if not why),
        tuple((inside, why) for inside, why in found if why),
    )


def left_out_notes(paths: Sequence[str | Path]) -> tuple[str, ...]:
    """A sentence for each reason for which files of the folders among these paths are not read. Raises as ``folder_of_trips``."""
    notes = []
    for folder in filter(Path.is_dir, map(Path, paths)):
        by_reason: dict[str, list[str]] = {}
        for inside, why in folder_of_trips(folder).left_out:
            by_reason.setdefault(why, []).append(inside)
        for why, names in by_reason.items():
            more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
            listed = ", ".join(names_without_people(names[:_NAMED])) + more
            notes.append(f"not read in the folder {folder.name or folder}: {printable(listed)} ({why})")
    return tuple(notes)


def twins(paths: Sequence[str]) -> tuple[str, str] | None:
    """Two files that are called alike but for their endings, as unpacking leaves them: most likely the same trips. None without."""
    first: dict[str, str] = {}
    for path in paths:
        stem = path
        while (shorter := _ENDING.sub("", stem)) != stem:
            stem = shorter
        if first.setdefault(stem, path) != path:
            return first[stem], path
    return None


def _below(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file, and each folder that is not entered, with the reason for leaving it out or an empty one."""
    seen = 0
    for place, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > limits.MAX_FOLDER_ENTRIES:
            raise InputError(
                f"the folder holds more than {limits.MAX_FOLDER_ENTRIES:,} names",
                folder.name,
                "Put the trips files into their own folder.",
            )
        for name in [*folders, *files]:
            path = Path(place) / name
            is_folder = name in folders
            why = _LINK if path.is_symlink() else _MARKED if name[0] in "._" else ""
            if is_folder:
                if why:
                    folders.remove(name)
                    yield f"{path.relative_to(folder).as_posix()}/", why
            elif why != _MARKED or name.lower().endswith(TRIPS_ENDINGS):
                yield path.relative_to(folder).as_posix(), why or _why_not(name)


def _why_not(name: str) -> str:
    """Why a file of this name is not read; empty if it is."""
    low = name.lower()
    if _ABOUT_DATA.match(name):
        return _ABOUT
    if low.endswith(TRIPS_ENDINGS):
        return ""
    if not PurePosixPath(name).suffix:
        return _NO_ENDING
    return _SHEET if low.endswith(_SHEETS) else _OTHER


def names_without_people(names: Sequence[str]) -> list[str]:
    """The names of files as messages quote them. Where a folder may name a person, as ``user_id=u1``, a number stands for the person."""
    numbers: dict[tuple[str, str], int] = {}

    def told(part: str) -> str:
        column, mark, value = part.partition("=")
        if not mark or not may_be_of_people(column):
            return part
        return f"{column}=({numbers.setdefault((normal_name(column), value), len(numbers) + 1)})"

    return ["/".join([*map(told, name.split("/")[:-1]), name.rpartition("/")[2]]) for name in names]


def printable(text: str) -> str:
    """A name as messages show it, without letters that cannot be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
