"""The choices of an owner for the columns of a file, remembered for files with the same names of columns.

Only names, roles and declarations are stored, nothing of a record. The file of a shape is called by a keyed digest of the
names, so that nobody can test which files an owner reads; ``store.forget`` deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dpcore.errors import InputError
from dpcore.exact_json import WITH_DECIMALS, parsed, plain, read_as
from dpcore.measures.trip_rule import TripRule
from dpcore.private import kept, store
from dpcore.private.bounding import bounding_key

_VERSION: Final = "1"
_MOST_KEPT: Final = 200


@dataclass(frozen=True)
class Said:
    """The choices of an owner for the columns of a file."""

    row: str
    """What one row is, as ``rows.ROWS`` names it."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Role -> column."""
    times: str | None = None
    """The order in which times are written; None as the names of the columns tell."""
    rule: str | None = None
    """The text of the rule that cuts points into trips."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Column -> its categories, or its bounds and unit, as an option declares them, for attributes that are kept."""

    def fits(self, columns: Sequence[str]) -> bool:
        """Whether a file with these columns has all that are named."""
        return {*self.columns.values(), *self.attributes} <= {*columns}


def remember(columns: Sequence[str], said: Said) -> None:
    """Keep what was said for the next file with these columns, in any order.

    Nothing is kept where the private folder cannot be written, which costs the owner some clicks.
    """
    with suppress(InputError):
        place = _place(columns)
        kept.keep(place, lambda out: out.write(json.dumps(plain(said)).encode()))
        with suppress(OSError):
            for old in sorted(place.parent.iterdir(), key=lambda one: one.stat().st_mtime)[:-_MOST_KEPT]:
                old.unlink(missing_ok=True)


def recalled(columns: Sequence[str]) -> Said | None:
    """What was said last of a file with these columns; None if nothing was, or if it cannot be used any more."""
    with suppress(InputError):
        found = kept.kept_content(_place(columns), _facts)
        return found if found is not None and found.fits(columns) else None
    return None


def forget(columns: Sequence[str]) -> None:
    """Forget what was said of files with these columns."""
    with suppress(InputError, OSError):
        _place(columns).unlink(missing_ok=True)


def _facts(content: memoryview) -> Said:
    said: Said = read_as(Said, parsed(bytes(content), WITH_DECIMALS))
    if said.rule is not None:
        TripRule.of_text(said.rule)
    return said


def _place(columns: Sequence[str]) -> Path:
    return store.folder("cache", "shapes") / kept.name_of(bounding_key(), _VERSION, *sorted(columns))
