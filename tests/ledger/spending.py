"""Short words for what the tests of the ledger do again and again."""

from __future__ import annotations

from fractions import Fraction

from dpcore.ledger import Ledger, Price, Reservation
from dpcore.ledger.storage import storage_at


def spend(ledger: Ledger, epsilon: str, nonce: str, dataset: str = "city", **more) -> Reservation:
    """Reserve for a release without a name; one that continues a chain does so from its end, which is committed first."""
    if more.get("group"):
        links = [
            ledger.reservation_numbered(entry.number)
            for entry in ledger.entries(dataset)
            if entry.kind == "reserve" and entry.body["group"] == more["group"]
        ]
        links = [link for link in links if link.state != "void"]
        if links and links[-1].state == "reserved":
            ledger.commit(links[-1].number, "a" * 64)
        more.setdefault("follows", links[-1].number if links else None)
    return ledger.reserve(
        dataset, nonce=nonce, price=Price(Fraction(epsilon)), terms={"measures": ["od_flows"]}, **more
    )


def spent(ledger: Ledger, dataset: str = "city") -> Fraction:
    """What is spent of an account."""
    return ledger.statement(dataset).spent


def meddle(address: str, *statements: str) -> None:
    """Change a ledger behind its back."""
    with storage_at(address).writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
