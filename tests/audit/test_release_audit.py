"""Statistics of published ladders: what lies in two thousand bundles has the law that the manifest states."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator
from dpcore.measures import MEASURES
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release import read_bundle
from tests.cities import four_tiles
from tests.curator.asking import account, request, trips
from tests.test_ladder import joint_fit, marginal_fit

pytestmark = pytest.mark.audit

LEVEL = 1e-9
RELEASES = 2_000


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Values of every measure in many bundles read back from disk: (releases, rungs, cells)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(tmp_path_factory.mktemp("audit-home")))
        city, seen = trips(), {}
        for start in range(0, RELEASES, 10):  # an account holds ten of them
            ledger = account("10", dataset=f"town{start}")
            for number in range(start, start + 10):
                asked = request(nonce=f"n{number}", dataset=f"town{start}")
                receipt = curator.publish(city, four_tiles(), asked, ledger)
                release = read_bundle(receipt.folder)
                for name, measurement in release.measurements.items():
                    seen.setdefault(name, []).append(measurement.values)
                last = release
        answers = exact_answers(bounded(city, last.plan.bound), [MEASURES[name] for name in seen])
        yield {name: np.stack(values) for name, values in seen.items()}, last, answers


def test_every_rung_of_every_table_has_its_stated_law_alone_and_together(bundles):
    values, release, answers = bundles
    for name, table in values.items():
        measurement = release.measurements[name]
        exact = answers.dense(MEASURES[name], measurement.keys)
        noise = table - exact
        rungs = range(len(measurement.rungs))
        rhos = [measurement.rho(rung) for rung in rungs]
        flat = [noise[:, rung].ravel() for rung in rungs]
        for rung in rungs:
            assert marginal_fit(flat[rung], rhos[rung]) > LEVEL, (name, rung)
            assert marginal_fit(flat[rung], rhos[rung] * Fraction(7, 10)) < LEVEL
        for low, high in zip(rungs, list(rungs)[1:], strict=False):
            assert joint_fit(flat[low], flat[high], rhos[low], rhos[high]) > LEVEL, (name, low)
