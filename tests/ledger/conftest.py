"""A new ledger for each test, in an SQLite file and in PostgreSQL."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

import pytest

from dpcore.ledger import Account, Ledger
from dpcore.privacy import PrivacyUnit
from tests.ledger import postgresql

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres_server():
    """The URL of a server, one for each worker; skips where there is none."""
    try:
        with postgresql.server() as url:
            yield url
    except postgresql.NoServerError as error:
        pytest.skip(str(error))


@pytest.fixture
def postgres(postgres_server):
    """The URL of an empty schema."""
    import psycopg

    name = f"atlas_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    joint = "&" if "?" in postgres_server else "?"
    yield f"{postgres_server}{joint}options={quote(f'-csearch_path={name}')}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def file(tmp_path) -> Path:
    """The path of a ledger that is not there yet."""
    return tmp_path / "ledger" / "ledger.sqlite"


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request) -> str:
    """Where a ledger can be: both kinds."""
    return str(request.getfixturevalue("file" if request.param == "sqlite" else "postgres"))


@pytest.fixture
def ledger(address) -> Ledger:
    """A ledger with the data set "city", 1 for each user."""
    ledger = Ledger.opened(address)
    ledger.register(Account("city", "everybody with a card", PrivacyUnit.USER, Fraction(1)))
    return ledger
