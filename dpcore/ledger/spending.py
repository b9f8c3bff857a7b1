"""What a reservation may be asked for: its chain, its part, its nonce. Refusals only; nothing is charged here."""

from __future__ import annotations

from collections.abc import Mapping

from dpcore.errors import InputError, LedgerError, PrivacyError
from dpcore.ledger import words
from dpcore.ledger.account import Price, Reservation
from dpcore.ledger.book import Book, own_group
from dpcore.ledger.chain import canonical
from dpcore.ledger.terms import check_name


def chain_of_new(book: Book, number: int, group: str | None, part: str | None) -> str:
    """The chain of a new reservation; raises InputError or PrivacyError where it cannot be in it."""
    book.account.must_have(part)
    if group is None:
        return own_group(number)
    check_name("chain", group)
    chain = book.composition.chains.get(group)
    if chain is None and group.startswith("entry-"):
        raise InputError(
            "there is no such chain", repr(group), "Give the chain of the release to be continued."
        )
    if chain is not None and chain.part != part:
        raise PrivacyError(
            "a chain counts one part",
            f"{group!r} counts {chain.part or 'the whole data set'}",
            "Continue it on the same part, or begin a new chain.",
        )
    return group


def repeated(
    reservation: Reservation,
    price: Price,
    terms: Mapping[str, object],
    *,
    group: str | None,
    part: str | None,
    follows: int | None,
) -> None:
    """Refuse a known nonce unless it is asked for under the same terms; raises PrivacyError."""
    if reservation.state == "void":
        raise words.given_back(reservation)
    own = own_group(reservation.number)
    same = {
        "epsilon": price.epsilon == reservation.price.epsilon,
        "delta": price.delta == reservation.price.delta,
        "chain": (group or own) == reservation.group,
        "part": part == reservation.part,
        "release that it continues": follows == reservation.follows,
    }
    for name in sorted({*terms, *reservation.terms}):
        both = name in terms and name in reservation.terms
        same[name] = both and canonical(terms[name]) == canonical(reservation.terms[name])
    differing = [name for name, equal in same.items() if not equal]
    if differing:
        raise words.other_terms(reservation, differing)


def check_end(book: Book, group: str, follows: int | None) -> None:
    """Refuse to continue a chain from anywhere but its committed end; raises PrivacyError."""
    end = book.end_of(group)
    if end is not None and end.state == "reserved":
        raise PrivacyError(
            "an earlier release of this chain was not finished",
            f"entry {end.number}",
            "Finish it first, with its own nonce.",
        )
    if follows != (None if end is None else end.number):
        raise PrivacyError(
            "this release was topped up already" if end else "there is no such chain",
            f"its chain ends with entry {end.number}" if end else repr(group),
            "Continue the newest release of the chain: continuing an older one again would tell more than was paid "
            "for.",
        )


def check_open(reservation: Reservation) -> None:
    """Refuse to change a reservation that is settled; raises LedgerError."""
    if reservation.state != "reserved":
        what = "has become a release" if reservation.state == "committed" else "was given back"
        raise LedgerError(
            "this reservation is not open", f"entry {reservation.number} {what}", "Nothing was changed."
        )
