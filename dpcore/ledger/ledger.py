"""The ledger: every spend of every data set, exact, append-only, and safe against races, crashes and quiet edits.

A spend is reserved and stored before any noise is drawn. A crash after that loses budget and never privacy. All checks
replay the entries, so what the ledger says is always the sum of its entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from sqlalchemy import Connection

from dpcore.errors import InputError, LedgerError
from dpcore.ledger import counted_files
from dpcore.ledger.account import (
    Account,
    Entry,
    KnownFiles,
    Loss,
    Price,
    Reservation,
    Statement,
    as_stored,
    check_account,
    check_charge,
    check_nonce,
    check_price,
    check_same_terms,
)
from dpcore.ledger.entries import RESTORE, account_body, check_anchors, price_body
from dpcore.ledger.refusals import (
    chain_of_new,
    check_end,
    check_open,
    check_trips,
    lines,
    refusal,
    repeated,
    why_charged,
)
from dpcore.ledger.replay import AccountBook, AccountBooks
from dpcore.ledger.storage import Rows, Storage, append, entries_of, storage_at, stored_rows


class Ledger:
    """The accounts at one address. Make it with ``Ledger.opened``. Threads may share it.

    Every call raises LedgerError, and spends nothing, if the ledger is damaged, locked, full, read-only, gone, or was set
    back since this object last saw it.
    """

    def __repr__(self) -> str:
        """The first digits of its identity; its address may hold a password."""
        return f"<Ledger {self.identity[:12]}>"

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._seen: tuple[int, str] | None = None
        self._replayed: tuple[Rows, AccountBooks] | None = None
        self.identity = self._stored_books().identity
        """The identity of this ledger in every release that it pays for: the hash of its first entry."""

    @classmethod
    def opened(cls, address: str | Path) -> Ledger:
        """The ledger at an address: the path of an SQLite file, or ``postgresql://...``. It is made if it is missing."""
        return cls(storage_at(address))

    def account(self, dataset: str) -> Account:
        """The account of a data set. Raises InputError with the registered names."""
        return self._stored_books().book(dataset).account

    def accounts(self) -> tuple[Account, ...]:
        """All accounts in the order of their registration."""
        return tuple(book.account for book in self._stored_books().accounts.values())

    def entries(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """All entries in order, or those of one data set."""
        books = self._stored_books()
        if dataset is None:
            return tuple(books.entries)
        return tuple(step.entry for step in books.book(dataset).steps)

    def statement(self, dataset: str) -> Statement:
        """An account with every charge explained. Raises InputError for an unknown data set."""
        book = self._stored_books().book(dataset)
        spent = book.composition.spent
        return Statement(
            account=book.account,
            spent=spent.epsilon,
            left=book.account.total - spent.epsilon,
            spent_delta=spent.delta,
            lines=lines(book),
            open_reservations=tuple(r for r in book.reservations.values() if r.state == "reserved"),
            committed=tuple(r for r in book.reservations.values() if r.state == "committed"),
            why={number: why_charged(book, r) for number, r in book.reservations.items()},
        )

    def reservation(self, dataset: str, nonce: str) -> Reservation | None:
        """The reservation of a nonce, or None. Raises InputError for an unknown data set."""
        book = self._stored_books().book(dataset)
        return book.reservations[book.by_nonce[nonce]] if nonce in book.by_nonce else None

    def reservation_numbered(self, number: int) -> Reservation:
        """The reservation that an entry made. Raises LedgerError if it made none."""
        return self._stored_books().reservation(number)

    def digest_of(self, ledger: str, number: int, line: str, name: str) -> str:
        """The digest of the bundle that a release became, by what the release says of its charge.

        Args:
            ledger: identity of the ledger that it names.
            number: of the entry that it names.
            line: hash of that entry.
            name: what the release is called in a refusal.

        Raises:
            LedgerError: another ledger paid, that entry is not here, or nothing was committed.

        """
        if ledger != self.identity:
            raise LedgerError("this is not the ledger that paid for the release", name, "Name the right one.")
        self.verify([(number, line)])
        digest = self.reservation_numbered(number).digest
        if digest is None:
            raise LedgerError("the ledger never committed this release", name, "Do not trust the bundle.")
        return digest

    def refund_of(self, number: int) -> Fraction:
        """By how much the account's spent epsilon would fall if a reservation were given back now."""
        books = self._stored_books()
        reservation = books.reservation(number)
        return books.book(reservation.dataset).refund(reservation).epsilon

    def head(self) -> tuple[int, str]:
        """Number and hash of the last entry: an anchor for everything written so far."""
        return self._stored_books().head

    def register(self, account: Account) -> Account:
        """Open an account, once. Returns the stored account, whose description of the population never changes.

        Raises PrivacyError if the data set is registered under other terms, or if the terms are not allowed.
        """
        check_account(account)
        with self._write() as (books, _):
            if account.dataset in books.accounts:
                stored = books.book(account.dataset).account
                check_same_terms(stored, account)
                return stored
            books.check_new_name(account.dataset)
            books.write("register", account.dataset, account_body(account))
            return account

    def must_afford(self, dataset: str, price: Price, *, part: str | None = None) -> None:
        """Refuse a price that the account cannot pay now, and write nothing. Raises as ``reserve`` would."""
        check_price(price)
        books = self._stored_books()
        _charge(books.book(dataset), books.head[0] + 1, price, None, part)

    def must_take(self, account: Account, price: Price, *, part: str | None = None) -> None:
        """Refuse a new account with its first price, and write nothing. Raises as ``register`` and ``reserve`` would."""
        check_account(account)
        check_price(price)
        books = self._stored_books()
        if account.dataset in books.accounts:
            check_same_terms(books.book(account.dataset).account, account)
            self.must_afford(account.dataset, price, part=part)
            return
        books.check_new_name(account.dataset)
        number = books.head[0] + 1
        opening = Entry(number, "", "register", account.dataset, account_body(account), "", "")
        _charge(AccountBook(self.identity, opening), number + 1, price, None, part)

    def charge_of(
        self, dataset: str, price: Price, *, group: str | None = None, part: str | None = None
    ) -> Fraction:
        """By how much a price would raise the account's spent epsilon now. Nothing is written or refused."""
        books = self._stored_books()
        book, number = books.book(dataset), books.head[0] + 1
        chain = chain_of_new(book, number, group, part)
        return book.charge(number, chain, part, Loss(price.epsilon, price.delta)).epsilon

    def reserve(
        self,
        dataset: str,
        *,
        nonce: str,
        price: Price,
        terms: Mapping[str, object],
        group: str | None = None,
        follows: int | None = None,
        part: str | None = None,
        files: Sequence[str] = (),
    ) -> Reservation:
        """Charge an account for one release, before any noise is drawn.

        The same nonce with the same terms gives the same reservation and no second charge. A top-up names the chain
        (``group``) and the reservation (``follows``) of the release that it continues, and the full new epsilon as its
        price; only the difference is charged. A chain continues only from its end, and only when the end is committed:
        two continuations of one rung would together reveal more than either was charged for. ``terms`` are public JSON
        without floats. ``files`` are the keyed digests of what is counted, as for ``known_files``.

        Raises BudgetExceededError if the account does not hold enough. Raises PrivacyError for a nonce that belongs to
        other terms or was given back, for a chain that does not end there, for a file that was counted as another
        part, and for trips of another rule where epsilon is counted per trip. Raises InputError for unknown names.
        """
        check_price(price)
        check_nonce(nonce)
        with self._write() as (books, connection):
            book = books.book(dataset)
            if nonce in book.by_nonce:
                known = book.reservations[book.by_nonce[nonce]]
                repeated(known, price, terms, group=group, part=part, follows=follows)
                if known.state == "reserved":  # it may be finished with another file than it was begun with
                    counted_files.claim(connection, book, known.number, part, files)
                return known
            number = books.head[0] + 1
            chain, charge = _charge(book, number, price, group, part)
            check_end(book, chain, follows)
            check_trips(book, terms, follows)
            counted_files.claim(connection, book, number, part, files)
            body = {
                "nonce": nonce,
                "terms": terms,
                "price": price_body(price),
                "group": chain,
                "follows": follows,
                "part": part,
                "charged": as_stored(charge.epsilon),
                "charged_delta": as_stored(charge.delta),
            }
            books.write("reserve", dataset, body)
            return replace(book.reservations[number], fresh=True)

    def commit(self, number: int, digest: str) -> Entry:
        """Store which bundle a reservation became. It is done once; the same digest again changes nothing.

        Raises LedgerError for another digest, and if nothing is reserved under that number.
        """
        if not isinstance(digest, str) or not digest.isalnum() or not digest.isascii():
            raise InputError(
                "a digest is written in letters and digits", "digest", "Give the digest of the bundle."
            )
        with self._write() as (books, _):
            reservation = books.reservation(number)
            if reservation.state == "committed" and reservation.digest == digest:
                return books.book(reservation.dataset).commits[number]
            check_open(reservation)
            return books.write("commit", reservation.dataset, {"reservation": number, "digest": digest})

    def void(self, number: int, reason: str) -> Entry:
        """Give a charge back if nothing was drawn or shown. The owner declares that: the books do not hold what was drawn.

        If noise was drawn and anybody could have seen a number, the privacy is lost and the charge must stay. Raises
        LedgerError if the reservation is committed or was given back before.
        """
        reason = reason.strip()
        if not 0 < len(reason) <= 1000 or not reason.isprintable():
            raise InputError(
                "giving budget back needs a reason",
                "reason",
                "Say on one line how it is known that nothing was drawn or shown.",
            )
        with self._write() as (books, _):
            reservation = books.reservation(number)
            check_open(reservation)
            refund = books.book(reservation.dataset).refund(reservation)
            body = {
                "reservation": number,
                "reason": reason,
                "refunded": as_stored(refund.epsilon),
                "refunded_delta": as_stored(refund.delta),
            }
            return books.write("void", reservation.dataset, body)

    def known_files(self, fingerprint: str, dataset: str, files: Sequence[str] = ()) -> KnownFiles:
        """Store from which files a data set is counted, and return what is known about them.

        ``fingerprint`` is a keyed digest of all files together, and ``files`` has one for each file. They are compared
        and never printed. Raises InputError for an unknown data set.
        """
        with self._write() as (books, connection):
            books.book(dataset)
            return counted_files.known(connection, fingerprint, dataset, files)

    def verify(self, anchors: Iterable[tuple[int, str]] = ()) -> None:
        """Compute every hash and every charge again, and find every anchor (number, hash) that a bundle carries.

        Raises LedgerError that names the entry. Without anchors, entries cut off at the end are not noticed.
        """
        check_anchors(self._stored_books().entries, anchors)

    def _stored_books(self) -> AccountBooks:
        """The books as they are stored now. Do not change them, because the next reader may get the same object."""
        seen = self._seen
        with self._storage.reading() as connection:
            rows = stored_rows(connection)
        known = self._replayed
        books = known[1] if known is not None and known[0] == rows else AccountBooks(entries_of(rows))
        self._compare(books, seen)
        self._replayed = (rows, books)
        return books

    @contextmanager
    def _write(self) -> Iterator[tuple[AccountBooks, Connection]]:
        """The books under the writer's lock. What the block adds to them is stored if it ends without an error."""
        seen = self._seen
        with self._storage.writing() as connection:
            books = AccountBooks(entries_of(stored_rows(connection)))
            self._compare(books, seen)
            stored = len(books.entries)
            yield books, connection
            append(connection, books.entries[stored:])
        self._seen = books.head

    def _compare(self, books: AccountBooks, seen: tuple[int, str] | None) -> None:
        """Refuse a ledger that lost entries which this object saw before its transaction began."""
        if seen is not None and (len(books.entries) < seen[0] or books.entries[seen[0] - 1].hash != seen[1]):
            raise LedgerError(
                "the ledger was set back or replaced while the program ran",
                f"entry {seen[0]} is not there any more",
                RESTORE,
            )
        self._seen = books.head


def _charge(
    book: AccountBook, number: int, price: Price, group: str | None, part: str | None
) -> tuple[str, Loss]:
    """The chain of a new reservation and what it adds to the account. BudgetExceededError beyond the total."""
    chain = chain_of_new(book, number, group, part)
    asked = Loss(price.epsilon, price.delta)
    charge = book.charge(number, chain, part, asked)
    if not (book.composition.spent + charge).within(book.total):
        raise refusal(book, asked, charge, chain, part)
    check_charge(charge)
    return chain, charge
