"""Files of parts in a ledger: remembered outside the chain, and asked for in ledgers that never remembered them."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect, select

from dpcore.errors import PrivacyError
from dpcore.ledger import Ledger
from dpcore.ledger.storage import PART_FILES, storage_at
from tests.ledger.spending import meddle, spend, spent
from tests.ledger.test_spending import NORTH_SOUTH

REFUSED = "counted as another part"


def test_the_same_file_under_two_parts_is_refused_and_writes_nothing(ledger):
    ledger.register(NORTH_SOUTH)
    spend(ledger, "0.1", "a", "two", part="north", files=("f", "g"))
    before = ledger.head()
    with pytest.raises(PrivacyError, match=REFUSED):
        spend(ledger, "0.1", "b", "two", part="south", files=("g", "h"))
    assert ledger.head() == before
    spend(ledger, "0.1", "b", "two", part="south", files=("h",))
    with pytest.raises(PrivacyError, match=REFUSED):
        spend(ledger, "0.1", "c", "two", part="north", files=("h",))


def test_a_part_may_be_counted_again_from_its_own_files(ledger):
    ledger.register(NORTH_SOUTH)
    for nonce in "abb":
        spend(ledger, "0.1", nonce, "two", part="north", files=("f",))
    assert str(spent(ledger, "two")) == "1/5"


def test_no_entry_of_the_ledger_holds_a_digest_of_a_file(tmp_path):
    ledger = Ledger.opened(tmp_path / "ledger.db")
    ledger.register(NORTH_SOUTH)
    made = spend(ledger, "0.1", "a", "two", part="north", files=("digest-of-f",))
    assert "digest-of-f" not in repr(ledger.entries())
    with storage_at(tmp_path / "ledger.db").reading() as connection:
        assert connection.execute(select(PART_FILES)).all() == [(made.number, "digest-of-f")]


def test_a_ledger_of_an_earlier_version_refuses_a_file_whose_part_it_cannot_tell(tmp_path):
    place = tmp_path / "ledger.db"
    ledger = Ledger.opened(place)
    ledger.register(NORTH_SOUTH)
    spend(ledger, "0.1", "a", "two", part="north")  # as versions did that remembered no files of parts
    ledger.known_files("f", "two", ("f",))
    meddle(str(place), "DROP TABLE ledger_part_file")
    ledger = Ledger.opened(place)
    with pytest.raises(PrivacyError, match=REFUSED):
        spend(ledger, "0.1", "b", "two", part="south", files=("f",))
    spend(ledger, "0.1", "c", "two", part="north", files=("f",))  # no other part was ever counted
    spend(ledger, "0.1", "d", "two", part="south", files=("new",))
    with storage_at(place).reading() as connection:
        assert inspect(connection).has_table("ledger_part_file")
