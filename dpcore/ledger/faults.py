"""Faults of a database in plain words; a driver's own text, which may quote anything, is never shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from dpcore.errors import LedgerError

_BUSY: Final = (
    "the ledger was locked for too long",
    "Somebody else writes to it. Try again; if it stays locked, look for a process that hangs.",
)
_READ_ONLY: Final = (
    "the ledger cannot be written",
    "Let this user write the ledger and the folder that it is in.",
)
_FULL: Final = ("there is no room for the ledger", "Free some space on its disk.")
_DAMAGED: Final = (
    "the ledger is damaged",
    "Restore the newest backup and verify it with all bundles: an older one would give back spent budget.",
)
_UNREACHABLE: Final = (
    "the ledger cannot be opened",
    "Check that it is there and that this user may write it. If it was deleted, restore it from a backup.",
)
_DISK: Final = ("the ledger cannot be read or written", "Check its disk: it may be full or failing.")
_OTHER: Final = (
    "the ledger has another form than this program writes",
    "Check the address: this may be another database, or the ledger of another version.",
)

_SQLITE: Final = {
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_FULL": _FULL,
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_CANTOPEN": _UNREACHABLE,
    "SQLITE_IOERR": _DISK,
}
"""By the first two words of SQLite's name of an error."""

_POSTGRESQL: Final = {
    "55P03": _BUSY,
    "57014": _BUSY,
    "40P01": _BUSY,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "53100": _FULL,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
    "42P01": _OTHER,
    "42703": _OTHER,
}
"""By SQLSTATE."""


@contextmanager
def told_plainly(place: str) -> Iterator[None]:
    """Turn faults of the database into a LedgerError; ``place`` names the ledger without any password."""
    try:
        yield
    except (SQLAlchemyError, OSError, UnicodeError) as error:
        what, mend = _words(error)
        # not chained: the driver's text may hold the address with its password
        raise LedgerError(what, place, f"{mend} Until then nothing can be spent.") from None


def _words(error: Exception) -> tuple[str, str]:
    if isinstance(error, OSError):
        return _UNREACHABLE if isinstance(error, FileNotFoundError) else _READ_ONLY
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        name = "_".join(str(getattr(cause, "sqlite_errorname", "")).split("_")[:2])
        return _SQLITE.get(name, _OTHER if name == "SQLITE_ERROR" else _DAMAGED)
    state = getattr(cause, "sqlstate", None)
    return _POSTGRESQL.get(state, _UNREACHABLE) if isinstance(state, str) else _UNREACHABLE
