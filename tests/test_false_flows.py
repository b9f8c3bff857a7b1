"""One number from the command line or the page to the mechanism, the ledger and the bundle, and back."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator, limits
from dpcore.command_line.main import main
from dpcore.errors import BundleError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan, exact_false_flows
from dpcore.noise.mechanisms import measured, raised
from dpcore.noise.sparse import threshold_for
from dpcore.privacy import ContributionBound
from dpcore.release import read_bundle, write_bundle
from dpcore.release.kinds.tables import TABLES
from dpcore.views.ground.shown import released_numbers
from dpcore.views.numbers.flows import first_flows, flows_table
from tests.cities import four_tiles
from tests.curator.asking import CHOICES, account, request, trips
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite

USER = ContributionBound.per_user(3)
WEIGHTS = {"od_flows": 1}
ALLOWED = Fraction(10_000)


def plan(**changes):
    return Plan.up_to(USER, WEIGHTS, "2", CHOICES, **changes)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", Fraction(1)), (" 100 ", Fraction(100)), ("0.1", Fraction(1, 10)), ("1000000", Fraction(10**6))],
)
def test_a_number_of_false_flows_is_read_exactly(text, number):
    assert exact_false_flows(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "1e3", "0.0001", "1000001", "", "one", "1,000", "inf", "٣"])
def test_other_texts_are_refused_and_it_is_said_what_to_give(text):
    with pytest.raises(PrivacyError, match="not a number of false flows") as caught:
        exact_false_flows(text)
    assert "such as 100" in str(caught.value)


@pytest.mark.parametrize("number", [100.0, 100, Fraction(0), Fraction(1, 3), Fraction(2 * 10**6), None])
def test_a_plan_takes_exact_numbers_in_range_only(number):
    with pytest.raises(PrivacyError, match="not a number of false flows"):
        plan(false_flows=number)


def test_the_threshold_of_the_mechanism_is_that_of_the_plan():
    keys = MEASURES["od_flows"].keys(tuple(f"{i:03}" for i in range(600)))
    none = np.zeros(0, np.int64)
    found = {
        many: measured(
            MEASURES["od_flows"], keys, none, none, plan(false_flows=Fraction(many)), origin="preview"
        )
        for many in (1, 100, 10_000)
    }
    for many, one in found.items():
        assert one.threshold == threshold_for(601**2, Fraction(2, 3), Fraction(many))
        assert one.expected_false == many
    # the law is tested in test_mechanisms.py: here that the number arrives at all
    assert len(found[10_000].cells) > 3_000
    assert len(found[100].cells) < 300


def test_plans_and_bundles_in_which_nothing_is_chosen_are_written_as_before(tmp_path):
    asked = request()
    assert "false_flows" not in asked.terms("tiles", "UTC", "here")
    assert "--false-flows" not in TABLES.command(asked.plan, "town", "UTC")
    write_bundle(made_release(weights=WEIGHTS, sparse=True, period=None), tmp_path / "b")
    document = manifest(tmp_path / "b")
    assert "false_flows" not in document
    assert set(document["measures"][0]["listing"]) == {"threshold", "listed_at"}
    assert read_bundle(tmp_path / "b").plan.false_flows == USUAL_FALSE_FLOWS


def test_terms_of_the_ledger_hold_the_number_and_give_the_same_request_again():
    asked = request(plan=plan(false_flows=Fraction(1, 10)))
    terms = asked.terms("tiles", "UTC", "here")
    assert terms["false_flows"] == "0.1"
    again = curator.Request.of_terms(asked.dataset, asked.nonce, asked.part, json.loads(json.dumps(terms)))
    assert again == asked
    with pytest.raises(PrivacyError):
        curator.Request.of_terms(asked.dataset, asked.nonce, asked.part, {**terms, "false_flows": "many"})


def test_the_command_that_repeats_a_release_names_the_number():
    words = TABLES.command(plan(false_flows=Fraction(100)), "town", "UTC")
    assert "--false-flows 100 " in words


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "b"
    write_bundle(made_release(weights=WEIGHTS, sparse=True, period=None, false_flows=ALLOWED), folder)
    return folder


@pytest.fixture
def bundle(written, tmp_path):
    return shutil.copytree(written, tmp_path / "b")


def test_a_bundle_holds_the_number_and_gives_it_back(bundle):
    assert manifest(bundle)["false_flows"] == "10000"
    release = read_bundle(bundle)
    flows = release.measurements["od_flows"]
    assert (release.plan.false_flows, flows.expected_false) == (ALLOWED, ALLOWED)
    assert flows.threshold == threshold_for(flows.keys.size, flows.rho(-1), ALLOWED)
    for name in ("README.md", "registry.yaml"):
        told = " ".join((bundle / name).read_text(encoding="utf-8").split())
        assert "10,000 whose count is zero are listed by chance" in told


def put(name, value):
    return lambda document: document.update({name: value})


def listed_from(more):
    def change(document):
        document["measures"][0]["listing"]["threshold"] += more

    return change


@pytest.mark.parametrize(
    "change",
    [
        put("false_flows", "100"),
        put("false_flows", "1"),
        put("false_flows", None),
        put("false_flows", "10000.0"),
        put("false_flows", "1e4"),
        put("false_flows", 10_000),
        lambda document: document.pop("false_flows"),
        listed_from(1),
        listed_from(-1),
        listed_from(-(10**6)),
    ],
)
def test_a_number_or_threshold_that_does_not_belong_to_the_bundle_is_refused(bundle, change):
    rewrite(bundle, change)
    with pytest.raises(BundleError):
        read_bundle(bundle)


def test_the_number_goes_from_request_to_release_and_stays_when_it_is_raised(monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    ledger = account()
    asked = request(plan=plan(false_flows=Fraction(2)))
    receipt = curator.publish(trips(), four_tiles(), asked, ledger)
    assert read_bundle(receipt.folder).plan == asked.plan
    raised = curator.top_up(ledger, receipt.release.id, Fraction(5), nonce="up").release
    flows = raised.measurements["od_flows"]
    assert (raised.plan.false_flows, flows.expected_false) == (2, 2)
    assert flows.threshold == receipt.release.measurements["od_flows"].threshold


def test_the_option_reaches_the_bundle_and_says_where_it_has_no_part(tmp_path, capsys, monkeypatch):
    city = tmp_path / "city"
    main(["demo", "--trips", "2000", "--tiles", "30", "--seed", "7", "--out", str(city)])

    def release(out, *more):
        return main(
            [
                *("release", "--trips", str(city / "trips.parquet"), "--tiles", str(city / "tiles.geojson")),
                *("--timezone", "Europe/Berlin", "--privacy-unit", "trip", "--epsilon", "1"),
                *("--ledger", str(tmp_path / "ledger.db"), "--dataset", "city", "--out", str(tmp_path / out)),
                *("--measures", "od_flows", *more),
            ]
        )

    capsys.readouterr()
    assert release("dense", "--false-flows", "5") == 0
    assert "--false-flows has no effect" in capsys.readouterr().err
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 100)
    assert release("sparse", "--false-flows", "5") == 0
    assert "no part" not in capsys.readouterr().err
    document = manifest(tmp_path / "sparse")
    assert document["false_flows"] == "5"
    assert "--false-flows 5 " in document["command"]
    assert release("many", "--false-flows", "lots") != 0
    assert "not a number of false flows" in capsys.readouterr().err


def test_flows_between_20_000_tiles_pass_without_a_table_of_all_pairs():
    """400 million pairs: one byte for each would be 400 MB."""
    measure = MEASURES["od_flows"]
    keys = measure.keys(tuple(f"{i:05}" for i in range(20_000)))
    cells = np.arange(2_000, dtype=np.int64) * 200_000
    tracemalloc.start()
    flows = measured(measure, keys, cells, np.full(2_000, 500), plan(), origin="release")
    higher = raised(flows, np.full(len(flows.cells), 500), [Fraction(3)])
    keys.labels(higher.cell_numbers)
    shown = released_numbers(higher, 0)
    flows_table(shown, {}, first_flows(shown, 50).between)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 30e6
    assert flows.keys.size == 20_001**2
    assert 2_000 <= len(higher.cells) < 2_050
