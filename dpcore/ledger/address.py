"""From an address to a storage: an SQLite file that only its owner can read, or a PostgreSQL database."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import URL, create_engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from dpcore import limits
from dpcore.errors import LedgerError
from dpcore.ledger.books import first_entry
from dpcore.ledger.faults import told_plainly
from dpcore.ledger.storage import ENTRIES, Storage, make_tables, misplaced

# Any fixed number will do: it is the name of the one lock that makers and writers of a ledger take.
_LOCK: Final = 6_241_973_055_118_204_417


def storage_at(address: str | Path) -> Storage:
    """The storage at an address, with a new ledger where there is none; raises LedgerError.

    A text that begins with ``postgresql`` is the URL of a database; all else is the path of a file.
    """
    if isinstance(address, str) and address.startswith(("postgresql:", "postgresql+")):
        return _postgresql(address)
    if isinstance(address, str) and "://" in address:
        raise LedgerError(
            "no ledger can be kept there",
            f"an address that begins with {address.partition(':')[0]!r}",
            "Give the path of a file, or a URL such as postgresql://user@host/database.",
        )
    return _sqlite(Path(address).absolute())


def _sqlite(path: Path) -> Storage:
    place = str(path)
    with told_plainly(place):
        if not path.exists():
            _make(path)
    return _sqlite_storage(path)


def _sqlite_storage(path: Path) -> Storage:
    def connect() -> sqlite3.Connection:
        # mode=rw: a file that was deleted meanwhile is missed and not made anew with an empty account
        if not path.exists():
            raise misplaced(str(path))
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            timeout=limits.LEDGER_WAIT_SECONDS,
            isolation_level=None,  # transactions begin where we say so, with the lock that we want
        )
        try:
            connection.execute("PRAGMA synchronous=FULL")  # a commit is on the disk before anything is drawn
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
    return Storage(engine, str(path), ["BEGIN IMMEDIATE"])


def _make(path: Path) -> None:
    """Write a new ledger beside its place and move it there in one step; the first of several makers wins.

    So a file at that place is always a whole ledger: one that is empty was emptied, and is refused.
    The ledger's own file is never opened here but by SQLite: closing it would drop the locks of this process.
    """
    if path.with_name(f"{path.name}-wal").exists():
        raise misplaced(str(path))  # its journal is still there
    with suppress(FileExistsError):
        path.parent.mkdir(mode=0o700, parents=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")  # makes it with mode 0600
    os.close(handle)
    part = Path(name)
    try:
        storage = _sqlite_storage(part)
        with storage.writing() as connection:
            make_tables(connection, first_entry())
        with storage.reading() as connection:
            connection.commit()
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")  # from now on, for everybody who opens it
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        except OSError:  # no hard links on this file system
            if not path.exists():
                part.replace(path)
        _sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def _sync_folder(place: Path) -> None:
    """Make the new name last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _postgresql(address: str) -> Storage:
    url = _parsed(address)
    place = f"PostgreSQL database {url.database or ''!r} on {url.host or 'this computer'}"
    engine = create_engine(
        url,
        poolclass=NullPool,
        hide_parameters=True,
        isolation_level="READ COMMITTED",  # what is read after the lock was taken is the newest state
        connect_args={"connect_timeout": 10},
    )
    storage = Storage(
        engine,
        place,
        [
            f"SET LOCAL lock_timeout = '{limits.LEDGER_WAIT_SECONDS}s'",
            "SET LOCAL synchronous_commit = on",  # a commit is on the disk before anything is drawn
            f"SELECT pg_advisory_xact_lock({_LOCK})",
        ],
    )
    with storage.writing() as connection:
        if not inspect(connection).has_table(ENTRIES.name):
            make_tables(connection, first_entry())
    return storage


def _parsed(address: str) -> URL:
    try:
        return make_url(address).set(drivername="postgresql+psycopg")
    except (SQLAlchemyError, ValueError):
        # neither shown nor chained: it may hold a password
        raise LedgerError(
            "the address of the ledger cannot be read",
            "an address that begins with 'postgresql'",
            "Write postgresql://user@host/database; special signs of a password are written as %XX.",
        ) from None
