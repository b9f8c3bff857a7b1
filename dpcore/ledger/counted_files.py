"""The files from which a data set was counted: hints against counting the same people under two budgets or two parts.

Each file is remembered separately, so that it is recognised in any set of files. Then the set is remembered as a whole.
The fingerprint of a set of one file is that of the file.

A fingerprint is an HMAC under a secret of the installation, made behind the wall. It is compared and never printed. No
entry of the chain depends on it, so nobody can test a file against a published ledger.

*Parts.* Parts of an account are charged in parallel because they share nobody. The same file under two parts certainly
breaks that, so it is refused. The same people in other bytes cannot be recognised; the owner declares that there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dpcore.ledger.account import KnownFiles
from dpcore.ledger.refusals import same_file_in_two_parts
from dpcore.ledger.replay import AccountBook
from dpcore.ledger.storage import PART_FILES, SIGHTINGS, Connection


def known(connection: Connection, fingerprint: str, dataset: str, files: Sequence[str] = ()) -> KnownFiles:
    """Compare the fingerprints of a set and of its files with the earlier ones, and store them. The caller commits."""
    all_files = sorted({fingerprint, *files})
    others = connection.rows(
        f"SELECT DISTINCT dataset FROM {SIGHTINGS} WHERE {_among(all_files)} AND dataset <> ? ORDER BY dataset",
        *all_files,
        dataset,
    )
    of_dataset = connection.rows(
        f"SELECT fingerprint FROM {SIGHTINGS} WHERE dataset = ? ORDER BY number DESC", dataset
    )
    last = of_dataset[0][0] if of_dataset else None
    found = KnownFiles(tuple(name for (name,) in others), changed=last not in {None, fingerprint})
    new = sorted({*files} - {fingerprint, *(one for (one,) in of_dataset)})
    if new or last != fingerprint:  # the set is stored last, because the next set is compared with it
        for one in (*new, fingerprint):
            connection.rows(f"INSERT INTO {SIGHTINGS} (dataset, fingerprint) VALUES (?, ?)", dataset, one)
    return found


def claim(
    connection: Connection, book: AccountBook, number: int, part: str | None, files: Sequence[str]
) -> None:
    """Store which files a reservation of a part counts. The caller commits.

    Raises PrivacyError if one of them was counted as another part, or perhaps was before parts were stored. A count
    without a part is added to every part, so it may use any file.
    """
    if part is None or not files:
        return
    connection.make(PART_FILES)  # ledgers of earlier versions have no such table
    known: dict[int, set[str]] = {}
    for reservation, fingerprint in connection.rows(f"SELECT reservation, fingerprint FROM {PART_FILES}"):
        known.setdefault(reservation, set()).add(fingerprint)
    of_others = {
        one.number: one.part
        for one in book.reservations.values()
        # A reservation that was given back counted nothing. One that continues another used the files of that one.
        if one.part not in {None, part} and one.state != "void" and one.follows is None
    }
    clash = next((other for one, other in of_others.items() if known.get(one, set()) & {*files}), None)
    unknown = next((other for one, other in of_others.items() if one not in known), None)
    if clash is None and unknown is not None:
        told = set().union(*(known.get(one, set()) for one in book.reservations))
        clash = unknown if _unplaced(connection, book.account.dataset, {*files} - told) else None
    if clash is not None:
        raise same_file_in_two_parts(book, part, clash)
    for one in sorted({*files} - known.get(number, set())):
        connection.rows(f"INSERT INTO {PART_FILES} (reservation, fingerprint) VALUES (?, ?)", number, one)


def _unplaced(connection: Connection, dataset: str, files: set[str]) -> bool:
    """Whether one of these files was counted for the data set at a time when parts were not yet stored."""
    asked = f"SELECT number FROM {SIGHTINGS} WHERE dataset = ? AND {_among(files)}"
    return bool(files and connection.rows(asked, dataset, *files))


def _among(files: Collection[str]) -> str:
    """The condition that a fingerprint is one of some."""
    return f"fingerprint IN ({', '.join('?' * len(files))})"
