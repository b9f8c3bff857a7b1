"""What entries say: accounts and prices as they stand in a body, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from dpcore.ledger import amounts
from dpcore.ledger.account import Account, Entry, Price
from dpcore.ledger.amounts import written
from dpcore.ledger.terms import check_account
from dpcore.privacy import PrivacyUnit


class Misfit(ValueError):  # noqa: N818 - never shown to anybody: its text becomes the reason of a LedgerError
    """An entry does not say what an entry of its kind says, or does not fit to those before it."""


def text(value: object) -> str:
    """The value, if it is text; Misfit otherwise."""
    if not isinstance(value, str):
        raise Misfit("a text is missing")
    return value


def mapping(value: object) -> Mapping[str, object]:
    """The value read-only, if it has names; Misfit otherwise."""
    if not isinstance(value, Mapping):
        raise Misfit("a table is missing")
    return MappingProxyType(dict(value))


def texts(value: object) -> tuple[str, ...]:
    """The value, if it is a list of texts; Misfit otherwise."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Misfit("a list is missing")
    return tuple(text(inner) for inner in value)


def amount(value: object) -> Fraction:
    """The exact amount that a text names; Misfit otherwise."""
    try:
        return amounts.read(value)
    except (ValueError, ZeroDivisionError):
        raise Misfit("an amount is not exact") from None


def account_body(account: Account) -> dict[str, object]:
    """What the entry of a registration says."""
    return {
        "population": account.population,
        "unit": account.unit.value,
        "total": written(account.total),
        "total_delta": written(account.total_delta),
        "parts": list(account.parts),
        "parts_of": account.parts_of.value if account.parts_of else None,
    }


def account_of(entry: Entry) -> Account:
    """The account that an entry registers; an AtlasError or a ValueError where it is none."""
    body, parts_of = entry.body, entry.body["parts_of"]
    account = Account(
        dataset=entry.dataset,
        population=text(body["population"]),
        unit=PrivacyUnit(body["unit"]),
        total=amount(body["total"]),
        parts=texts(body["parts"]),
        parts_of=None if parts_of is None else PrivacyUnit(parts_of),
        total_delta=amount(body["total_delta"]),
    )
    check_account(account)
    return account


def price_body(price: Price) -> dict[str, object]:
    """How a price stands in an entry."""
    return {"epsilon": written(price.epsilon), "delta": written(price.delta), "steps": list(price.steps)}


def price_of(body: object) -> Price:
    """The price that ``price_body`` wrote; ValueError or KeyError where it is none."""
    said = mapping(body)
    return Price(amount(said["epsilon"]), amount(said["delta"]), texts(said["steps"]))
