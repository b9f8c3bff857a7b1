"""Publishing: one charge, one release, and nothing charged for what is refused."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator, limits, places
from dpcore.api import owner
from dpcore.curator import makers
from dpcore.errors import BudgetExceededError, InputError, PrivacyError
from dpcore.ledger import Account
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release import read_bundle, verify_bundle
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import CANARY, WEIGHTS, account, published, request, spent, trips


def test_a_release_is_paid_for_and_lies_where_anyone_may_read_it(tmp_path):
    ledger = account()
    steps = []
    receipt = published(ledger, request(), out=tmp_path / "bundle", progress=steps.append)
    assert (receipt.charged, receipt.left, receipt.repeated) == (1, 9, False)
    assert spent(ledger) == 1
    assert receipt.folder == tmp_path / "bundle"
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert steps == sorted(steps)
    assert steps[-1] == 1
    release = read_bundle(places.home() / "releases" / receipt.release.id)
    assert release.plan.rungs == (*(r for r in RUNGS if r < 1), Fraction(1))
    assert set(release.measurements) == set(WEIGHTS)
    assert all(m.origin == "release" for m in release.measurements.values())
    assert release.anchor.hash == ledger.reservation("town", "first").entry_hash
    assert curator.committed_digest(ledger, release) == receipt.digest
    assert [r.id for r in curator.releases(ledger, "town")] == [release.id]


def test_values_are_exact_counts_plus_noise_of_the_stated_width():
    receipt = published(account("20"), request("20"))
    answers = exact_answers(
        bounded(trips(), ContributionBound.per_user(3)), [MEASURES[name] for name in WEIGHTS]
    )
    for name, measurement in receipt.release.measurements.items():
        exact = answers.dense(MEASURES[name], measurement.keys)
        for rung, width in zip(
            (-1, 0), (measurement.half_widths[-1], measurement.half_widths[0]), strict=True
        ):
            off = np.abs(measurement.values[rung] - exact)
            # 3 half widths: 1 in 8,000 cells, and 1 in 700 where a half width is 1; of 25 cells 4 hardly ever
            assert (off > 3 * width).sum() <= 3 + 0.02 * off.size
    hours = receipt.release.measurements["trips_per_hour"]
    assert (hours.values[0] != hours.values[-1]).any()


def test_the_same_nonce_is_the_same_release_and_costs_nothing_more(tmp_path):
    ledger = account()
    first = published(ledger, request())
    again = published(ledger, request(), out=tmp_path / "copy")
    assert (again.release.id, again.digest, again.repeated) == (first.release.id, first.digest, True)
    assert spent(ledger) == 1
    once_more = published(ledger, request(), out=tmp_path / "copy")  # the copy is there already
    assert once_more.digest == first.digest


def test_a_nonce_that_named_another_request_is_refused():
    ledger = account()
    published(ledger, request())
    with pytest.raises(PrivacyError, match="nonce"):
        published(ledger, request("2"))
    with pytest.raises(PrivacyError, match="nonce"):
        published(ledger, request(title="Another"))
    assert spent(ledger) == 1


def test_beyond_the_budget_nothing_is_drawn_and_nothing_charged(monkeypatch):
    ledger = account("1.5")
    published(ledger, request())
    monkeypatch.setattr(makers, "measured", None)
    with pytest.raises(BudgetExceededError, match=r"0\.5"):
        published(ledger, request(nonce="second"))
    assert spent(ledger) == 1
    assert len(list((places.home() / "releases").iterdir())) == 1


def test_what_does_not_fit_costs_nothing(tmp_path):
    ledger = account()
    without_users = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        curator.publish(without_users, four_tiles(), request(), ledger)
    per_user = replace(request(bound=ContributionBound.per_trip()), dataset="trips")
    trip_account = account(unit=PrivacyUnit.TRIP, dataset="trips")
    counting_users = replace(
        per_user, plan=Plan.up_to(ContributionBound.per_trip(), {"trips_per_user": 1}, Fraction(1))
    )
    with pytest.raises(PrivacyError, match="no user column"):
        curator.publish(without_users, four_tiles(), counting_users, trip_account)
    other_tiles = replace(four_tiles(), tile_ids=("A", "B", "C", "E"))
    with pytest.raises(PrivacyError, match="not the tiles"):
        curator.publish(trips(), other_tiles, request(), ledger)
    with pytest.raises(PrivacyError, match="without limit"):
        published(ledger, request(bound=ContributionBound.per_trip()))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        published(ledger, request(), out=tmp_path / "full")
    with pytest.raises(InputError, match="unknown data set"):
        published(ledger, request(dataset="nowhere"))
    assert spent(ledger) == spent(trip_account, "trips") == 0
    assert not (places.home() / "releases").exists()


def test_what_would_be_refused_of_a_new_account_is_refused_before_it_is_opened(tmp_path, monkeypatch):
    ledger = curator.default_ledger()
    riders = Account("town", "riders", PrivacyUnit.USER, Fraction(10))
    without_users = private([Trip(None, "A", "B")], has_users=False)
    per_trip = request(bound=ContributionBound.per_trip())
    weights = {"visits_per_tile": 999_983, "od_flows": 999_979}
    undrawable = Plan(
        ContributionBound.per_user(9_973), weights, (Fraction("0.123457"), Fraction("1.234567"))
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    for error, words, given in (
        (PrivacyError, "no user column", {"trips": without_users}),
        (
            PrivacyError,
            "not the tiles",
            {"tessellation": replace(four_tiles(), tile_ids=("A", "B", "C", "E"))},
        ),
        (PrivacyError, "without limit", {"request": per_trip}),
        (InputError, "no such part", {"request": request(part="north")}),
        (BudgetExceededError, "budget", {"account": replace(riders, total=Fraction(1, 2))}),
        (InputError, "population", {"account": replace(riders, population="x" * 5_000)}),
        (PrivacyError, "too long", {"request": replace(request(), plan=undrawable)}),
        (InputError, "not empty", {"out": tmp_path / "full"}),
    ):
        usual = {"trips": trips(), "tessellation": four_tiles(), "request": request(), "account": riders}
        with pytest.raises(error, match=words):
            curator.must_be_publishable(**{**usual, "ledger": ledger, **given})

    def fails(*_):
        raise InputError("counting needs more memory", "town", "Free some.")

    monkeypatch.setattr(makers, "exact_answers", fails)
    with pytest.raises(InputError, match="memory"):
        curator.must_be_publishable(trips(), four_tiles(), request(), riders, ledger)
    monkeypatch.undo()
    before = ledger.head()
    curator.must_be_publishable(trips(), four_tiles(), request(), riders, ledger)
    assert ledger.head() == before
    assert ledger.accounts() == ()
    curator.register(ledger, riders)
    with pytest.raises(PrivacyError, match="registered"):
        curator.must_be_publishable(
            trips(), four_tiles(), request(), replace(riders, total=Fraction(20)), ledger
        )
    nearly = replace(riders, dataset="TOWN")
    with pytest.raises(PrivacyError, match="nearly this name"):
        curator.must_be_publishable(trips(), four_tiles(), request(dataset="TOWN"), nearly, ledger)


def test_counting_that_fails_costs_nothing(monkeypatch):
    ledger = account()

    def fails(*_):
        raise InputError("counting needs more memory", "town", "Free some.")

    monkeypatch.setattr(makers, "exact_answers", fails)
    with pytest.raises(InputError):
        published(ledger, request())
    assert spent(ledger) == 0
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("bound", "charged"),
    [(ContributionBound.per_trip(), Fraction(1)), (ContributionBound.per_user(4), Fraction(1, 2))],
)
def test_a_trip_account_takes_both_units_in_its_own_currency(bound, charged):
    ledger = account(unit=PrivacyUnit.TRIP)
    assert published(ledger, request(bound=bound)).charged == charged


def test_many_at_once_with_one_nonce_are_one_charge_and_one_release():
    ledger, city = account(), trips()
    with ThreadPoolExecutor(8) as pool:
        receipts = list(
            pool.map(
                lambda _: curator.publish(city, four_tiles(), request(), curator.default_ledger()), range(8)
            )
        )
    assert len({receipt.digest for receipt in receipts}) == 1
    assert sum(not receipt.repeated for receipt in receipts) == 1
    assert spent(ledger) == 1


def test_many_at_once_with_their_own_nonces_never_overspend():
    ledger, city = account("3"), trips()

    def one(number):
        try:
            return curator.publish(city, four_tiles(), request(nonce=f"n{number}"), curator.default_ledger())
        except BudgetExceededError:
            return None

    with ThreadPoolExecutor(8) as pool:
        receipts = [receipt for receipt in pool.map(one, range(8)) if receipt]
    assert len(receipts) == 3
    assert spent(ledger) == 3


def test_rates_too_long_to_draw_are_refused_before_the_charge():
    ledger = account()
    weights = {"visits_per_tile": 999_983, "od_flows": 999_979}
    plan = Plan(ContributionBound.per_user(9_973), weights, (Fraction("0.123457"), Fraction("1.234567")))
    with pytest.raises(PrivacyError, match="too long"):
        published(ledger, replace(request(), plan=plan))
    assert spent(ledger) == 0


def test_keys_tables_and_files_do_not_depend_on_the_data(tmp_path):
    shapes = []
    for name, people in (("all", trips()), ("one", private([Trip("x", "A", "B")])), ("none", private([]))):
        ledger = account(dataset=name)
        receipt = curator.publish(people, four_tiles(), request(dataset=name), ledger, out=tmp_path / name)
        shapes.append(
            {
                "files": sorted(str(p.relative_to(tmp_path / name)) for p in (tmp_path / name).rglob("*")),
                "keys": {n: m.keys for n, m in receipt.release.measurements.items()},
                "listed": {n: m.cell_numbers.tolist() for n, m in receipt.release.measurements.items()},
                "widths": {n: m.half_widths for n, m in receipt.release.measurements.items()},
            }
        )
    assert shapes[0] == shapes[1] == shapes[2]


def test_no_user_and_no_exact_count_is_in_the_bundle_the_ledger_or_the_hidden_state(tmp_path):
    busy = [Trip(CANARY, "A", "B")] * 41_003  # of which three count
    city = private([*busy, *(Trip(f"u{user}", "A", "B") for user in range(77_777))])
    curator.publish(city, four_tiles(), request(), account(), out=tmp_path / "bundle")
    true, counted = 77_777 + 41_003, 77_777 + 3
    shown = [path for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    kept = [path for path in places.home().rglob("*") if path.is_file() and "/cache/" not in str(path)]
    assert len(shown) > 10
    for path in (*shown, *kept):
        content = path.read_bytes()
        assert CANARY.encode() not in content, path
        assert true.to_bytes(8, "little") not in content, path
        assert str(true).encode() not in content, path
    for path in kept:  # a released value may be the exact one by chance
        if "releases" not in path.parts:
            assert counted.to_bytes(8, "little") not in path.read_bytes(), path
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    assert "test.csv" not in json.dumps(manifest)
    assert not re.search(r'"(rows|records|trips_read|fingerprint|path)"', json.dumps(manifest))


def test_forgetting_the_trips_keeps_ledger_releases_and_the_way_up():
    ledger = account()
    receipt = published(ledger, request())
    owner.forget()
    ledger = curator.default_ledger()
    assert spent(ledger) == 1
    assert curator.top_up(ledger, receipt.release.id, Fraction(2), nonce="up").charged == 1


def test_a_file_known_under_another_name_is_told():
    city = trips()
    ledger = account(dataset="one")
    curator.publish(city, four_tiles(), request(dataset="one"), ledger)
    account(dataset="two")
    receipt = curator.publish(city, four_tiles(), request(dataset="two"), ledger)
    assert any("one" in note for note in receipt.notes)
    other = curator.publish(trips(), four_tiles(), request(dataset="two", nonce="n2"), ledger)
    assert any("another file" in note for note in other.notes)


def test_a_file_that_comes_with_others_under_another_name_is_told():
    january = trips()
    curator.publish(january, four_tiles(), request(dataset="one"), account(dataset="one"))
    year = replace(trips(), file_fingerprints=(january.fingerprint, "february"))
    receipt = curator.publish(year, four_tiles(), request(dataset="two"), account(dataset="two"))
    assert any("At least one of these very files was counted for one as well" in n for n in receipt.notes)


@pytest.mark.parametrize(
    "changes", [{"nonce": " "}, {"nonce": "x" * 201}, {"title": "a\x00b"}, {"title": "t" * 121}]
)
def test_texts_that_cannot_be_printed_are_refused(changes):
    with pytest.raises(InputError):
        request(**changes)


def test_sparse_flows_are_published_and_can_be_raised(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    ledger = account()
    receipt = published(ledger, request("5"))
    flows = receipt.release.measurements["od_flows"]
    assert flows.cells is not None
    higher = curator.top_up(ledger, receipt.release.id, Fraction(8), nonce="up")
    raised = higher.release.measurements["od_flows"]
    assert np.array_equal(raised.cells, flows.cells)
    assert (raised.threshold, raised.listed_at) == (flows.threshold, 5)
    assert np.array_equal(raised.values[: len(flows.rungs)], flows.values)
