"""kill -9 at random moments of a release: the books balance, every nonce is one charge and one release."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from fractions import Fraction

import pytest

from dpcore import curator, places
from dpcore.release import verify_bundle
from tests.cities import four_tiles
from tests.curator.asking import account, request, spent, trips

EPSILON = "0.05"


def release_in_a_process(home, nonce):
    os.environ["EPSILON_ATLAS_HOME"] = home
    curator.publish(trips(), four_tiles(), request(EPSILON, nonce), curator.default_ledger())


def killed(kills: int, home: str) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.curator.test_killed"])
    moments = random.Random(20_261_121)
    ledger = account("20")
    died = 0
    for kill in range(kills):
        process = context.Process(target=release_in_a_process, args=(home, f"n{kill}"))
        process.start()
        process.join(moments.uniform(0.02, 0.6))
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
            died += 1
        process.join()
    ledger.verify()
    before = spent(ledger)
    started = round(before / Fraction(EPSILON))
    assert before == started * Fraction(EPSILON) <= kills * Fraction(EPSILON)
    assert died > kills // 10, "too few were killed to say anything"
    city = trips()
    digests = set()
    for kill in range(kills):
        receipt = curator.publish(city, four_tiles(), request(EPSILON, f"n{kill}"), curator.default_ledger())
        verify_bundle(receipt.folder, digest=receipt.digest)
        assert curator.committed_digest(ledger, receipt.release) == receipt.digest
        digests.add(receipt.digest)
    assert len(digests) == kills
    assert spent(ledger) == kills * Fraction(EPSILON)
    assert ledger.statement("town").open_reservations == ()
    assert len(list((places.home() / "releases").iterdir())) == kills
    left = [path.name for path in (places.home() / "private" / "waiting").iterdir()]
    assert all(name.endswith(".lock") for name in left), left
    curator.default_ledger().verify()


def test_ten_releases_killed_at_random_moments(own_home):
    killed(10, str(own_home))


@pytest.mark.audit
def test_two_hundred_releases_killed_at_random_moments(own_home):
    killed(200, str(own_home))
