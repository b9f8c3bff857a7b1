"""Trees of trajectories from the command line: options, what is charged, and files of levels."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction

import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore.command_line.main import _parser
from dpcore.command_line.paying import promised_bound
from dpcore.errors import InputError
from dpcore.kinds.tree import command as synth_tree
from dpcore.kinds.tree.choices import CHOICES, Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.levels import DESCRIPTORS
from dpcore.kinds.tree.levels_file import write_levels
from dpcore.kinds.tree.tree import Consistency
from dpcore.planning.choice import given_arguments
from dpcore.privacy import ContributionBound
from dpcore.release import kind_of
from dpcore.tiles import read_tessellation
from tests.command_line.conftest import unseen
from tests.curator.asking_synthetic import WEEK
from tests.synthesis.tree.growing import PROMISES

ERROR = re.compile(r"(note: .+\n)*error: [^:]+: .+\. .+\n")
PEOPLE = ContributionBound.per_user(5)
USER = ("--privacy-unit", "user", "--max-trips", "5")
PERSON = ("--privacy-unit", "user")
TRIP = ("--privacy-unit", "trip")
DAY = ("--trajectory", "day", "--minutes", "60", "--outside", "place")


@pytest.fixture(scope="module")
def city(city_of_twelve):
    return city_of_twelve


@pytest.fixture
def levels(city, tmp_path):
    """Files of levels by name; the first tile is Low, the second High."""
    tiles = read_tessellation(city / "tiles.geojson", name="tiles.geojson")
    named = ((tiles.tile_ids[0], "Low"), (tiles.tile_ids[1], "High"))
    text = "tile_id,privacy\n" + "".join(f"{tile},{name}\n" for tile, name in named)
    files = {
        "geojson": write_levels(tiles, named, DESCRIPTORS),
        "csv": text.encode(),
        "unknown": b"tile_id,privacy\nnowhere,Low\n",
        "secret": f"tile_id,privacy\n{tiles.tile_ids[0]},Secret\n".encode(),
        "no": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return {name: tmp_path / name for name in files} | {"missing": tmp_path / "missing"}


@pytest.fixture
def tree(run, city, tmp_path, levels):
    """`synth trajectory-tree` with the usual options, which the words given may override or add to."""

    def command(*words: object, file: str | None = "geojson", unit=USER, epsilon="0.2", out="bundle"):
        given = () if file is None else ("--levels", levels[file])
        return run(
            *("synth", "trajectory-tree", "--trips", city / "trips.parquet"),
            *("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin", *unit),
            *("--epsilon", epsilon, "--out", tmp_path / out),
            *("--ledger", tmp_path / "ledger.db", "--dataset", "city", *given, *words),
        )

    return command


def manifest(folder):
    return json.loads((folder / "manifest.json").read_bytes())


def test_a_tree_is_written_charged_with_what_a_record_can_lose_and_verifies(run, tree, city, tmp_path):
    code, out, err = tree("--height", "3", "--dates", "2024-03-04/2024-03-31")
    assert code == 0, err
    assert (
        "charged 2.5, left 7.5" in out
    )  # 0.2 for Critical, twice and a half of it for Low, times five trips
    assert (
        "epsilon of a visit, by level of the place, for one person: Critical 1, High 1.25, Low 2.5\n" in out
    )
    assert "epsilon of the whole record of one person: 2.5\n" in out
    bundle, ledger = tmp_path / "bundle", tmp_path / "ledger.db"
    told = manifest(bundle)
    assert told["method"]["height"] == 3
    assert told["method"]["period"] == {"first": "2024-03-04", "last": "2024-03-31"}
    assert [one["places"] for one in told["levels"]["descriptors"]] == [0, 1, 0, 1, 10]
    assert run("verify", bundle)[0] == run("verify", bundle, "--ledger", ledger)[0] == 0
    assert run("ledger", "verify", ledger)[0] == 0
    explained = run("ledger", "explain", ledger, "--dataset", "city")[1]
    assert "Low of weight 2/5: 0.2 / (2/5) = 0.5" in explained
    assert run("ledger", "entries", ledger)[0] == 0
    files = ("--trips", bundle / "trips.parquet", "--tiles", city / "tiles.geojson")
    assert run("exact", "visits_per_tile", *files, "--timezone", "Europe/Berlin")[0] == 0
    assert (
        run("top-up", told["release"]["id"], "--epsilon", "9", "--out", tmp_path / "x", "--ledger", ledger)[0]
        == 2
    )


def test_what_levels_buy_at_each_epsilon_is_printed_for_the_owner_and_nothing_is_charged(
    run, city, levels, tmp_path
):
    code, out, err = run(
        *("synth", "levels", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
        *(
            "--timezone",
            "Europe/Berlin",
            "--privacy-unit",
            "trip",
            "--levels",
            levels["geojson"],
            "--height",
            "3",
        ),
        *("--epsilons", "0.2,1", "--runs", "2"),
    )
    assert code == 0, err
    assert "for your eyes only" in err
    head, *lines = out.splitlines()
    assert head == (
        "epsilon,record,error,error_sigma,uniform_error,uniform_error_sigma,uniform_error_same_record,uniform_error_same_record_sigma"
    )
    assert [line.split(",")[:2] for line in lines] == [["0.2", "0.5"], ["1", "2.5"]]
    assert not (tmp_path / "ledger.db").exists()
    tiles = dpcore.load_tiles(city / "tiles.geojson")
    trips = dpcore.load_trips(city / "trips.parquet", tiles, timezone="Europe/Berlin")
    plan = dpcore.tree_plan(
        ContributionBound.per_trip(), "1", height=3, levels=levels["geojson"], tiles=tiles
    )
    assert [*dpcore.levels_study(trips, tiles, plan, epsilons=["1"], runs=2)["record"]] == ["2.5"]


def test_levels_in_a_table_are_those_of_the_map(tree, tmp_path):
    assert tree(out="a")[0] == tree(file="csv", out="b")[0] == 0
    one, two = (manifest(tmp_path / name)["method"] for name in "ab")
    assert one == two


def test_without_levels_everything_is_critical_and_costs_epsilon_for_each_trajectory(tree, tmp_path):
    code, out, err = tree(file=None)
    assert code == 0, err
    assert "charged 1, left 9" in out
    assert manifest(tmp_path / "bundle")["levels"]["descriptors"][-1]["places"] == 12


@pytest.mark.parametrize("bound", ["--max-days", "--max-trips"])
def test_days_of_a_person_are_bounded_by_days(tree, tmp_path, bound):
    code, out, err = tree(*DAY, bound, "4", unit=PERSON)
    assert code == 0, err
    assert "charged 2, left 8" in out
    told = manifest(tmp_path / "bundle")
    assert told["method"]["making"] == {"source": "day", "minutes": 60, "outside": "place"}
    assert (told["method"]["max_trips"], told["trips"]["file"]) == (4, None)
    assert not (tmp_path / "bundle" / "trips.parquet").exists()
    assert (
        pq.read_metadata(tmp_path / "bundle" / "trajectories.parquet").num_rows
        == told["trajectories"]["rows"]
    )


@pytest.mark.parametrize(
    ("words", "strategy"),
    [
        ((), "adaptive"),
        (("--promise", "record"), "record"),
        (("--promise", "record", "--strategy", "uniform", "--consistency", "slack"), "uniform"),
        (("--strategy", "non-adaptive"), "non-adaptive"),
    ],
)
def test_the_usual_strategy_keeps_the_promise(tree, tmp_path, words, strategy):
    assert tree(*words)[0] == 0
    assert manifest(tmp_path / "bundle")["method"]["strategy"] == strategy


def test_the_printed_command_makes_such_a_release_again(run, tree, city, levels, tmp_path):
    assert tree(*DAY, "--max-days", "3", "--promise", "record", unit=PERSON)[0] == 0
    told = manifest(tmp_path / "bundle")
    stands_for = {
        "TRIPS": city / "trips.parquet",
        "TILES": city / "tiles.geojson",
        "LEVELS": levels["geojson"],
        "DIR": tmp_path / "again",
    }
    words = [stands_for.get(word, word) for word in shlex.split(told["command"])[3:]]
    assert run(*words, "--ledger", tmp_path / "ledger.db")[0] == 0
    assert manifest(tmp_path / "again")["method"] == told["method"]


def test_the_same_nonce_costs_once_and_gives_the_same_tree(tree, tmp_path):
    assert tree("--nonce", "monday", out="a")[0] == tree("--nonce", "monday", out="b")[0] == 0
    one, two = ((tmp_path / name / "tree.parquet").read_bytes() for name in "ab")
    assert one == two


def test_a_refused_spend_ends_with_three_and_writes_nothing(tree, tmp_path):
    code, out, err = tree(epsilon="2")
    assert (code, out) == (3, "")
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "bundle").exists()


REFUSED = {
    "height 0": (("--height", "0"), {}),
    "height beyond": (("--height", "65"), {}),
    "no interval": (("--minutes", "0"), {}),
    "a day of a trip": (("--trajectory", "day"), {"unit": TRIP}),
    "days of trips": (("--max-days", "3"), {"unit": PERSON}),
    "a bound twice": ((*DAY, "--max-days", "3"), {}),
    "a user without a bound": (DAY, {"unit": PERSON}),
    "an allocation that does not keep the promise": (("--promise", "record", "--strategy", "adaptive"), {}),
    "another allocation": (("--strategy", "best"), {}),
    "another promise": (("--promise", "all"), {}),
    "no consistency": (("--consistency", "all"), {}),
    "outside of everything": (("--outside", "elsewhere"), {}),
    "no period": (("--dates", "2024-03-05/2024-03-04"), {}),
    "epsilon 0": ((), {"epsilon": "0"}),
    "epsilon beyond": ((), {"epsilon": "21"}),
    "epsilon too small for the height": (("--height", "64"), {"epsilon": "0.001"}),
    "delta": (("--delta", "0.000001"), {}),
    "an unknown tile": ((), {"file": "unknown"}),
    "an unknown level": ((), {"file": "secret"}),
    "no levels": ((), {"file": "no"}),
    "no file": ((), {"file": "missing"}),
    "a trip in an account of users": (("--account-unit", "user"), {"unit": TRIP}),
}


def test_a_day_without_a_bound_asks_for_days_and_a_height_names_its_limits(tree):
    assert "--max-days 5" in tree(*DAY, unit=PERSON)[2]
    assert "a whole number from 1 to 64" in tree("--height", "1000000")[2]


def test_other_synthetic_trips_print_no_levels(run, city, tmp_path):
    code, out, _ = run(
        *("synth", "stability", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
        *("--timezone", "Europe/Berlin", *USER, "--epsilon", "1", "--out", tmp_path / "large"),
        *("--ledger", tmp_path / "ledger.db", "--dataset", "city", "--combinations", "on_loc"),
    )
    assert code == 0
    assert "whole record" not in out


@pytest.mark.parametrize(("words", "options"), REFUSED.values(), ids=REFUSED)
def test_bad_input_ends_with_two_and_one_line(tree, tmp_path, words, options):
    code, out, err = tree(*words, **options)
    assert (code, out) == (2, ""), err
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "bundle").exists()
    assert unseen()


@pytest.mark.parametrize(
    "words", [("--runs", "1"), ("--epsilons", "21"), ("--height", "64", "--epsilons", "0.001")]
)
def test_a_study_of_levels_that_is_refused_is_no_look(run, city, words):
    asked = ("synth", "levels", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson")
    asked += ("--timezone", "Europe/Berlin", "--privacy-unit", "trip")
    assert run(*asked, *words)[0] == 2
    assert unseen()


def test_a_study_of_levels_in_a_notebook_is_a_look(city):
    tiles = dpcore.load_tiles(city / "tiles.geojson")
    trips = dpcore.load_trips(city / "trips.parquet", tiles, timezone="Europe/Berlin")
    plan = dpcore.tree_plan(ContributionBound.per_trip(), "1", height=2)
    with pytest.raises(InputError):
        dpcore.levels_study(trips, tiles, plan, epsilons=["1"], runs=1)
    assert unseen()
    dpcore.levels_study(trips, tiles, plan, epsilons=["1"], runs=2)
    assert not unseen()


CHOSEN = [
    *(TreeChoices(PEOPLE, Fraction(1, 5), consistency=how) for how in Consistency),
    *(
        TreeChoices(PEOPLE, Fraction(1), 3, making=Making(source, minutes, outside))
        for source in Source
        for minutes in (None, 15)
        for outside in Outside
    ),
    *(
        TreeChoices(bound, Fraction(1, 1000), 2, definition=definition, strategy=strategy, period=WEEK)
        for bound in (PEOPLE, ContributionBound.per_trip())
        for definition, strategy in PROMISES
    ),
]


@pytest.mark.parametrize("choices", CHOSEN, ids=str)
def test_the_printed_command_names_the_same_choices(choices):
    command = kind_of(choices).command(choices, "town", "Europe/Berlin")
    options = _parser().parse_args(shlex.split(command)[3:])
    synth_tree._days_are_trips(options)
    said = given_arguments(options, CHOICES) | {"period": options.dates}
    assert dpcore.tree_plan(promised_bound(options), options.epsilon, **said) == choices
