"""The published mechanism, for study: its real price, its phantoms, and what its figure cannot have come from."""

import copy
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api import owner
from dpcore.errors import PrivacyError
from dpcore.kinds.roy import hubway as demo
from dpcore.kinds.roy.article import PAPER, PRINTED, RULE, Outliers
from dpcore.kinds.roy.choices import domain_of
from dpcore.kinds.roy.figure import TIMES_OF_DAY, figure
from dpcore.kinds.roy.private import paper as paper_module
from dpcore.kinds.roy.private.paper import PaperNoise, paper_cost, paper_study
from dpcore.kinds.roy.private.preview import trips_within
from dpcore.kinds.roy.private.station_trips import PrivateColumns, StationTrips
from pages.owner.parts.synthesize.words import OUTLIERS
from tests.conftest import ROOT
from tests.synthesis.small import domain, private, some_trips

EPSILON = Fraction(9, 10)


@pytest.fixture(scope="module")
def invented():
    return demo.hubway()


@pytest.fixture(scope="module")
def studies(invented):
    trips = StationTrips(invented.domain, PrivateColumns.of(invented.trips))
    return {noise: paper_study(trips, EPSILON, noise, 1) for noise in PaperNoise}


def test_five_groups_cost_five_epsilon_and_half_of_that_under_add_remove(studies):
    assert studies[PaperNoise.FULL].cost == paper_cost(5, EPSILON, PaperNoise.FULL)
    costs = {noise: (study.cost.replace_one, study.cost.add_remove) for noise, study in studies.items()}
    assert costs == {
        PaperNoise.FULL: (Fraction("4.5"), Fraction("2.25")),
        PaperNoise.FULL_HALF: (Fraction(9), Fraction("4.5")),
        PaperNoise.OCCUPIED: (None, None),
        PaperNoise.OCCUPIED_HALF: (None, None),
    }


def test_noise_on_every_cell_makes_more_phantoms_than_there_are_trips(studies):
    phantoms = {noise: study.phantoms for noise, study in studies.items()}
    assert 2.3e6 < phantoms[PaperNoise.FULL] < 2.6e6
    assert phantoms[PaperNoise.OCCUPIED] == phantoms[PaperNoise.OCCUPIED_HALF] == 0


def test_the_printed_days_can_only_come_from_noise_on_occupied_cells(studies, invented):
    """Printed: .52 to .54 per cent for days that have .54 to .56."""
    top = [(day - demo.PERIOD.first).days for day in demo.DAYS]
    shares = {noise: figure(s.trips, invented.domain).days[top].mean() for noise, s in studies.items()}
    assert shares[PaperNoise.FULL] < 0.26
    assert 0.28 < shares[PaperNoise.FULL_HALF] < 0.36
    assert 0.43 < shares[PaperNoise.OCCUPIED] < 0.49
    assert shares[PaperNoise.OCCUPIED_HALF] > 0.49


def test_a_study_has_as_many_trips_as_the_cleaned_data_and_plausible_ones(studies, invented):
    study = studies[PaperNoise.FULL]
    assert len(study.trips) == study.cleaned < len(invented.trips)
    for name, size in invented.domain.sizes.items():
        codes = study.trips.codes(invented.domain, name)
        assert 0 <= codes.min() <= codes.max() < size
    assert study.trips.seconds.min() >= 1


def test_a_study_can_never_become_a_release(studies):
    study = studies[PaperNoise.FULL]
    assert repr(study) == "<PaperStudy>"
    with pytest.raises(PrivacyError, match="cannot be pickled"):
        copy.deepcopy(study)
    assert type(study).__module__.startswith("dpcore.kinds.roy.private.")


@pytest.mark.parametrize("noise", PaperNoise)
def test_few_trips_none_and_a_row_of_zeros_give_some_data_set(noise):
    of = domain()
    for n in (0, 1, 30):
        study = paper_study(private(some_trips(n, of), of), Fraction(1, 10), noise, 0)
        assert len(study.trips) == study.cleaned <= n
    smaller = replace(of, area=None, person=())
    study = paper_study(private(some_trips(30, smaller), smaller), EPSILON, noise, 0)
    assert study.cost.groups == 3
    assert study.trips.extras == {}


@pytest.mark.parametrize("rule", Outliers)
def test_outliers_are_those_beyond_the_fences_of_the_rule(rule):
    """A hundred trips of 1,000 to 1,099 s on a short route, as many of 5,000 to 5,099 s on a long one, and three that stand out."""
    of = replace(domain(), area=None, person=())
    columns = some_trips(1, of).at(np.zeros(203, np.int64))
    far = np.r_[np.zeros(100), np.ones(100), 0, 0, 1].astype(np.int32)
    seconds = np.r_[np.arange(1_000, 1_100), np.arange(5_000, 5_100), 1_180, 5_000, 40_000].astype(np.int32)
    trips = replace(columns, end=far, seconds=seconds)
    kept = paper_study(private(trips, of), EPSILON, PaperNoise.FULL, 0, outliers=rule).cleaned
    # 1,180 s lies more than 1.5 but less than 3 times the range of about 50 beyond; 5,000 s is long on the short route alone
    assert kept == {Outliers.ATTRIBUTE: 202, Outliers.PAIR: 201, Outliers.NARROW: 200}[rule]


def test_the_rules_leave_out_of_the_built_in_city_what_page_and_docs_say():
    trips, tiles = owner.demo_city()
    own = trips_within(trips, tiles, domain_of(tiles, owner.observed_period(trips)))
    smaller = replace(own.domain, area=None, person=())
    said = []
    for rule in Outliers:
        kept = paper_module._cleaned(own.columns, smaller.sizes["start"], rule)
        said.append(f"{100 - 100 * len(kept) / len(own.columns):.2f}")
    assert said == ["0.08", "0.52", "2.33"]
    docs = (ROOT / "docs" / "explanation" / "synthesis.md").read_text(encoding="utf-8")
    for rule, share in zip(Outliers, said, strict=True):
        assert re.search(rf"`{rule.value}`: .*\| {share} % \|", docs)
    assert f"{said[0]}, {said[1]} and {said[2]} %" in OUTLIERS


def test_the_docs_tell_what_the_article_prints_and_what_is_ours():
    docs = (ROOT / "docs" / "explanation" / "synthesis.md").read_text(encoding="utf-8")
    for metric, (mean, sigma) in PRINTED.items():
        assert re.search(rf"^\| {metric} \| .+ \| {mean} \| {sigma} \|$", docs, re.MULTILINE)
    for name, (low, high) in TIMES_OF_DAY.items():
        for text in (docs, PAPER):
            assert f"{name} {low} to {high}" in text
    assert f'"{RULE}"' in docs
