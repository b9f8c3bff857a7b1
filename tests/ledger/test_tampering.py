"""A ledger that is not as it was written: every column, every entry, the end, the books; nothing can be spent."""

from __future__ import annotations

import contextlib
import re
import shutil
from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore.errors import LedgerError
from dpcore.exact_json import canonical
from dpcore.ledger import Ledger
from dpcore.ledger.entries import entry_hash
from dpcore.ledger.storage import append, storage_at
from tests.ledger.spending import meddle, spend, spent
from tests.ledger.test_spending import NORTH_SOUTH


@pytest.fixture
def spent_ledger(ledger):
    """Entries: 1 genesis, 2 register, 3 to 6 reserve, 7 commit, 8 void."""
    for nonce in "abcd":
        spend(ledger, "0.2", nonce)
    ledger.commit(3, "ab" * 32)
    ledger.void(4, "nothing was drawn")
    ledger.verify([(number, entry.hash) for number, entry in enumerate(ledger.entries(), start=1)])
    return ledger


def refused(address: str, ledger: Ledger, match: str) -> None:
    """Neither a new start nor the program that runs can use the ledger."""
    with pytest.raises(LedgerError, match=match):
        Ledger.opened(address)
    for use in (
        ledger.verify,
        ledger.accounts,
        lambda: spend(ledger, "0.1", "in vain"),
        lambda: ledger.commit(5, "ab"),
    ):
        with pytest.raises(LedgerError):
            use()


CHANGES = (
    "time = '2020-01-01T00:00:00+00:00'",
    "kind = 'commit'",
    "kind = 'gift'",
    "dataset = 'town'",
    "body = '{}'",
    "body = body || ' '",
    "body = 'no json'",
    "body = '[]'",
    "previous = hash",
    "previous = ''",
    f"hash = '{'0' * 64}'",
    "number = 99",
    "number = -1",
)


def refusal_of(use) -> str:
    try:
        use()
    except LedgerError as error:
        return error.where
    return ""


@pytest.mark.parametrize("number", [1, 5, 8])
def test_a_change_of_any_column_of_any_entry_is_found(spent_ledger, address, number):
    whole, missed = spent_ledger.entries(), []
    for change in CHANGES:
        meddle(address, f"UPDATE ledger_entry SET {change} WHERE number = {number}")
        uses = (
            lambda: Ledger.opened(address),
            lambda: spend(spent_ledger, "0.1", "in vain"),
            spent_ledger.head,
        )
        missed += [change for use in uses if not re.search(r"entry \d", refusal_of(use))]
        with storage_at(address).writing() as connection:
            connection.exec_driver_sql("DELETE FROM ledger_entry")
            append(connection, whole)
        spent_ledger.verify([(entry.number, entry.hash) for entry in whole])
    assert missed == []


def test_the_entry_that_was_changed_is_named(spent_ledger, address):
    meddle(address, "UPDATE ledger_entry SET body = replace(body, '1/5', '1/6') WHERE number = 5")
    refused(address, spent_ledger, "entry 5: its hash does not match")


@pytest.mark.parametrize("number", [1, 2, 5, 7])
def test_an_entry_that_is_missing_is_named(spent_ledger, address, number):
    meddle(address, f"DELETE FROM ledger_entry WHERE number = {number}")
    refused(address, spent_ledger, f"entry {number}: it is missing")


def test_all_entries_gone_is_no_new_ledger(spent_ledger, address):
    meddle(address, "DELETE FROM ledger_entry")
    refused(address, spent_ledger, "entry 1: it is missing")


def test_entries_cut_off_at_the_end_are_found_by_an_anchor_and_by_whoever_saw_them(spent_ledger, address):
    anchors = [(entry.number, entry.hash) for entry in spent_ledger.entries()]
    meddle(address, "DELETE FROM ledger_entry WHERE number > 6")
    again = Ledger.opened(address)
    again.verify(anchors[:6])
    with pytest.raises(
        LedgerError, match=r"lost entries.*entry 7, which a release names; the last one here is 6"
    ):
        again.verify(anchors)
    for use in (lambda: spend(spent_ledger, "0.1", "in vain"), spent_ledger.accounts):
        with pytest.raises(LedgerError, match="set back or replaced while the program ran: entry 8"):
            use()


def test_a_reader_that_knows_the_older_state_well_notices_that_it_came_back(ledger, address):
    spend(ledger, "0.2", "a")
    assert spent(ledger) == Fraction(1, 5)
    spend(ledger, "0.2", "b")
    meddle(address, "DELETE FROM ledger_entry WHERE number = 4")
    with pytest.raises(LedgerError, match="set back"):
        spent(ledger)


def test_a_ledger_that_was_set_back_and_written_on_is_found_by_an_anchor(spent_ledger, address):
    anchor = (8, spent_ledger.entries()[7].hash)
    meddle(address, "DELETE FROM ledger_entry WHERE number > 6")
    again = Ledger.opened(address)
    again.commit(4, "cd" * 32)
    again.commit(5, "ef" * 32)
    again.verify()
    with pytest.raises(LedgerError, match="not in this ledger: the ledger was set back and written on"):
        again.verify([anchor])
    for number in (0, -1):
        with pytest.raises(LedgerError, match="lost entries"):
            again.verify([(number, anchor[1])])


def test_a_backup_that_is_restored_over_the_file_is_found(file):
    ledger = Ledger.opened(file)
    ledger.register(_city())
    backup = file.with_name("backup")
    shutil.copy(file, backup)
    anchor = spend(ledger, "0.9", "a")
    shutil.copy(backup, file)
    with pytest.raises(LedgerError, match="set back"):
        spend(ledger, "0.9", "b")
    with pytest.raises(LedgerError, match="lost entries"):
        Ledger.opened(file).verify([(anchor.number, anchor.entry_hash)])


FORGERIES = {
    "a charge that is too small": (3, {"charged": "1/10"}, "its charge is not"),
    "a spelling of a charge": (3, {"charged": "2/10"}, "an amount is not exact"),
    "a charge in decimals": (3, {"charged": "0.2"}, "an amount is not exact"),
    "a charge that fills the memory": (3, {"charged": "1e9999999999"}, "an amount is not exact"),
    "no price": (3, {"price": {}}, "content is wrong for its kind"),
    "a negative price": (
        3,
        {"price": {"epsilon": "-1/5", "delta": "0", "steps": []}},
        "price is not positive",
    ),
    "a division by zero": (3, {"charged": "1/0"}, "an amount is not exact"),
    "a total that is smaller than what was spent": (
        2,
        {"total": "1/2"},
        "it takes more than the account held",
    ),
    "a total beyond every limit": (2, {"total": "1000"}, "content is wrong"),
    "an unknown unit": (2, {"unit": "family"}, "content is wrong"),
    "a nonce used twice": (4, {"nonce": "a"}, "nonce was used before"),
    "a link of a chain whose end is not committed": (4, {"group": "entry-3", "follows": 3}, "from the end"),
    "a link of a chain from elsewhere": (4, {"group": "entry-3", "follows": 2}, "from the end"),
    "an undeclared part": (4, {"part": "north"}, "part was never declared"),
    "a commit of what was never reserved": (7, {"reservation": 2}, "content is wrong"),
    "a commit without a digest": (7, {"digest": None}, "a text is missing"),
    "a gift back of what became a release": (8, {"reservation": 3}, "reservation is not open"),
    "a commit of what is no number": (7, {"reservation": "3"}, "reservation is not open"),
    "a gift back that is too large": (8, {"refunded": "1"}, "what it gives back"),
    "a ledger of the next version": (1, {"version": 2}, "another version.*names version 2"),
    "no ledger at all": (1, {"format": "diary"}, "not the beginning of a ledger"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_books_that_do_not_balance_are_found_even_if_every_hash_was_made_to_fit(
    spent_ledger, address, forgery
):
    number, change, why = FORGERIES[forgery]
    meddle(address, *rewritten(spent_ledger, number, change))
    with pytest.raises(LedgerError, match=why):
        Ledger.opened(address)
    with pytest.raises(LedgerError):
        spend(spent_ledger, "0.1", "in vain")


def test_the_forger_of_these_tests_writes_a_ledger_that_is_read(spent_ledger, address):
    """Otherwise the test above would find the forger's clumsiness and not the forgery."""
    meddle(address, *rewritten(spent_ledger, 8, {"reason": "another one"}))
    assert spent(Ledger.opened(address)) == Fraction("0.6")
    with contextlib.suppress(LedgerError):
        spend(spent_ledger, "0.1", "in vain")
        pytest.fail("the program that saw the other hash went on")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("register", "it registers a data set a second time"),
        ("genesis", "a data set is registered once"),
    ],
)
def test_a_second_beginning_of_an_account_is_found_even_if_its_hash_fits(spent_ledger, address, kind, why):
    registration, last = spent_ledger.entries()[1], spent_ledger.entries()[-1]
    forged = replace(registration, number=last.number + 1, kind=kind, previous=last.hash)
    with storage_at(address).writing() as connection:
        append(connection, [replace(forged, hash=entry_hash(forged))])
    refused(address, spent_ledger, f"entry {forged.number}: {why}")


def test_a_link_of_a_chain_on_another_part_is_found_even_if_every_hash_was_made_to_fit(ledger, address):
    ledger.register(NORTH_SOUTH)
    north = spend(ledger, "0.2", "a", "two", part="north")
    south = spend(ledger, "0.2", "b", "two", part="south")
    meddle(address, *rewritten(ledger, south.number, {"group": north.group}))
    refused(address, ledger, f"entry {south.number}: its chain belongs to another part")


def rewritten(ledger: Ledger, number: int, change: dict) -> list[str]:
    """Statements that change a body and make all hashes from there on fit."""
    statements, previous = [], ""
    for entry in ledger.entries():
        if entry.number < number:
            continue
        body = {**entry.body, **(change if entry.number == number else {})}
        forged = replace(entry, body=body, previous=previous or entry.previous)
        previous = entry_hash(forged)
        text = canonical(body).replace("'", "''")
        statements.append(
            f"UPDATE ledger_entry SET body = '{text}', previous = '{forged.previous}', hash = '{previous}' "
            f"WHERE number = {entry.number}"
        )
    return [statement.replace("%", "%%") for statement in statements]


def _city():
    from dpcore.ledger import Account
    from dpcore.privacy import PrivacyUnit

    return Account("city", "", PrivacyUnit.USER, Fraction(1))
