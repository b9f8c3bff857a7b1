"""What a reservation may ask for (its chain, its part, its nonce), all refusals, and the statement in words.

Nothing is charged here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore.errors import BudgetExceededError, InputError, LedgerError, PrivacyError
from dpcore.exact_json import canonical
from dpcore.ledger.account import Loss, Price, Reservation, amount_text, check_name, terms_in_words
from dpcore.ledger.replay import AccountBook, Step, own_group
from dpcore.privacy import PrivacyUnit


def refusal(
    book: AccountBook, asked: Loss, charge: Loss, group: str, part: str | None
) -> BudgetExceededError:
    """The refusal of a release that the account cannot pay, with what is asked, what is left, and what would fit."""
    composition, total = book.composition, book.total
    left = total - composition.spent
    before = composition.cost_of(group)
    texts = []
    if charge.epsilon > left.epsilon:
        fits = composition.fits(group, part, total.epsilon)
        because = f" ({_price_words(asked, before, part)})" if charge.epsilon != asked.epsilon else ""
        texts.append(
            f"Asked: epsilon {amount_text(charge.epsilon)}{because}. Left: {amount_text(left.epsilon)} of {amount_text(total.epsilon)}. "
            f"Missing: {amount_text(charge.epsilon - left.epsilon)}."
        )
        texts.append(
            f"A release of epsilon {amount_text(fits)} or less would fit."
            if fits > 0
            else "Nothing fits into this account any more."
        )
    if charge.delta > left.delta:
        texts.append(
            f"Asked: delta {amount_text(charge.delta)}. Left: {amount_text(left.delta)} of {amount_text(total.delta)}; "
            f"releases without delta need none of it."
        )
    unit = book.account.unit.value
    return BudgetExceededError(
        "the release would exceed the budget",
        f"{book.account.dataset!r}, epsilon counted for each {unit}",
        f"{' '.join(texts)} Nothing was spent.",
    )


def other_terms(reservation: Reservation, differing: list[str]) -> PrivacyError:
    """The refusal of a nonce that belongs to another release."""
    return PrivacyError(
        "this nonce belongs to another release",
        f"entry {reservation.number} of {reservation.dataset!r} differs in {', '.join(differing)}",
        "Repeat the same terms to get that release again, or use a new nonce for a new release. "
        "Nothing was spent.",
    )


def given_back(reservation: Reservation) -> PrivacyError:
    """The refusal of a nonce whose reservation was given back."""
    return PrivacyError(
        "the reservation of this nonce was given back",
        f"entry {reservation.number} of {reservation.dataset!r}",
        "Use a new nonce. The new release is charged again. Nothing was spent.",
    )


def same_file_in_two_parts(book: AccountBook, part: str, other: str | None) -> PrivacyError:
    """The refusal to count one file as two parts."""
    return PrivacyError(
        "these very trips, or some of their files, were counted as another part",
        f"part {part!r} of {book.account.dataset!r}, counted before as part {other!r}",
        "Parts are charged in parallel because nobody is in two of them. Name the part to which these trips belong, or count "
        "them without a part, which is added to every part. Nothing was spent.",
    )


def _price_words(price: Loss, before: Loss, part: str | None) -> str:
    words = f"the price of {amount_text(price.epsilon)}"
    if before.epsilon:
        words += f", of which its chain has paid {amount_text(before.epsilon)}"
    if part is not None:
        words += f", on the part {part!r} beside the other parts"
    return words


def lines(book: AccountBook) -> tuple[str, ...]:
    """Every entry of an account in a sentence or two, with the running sum."""
    return tuple(_line(book, step) for step in book.steps)


def why_charged(book: AccountBook, reservation: Reservation) -> str:
    """How the price of a reservation came about, and what its chain and its part change in the charge."""
    step = next(one for one in book.steps if one.entry.number == reservation.number)
    return " ".join([*reservation.price.steps, *(f"{text}." for text in _composed(book, step, reservation))])


def _line(book: AccountBook, step: Step) -> str:
    entry = step.entry
    head = f"Entry {entry.number}, {entry.time}: "
    if step.reservation is None:
        return f"{head}registered with {terms_in_words(book.account)}."
    if entry.kind == "reserve":
        return f"{head}{_reserved(book, step, step.reservation)} {_sum(book, step)}"
    if entry.kind == "commit":
        return f"{head}the release of entry {step.reservation.number} was written; nothing more is charged."
    return (
        f"{head}the reservation of entry {step.reservation.number} was given back, because the owner declared that "
        f"nothing was drawn or shown: {entry.body['reason']!r}. {_amount(step.change)} was returned. {_sum(book, step)}"
    )


def _reserved(book: AccountBook, step: Step, reservation: Reservation) -> str:
    price = Loss(reservation.price.epsilon, reservation.price.delta)
    texts = [f"a release was reserved at a price of {_amount(price)}"]
    if reservation.price.steps:
        texts[0] += f" ({'; '.join(step.rstrip('.') for step in reservation.price.steps)})"
    return ". ".join([*texts, *_composed(book, step, reservation), f"Charged: {_amount(step.change)}"]) + "."


def _composed(book: AccountBook, step: Step, reservation: Reservation) -> list[str]:
    """Why less than the price may be charged: sentences without their full stop."""
    texts = []
    if step.chain_before != Loss():
        texts.append(
            f"It continues the chain {reservation.group!r}, which had cost {_amount(step.chain_before)}; a chain "
            "costs its most expensive release, so that only the difference counts"
        )
    if reservation.part is not None:
        texts.append(
            f"It counts the part {reservation.part!r}, which has now cost {_amount(step.part_after)}; parts share no "
            f"{book.account.parts_of.value if book.account.parts_of else 'unit'}, so that only the most expensive part counts"
        )
    return texts


def _sum(book: AccountBook, step: Step) -> str:
    left = book.total - step.spent
    return f"Spent so far: {_amount(step.spent)}; left: epsilon {amount_text(left.epsilon)}."


def _amount(loss: Loss) -> str:
    return f"epsilon {amount_text(loss.epsilon)}" + (
        f" and delta {amount_text(loss.delta)}" if loss.delta else ""
    )


def chain_of_new(book: AccountBook, number: int, group: str | None, part: str | None) -> str:
    """The chain of a new reservation. Raises InputError or PrivacyError if the reservation cannot be in it."""
    book.account.must_have(part)
    if group is None:
        return own_group(number)
    check_name("chain", group)
    chain = book.composition.chains.get(group)
    if chain is None and group.startswith("entry-"):
        raise InputError(
            "there is no such chain", repr(group), "Give the chain of the release that you continue."
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
    """Refuse a known nonce unless the terms are the same. Raises PrivacyError."""
    if reservation.state == "void":
        raise given_back(reservation)
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
        raise other_terms(reservation, differing)


TRIP_RULE = "trip_rule"
"""The term that says by which rule trips were cut from points. Terms without it are of trips that stood in the files."""
READ_AS = "read_as"
"""The term that says by which columns, and of points in which order of their times, records were put together to trips. Terms
without it are of files with one trip in each row."""
_CUT_BY: Final = {TRIP_RULE: "rule", READ_AS: "reading of columns or times", "timezone": "time zone"}
"""Every term on which it depends which records are one trip, and its name in messages. The last counts where a rule cut them."""


def check_trips(book: AccountBook, terms: Mapping[str, object], follows: int | None) -> None:
    """Refuse trips that were made otherwise in an account that counts epsilon per trip. Raises PrivacyError.

    A trip of one rule may be many trips of another, so what they cost does not add up to a promise for one trip. The same rule
    cuts the same bytes otherwise where their times or columns are read otherwise: so all that it reads by is compared too. And
    records with another column of trip ids are other trips.
    ``follows``: a release that is continued counts the trips that it counted before.
    """
    if book.account.unit is PrivacyUnit.USER or follows is not None:
        return
    for one in book.reservations.values():
        if one.state == "void" or one.follows is not None:
            continue
        cut = TRIP_RULE in {*terms, *one.terms}
        for term, name in _CUT_BY.items():
            if not cut and term != READ_AS:
                continue
            its, this = one.terms.get(term), terms.get(term)
            if canonical(its) != canonical(this):
                raise PrivacyError(
                    f"the account counts epsilon per trip, and its trips were {'cut' if cut else 'put together'} by another {name}",
                    book.account.dataset,
                    f"Its trips: {_short_text(its)}. These: {_short_text(this)}. {'Cut' if cut else 'Read'} them alike, or use an account that "
                    "counts epsilon per user. Nothing was spent.",
                )


def _short_text(value: object) -> str:
    """What was said of the cut, for a message: column names are in it, so it is no longer than can be read."""
    said = "as they stand in the file" if value is None else str(value)
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]} …"


_SHOWN: Final = 300


def check_end(book: AccountBook, group: str, follows: int | None) -> None:
    """Refuse to continue a chain from anywhere but its committed end. Raises PrivacyError."""
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
            "Continue the newest release of the chain. Continuing an older one again would reveal more than was paid "
            "for.",
        )


def check_open(reservation: Reservation) -> None:
    """Refuse to change a reservation that is committed or was given back. Raises LedgerError."""
    if reservation.state != "reserved":
        what = "has become a release" if reservation.state == "committed" else "was given back"
        raise LedgerError(
            "this reservation is not open", f"entry {reservation.number} {what}", "Nothing was changed."
        )
