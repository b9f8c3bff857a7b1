"""What the ledger charges: exact sums, nonces, chains, parts, delta and gifts back; on SQLite and on PostgreSQL."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from dpcore.errors import BudgetExceededError, InputError, LedgerError, PrivacyError
from dpcore.ledger import Account, Ledger, Price
from dpcore.privacy import PrivacyUnit
from tests.ledger.spending import spend, spent

DIGEST = "ab" * 32
NORTH_SOUTH = Account("two", "", PrivacyUnit.USER, Fraction(1), ("north", "south"), PrivacyUnit.USER)


def test_a_tenth_fits_ten_times_into_one_and_not_eleven_times(ledger):
    for number in range(10):
        assert spend(ledger, "0.1", f"n{number}").charged == Fraction(1, 10)
    with pytest.raises(BudgetExceededError):
        spend(ledger, "0.000001", "one more")
    assert ledger.statement("city").left == 0


def test_a_tenth_and_two_tenths_fit_into_three_tenths(ledger):
    ledger.register(Account("small", "", PrivacyUnit.USER, Fraction("0.3")))
    spend(ledger, "0.1", "a", "small")
    assert spend(ledger, "0.2", "b", "small").charged == Fraction(1, 5)
    assert spent(ledger, "small") == Fraction(3, 10)


def test_three_thirds_are_one(ledger):
    for nonce in "abc":
        spend(ledger, "1/3", nonce)
    assert spent(ledger) == 1


def test_a_refusal_says_what_is_asked_what_is_left_and_what_would_fit_and_writes_nothing(ledger):
    spend(ledger, "0.7", "a")
    before = ledger.head()
    with pytest.raises(BudgetExceededError) as refusal:
        spend(ledger, "0.5", "b")
    text = str(refusal.value)
    assert (
        "Asked: epsilon 0.5. Left: 0.3 of 1. Missing: 0.2. A release of epsilon 0.3 or less would fit."
        in text
    )
    assert text.endswith("Nothing was spent.")
    assert ledger.head() == before
    spend(ledger, "0.3", "b")  # the nonce is free still
    with pytest.raises(BudgetExceededError, match="Nothing fits into this account any more"):
        spend(ledger, "0.1", "c")


def test_what_the_refusal_says_would_fit_does_and_a_hair_more_does_not(ledger):
    ledger.register(NORTH_SOUTH)
    first = spend(ledger, "0.2", "a", "two", part="north")
    spend(ledger, "0.25", "b", "two", part="north")
    spend(ledger, "0.3", "c", "two")
    spend(ledger, "0.6", "d", "two", part="south")
    with pytest.raises(BudgetExceededError, match=r"A release of epsilon 0\.45 or less would fit"):
        spend(ledger, "0.450001", "e", "two", part="north", group=first.group)
    assert spend(ledger, "0.45", "e", "two", part="north", group=first.group).charged == Fraction("0.1")
    assert spent(ledger, "two") == 1


def test_the_refusal_of_a_new_chain_on_a_part_says_its_price_beside_what_it_adds(ledger):
    ledger.register(NORTH_SOUTH)
    spend(ledger, "0.5", "a", "two", part="north")
    words = r"Asked: epsilon 0\.7 \(the price of 1\.2, on the part 'south' beside the other parts\)\. Left: 0\.5 of 1"
    with pytest.raises(BudgetExceededError, match=words):
        spend(ledger, "1.2", "b", "two", part="south")


def test_an_account_that_is_open_already_is_asked_whether_it_affords_the_price(ledger):
    city = ledger.account("city")
    spend(ledger, "0.4", "a")
    ledger.must_take(city, Price(Fraction("0.6")))
    with pytest.raises(BudgetExceededError, match=r"Left: 0\.6 of 1"):
        ledger.must_take(city, Price(Fraction("0.7")))
    assert spent(ledger) == Fraction("0.4")


def test_the_same_nonce_is_the_same_reservation_and_no_second_charge(ledger):
    first = spend(ledger, "0.6", "click")
    again = spend(ledger, "0.6", "click")
    assert (first.fresh, again.fresh) == (True, False)
    assert (again.number, again.entry_hash, again.charged) == (first.number, first.entry_hash, first.charged)
    assert ledger.reservation("city", "click") == again
    assert ledger.reservation_numbered(first.number) == again
    assert ledger.reservation("city", "other") is None
    assert spent(ledger) == Fraction(3, 5)


def test_a_nonce_with_other_terms_is_refused_and_the_difference_is_named(ledger):
    ledger.reserve("city", nonce="n", price=Price(Fraction("0.1")), terms={"tiles": 3, "m": [1]})
    for price, terms, group, differing in [
        ("0.2", {"tiles": 3, "m": [1]}, None, "epsilon"),
        ("0.1", {"tiles": 4, "m": [1]}, None, "tiles"),
        ("0.1", {"tiles": 3}, None, "m"),
        ("0.1", {"tiles": 3, "m": [1], "more": None}, None, "more"),
        ("0.1", {"tiles": 3, "m": [1]}, "chain", "chain"),
    ]:
        with pytest.raises(PrivacyError, match=rf"differs in {differing}\. .*Nothing was spent"):
            ledger.reserve("city", nonce="n", price=Price(Fraction(price)), terms=terms, group=group)
    assert spent(ledger) == Fraction(1, 10)


def test_other_words_for_the_same_price_are_the_same_terms(ledger):
    ledger.reserve("city", nonce="n", price=Price(Fraction("0.1"), steps=("old words",)), terms={})
    again = ledger.reserve("city", nonce="n", price=Price(Fraction("0.1"), steps=("new words",)), terms={})
    assert not again.fresh


def test_a_nonce_belongs_to_its_data_set(ledger):
    ledger.register(Account("other", "", PrivacyUnit.USER, Fraction(1)))
    assert spend(ledger, "0.1", "n").fresh
    assert spend(ledger, "0.1", "n", "other").fresh


def test_terms_are_kept_as_they_were_given(ledger):
    terms = {"measures": ["od_flows"], "bound": {"max_trips": 5}, "title": "Zürich \u202e <b>", "none": None}
    number = ledger.reserve("city", nonce="n", price=Price(Fraction("0.1")), terms=terms).number
    terms["measures"].append("changed later")
    kept = ledger.reservation_numbered(number).terms
    assert kept == {**terms, "measures": ["od_flows"]}


@pytest.mark.parametrize("terms", [{"x": 0.5}, {"x": float("nan")}, {"x": {1: 2}}, {"x": b""}, {"x": {1}}])
def test_terms_without_an_exact_text_are_our_fault(ledger, terms):
    with pytest.raises(ValueError, match="exact JSON holds only text"):
        ledger.reserve("city", nonce="n", price=Price(Fraction("0.1")), terms=terms)
    assert spent(ledger) == 0


def test_a_chain_costs_its_dearest_release_and_chains_add_up(ledger):
    first = spend(ledger, "0.2", "a")
    assert spend(ledger, "0.5", "b", group=first.group).charged == Fraction(3, 10)
    assert spend(ledger, "0.3", "c", group=first.group).charged == 0  # a coarser rung is known already
    assert spend(ledger, "0.5", "d").charged == Fraction(1, 2)
    with pytest.raises(
        BudgetExceededError, match=r"Asked: epsilon 0\.1 \(the price of 0\.6, of which its chain"
    ):
        spend(ledger, "0.6", "e", group=first.group)


def test_a_chain_that_is_not_there_is_refused_and_one_with_a_name_may_begin(ledger):
    spend(ledger, "0.1", "a")
    with pytest.raises(InputError, match="no such chain"):
        spend(ledger, "0.2", "b", group="entry-4")  # would be the next entry's own chain
    spend(ledger, "0.2", "b", group="map of May")
    assert spend(ledger, "0.3", "c", group="map of May").charged == Fraction(1, 10)


def test_parts_are_charged_side_by_side_and_the_whole_on_top(ledger):
    ledger.register(NORTH_SOUTH)
    assert spend(ledger, "0.4", "a", "two", part="north").charged == Fraction("0.4")
    assert spend(ledger, "0.3", "b", "two", part="south").charged == 0
    assert spend(ledger, "0.3", "c", "two", part="south").charged == Fraction("0.2")
    assert spend(ledger, "0.4", "d", "two").charged == Fraction("0.4")
    assert spent(ledger, "two") == 1
    assert spend(ledger, "0.2", "e", "two", part="north").charged == 0
    with pytest.raises(BudgetExceededError):
        spend(ledger, "0.1", "f", "two", part="north")


def test_a_part_must_be_declared_and_a_chain_stays_on_its_part(ledger):
    ledger.register(NORTH_SOUTH)
    chain = spend(ledger, "0.1", "a", "two", part="north").group
    with pytest.raises(InputError, match=r"no such part: 'east'.*Declared parts: north, south"):
        spend(ledger, "0.1", "b", "two", part="east")
    with pytest.raises(InputError, match="Declared parts: none"):
        spend(ledger, "0.1", "b", part="north")
    for part in (None, "south"):
        with pytest.raises(PrivacyError, match="a chain counts one part"):
            spend(ledger, "0.2", "b", "two", part=part, group=chain)


def test_giving_back_returns_what_the_release_had_added(ledger):
    first = spend(ledger, "0.2", "a")
    second = spend(ledger, "0.5", "b", group=first.group)
    ledger.void(second.number, "the power went before anything was counted")
    assert spent(ledger) == Fraction(1, 5)
    assert ledger.reservation_numbered(second.number).state == "void"
    with pytest.raises(LedgerError, match="not open"):
        ledger.void(first.number, "it is committed")
    third = spend(ledger, "0.8", "c")
    ledger.void(third.number, "nor was anything of this")
    assert spend(ledger, "0.8", "d").charged == Fraction(4, 5)
    Ledger.verify(ledger)


def test_a_chain_goes_on_from_its_committed_end_and_from_nowhere_else(ledger):
    first = spend(ledger, "0.2", "a")
    one = {"group": first.group, "follows": first.number}
    terms = {"measures": ["od_flows"]}

    def more(nonce, epsilon="0.3", **where):
        return ledger.reserve("city", nonce=nonce, price=Price(Fraction(epsilon)), terms=terms, **where)

    with pytest.raises(PrivacyError, match="not finished"):
        more("b", **one)
    ledger.commit(first.number, DIGEST)
    for follows in (None, first.number + 1, 1):
        with pytest.raises(PrivacyError, match="topped up already"):
            more("b", group=first.group, follows=follows)
    second = more("b", **one)
    assert (second.follows, second.charged) == (first.number, Fraction(1, 10))
    assert not more("b", **one).fresh
    with pytest.raises(PrivacyError, match="not finished"):
        more("c", "0.4", **one)
    ledger.commit(second.number, DIGEST)
    with pytest.raises(PrivacyError, match="topped up already"):
        more("c", "0.4", **one)
    with pytest.raises(PrivacyError, match="no such chain"):
        more("c", "0.4", follows=second.number)
    assert more("c", "0.4", group=first.group, follows=second.number).charged == Fraction(1, 10)
    ledger.verify()


def test_what_a_price_would_add_is_told_without_a_trace_while_others_spend(ledger):
    first = spend(ledger, "0.2", "a")
    price = Price(Fraction("0.5"))
    assert ledger.charge_of("city", price) == Fraction(1, 2)
    assert ledger.charge_of("city", price, group=first.group) == Fraction(3, 10)
    with ThreadPoolExecutor(6) as pool:
        told = [pool.submit(ledger.charge_of, "city", price) for _ in range(60)]
        sums = [pool.submit(spent, ledger) for _ in range(60)]
        ledger.must_afford("city", price)
    assert {one.result() for one in told} == {Fraction(1, 2)}
    assert {one.result() for one in sums} == {Fraction(1, 5)}
    with pytest.raises(BudgetExceededError):
        ledger.must_afford("city", Price(Fraction("0.9")))
    assert len(ledger.entries()) == 3


def test_only_open_reservations_can_be_given_back(ledger):
    committed, void = spend(ledger, "0.1", "a"), spend(ledger, "0.1", "b")
    ledger.commit(committed.number, DIGEST)
    ledger.void(void.number, "nothing was drawn")
    for number in (committed.number, void.number):
        with pytest.raises(LedgerError, match="not open"):
            ledger.void(number, "nothing was drawn")
    with pytest.raises(LedgerError, match="not open"):
        ledger.commit(void.number, DIGEST)
    with pytest.raises(LedgerError, match="reserved nothing"):
        ledger.void(1, "nothing was drawn")
    with pytest.raises(InputError, match="needs a reason"):
        ledger.void(committed.number, "  ")
    assert spent(ledger) == Fraction(1, 10)


def test_the_nonce_of_a_reservation_that_was_given_back_draws_nothing_for_free(ledger):
    ledger.void(spend(ledger, "0.1", "n").number, "nothing was drawn")
    with pytest.raises(PrivacyError, match="given back"):
        spend(ledger, "0.1", "n")


def test_a_release_is_committed_once_and_with_one_digest(ledger):
    number = spend(ledger, "0.1", "n").number
    entry = ledger.commit(number, DIGEST)
    assert ledger.commit(number, DIGEST) == entry
    with pytest.raises(LedgerError, match="not open"):
        ledger.commit(number, "cd" * 32)
    with pytest.raises(InputError, match="digest"):
        ledger.commit(number, "../x")
    reservation = ledger.reservation("city", "n")
    assert (reservation.state, reservation.digest) == ("committed", DIGEST)
    assert [entry.kind for entry in ledger.entries()] == ["genesis", "register", "reserve", "commit"]


def test_a_statement_explains_every_charge(ledger):
    ledger.register(NORTH_SOUTH)
    steps = ("A half for the map.", "A half for the flows.")
    first = ledger.reserve(
        "two", nonce="a", price=Price(Fraction("0.3"), steps=steps), terms={}, part="north"
    )
    ledger.commit(first.number, DIGEST)
    spend(ledger, "0.4", "b", "two", part="north", group=first.group)
    spend(ledger, "1/3", "c", "two", part="south")
    open_still = spend(ledger, "0.2", "d", "two")
    ledger.void(spend(ledger, "0.1", "e", "two").number, "stopped before the count")
    statement = ledger.statement("two")
    lines = [line.partition("Z")[2] or line.partition("00:00: ")[2] for line in statement.lines]
    assert lines == [
        (
            "registered with a total budget of epsilon 1 and delta 0.0001, counted for each user, parts of users: "
            "north, south."
        ),
        (
            "a release was reserved at a price of epsilon 0.3 (A half for the map; A half for the flows). It counts the "
            "part 'north', which has now cost epsilon 0.3; parts share no user, so that only the most expensive part counts. "
            "Charged: epsilon 0.3. Spent so far: epsilon 0.3; left: epsilon 0.7."
        ),
        "the release of entry 4 was written; nothing more is charged.",
        (
            "a release was reserved at a price of epsilon 0.4. It continues the chain 'entry-4', which had cost epsilon "
            "0.3; a chain costs its most expensive release, so that only the difference counts. It counts the part 'north', "
            "which has now cost epsilon 0.4; parts share no user, so that only the most expensive part counts. Charged: epsilon "
            "0.1. Spent so far: epsilon 0.4; left: epsilon 0.6."
        ),
        (
            "a release was reserved at a price of epsilon 1/3 (about 0.333333). It counts the part 'south', which has "
            "now cost epsilon 1/3 (about 0.333333); parts share no user, so that only the most expensive part counts. Charged: "
            "epsilon 0. Spent so far: epsilon 0.4; left: epsilon 0.6."
        ),
        (
            "a release was reserved at a price of epsilon 0.2. Charged: epsilon 0.2. Spent so far: epsilon 0.6; left: "
            "epsilon 0.4."
        ),
        (
            "a release was reserved at a price of epsilon 0.1. Charged: epsilon 0.1. Spent so far: epsilon 0.7; left: "
            "epsilon 0.3."
        ),
        (
            "the reservation of entry 9 was given back, because the owner declared that nothing was drawn or shown: "
            "'stopped before the count'. epsilon 0.1 was returned. Spent so far: epsilon 0.6; left: epsilon 0.4."
        ),
    ]
    assert (statement.spent, statement.left) == (Fraction("0.6"), Fraction("0.4"))
    assert [r.nonce for r in statement.open_reservations] == ["b", "c", "d"]
    assert statement.open_reservations[-1].number == open_still.number


def test_delta_is_counted_beside_epsilon_and_has_a_ceiling_of_its_own(ledger):
    for number in range(10):
        ledger.reserve(
            "city", nonce=f"n{number}", price=Price(Fraction("0.01"), Fraction("0.00001")), terms={}
        )
    assert ledger.statement("city").spent_delta == Fraction("0.0001")
    with pytest.raises(BudgetExceededError, match=r"Asked: delta 0\.00001\. Left: 0 of 0\.0001"):
        ledger.reserve("city", nonce="more", price=Price(Fraction("0.01"), Fraction("0.00001")), terms={})
    assert spend(ledger, "0.9", "pure").charged == Fraction("0.9")


def test_the_next_start_finds_everything_as_it_was(ledger, address):
    reservation = spend(ledger, "0.4", "n")
    again = Ledger.opened(address)
    assert again.identity == ledger.identity == reservation.ledger == ledger.entries()[0].hash
    assert again.head() == ledger.head() == (reservation.number, reservation.entry_hash)
    assert again.statement("city") == ledger.statement("city")
    assert again.entries("city") == ledger.entries()[1:]


def test_any_sequence_of_spends_costs_what_composition_says(file):
    """The running sum against the definition, computed from scratch: sum over chains of max, max over parts."""
    rng = random.Random(20_240_401)
    ledger = Ledger.opened(file)
    parts = ("p", "q", "r")
    ledger.register(Account("x", "", PrivacyUnit.TRIP, Fraction(100), parts, PrivacyUnit.TRIP))
    alive: dict[int, tuple[str, str | None, Fraction]] = {}
    for number in range(40):
        chain, part = rng.choice([("a", None), ("b", None), ("c", "p"), ("d", "p"), ("e", "q"), ("f", "r")])
        price = Fraction(rng.randint(1, 30), rng.choice([7, 10, 12]))
        made = spend(ledger, str(price), f"n{number}", "x", group=chain, part=part)
        if rng.random() < 0.2:
            ledger.void(made.number, "nothing was drawn")
        else:
            alive[made.number] = (chain, part, price)
        chains = {key: max(price for *_, price in some) for key, some in _by(alive.values())}
        whole = sum(cost for (_, part), cost in chains.items() if part is None)
        of_parts = [sum(cost for (_, p), cost in chains.items() if p == part) for part in parts]
        assert spent(ledger, "x") == whole + max(of_parts)
    ledger.verify([ledger.head()])


def _by(alive):
    return itertools.groupby(sorted(alive, key=lambda x: (x[0], x[2])), key=lambda x: x[:2])


def test_a_file_that_was_counted_under_another_name_is_noticed(ledger):
    ledger.register(Account("town", "", PrivacyUnit.USER, Fraction(1)))
    first = ledger.known_files("f1", "city")
    assert (first.other_datasets, first.changed) == ((), False)
    assert not ledger.known_files("f1", "city").changed
    other = ledger.known_files("f1", "town")
    assert (other.other_datasets, other.changed) == (("city",), False)
    changed = ledger.known_files("f2", "city")
    assert (changed.other_datasets, changed.changed) == ((), True)
    assert ledger.known_files("f1", "city").changed
    assert ledger.known_files("f1", "city").other_datasets == ("town",)
    with pytest.raises(InputError):
        ledger.known_files("f1", "unknown")


def test_a_file_is_known_again_in_whatever_set_of_files_it_comes(ledger):
    for name in ("town", "coast"):
        ledger.register(Account(name, "", PrivacyUnit.USER, Fraction(1)))
    ledger.known_files("f1", "city")  # as ledgers have it from before there were sets
    more = ledger.known_files("set of f1 f2", "town", ("f1", "f2"))
    assert (more.other_datasets, more.changed) == (("city",), False)
    assert not ledger.known_files("set of f1 f2", "town", ("f1", "f2")).changed
    assert ledger.known_files("f2", "coast", ("f2",)).other_datasets == ("town",)
    assert ledger.known_files("set of f2 f3", "city", ("f2", "f3")).other_datasets == ("coast", "town")
    changed = ledger.known_files("set of f1 f2 f3", "town", ("f1", "f2", "f3"))
    assert (changed.other_datasets, changed.changed) == (("city", "coast"), True)
    assert not ledger.known_files("set of f1 f2 f3", "town", ("f1", "f2", "f3")).changed
    assert ledger.known_files("f1", "town", ("f1",)).changed, "known, but not what was counted last"
    assert not ledger.known_files("f1", "town", ("f1",)).changed


def test_a_fingerprint_reaches_no_entry_and_no_statement(ledger):
    before = ledger.head()
    ledger.known_files("c0ffee", "city")
    assert ledger.head() == before
    assert "c0ffee" not in repr(ledger.entries()) + repr(ledger.statement("city"))
