"""One account as its entries tell it: replayed in order, every charge computed afresh and compared.

The same replay checks a new entry before it is stored and an old one when it is read, so nothing can stand in a
ledger that could not have been written into it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.ledger.account import Entry, Reservation
from dpcore.ledger.amounts import Loss
from dpcore.ledger.bodies import Misfit, account_of, amount, mapping, price_of, text
from dpcore.ledger.composition import Composition


@dataclass(frozen=True)
class Step:
    """What one entry did to the account, kept for the statement."""

    entry: Entry
    reservation: Reservation | None
    """The reservation that the entry makes, commits or gives back."""
    change: Loss
    """By how much the spent rose (reserve) or fell (void)."""
    chain_before: Loss
    """What its chain had cost before."""
    part_after: Loss
    """What its part has cost with it, on its own."""
    spent: Loss
    """The spent after the entry."""


def own_group(number: int) -> str:
    """Name of the chain that a reservation begins if it is given none."""
    return f"entry-{number}"


class Book:
    """An account, its reservations by number and the running sum."""

    def __init__(self, ledger: str, registration: Entry) -> None:
        self.account = account_of(registration)
        self.reservations: dict[int, Reservation] = {}
        self.by_nonce: dict[str, int] = {}
        self.commits: dict[int, Entry] = {}
        """The entry that committed a reservation, by the reservation's number."""
        self.composition = Composition()
        self.steps = [Step(registration, None, Loss(), Loss(), Loss(), Loss())]
        self._ledger = ledger

    @property
    def total(self) -> Loss:
        """What the account may lose in all."""
        return Loss(self.account.total, self.account.total_delta)

    def take(self, entry: Entry) -> None:
        """Replay the next entry of this account; Misfit, ValueError or KeyError where it does not fit to those before."""
        if entry.kind == "reserve":
            self._reserve(entry)
        elif entry.kind == "commit":
            self._commit(entry)
        elif entry.kind == "void":
            self._void(entry)
        else:
            raise Misfit("a data set is registered once")

    def charge(self, number: int, group: str, part: str | None, loss: Loss) -> Loss:
        """What a reservation would be charged; nothing changes, for other threads may be reading."""
        return self.composition.copy().add(number, group, part, loss)

    def end_of(self, group: str) -> Reservation | None:
        """The newest link of a chain that was not given back; None where there is none."""
        links = [link for link in self.reservations.values() if link.group == group and link.state != "void"]
        return links[-1] if links else None

    def _reserve(self, entry: Entry) -> None:
        body = entry.body
        nonce, group, part = text(body["nonce"]), text(body["group"]), body["part"]
        if nonce in self.by_nonce:
            raise Misfit("its nonce was used before")
        if part is not None and part not in self.account.parts:
            raise Misfit("its part was never declared")
        part = None if part is None else text(part)
        chain = self.composition.chains.get(group)
        if chain is not None and chain.part != part:
            raise Misfit("its chain belongs to another part")
        end = self.end_of(group)
        number = None if end is None else end.number
        # Entries of the first days do not say what they follow; their hash stands for them.
        if body.get("follows", number) != number or ("follows" in body and end and end.state != "committed"):
            raise Misfit("it does not continue its chain from the end")
        price = price_of(body["price"])
        loss = Loss(price.epsilon, price.delta)
        if loss.epsilon <= 0 or loss.delta < 0:
            raise Misfit("its price is not positive")
        before = self.composition.cost_of(group)
        charged = self.composition.add(entry.number, group, part, loss)
        if charged != Loss(amount(body["charged"]), amount(body["charged_delta"])):
            raise Misfit("what it was charged is not what its price adds to the earlier charges")
        if not self.composition.spent.within(self.total):
            raise Misfit("it takes more than the account held")
        reservation = Reservation(
            ledger=self._ledger,
            number=entry.number,
            dataset=entry.dataset,
            nonce=nonce,
            charged=charged.epsilon,
            entry_hash=entry.hash,
            state="reserved",
            digest=None,
            terms=mapping(body["terms"]),
            fresh=False,
            group=group,
            part=part,
            follows=number,
            price=price,
            charged_delta=charged.delta,
        )
        self.reservations[entry.number] = reservation
        self.by_nonce[nonce] = entry.number
        self._note(entry, reservation, charged, before)

    def _commit(self, entry: Entry) -> None:
        reservation = self._open(entry)
        committed = replace(reservation, state="committed", digest=text(entry.body["digest"]))
        self.reservations[reservation.number] = committed
        self.commits[reservation.number] = entry
        self._note(entry, committed, Loss(), Loss())

    def _void(self, entry: Entry) -> None:
        reservation = self._open(entry)
        text(entry.body["reason"])
        refunded = self.composition.remove(reservation.number, reservation.group)
        if refunded != Loss(amount(entry.body["refunded"]), amount(entry.body["refunded_delta"])):
            raise Misfit("what it gives back is not what its release had added")
        given_back = replace(reservation, state="void")
        self.reservations[reservation.number] = given_back
        self._note(entry, given_back, refunded, Loss())

    def refund(self, reservation: Reservation) -> Loss:
        """What giving a reservation back would return; nothing changes."""
        return self.composition.copy().remove(reservation.number, reservation.group)

    def _open(self, entry: Entry) -> Reservation:
        number = entry.body["reservation"]
        reservation = self.reservations[number] if isinstance(number, int) else None
        if reservation is None or reservation.state != "reserved":
            raise Misfit("its reservation is not open")
        return reservation

    def _note(self, entry: Entry, reservation: Reservation, change: Loss, before: Loss) -> None:
        part_after = self.composition.on_part(reservation.part)
        self.steps.append(Step(entry, reservation, change, before, part_after, self.composition.spent))
