"""What a ledger takes: names, accounts and prices, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.ledger import Account, Ledger, Price
from dpcore.privacy import PrivacyUnit

CITY = Account("city", "everybody with a card", PrivacyUnit.USER, Fraction(10))
USER, TRIP = PrivacyUnit.USER, PrivacyUnit.TRIP


@pytest.fixture
def ledger(file):
    return Ledger.opened(file)


@pytest.mark.parametrize("name", ["a", "City 2024", "bike-share_v1.2", "9", "x" * limits.MAX_NAME_CHARACTERS])
def test_plain_names_are_taken(ledger, name):
    assert ledger.register(replace(CITY, dataset=name)).dataset == name
    assert ledger.account(name).total == 10


BAD_NAMES = [
    "", " ", "a ", " a", "a  b", "-1", "=1+1", "@SUM", "+1", "../x", "a/b", "a\\b", ".", "..", "a.", ".a", "a\n", "\ta",
    "<script>", "[x](javascript:1)", "{uid}", "$x$", ":smile:", "a\u202eb", "Zürich", "a\x00", "a`b", "a*b*", "a|b",
    "\u0661", "a;b", "a,b", "x" * (limits.MAX_NAME_CHARACTERS + 1), None, 7, b"a",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_names_that_could_be_a_path_a_formula_or_a_page_are_refused_and_not_repeated(ledger, name):
    with pytest.raises(InputError, match="name of a data set") as refusal:
        ledger.register(replace(CITY, dataset=name))
    assert "script" not in str(refusal.value)
    with pytest.raises(InputError, match="name of a part"):
        ledger.register(replace(CITY, parts=("north", name), parts_of=USER))
    assert ledger.accounts() == ()


def test_registering_twice_is_registering_once(ledger):
    assert ledger.register(CITY) == ledger.register(CITY) == ledger.account("city")
    assert ledger.head()[0] == 2


def test_the_population_stays_as_it_was_first_declared(ledger):
    ledger.register(CITY)
    assert ledger.register(replace(CITY, population="others")).population == "everybody with a card"


@pytest.mark.parametrize(
    ("other", "stored"),
    [
        ({"total": Fraction(11)}, "total budget of epsilon 10 and"),
        ({"unit": TRIP}, "counted for each user"),
        ({"parts": ("n", "s"), "parts_of": USER}, "Asked for: .* parts of users: n, s"),
        ({"total_delta": Fraction(0)}, "delta 0.0001"),
    ],
)
def test_other_terms_later_are_refused_with_the_stored_ones(ledger, other, stored):
    ledger.register(CITY)
    with pytest.raises(PrivacyError, match=stored):
        ledger.register(replace(CITY, **other))
    assert ledger.accounts() == (CITY,)


def test_a_name_that_differs_in_capital_letters_is_refused(ledger):
    ledger.register(CITY)
    with pytest.raises(PrivacyError, match="'City' beside 'city'"):
        ledger.register(replace(CITY, dataset="City"))


@pytest.mark.parametrize(
    "total",
    [Fraction(0), Fraction(-1), Fraction(101), Fraction(1, 10**6), 10, 1.0, "1", True, None, Fraction(10**41 + 1, 10**41)],
    ids=repr,
)  # fmt: skip
def test_a_total_must_be_an_exact_fraction_within_limits(ledger, total):
    with pytest.raises(PrivacyError, match="total budget"):
        ledger.register(replace(CITY, total=total))


@pytest.mark.parametrize("delta", [Fraction(-1), Fraction(1, 1000), 0.0, None], ids=repr)
def test_a_total_delta_must_be_an_exact_fraction_within_limits(ledger, delta):
    with pytest.raises(PrivacyError, match="total delta"):
        ledger.register(replace(CITY, total_delta=delta))


@pytest.mark.parametrize(
    "words", ["x" * 1001, "two\nlines", "a\x00b", "a\u202eb"], ids=["long", "lines", "nul", "bidi"]
)
def test_a_population_is_one_printable_line(ledger, words):
    with pytest.raises(InputError, match="population"):
        ledger.register(replace(CITY, population=words))


def test_dates_and_modes_are_no_parts_of_a_user_account(ledger):
    for parts_of in (TRIP, None):
        with pytest.raises(PrivacyError, match="Dates, weekdays, modes or places do not divide people"):
            ledger.register(replace(CITY, parts=("monday", "tuesday"), parts_of=parts_of))


@pytest.mark.parametrize("parts_of", [USER, TRIP])
def test_a_trip_account_takes_parts_of_trips_and_of_users(ledger, parts_of):
    account = replace(CITY, unit=TRIP, parts=("a", "b"), parts_of=parts_of)
    assert ledger.register(account) == account == ledger.account("city")
    assert ledger.register(replace(account, parts=("b", "a"))) == account


def test_parts_of_nothing_and_parts_that_look_alike_are_refused(ledger):
    with pytest.raises(PrivacyError, match="no parts"):
        ledger.register(replace(CITY, parts_of=USER))
    with pytest.raises(PrivacyError, match="not said what the parts divide"):
        ledger.register(replace(CITY, unit=TRIP, parts=("a",)))
    with pytest.raises(PrivacyError, match="told apart"):
        ledger.register(replace(CITY, parts=("a", "A"), parts_of=USER))
    with pytest.raises(PrivacyError, match="told apart"):
        ledger.register(replace(CITY, parts=tuple(f"p{i}" for i in range(1001)), parts_of=USER))


@pytest.mark.parametrize(
    "epsilon",
    [Fraction(0), Fraction(-1), 1, 0.5, "1", True, None, float("nan"), Fraction(1, 10**40)],
    ids=repr,
)
def test_a_price_must_be_exact_and_positive(ledger, epsilon):
    ledger.register(CITY)
    with pytest.raises(PrivacyError, match="exact epsilon above 0"):
        ledger.reserve("city", nonce="n", price=Price(epsilon), terms={})


@pytest.mark.parametrize("delta", [Fraction(-1), Fraction(1, 10**4), Fraction(1), 1e-6, True, None], ids=repr)
def test_delta_has_a_public_bound(ledger, delta):
    ledger.register(CITY)
    with pytest.raises(PrivacyError, match=r"Give 0 to 0\.00001"):
        ledger.reserve("city", nonce="n", price=Price(Fraction(1), delta), terms={})


@pytest.mark.parametrize(
    "nonce", ["", "x" * (limits.MAX_NONCE_CHARACTERS + 1), "a\n", "a\x00", None, 7], ids=repr
)
def test_a_nonce_is_a_short_printable_text(ledger, nonce):
    ledger.register(CITY)
    with pytest.raises(InputError, match="nonce"):
        ledger.reserve("city", nonce=nonce, price=Price(Fraction(1)), terms={})


def test_terms_that_are_too_long_are_refused(ledger):
    ledger.register(CITY)
    with pytest.raises(PrivacyError, match="too long for the ledger"):
        ledger.reserve(
            "city", nonce="n", price=Price(Fraction(1)), terms={"note": "x" * limits.MAX_ENTRY_CHARACTERS}
        )
    assert ledger.head()[0] == 2


def test_an_unknown_data_set_is_refused_with_the_names_there_are(ledger):
    with pytest.raises(InputError, match="no data set is registered yet"):
        ledger.account("city")
    ledger.register(CITY)
    ledger.register(replace(CITY, dataset="airport"))
    for ask in (ledger.account, ledger.statement, ledger.entries, lambda name: ledger.reservation(name, "n")):
        with pytest.raises(InputError, match="Choose one of: airport, city"):
            ask("town")
    with pytest.raises(InputError, match="Choose one of"):
        ledger.reserve("town", nonce="n", price=Price(Fraction(1)), terms={})


CUT = {
    "trip_rule": "trip-gap 30min",
    "timezone": "UTC",
    "read_as": "datetime=at, lat=lat, lng=lng, uid=who (year-first)",
}
OTHER_CUTS = {
    "rule": CUT | {"trip_rule": "trip-gap 2h"},
    "time zone": CUT | {"timezone": "Europe/Berlin"},
    "reading of columns or times": CUT | {"read_as": CUT["read_as"].replace("uid=who", "uid=car")},
    "reading": CUT | {"read_as": CUT["read_as"].replace("year", "day")},
}


def test_an_account_of_trips_takes_records_with_one_column_of_trip_ids(ledger):
    ledger.register(replace(CITY, unit=TRIP))

    def asked(terms, nonce):
        return ledger.reserve("city", nonce=nonce, price=Price(Fraction(1)), terms=terms)

    records = {"read_as": "tid=tid, uid=uid", "timezone": "UTC"}
    asked(records, "first")
    for other in (records | {"read_as": "tid=day, uid=uid"}, {"timezone": "UTC"}, CUT):
        with pytest.raises(PrivacyError, match="counts epsilon per trip, and its trips were"):
            asked(other, "other")
    assert asked(records | {"timezone": "Europe/Berlin"}, "alike").charged == 1


@pytest.mark.parametrize("name", OTHER_CUTS)
def test_an_account_of_trips_takes_points_that_are_cut_in_one_way(ledger, name):
    ledger.register(replace(CITY, unit=TRIP))
    ledger.register(replace(CITY, dataset="people"))

    def asked(dataset, terms, nonce):
        return ledger.reserve(dataset, nonce=nonce, price=Price(Fraction(1)), terms=terms)

    asked("city", CUT, "first")
    with pytest.raises(PrivacyError, match=f"cut by another {name}"):
        asked("city", OTHER_CUTS[name], "other")
    assert asked("city", {**CUT, "title": "Trams"}, "alike").charged == 1
    asked("people", CUT, "first")
    assert asked("people", OTHER_CUTS[name], "other").charged == 1


def test_trips_that_stand_in_their_files_do_not_depend_on_the_clock(ledger):
    ledger.register(replace(CITY, unit=TRIP))
    for zone in ("UTC", "Europe/Berlin"):
        ledger.reserve("city", nonce=zone, price=Price(Fraction(1)), terms={"timezone": zone})
    with pytest.raises(PrivacyError, match=r"cut by another rule.*as they stand in the file"):
        ledger.reserve("city", nonce="cut", price=Price(Fraction(1)), terms=CUT)
