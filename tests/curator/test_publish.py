"""Publishing: one charge, one release, whatever happens in between."""

from __future__ import annotations

import errno
import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator, limits, places
from dpcore.api import owner
from dpcore.curator import makers, pending, publishing
from dpcore.errors import BudgetExceededError, InputError, LedgerError, PrivacyError, UnfinishedError
from dpcore.ledger import Account
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release import read_bundle, verify_bundle, writing
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import CANARY, WEIGHTS, account, request, spent, trips


def published(ledger, asked, **options):
    return curator.publish(trips(), four_tiles(), asked, ledger, **options)


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


@pytest.fixture
def on_another_disk(monkeypatch):
    """Public releases lie where nothing can be renamed to."""
    rename = type(places.home()).rename

    def refused(place, target):
        if place.parent.name == "waiting" and target.parent == pending.published():
            raise OSError(errno.EXDEV, "another disk")
        return rename(place, target)

    monkeypatch.setattr("pathlib.Path.rename", refused)


def alone_and_whole(receipt):
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert receipt.folder == pending.published() / receipt.release.id
    assert pending.all_waiting() == []
    assert not [*pending.published().glob(".*")]


@pytest.mark.usefixtures("on_another_disk")
def test_public_releases_may_lie_on_another_disk():
    alone_and_whole(published(account(), request()))


@pytest.mark.usefixtures("on_another_disk")
@pytest.mark.parametrize("fault", ["torn", "full"])
def test_what_a_copy_to_another_disk_spoils_is_never_public_and_never_lost(fault, monkeypatch):
    ledger, copied = account(), shutil.copytree

    def spoiled(whole, part):
        copied(whole, part)
        if fault == "full":
            raise OSError(errno.ENOSPC, "full")
        (part / "od_flows.csv").write_bytes(b"")

    with monkeypatch.context() as there:
        there.setattr(shutil, "copytree", spoiled)
        with pytest.raises(UnfinishedError):
            published(ledger, request())
    assert not [*pending.published().glob("[!.]*")]
    assert len(pending.all_waiting()) == 1
    alone_and_whole(published(ledger, request()))
    assert spent(ledger) == 1


def test_a_bundle_that_changes_while_it_waits_is_not_committed(monkeypatch):
    ledger, written = account(), publishing.write_bundle

    def changed(*asked, **more):
        found = written(*asked, **more)
        next(asked[1].rglob("od_flows.csv")).write_bytes(b"")
        return found

    with monkeypatch.context() as there:
        there.setattr(publishing, "write_bundle", changed)
        with pytest.raises(UnfinishedError, match=r"od_flows\.csv"):
            published(ledger, request())
    assert ledger.reservation("town", "first").digest is None
    assert not pending.published().exists()


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


class Cut(BaseException):
    """The process ends here."""


STEPS = [
    (makers, "exact_answers"),
    (makers, "measured"),
    (publishing.accounts, "noted_files"),
    (publishing.kept_counts, "keep"),
    (publishing, "write_bundle"),
    (pending, "manifest_digest"),
    (pending, "_must_be_committed"),
    (pending, "delivered"),
    (publishing, "must_be_unchanged"),
]


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(("place", "step"), STEPS, ids=[step for _, step in STEPS])
def test_a_run_cut_short_anywhere_is_taken_up_without_a_second_charge_or_draw(
    place, step, before, monkeypatch
):
    ledger = account()
    real = getattr(place, step)

    def cut(*args, **kwargs):
        if not before:
            real(*args, **kwargs)
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(place, step, cut)
        with pytest.raises(Cut):
            published(ledger, request())
    waiting = (places.home() / "private" / "waiting").glob("town-*")
    drawn = [read_bundle(path).measurements["od_flows"].values.tolist() for path in waiting]
    charged = spent(ledger)
    assert charged in {0, 1}
    if not drawn and step not in {"delivered", "must_be_unchanged"}:
        assert not (places.home() / "releases").exists()  # nobody has seen anything
    receipt = published(curator.default_ledger(), request())
    assert spent(ledger) == 1
    assert len(curator.releases(ledger, "town")) == 1
    if drawn:  # what was whole already is handed over as it was
        assert receipt.release.measurements["od_flows"].values.tolist() == drawn[0]
    assert ledger.statement("town").open_reservations == ()
    verify_bundle(receipt.folder, digest=ledger.reservation("town", "first").digest)


def test_a_reservation_left_open_is_finished_from_its_own_terms(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request(note="two\nlines", publisher="City council"))
    (left,) = ledger.statement("town").open_reservations
    receipt = curator.finish(trips(), four_tiles(), left, ledger)
    assert receipt.release.note == "two\nlines"
    assert receipt.release.publisher == "City council"
    assert (receipt.charged, spent(ledger)) == (1, 1)
    assert receipt.release.plan == request().plan


def test_what_was_written_is_read_once_and_its_bytes_are_compared_where_they_are_delivered(
    monkeypatch, tmp_path
):
    def no_second_reading(_place):
        raise AssertionError("the bundle was read again")

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "read_bundle", no_second_reading)
        receipt = published(account(), request(), out=tmp_path / "copy")
    found = read_bundle(tmp_path / "copy")
    assert (
        found.measurements["od_flows"].values.tolist()
        == receipt.release.measurements["od_flows"].values.tolist()
    )
    assert found.id == receipt.release.id


def test_a_byte_that_changes_on_the_way_to_its_place_is_seen(monkeypatch, tmp_path):
    ledger, delivered = account(), publishing.pending.delivered

    def damaged(*asked):
        folder = delivered(*asked)
        table = next(folder.rglob("od_flows.csv"))
        table.write_bytes(table.read_bytes()[:-1] + b" ")
        return folder

    with monkeypatch.context() as patch:
        patch.setattr(publishing.pending, "delivered", damaged)
        with pytest.raises(UnfinishedError, match=r"od_flows\.csv"):
            published(ledger, request(), out=tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy")
    again = published(ledger, request(), out=tmp_path / "copy")  # the copy was damaged, the release is whole
    assert verify_bundle(again.folder, digest=again.digest)
    assert spent(ledger) == 1


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


def cut_at(step, ledger, monkeypatch):
    """A run that ends before a step."""
    with monkeypatch.context() as patch:
        place = makers if step == "measured" else publishing
        patch.setattr(place, step, lambda *_, **__: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request())
    return ledger.reservation("town", "first").number


def test_a_void_request_stays_void_and_its_budget_comes_back(monkeypatch):
    ledger = account()
    number = cut_at("measured", ledger, monkeypatch)
    curator.void(ledger, number, "the power went before anything was drawn")
    assert spent(ledger) == 0
    assert not list((places.home() / "private" / "chains").glob("*"))
    with pytest.raises(PrivacyError, match="given back"):
        published(ledger, request())


def test_what_was_committed_before_a_cut_is_found_when_the_ledger_is_opened(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(pending, "delivered", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request())
    assert ledger.reservation("town", "first").state == "committed"
    assert not (places.home() / "releases").exists()
    assert len(curator.releases(curator.default_ledger(), "town")) == 1


def test_a_bundle_that_is_whole_is_finished_without_its_trips(monkeypatch):
    ledger = account()
    cut_at("committed", ledger, monkeypatch)
    left = ledger.reservation("town", "first")
    monkeypatch.setattr(makers, "exact_answers", None)
    assert curator.finish(private([Trip("x", "A", "B")]), four_tiles(), left, ledger).charged == 1


def test_a_bundle_damaged_while_it_waited_was_never_seen_and_is_drawn_again(monkeypatch):
    ledger = account()
    cut_at("committed", ledger, monkeypatch)
    (waiting,) = (places.home() / "private" / "waiting").glob("town-*")
    (waiting / "tables" / "od_flows.csv").unlink()
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, ledger.reservation("town", "first").number, "it is damaged")
    receipt = published(ledger, request())
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert spent(ledger) == 1


def test_one_bad_bundle_does_not_stop_the_ledger():
    published(account(), request())
    for number, bad in enumerate(
        ('{"ledger_entry": {"ledger": "x", "number": Infinity, "hash": "1"}}', "[", "{}")
    ):
        place = places.home() / "releases" / f"bad-{number}" / "manifest.json"
        place.parent.mkdir()
        place.write_text(bad, encoding="utf-8")
    assert len(curator.releases(curator.default_ledger(), "town")) == 1


def test_what_was_drawn_is_never_given_back(monkeypatch):
    ledger = account()
    number = cut_at("committed", ledger, monkeypatch)
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, number, "nobody saw it")
    assert spent(ledger) == 1
    assert published(ledger, request()).charged == 1
    with pytest.raises(LedgerError, match="not open"):
        curator.void(ledger, number, "it is published")


@pytest.mark.parametrize("left", ["parts", "nothing"])
def test_noise_that_was_written_in_part_is_never_given_back(left, monkeypatch):
    """A killed run leaves the parts, a failed one removes them: either way somebody could have looked before."""
    ledger, seen = account(), []

    def cut(folder, _):
        seen.append((folder / "tables" / "od_flows.csv").read_bytes())
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_read_back", cut)
        if left == "parts":
            patch.setattr(writing.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Cut):
            published(ledger, request())
    waiting = places.home() / "private" / "waiting"
    assert seen
    assert bool([*waiting.glob(".town-*/bundle/manifest.json")]) is (left == "parts")
    if left == "parts":
        next(waiting.glob(".town-*.drawn")).unlink()  # as earlier versions left it
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, ledger.reservation("town", "first").number, "nobody saw it")
    assert published(ledger, request()).charged == spent(ledger) == 1
    assert not [*waiting.glob(".town-*")]


def test_another_computer_neither_finishes_nor_gives_back_what_was_begun_here(tmp_path, monkeypatch):
    ledger = account()
    number = cut_at("measured", ledger, monkeypatch)
    city = trips()
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "other"))
    with pytest.raises(PrivacyError, match="another computer"):
        curator.void(ledger, number, "not drawn")
    with pytest.raises(PrivacyError, match="nonce"):
        curator.publish(city, four_tiles(), request(), ledger)
    assert not (tmp_path / "other" / "releases").exists()


def test_a_second_draw_of_a_copied_computer_is_never_shown(tmp_path, monkeypatch):
    """A copy of the data folder, made while a release waited, draws again: the ledger knows one of the two."""
    ledger = account()
    cut_at("write_bundle", ledger, monkeypatch)
    shutil.copytree(places.home(), tmp_path / "copy")
    city = trips()
    published(ledger, request())
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "copy"))
    with pytest.raises(LedgerError):
        curator.publish(city, four_tiles(), request(), ledger)
    assert not (tmp_path / "copy" / "releases").exists()


@pytest.mark.parametrize(
    "place", ["publishing.last_seen.remember", "publishing.accounts.noted_files", "publishing.committed"]
)
def test_whatever_fails_after_the_charge_is_told_as_paid(place, monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(f"dpcore.curator.{place}", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(UnfinishedError, match="nonce first"):
            published(ledger, request())
    assert published(ledger, request()).charged == 1
    assert spent(ledger) == 1


def test_a_failure_after_the_charge_says_that_it_is_paid_and_how_to_go_on(monkeypatch):
    ledger = account()
    for error in (InputError("the folder cannot be written", "there", "Free some."), ValueError(CANARY)):
        with monkeypatch.context() as patch:
            patch.setattr(publishing, "write_bundle", lambda *_, error=error: (_ for _ in ()).throw(error))
            with pytest.raises(UnfinishedError, match="nonce first") as told:
                published(ledger, request())
        assert CANARY not in str(told.value)
        assert told.value.__cause__ is None
    assert spent(ledger) == 1
    assert published(ledger, request()).charged == 1


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
