"""What was charged and could then never be finished, each by itself: now refused before the charge."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import curator
from dpcore.curator import pending, price, publishing
from dpcore.errors import BundleError, PrivacyError
from dpcore.estimates import words
from dpcore.ledger import Account, Price
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import estimates, estimates_of, verify_bundle
from dpcore.release.kinds import tables
from tests.cities import four_tiles
from tests.curator.asking import CHOICES, WEIGHTS, account, request, spent, trips
from tests.curator.asking_synthetic import asked, roy, stability, tree

NEAREST = {
    "1/3": "0.333333 or 0.333334",
    "4/3": "1.333333 or 1.333334",
    "1/7": "0.142857 or 0.142858",
}


@pytest.mark.parametrize("text", NEAREST)
def test_an_epsilon_that_no_decimal_text_names_is_refused_with_the_nearest_ones(text):
    with pytest.raises(PrivacyError, match=f"epsilon {text}.*Nearest: {NEAREST[text]}"):
        Plan.up_to(ContributionBound.per_user(3), WEIGHTS, Fraction(text), CHOICES)
    with pytest.raises(PrivacyError, match="Nearest"):
        Plan(ContributionBound.per_user(3), WEIGHTS, (Fraction(text), Fraction(2)), CHOICES)
    for choices in (roy(text), stability(text), tree(text)):
        with pytest.raises(PrivacyError, match=f"Nearest: {NEAREST[text]}"):
            asked(choices)


@pytest.mark.parametrize("text", ["0.0005", "21"])
def test_an_epsilon_beyond_the_limits_of_a_release_is_refused_where_it_stands(text):
    with pytest.raises(PrivacyError, match=r"Give 0\.001 to 20"):
        Plan.up_to(ContributionBound.per_user(3), WEIGHTS, Fraction(text), CHOICES)


def test_a_release_is_not_raised_to_an_epsilon_that_could_not_be_read_back():
    ledger = account()
    first = curator.publish(trips(), four_tiles(), request(), ledger)
    for text in ("4/3", "21"):
        with pytest.raises(PrivacyError, match="plain decimal number"):
            curator.top_up(ledger, first.release.id, Fraction(text), nonce="more")
    assert spent(ledger) == 1
    curator.top_up(ledger, first.release.id, Fraction("1.333333"), nonce="more")
    with pytest.raises(
        PrivacyError, match="plain decimal number"
    ):  # the same text to six decimals, and no repetition
        curator.top_up(ledger, first.release.id, Fraction(4, 3), nonce="more")


def test_weights_whose_shares_never_end_are_paid_exactly_and_read_back():
    ledger = account(unit=PrivacyUnit.TRIP)
    plan = Plan.up_to(ContributionBound.per_user(7), {"od_flows": 2, "trips_per_hour": 1}, "1", CHOICES)
    cost = price(plan, PrivacyUnit.TRIP).epsilon
    assert 10**6 % cost.denominator  # no decimal
    receipt = curator.publish(trips(), four_tiles(), request(plan=plan), ledger)
    assert receipt.charged == receipt.release.anchor.charged == spent(ledger) == cost


def test_noise_wider_than_a_table_may_hold_is_refused():
    bound = ContributionBound.per_user(10_000)
    plan = Plan.up_to(
        bound,
        {"travel_time": 1, "trips_per_weekday": 1_000_000},
        "0.001",
        CHOICES,
        ranges=Fraction("0.999999"),
    )
    ledger = account()
    with pytest.raises(PrivacyError, match="wider than a table may hold: travel_time"):
        curator.publish(trips(), four_tiles(), request(plan=plan), ledger)
    assert spent(ledger) == 0


def test_a_charge_that_no_manifest_could_write_down_is_refused():
    """Beside other parts a charge is a difference of sums: its terms may be longer than those of any price."""
    ledger = curator.default_ledger()
    account = Account("two", "", PrivacyUnit.USER, Fraction(10), ("north", "south"), PrivacyUnit.USER)
    curator.register(ledger, account)
    for number, prime in enumerate((999_999_937, 999_999_929, 999_999_893, 999_999_883, 999_999_877)):
        small = Price(Fraction(1, prime))
        ledger.reserve("two", nonce=f"n{number}", price=small, terms={}, part="north")
    before = ledger.head()
    wanted = replace(request("1"), dataset="two", part="south")
    with pytest.raises(PrivacyError, match="fraction of too many digits"):
        curator.publish(trips(), four_tiles(), wanted, ledger)
    assert ledger.head() == before
    curator.publish(trips(), four_tiles(), replace(wanted, part=None), ledger)  # as the refusal advises


def test_a_person_of_very_many_trips_has_an_epsilon_whose_power_no_float_holds():
    ledger = account(unit=PrivacyUnit.TRIP)
    choices = tree("1", ContributionBound.per_user(9_973), named=())
    receipt = curator.publish(trips(), four_tiles(), asked(choices), ledger)
    assert "becomes right practically every time" in (receipt.folder / "README.md").read_text("utf-8")
    verify_bundle(receipt.folder, digest=receipt.digest)


@pytest.fixture
def other_digits(monkeypatch):
    """A computer whose estimates differ from those that are stated by more than is tolerated."""

    def perturbed(release, *args, **more):
        found = estimates_of(release, *args, **more)
        far = {
            name: replace(table, counted=replace(table.counted, values=table.counted.values + 1000))
            for name, table in found.tables.items()
        }
        return replace(found, tables=far)

    def use():
        monkeypatch.setattr(tables, "estimates_of", perturbed)

    return use


class Cut(BaseException):
    """The process ends here."""


def test_a_drawn_release_is_never_drawn_again_because_estimates_come_out_otherwise(other_digits, monkeypatch):
    ledger = account()

    def cut(*_):
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "committed", cut)
        with pytest.raises(Cut):
            curator.publish(trips(), four_tiles(), request(), ledger)
    (waits,) = pending.all_waiting()
    drawn = pending.manifest_digest(waits)
    other_digits()
    with pytest.raises(BundleError, match="estimates do not follow"):
        verify_bundle(waits)
    receipt = curator.publish(trips(), four_tiles(), request(), ledger)
    assert receipt.digest == drawn
    assert spent(ledger) == 1


def test_estimates_that_come_out_otherwise_fail_no_paid_release_while_it_is_written(other_digits):
    other_digits()
    ledger = account()
    first = curator.publish(trips(), four_tiles(), request(), ledger)
    told = []
    raised = curator.top_up(ledger, first.release.id, Fraction(2), nonce="more", progress=told.append)
    with pytest.raises(BundleError, match="estimates do not follow"):
        verify_bundle(raised.folder)
    assert told[-1] == 1
    assert spent(ledger) == 2


def test_estimates_that_fail_leave_what_was_paid_for_finished(monkeypatch):
    def fails(*_, **__):
        raise KeyError("od_flows")

    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(estimates, "estimate", fails)
        receipt = curator.publish(trips(), four_tiles(), request(), ledger)
        assert not verify_bundle(receipt.folder, digest=receipt.digest).estimates
        assert curator.publish(trips(), four_tiles(), request(), ledger).digest == receipt.digest
    assert words.NOT_COMPUTED in (receipt.folder / "README.md").read_text("utf-8")
    raised = curator.top_up(ledger, receipt.release.id, Fraction(2), nonce="more")
    assert verify_bundle(raised.folder).estimates
    assert spent(ledger) == 2
