"""The files from which a data set was counted: hints against counting the same people under two budgets or two parts.

Each file is remembered separately, so that it is recognised in any set of files. Then the set is remembered as a whole.
The fingerprint of a set of one file is that of the file.

A fingerprint is an HMAC under a secret of the installation, made behind the wall. It is compared and never printed. No
entry of the chain depends on it, so nobody can test a file against a published ledger.

*Parts.* Parts of an account are charged in parallel because they share nobody. The same file under two parts certainly
breaks that, so it is refused. The same people in other bytes cannot be recognised; the owner declares that there are none.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from dpcore.ledger.account import KnownFiles
from dpcore.ledger.refusals import same_file_in_two_parts
from dpcore.ledger.replay import AccountBook
from dpcore.ledger.storage import PART_FILES, SIGHTINGS


def known(connection: Connection, fingerprint: str, dataset: str, files: Sequence[str] = ()) -> KnownFiles:
    """Compare the fingerprints of a set and of its files with the earlier ones, and store them. The caller commits."""
    columns = SIGHTINGS.c
    others = connection.execute(
        select(columns.dataset)
        .where(columns.fingerprint.in_([fingerprint, *files]), columns.dataset != dataset)
        .distinct()
        .order_by(columns.dataset)
    ).scalars()
    last = connection.execute(
        select(columns.fingerprint).where(columns.dataset == dataset).order_by(columns.number.desc()).limit(1)
    ).scalar_one_or_none()
    found = KnownFiles(tuple(others), changed=last is not None and last != fingerprint)
    known = connection.execute(
        select(columns.fingerprint).where(columns.dataset == dataset, columns.fingerprint.in_(files))
    ).scalars()
    new = sorted({*files} - {fingerprint, *known})
    if new or last != fingerprint:  # the set is stored last, because the next set is compared with it
        rows = [{"dataset": dataset, "fingerprint": one} for one in (*new, fingerprint)]
        connection.execute(insert(SIGHTINGS), rows)
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
    PART_FILES.create(connection, checkfirst=True)  # ledgers of earlier versions have no such table
    known: dict[int, set[str]] = {}
    for reservation, fingerprint in connection.execute(select(PART_FILES)):
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
    new = sorted({*files} - known.get(number, set()))
    if new:
        connection.execute(insert(PART_FILES), [{"reservation": number, "fingerprint": one} for one in new])


def _unplaced(connection: Connection, dataset: str, files: set[str]) -> bool:
    """Whether one of these files was counted for the data set at a time when parts were not yet stored."""
    columns = SIGHTINGS.c
    asked = select(columns.number).where(columns.dataset == dataset, columns.fingerprint.in_(files)).limit(1)
    return connection.execute(asked).first() is not None
