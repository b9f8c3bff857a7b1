"""Who may do what: the table ``[roles]`` of the operator's secrets, read strictly.

An entry is a whole address (``ada@example.org``) or every address of one domain (``*@council.example``).
Nothing else is an entry, and nothing matches by a part of its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from dpcore.errors import InputError

WHERE: Final = "secrets.toml, [roles]"

# Plain ASCII only: lower-casing other letters can make two different addresses equal (a Kelvin sign is a k).
_DOMAIN: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
_ADDRESS: Final = re.compile(rf"[a-z0-9.!#$%&'+/=?^_`{{|}}~-]+@{_DOMAIN}")
_ENTRY: Final = re.compile(rf"(?:\*|[a-z0-9.!#$%&'+/=?^_`{{|}}~-]+)@{_DOMAIN}")


class Role(Enum):
    """What a visitor may see."""

    OWNER = "owner"
    """Private data and its previews; everything that a viewer sees as well."""
    VIEWER = "viewer"
    """Releases."""


@dataclass(frozen=True)
class RoleMap:
    """The entries of each role, in lower case."""

    owner: frozenset[str]
    viewer: frozenset[str]

    @classmethod
    def read(cls, table: object) -> RoleMap:
        """The table as its entries; raises InputError for anything that is not exactly such a table.

        The error counts entries and never quotes one: whoever meets it may not be the operator.
        """
        if not isinstance(table, Mapping):
            raise InputError(
                "the roles cannot be read", WHERE, "Write a table: owner = [...], viewer = [...]."
            )
        known = [role.value for role in Role]
        if not set(table) <= set(known):
            raise InputError("unknown role", WHERE, f"Only these are roles: {', '.join(known)}.")
        return cls(**{name: _entries(name, table.get(name, [])) for name in known})

    def roles_of(self, address: str) -> frozenset[Role]:
        """The roles of a verified address; none for what is no plain address."""
        lower = address.lower() if address.isascii() else ""
        if not _ADDRESS.fullmatch(lower):
            return frozenset()
        spellings = {lower, "*@" + lower.partition("@")[2]}
        if spellings & self.owner:
            return frozenset(Role)
        return frozenset({Role.VIEWER}) if spellings & self.viewer else frozenset()


def _entries(name: str, entries: object) -> frozenset[str]:
    if not isinstance(entries, list):
        raise InputError(
            "the roles cannot be read",
            f"{WHERE} {name}",
            "Write a list: square brackets, texts in quotes, commas.",
        )
    for place, entry in enumerate(entries, 1):
        if not (isinstance(entry, str) and entry.isascii() and _ENTRY.fullmatch(entry.lower())):
            raise InputError(
                "the roles cannot be read",
                f"{WHERE} {name}, entry {place}",
                "Write a whole address, or *@ and a whole domain.",
            )
    return frozenset(entry.lower() for entry in entries)
