"""A project: the one form of what an owner loaded and chose, and how it is written into a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from dpcore import limits
from dpcore.errors import InputError
from dpcore.exact_json import Fault, JsonError, Rules, parsed, plain, read_as
from dpcore.measures.data_form import DataForm

VERSION: Final = 1
_RULES: Final = Rules(decimals=True, bytes=limits.MAX_PROJECT_BYTES)
_FILE: Final = "a project of the private folder"
_ID: Final = re.compile(r"[0-9a-f]{32}")


def is_id(name: str) -> bool:
    """Whether a text is a name as this program gives them: 32 hexadecimal digits, and so never a path."""
    return _ID.fullmatch(name) is not None


@dataclass(frozen=True, repr=False)
class KeptTrips:
    """Trips that were loaded, as the private folder finds them again: names of their folders, never rows."""

    name: str
    parts: tuple[tuple[str, str], ...]
    """Folder of the prepared rows and name of the file, for each file."""
    folder: str
    """Folder of the exact answers."""
    timezone: str
    has_users: bool
    has_points: bool
    extras: tuple[str, ...]
    fingerprint: str
    file_fingerprints: tuple[str, ...]
    tiles_digest: str
    key: str
    """Identity of the bounding key that the rows were prepared with."""
    rule: str | None = None
    """The rule that cut points into these trips, as text."""
    read_as: str = ""
    """As in ``PrivateTrips.read_as``."""
    attributes: tuple[str, ...] = ()
    """Declared attributes, as ``attribute.text_of`` writes them."""
    has_times: bool = True
    has_ends: bool = True

    def __post_init__(self) -> None:
        """Refuse names of folders that are none: they become paths."""
        if not self.parts or not all(map(is_id, self.folders)):
            raise ValueError("not the folders of prepared trips")

    @property
    def form(self) -> DataForm:
        """What of each trip is recorded."""
        return DataForm(self.has_users, self.has_points, self.has_times, self.has_ends)

    @property
    def folders(self) -> tuple[str, ...]:
        """All folders, each once."""
        return tuple(dict.fromkeys([*(folder for folder, _ in self.parts), self.folder]))


@dataclass(frozen=True, repr=False)
class Loaded:
    """A loaded data set: its trips, and what the pages say of it, as JSON."""

    trips: KeptTrips
    terms: Mapping[str, object]


@dataclass(frozen=True, repr=False)
class Project:
    """All that survives a reload: what was loaded, what was chosen, and that trips were looked at."""

    name: str
    loaded: Loaded | None = None
    """None: the built-in city."""
    choices: Mapping[str, object] = field(default_factory=dict)
    """What was chosen on the pages, by field, as JSON."""
    looks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Looks at each file, by its fingerprint. They only grow: no tab takes back what another one saw."""
    derived: tuple[str, ...] = ()
    """All folders that were ever prepared for this project. They only grow, and are deleted with it."""

    def __post_init__(self) -> None:
        """Refuse a name that no list can show, and folders that are none."""
        if (
            not 0 < len(self.name.strip()) <= limits.MAX_PROJECT_NAME_CHARACTERS
            or not self.name.isprintable()
        ):
            raise InputError(
                "not a name of a project",
                "name",
                f"Write 1 to {limits.MAX_PROJECT_NAME_CHARACTERS} letters, digits or signs.",
            )
        if not all(map(is_id, self.derived)):
            raise ValueError("not the folders of prepared trips")

    def to_bytes(self) -> bytes:
        """The file of a project. InputError if it would be too large."""
        content = json.dumps({"version": VERSION, **plain(self)}, ensure_ascii=False, indent=1).encode()
        if len(content) > limits.MAX_PROJECT_BYTES:
            raise InputError(
                f"a project of {len(content):,} bytes, the limit is {limits.MAX_PROJECT_BYTES:,}",
                "choices of the pages",
                "Shorten the longest text.",
            )
        return content

    @classmethod
    def from_bytes(cls, content: memoryview) -> Project:
        """The project of a file, whatever its bytes are. Raises InputError, which tells all faults and quotes nothing of them."""
        faults: list[Fault] = []
        try:
            found = parsed(bytes(content), _RULES)
        except JsonError as error:
            raise unreadable(Fault(error.what, error.place(_FILE))) from None
        version = found.pop("version", None) if isinstance(found, dict) else None
        if type(version) is not int:
            faults.append(Fault("this should be a whole number", f"{_FILE}, version"))
        elif version != VERSION:
            raise _other_version(version)
        project = read_as(cls, found, _FILE, faults)
        if faults:
            raise unreadable(*faults)
        return cast("Project", project)


def unreadable(*faults: Fault) -> InputError:
    """The refusal of a file that is no project."""
    return InputError.of_faults(
        [("the project cannot be read: its file is damaged", _FILE), *faults],
        "Restore the file from a backup, or delete the project. Ledger, releases and your own files are not touched.",
    )


def _other_version(version: int) -> InputError:
    return InputError(
        f"the project was saved by another version of this program (form {version}, this one reads {VERSION})",
        _FILE,
        "Open it with that version, or begin a new project.",
    )
