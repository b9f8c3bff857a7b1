"""Which files a data set was counted from: hints against counting the same people under two budgets.

A fingerprint is an HMAC under a secret of the installation, made behind the wall. It is compared and never
printed, and no entry of the chain depends on it, so that nobody can test a file against a published ledger.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from dpcore.ledger.account import Sighting
from dpcore.ledger.storage import SIGHTINGS


def seen(connection: Connection, fingerprint: str, dataset: str) -> Sighting:
    """Compare a fingerprint with those that were seen before, and remember it; the caller commits."""
    columns = SIGHTINGS.c
    others = connection.execute(
        select(columns.dataset)
        .where(columns.fingerprint == fingerprint, columns.dataset != dataset)
        .distinct()
        .order_by(columns.dataset)
    ).scalars()
    last = connection.execute(
        select(columns.fingerprint).where(columns.dataset == dataset).order_by(columns.number.desc()).limit(1)
    ).scalar_one_or_none()
    found = Sighting(tuple(others), changed=last is not None and last != fingerprint)
    if last != fingerprint:
        connection.execute(insert(SIGHTINGS).values(dataset=dataset, fingerprint=fingerprint))
    return found
