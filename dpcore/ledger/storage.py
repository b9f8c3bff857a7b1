"""Where the entries are stored: one table in an SQLite file that only its owner can read, or in PostgreSQL.

There is one writer at a time. A transaction takes the lock first, reads all entries, and appends. So check and charge are
one step, whatever else runs. Every transaction has its own connection, so threads and processes may come and go, and the
next transaction notices a ledger that was deleted, moved or set back. Faults of a database are reported in our own words.
The text of a driver, which may quote anything, is never shown.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast, get_args
from urllib.parse import quote

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from dpcore import disk, limits
from dpcore.errors import LedgerError
from dpcore.exact_json import canonical, parsed
from dpcore.ledger.account import Entry, EntryKind
from dpcore.ledger.entries import altered
from dpcore.ledger.replay import first_entry

_BUSY: Final = (
    "the ledger was locked for too long",
    "Another process is writing to it. Try again; if it stays locked, look for a process that hangs.",
)
_READ_ONLY: Final = (
    "the ledger cannot be written",
    "Let this user write to the ledger and to the folder that it is in.",
)
_FULL: Final = ("there is no room for the ledger", "Free some space on its disk.")
_DAMAGED: Final = (
    "the ledger is damaged",
    "Restore the newest backup and verify it with all bundles. An older one would give back spent budget.",
)
_UNREACHABLE: Final = (
    "the ledger cannot be opened",
    "Check that it exists and that this user may write to it. If it was deleted, restore it from a backup.",
)
_DISK: Final = ("the ledger cannot be read or written", "Check its disk: it may be full or failing.")
_OTHER: Final = (
    "the ledger has another form than this program writes",
    "Check the address. This may be another database, or the ledger of another version.",
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
"""By the first two words of SQLite's name of the error."""

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
    """Turn faults of the database into a LedgerError. ``place`` names the ledger without any password."""
    try:
        yield
    except (SQLAlchemyError, OSError, UnicodeError) as error:
        what, mend = _fault_and_mend(error)
        # Not chained, because the driver's text may hold the address with its password.
        raise LedgerError(what, place, f"{mend} Until then nothing can be spent.") from None


def _fault_and_mend(error: Exception) -> tuple[str, str]:
    if isinstance(error, OSError):
        return _UNREACHABLE if isinstance(error, FileNotFoundError) else _READ_ONLY
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        name = "_".join(str(getattr(cause, "sqlite_errorname", "")).split("_")[:2])
        return _SQLITE.get(name, _OTHER if name == "SQLITE_ERROR" else _DAMAGED)
    state = getattr(cause, "sqlstate", None)
    return _POSTGRESQL.get(state, _UNREACHABLE) if isinstance(state, str) else _UNREACHABLE


_TABLES: Final = MetaData()

ENTRIES: Final = Table(
    "ledger_entry",
    _TABLES,
    # The primary key would stop two writers with the same number, even if a lock failed.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("time", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

SIGHTINGS: Final = Table(
    "ledger_sighting",
    _TABLES,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("dataset", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
)
"""The files from which a data set was counted. Not in the chain: nothing that is printed depends on private data."""

PART_FILES: Final = Table(
    "ledger_part_file",
    _TABLES,
    Column(
        "reservation", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False
    ),
    Column("fingerprint", Text, primary_key=True),
)
"""The files that a reservation of a declared part counts, by the number of its entry. Not in the chain either."""


class Storage:
    """A database that holds a ledger."""

    def __init__(self, engine: Engine, place: str, first_words: Sequence[str]) -> None:
        self.place = place
        """The address of the ledger as shown to people, without any password."""
        self._engine = engine
        self._first_words = tuple(first_words)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the ledger. Raises LedgerError."""
        with told_plainly(self.place), self._engine.connect() as connection:
            if self._engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The transaction of the only writer. Committed if the block ends without an error, otherwise undone. LedgerError."""
        with told_plainly(self.place), self._engine.connect() as connection:
            for words in self._first_words:
                connection.exec_driver_sql(words)
            yield connection
            connection.commit()


def make_tables(connection: Connection, first: Entry) -> None:
    """Begin a ledger in an empty database."""
    _TABLES.create_all(connection)
    append(connection, [first])


def append(connection: Connection, entries: Sequence[Entry]) -> None:
    """Store new entries. The caller commits."""
    for entry in entries:
        connection.execute(
            insert(ENTRIES).values(
                number=entry.number,
                time=entry.time,
                kind=entry.kind,
                dataset=entry.dataset,
                body=canonical(entry.body),
                previous=entry.previous,
                hash=entry.hash,
            )
        )


Rows = list[tuple[Any, ...]]
"""The content of the table, unchecked."""


def stored_rows(connection: Connection) -> Rows:
    """All rows in order."""
    return [tuple(row) for row in connection.execute(select(ENTRIES).order_by(ENTRIES.c.number))]


def entries_of(rows: Rows) -> Iterator[Entry]:
    """The entries in some rows. Raises LedgerError for one that ``append`` cannot have written."""
    for place, row in enumerate(rows, start=1):
        number, time, kind, dataset, body, previous, digest = row
        fields = (time, kind, dataset, body, previous, digest)
        if not isinstance(number, int) or not all(isinstance(field, str) for field in fields):
            raise altered(place, "it holds something other than text")
        if kind not in get_args(EntryKind):
            raise altered(place, "it is of an unknown kind")
        yield Entry(
            number,
            time,
            cast("EntryKind", kind),
            dataset,
            MappingProxyType(_entry_fields(place, body)),
            previous,
            digest,
        )


def _entry_fields(place: int, body: str) -> dict[str, object]:
    try:
        said = parsed(body.encode("utf-8"))
        if isinstance(said, dict) and canonical(said) == body:
            return said
    except ValueError:
        pass
    raise altered(place, "its text is not as it was written")


def misplaced(place: str) -> LedgerError:
    """The refusal of a ledger whose file is gone."""
    return LedgerError(
        "the ledger is not there any more",
        place,
        "Restore it from the newest backup and verify it with the bundles of all releases. Until then nothing can "
        "be spent.",
    )


# The name of the one lock that makers and writers of a ledger take. Any fixed number will do.
_LOCK: Final = 6_241_973_055_118_204_417


def is_url(address: str | Path) -> bool:
    """Whether an address is the URL of a PostgreSQL database, and not the path of a file."""
    return str(address).startswith(("postgresql:", "postgresql+"))


def storage_at(address: str | Path) -> Storage:
    """The storage at an address, with a new ledger if there is none. Raises LedgerError.

    A URL of PostgreSQL names a database. Everything else is the path of a file.
    """
    if isinstance(address, str) and is_url(address):
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
        # mode=rw: a file that was deleted meanwhile is missed. It must not be made anew with an empty account.
        if not path.exists():
            raise misplaced(str(path))
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            timeout=limits.LEDGER_WAIT_SECONDS,
            isolation_level=None,  # our code begins each transaction, with the lock that it needs
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
    """Write a new ledger next to its place and move it there in one step. The first of several makers wins.

    So a file at that place is always a whole ledger, and an empty file was emptied and is refused. Only SQLite opens the
    ledger's own file, because closing it otherwise would drop the locks of this process: it is synced before it has its name.
    """
    # A journal without its ledger means that somebody removed the ledger. The journal is checked first: another maker's
    # journal appears after that maker's ledger, so whoever sees the journal also sees the ledger.
    if path.with_name(f"{path.name}-wal").exists() and not path.exists():
        raise misplaced(str(path))
    with suppress(FileExistsError):
        path.parent.mkdir(mode=0o700, parents=True)
    with disk.written_once(path) as part:
        storage = _sqlite_storage(part)
        with storage.writing() as connection:
            make_tables(connection, first_entry())
        with storage.reading() as connection:
            connection.commit()
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")  # from now on, for everybody who opens it


def _postgresql(address: str) -> Storage:
    url = _parsed(address)
    place = f"PostgreSQL database {url.database or ''!r} on {url.host or 'this computer'}"
    engine = create_engine(
        url,
        poolclass=NullPool,
        hide_parameters=True,
        isolation_level="READ COMMITTED",  # what is read after taking the lock is the newest state
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
        import psycopg  # noqa: F401, PLC0415 - an extra, which SQLAlchemy imports by the name of the driver
    except ModuleNotFoundError:
        raise LedgerError(
            "the driver of PostgreSQL is not installed",
            "an address that begins with 'postgresql'",
            "Install it with: pip install 'epsilon-atlas[postgres]'",
        ) from None
    try:
        return make_url(address).set(drivername="postgresql+psycopg")
    except (SQLAlchemyError, ValueError):
        # Neither shown nor chained, because it may hold a password.
        raise LedgerError(
            "the address of the ledger cannot be read",
            "an address that begins with 'postgresql'",
            "Write postgresql://user@host/database. Write special signs of a password as %XX.",
        ) from None
