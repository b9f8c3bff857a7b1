"""Which files a data set was counted from: hints against counting the same people under two budgets.

Each file is remembered by itself, so that it is known again in whatever set of files it comes, and after these the set
as a whole, whose fingerprint is that of its file where there is only one.

A fingerprint is an HMAC under a secret of the installation, made behind the wall. It is compared and never
printed, and no entry of the chain depends on it, so that nobody can test a file against a published ledger.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from dpcore.ledger.account import Sighting
from dpcore.ledger.storage import SIGHTINGS


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
