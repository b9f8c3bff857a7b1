"""Where the entries lie: one table in an SQLite file or in PostgreSQL, written by one writer at a time.

A transaction takes the lock first, reads all entries, and appends: check and charge are one step, whatever else
runs. Every transaction has a connection of its own, so threads and processes may come and go as they like, and a
ledger that was deleted, moved or set back is noticed by the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, cast, get_args

from sqlalchemy import BigInteger, Column, Connection, Engine, Integer, MetaData, Table, Text, insert, select

from dpcore.errors import LedgerError
from dpcore.ledger.account import Entry, EntryKind
from dpcore.ledger.chain import altered, canonical
from dpcore.ledger.faults import told_plainly

_TABLES: Final = MetaData()

ENTRIES: Final = Table(
    "ledger_entry",
    _TABLES,
    # the primary key would stop two writers with the same number, even if a lock failed
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
"""Which files a data set was counted from. Outside the chain: nothing that is printed depends on private data."""

PART_FILES: Final = Table(
    "ledger_part_file",
    _TABLES,
    Column(
        "reservation", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False
    ),
    Column("fingerprint", Text, primary_key=True),
)
"""Which files a reservation of a declared part counts, by the number of its entry. Outside the chain as well."""


class Storage:
    """A database that holds a ledger."""

    def __init__(self, engine: Engine, place: str, first_words: Sequence[str]) -> None:
        self.place = place
        """The ledger's address for people, without any password."""
        self._engine = engine
        self._first_words = tuple(first_words)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the ledger; raises LedgerError."""
        with told_plainly(self.place), self._engine.connect() as connection:
            if self._engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The transaction of the only writer; committed when the block ends well, else undone. Raises LedgerError."""
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
    """Store new entries; the caller commits."""
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
"""What lies in the table, unchecked."""


def stored_rows(connection: Connection) -> Rows:
    """All rows in order."""
    return [tuple(row) for row in connection.execute(select(ENTRIES).order_by(ENTRIES.c.number))]


def entries_of(rows: Rows) -> Iterator[Entry]:
    """The entries that rows hold; raises LedgerError for one that cannot have been written by ``append``."""
    for place, row in enumerate(rows, start=1):
        number, time, kind, dataset, body, previous, digest = row
        fields = (time, kind, dataset, body, previous, digest)
        if not isinstance(number, int) or not all(isinstance(field, str) for field in fields):
            raise altered(place, "it holds something else than text")
        if kind not in get_args(EntryKind):
            raise altered(place, "it is of an unknown kind")
        yield Entry(
            number,
            time,
            cast("EntryKind", kind),
            dataset,
            MappingProxyType(_read(place, body)),
            previous,
            digest,
        )


def _read(place: int, body: str) -> dict[str, object]:
    try:
        said = json.loads(body)
        if isinstance(said, dict) and canonical(said) == body:
            return said
    except (ValueError, RecursionError):
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
