"""Which files a data set was counted from: hints against counting the same people under two budgets, or under two parts.

Each file is remembered by itself, so that it is known again in whatever set of files it comes, and after these the set
as a whole, whose fingerprint is that of its file where there is only one.

A fingerprint is an HMAC under a secret of the installation, made behind the wall. It is compared and never
printed, and no entry of the chain depends on it, so that nobody can test a file against a published ledger.

*Parts.* Parts of an account run side by side because they share nobody. The same file under two parts breaks that for
sure, so it is refused. The same people in other bytes cannot be seen: that they are none is the owner's declaration.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from dpcore.ledger.account import Sighting
from dpcore.ledger.asking import same_file_in_two_parts
from dpcore.ledger.replay import AccountBook
from dpcore.ledger.storage import PART_FILES, SIGHTINGS


def seen(connection: Connection, fingerprint: str, dataset: str, files: Sequence[str] = ()) -> Sighting:
    """Compare the fingerprint of a set, and of each of its files, with those before, and remember them; the caller commits."""
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
    found = Sighting(tuple(others), changed=last is not None and last != fingerprint)
    known = connection.execute(
        select(columns.fingerprint).where(columns.dataset == dataset, columns.fingerprint.in_(files))
    ).scalars()
    new = sorted({*files} - {fingerprint, *known})
    if new or last != fingerprint:  # the set comes last: it is what the next one is compared with
        rows = [{"dataset": dataset, "fingerprint": one} for one in (*new, fingerprint)]
        connection.execute(insert(SIGHTINGS), rows)
    return found


def claim(
    connection: Connection, book: AccountBook, number: int, part: str | None, files: Sequence[str]
) -> None:
    """Remember which files a reservation of a part counts; the caller commits.

    Raises PrivacyError where one of them was counted as another part, or may have been before parts were remembered.
    What is counted without a part adds up with every part, so any file may be.
    """
    if part is None or not files:
        return
    PART_FILES.create(connection, checkfirst=True)  # ledgers of earlier versions have none
    known: dict[int, set[str]] = {}
    for reservation, fingerprint in connection.execute(select(PART_FILES)):
        known.setdefault(reservation, set()).add(fingerprint)
    of_others = {
        one.number: one.part
        for one in book.reservations.values()
        # one that was given back counted nothing; one that continues another was drawn from the files of that
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
    """Whether one of these files was counted for the data set before it was remembered as which part."""
    columns = SIGHTINGS.c
    asked = select(columns.number).where(columns.dataset == dataset, columns.fingerprint.in_(files)).limit(1)
    return connection.execute(asked).first() is not None
