"""Parts of an account run side by side because they share nobody: one file cannot be two of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import curator
from dpcore.curator import publishing
from dpcore.errors import PrivacyError, UnfinishedError
from dpcore.ledger import Account
from dpcore.measures.measure import Engine
from dpcore.privacy import PrivacyUnit
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import request, spent, trips
from tests.curator.asking_synthetic import asked, roy, stability, tree

REFUSED = "counted as another part: part 'south' of 'two', counted before as part 'north'"


def two_parts():
    """A ledger with an account of two cities without a common user."""
    ledger = curator.default_ledger()
    account = Account("two", "", PrivacyUnit.USER, Fraction(10), ("north", "south"), PrivacyUnit.USER)
    curator.register(ledger, account)
    return ledger


def tables(nonce: str, part: str | None):
    return request("0.5", nonce, dataset="two", part=part)


def synthetic(choices):
    return lambda nonce, part: asked(choices, nonce, dataset="two", part=part)


def publish(ledger, given, wanted):
    """Through the door that the pages and the command line use."""
    spend = curator.publish if isinstance(wanted, curator.Request) else curator.synthesize
    return spend(given, four_tiles(), wanted, ledger)


def others():
    """Another file, of other people."""
    return private([Trip(f"v{number}", "A", "B") for number in range(9)])


@pytest.mark.parametrize(
    "make",
    [tables, synthetic(roy("0.5")), synthetic(stability("0.5")), synthetic(tree("0.05"))],
    ids=["tables", "roy", "stability", "tree"],
)
def test_the_same_file_as_two_parts_is_refused_before_anything_is_charged(make):
    ledger, given = two_parts(), trips()
    publish(ledger, given, make("first", "north"))
    before = ledger.head()
    with pytest.raises(PrivacyError, match=REFUSED):
        publish(ledger, given, make("second", "south"))
    assert ledger.head() == before
    assert publish(ledger, others(), make("second", "south")).charged == 0  # the nonce is free still
    paid = publish(ledger, given, make("third", "north"))  # the same part again adds up
    assert paid.charged > 0


def test_one_file_of_several_is_enough():
    ledger, given = two_parts(), trips()
    publish(ledger, replace(given, file_fingerprints=("march", "april")), tables("first", "north"))
    both = replace(others(), file_fingerprints=("april", "may"))
    with pytest.raises(PrivacyError, match=REFUSED):
        publish(ledger, both, tables("second", "south"))
    alone = replace(others(), fingerprint="march")
    with pytest.raises(PrivacyError, match=REFUSED):
        publish(ledger, alone, tables("third", "south"))
    assert spent(ledger, "two") == Fraction("0.5")


def test_what_is_counted_without_a_part_adds_up_with_every_part():
    ledger, given = two_parts(), trips()
    publish(ledger, given, tables("first", "north"))
    assert publish(ledger, given, tables("second", None)).charged == Fraction("0.5")
    assert publish(ledger, given, tables("third", "north")).charged == Fraction("0.5")
    assert spent(ledger, "two") == Fraction("1.5")


def test_a_release_that_was_cut_short_is_not_finished_with_the_file_of_another_part(monkeypatch):
    ledger, given = two_parts(), trips()
    publish(ledger, given, tables("first", "north"))
    with monkeypatch.context() as patched:
        patched.setattr(publishing.pending, "discard", lambda _: 1 / 0)
        with pytest.raises(UnfinishedError):
            publish(ledger, others(), tables("second", "south"))
    begun = ledger.reservation("two", "second")
    with pytest.raises(PrivacyError, match=REFUSED):
        curator.finish(given, four_tiles(), begun, ledger)
    curator.finish(others(), four_tiles(), begun, ledger)
    assert spent(ledger, "two") == Fraction("0.5")


def test_what_was_given_back_counted_nothing(monkeypatch):
    ledger, given = two_parts(), trips()
    with monkeypatch.context() as patched:
        patched.setattr(publishing.pending, "discard", lambda _: 1 / 0)
        with pytest.raises(UnfinishedError):
            publish(ledger, given, tables("first", "north"))
    curator.void(ledger, ledger.reservation("two", "first").number, "nothing was drawn")
    publish(ledger, given, tables("second", "south"))
    assert spent(ledger, "two") == Fraction("0.5")


def test_a_raised_release_keeps_its_part_and_asks_for_no_file():
    ledger, given = two_parts(), trips()
    first = publish(ledger, given, tables("first", "north"))
    publish(ledger, others(), tables("second", "south"))
    curator.top_up(ledger, first.release.id, Fraction(1), nonce="more")
    publish(ledger, others(), tables("third", "south"))
    assert spent(ledger, "two") == 1


def test_trips_on_spark_are_no_part_as_their_files_are_known_by_their_paths_alone():
    ledger = two_parts()
    before = ledger.head()
    with pytest.raises(PrivacyError, match="trips on Spark cannot be a part"):
        publish(ledger, replace(trips(), engine=Engine.SPARK), tables("first", "north"))
    assert ledger.head() == before
