"""The ledger under two hundred kills."""

from __future__ import annotations

import pytest

from tests.ledger import postgresql
from tests.ledger.test_races import racers

pytestmark = pytest.mark.audit


def test_two_hundred_kills_lose_no_charge_and_leave_books_that_balance(tmp_path):
    granted, _ = map(int, racers("kill", tmp_path / "ledger.sqlite", 200, 20_240_401).split())
    assert granted >= 200


def test_two_hundred_kills_of_clients_of_a_server_do_neither():
    try:
        with postgresql.server() as url:
            granted, _ = map(int, racers("kill", url, 200, 20_240_402).split())
    except postgresql.NoServerError as error:
        pytest.skip(str(error))
    assert granted >= 200
