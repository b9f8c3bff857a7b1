"""A ledger that version 0.2.0 wrote: its entries are read, what was left open is finished, and a release is raised.

The folder holds that ledger with the keys and counts of an invented town: a committed release of each kind, a reservation of
each kind that was never drawn, and two bundles that wait to be committed.
"""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from dpcore import curator
from dpcore.release import read_bundle, verify_bundle
from tests.cities import four_tiles
from tests.curator.asking import request, spent, trips
from tests.curator.asking_synthetic import asked, roy, stability, tree

HERE = Path(__file__).parent
BUNDLES = HERE.parent / "release" / "bundles_of_0_2_0"
SYNTHETIC = {"model": roy(), "stability": stability(), "tree": tree()}
SPENT = Fraction(129, 4)


@pytest.fixture
def ledger(own_home):
    shutil.copytree(HERE / "home_of_0_2_0", own_home, dirs_exist_ok=True)
    for bundle in BUNDLES.iterdir():
        shutil.copytree(bundle, own_home / "releases" / read_bundle(bundle).id)
    return curator.default_ledger()


def test_every_release_that_it_paid_for_is_the_one_that_it_knows(ledger):
    for bundle in BUNDLES.iterdir():
        verify_bundle(bundle, digest=curator.committed_digest(ledger, read_bundle(bundle)))
    assert spent(ledger) == SPENT


def test_everything_that_was_left_open_is_finished_without_a_second_charge(ledger, own_home):
    waiting = {
        place.name: read_bundle(place).id for place in (own_home / "private" / "waiting").glob("town-*")
    }
    left = ledger.statement("town").open_reservations
    assert len(left) == 6
    done = {}
    for reservation in left:
        done[reservation.nonce] = curator.finish(trips(), four_tiles(), reservation, ledger)
    assert ledger.statement("town").open_reservations == ()
    assert spent(ledger) == SPENT
    assert waiting == {one.release.id: one.release.id for nonce, one in done.items() if "waiting" in nonce}
    for name, choices in SYNTHETIC.items():
        release = done[f"unfinished {name}"].release
        assert (release.plan, release.note) == (choices, "two\nlines")
    plan = done["unfinished tables"].release.plan
    assert (plan.five_numbers, plan.ranges, plan.false_flows) == (2, Fraction(1, 10), 2)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_the_same_request_is_the_same_release_and_the_same_terms(name, ledger):
    again = curator.publish(trips(), four_tiles(), asked(SYNTHETIC[name], name), ledger)
    assert (again.repeated, again.release.id) == (True, read_bundle(BUNDLES / name).id)
    assert spent(ledger) == SPENT


def test_the_same_request_of_tables_is_the_same_release(ledger):
    again = curator.publish(trips(), four_tiles(), request(nonce="plain"), ledger)
    assert (again.repeated, again.release.id) == (True, read_bundle(BUNDLES / "raised").raised_from)


def test_a_release_of_then_is_raised_for_the_difference(ledger):
    name = read_bundle(BUNDLES / "raised").id
    higher = curator.top_up(ledger, name, Fraction(3), nonce="once more")
    assert (higher.charged, higher.release.raised_from) == (1, name)
