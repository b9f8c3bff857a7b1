"""Publishing from the command line, as other tools rely on it: options, exit codes, what is printed."""

from __future__ import annotations

import json
import re

import pyarrow.parquet as pq
import pytest

from dpcore.command_line import paying
from dpcore.command_line.main import main
from dpcore.errors import InputError
from dpcore.measures import MEASURES
from tests.command_line.conftest import rows

ERROR = re.compile(r"(note: .+\n)*error: [^:]+: .+\. .+\n")
DATES = ("--dates", "2024-04-01/2024-04-28")


@pytest.fixture
def release(run, city, tmp_path):
    """`release` with the usual options, which the words given may override or add to."""

    def command(out: str, *words: object, epsilon="1", unit=("--privacy-unit", "user", "--max-trips", "5")):
        return run(
            *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *("--timezone", "Europe/Berlin", *unit, "--epsilon", epsilon, "--out", tmp_path / out),
            *("--ledger", tmp_path / "books" / "ledger.db", "--dataset", "city", *words),
        )

    return command


def test_a_release_its_tables_and_its_books(run, release, tmp_path):
    code, out, err = release("bundle", *DATES, "--districts", "4")
    assert code == 0, err
    assert re.search(r"^release city-3-[0-9a-f]{6}$", out, re.MULTILINE)
    assert "charged 1, left 9" in out
    assert "--nonce" in err
    assert json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    for measure, columns, cells in (
        ("visits_per_tile", ["tile_id"], 31),
        ("od_districts", ["origin", "destination"], 5 * 5),
        ("total_trips", ["statistic"], 1),
        ("incomplete_trips", ["statistic"], 1),
        ("trips_per_hour", ["kind", "day_type", "hour"], 96),
        ("trips_over_time", ["date"], 30),
        ("trips_per_weekday", ["weekday"], 7),
        ("visits_per_time_tile", ["day_type", "window", "tile_id"], 2 * 6 * 31),
        ("ds_statistics", ["statistic"], 5),
        ("trips_per_user", ["bin_start", "bin_end"], None),
        ("travel_time", ["bin_start", "bin_end"], 13),
        ("jump_length", ["bin_start", "bin_end"], 14),
        ("user_time_delta", ["bin_start", "bin_end"], 14),
        ("radius_of_gyration", ["bin_start", "bin_end"], 14),
        ("user_tile_count", ["bin_start", "bin_end"], 13),
        ("mobility_entropy", ["bin_start", "bin_end"], 10),
    ):
        code, out, _ = run("table", tmp_path / "bundle", measure, "--epsilon", "0.5")
        table = rows(out)
        assert code == 0
        assert list(table[0]) == [*columns, "value", "half_width_95"]
        assert cells is None or len(table) == cells
        assert all(re.fullmatch(r"-?\d+", row["value"]) for row in table)
        finest = rows(run("table", tmp_path / "bundle", measure)[1])
        assert int(finest[0]["half_width_95"]) < int(table[0]["half_width_95"])
    held = {table.stem for table in (tmp_path / "bundle" / "tables").glob("*.csv")}
    on_request = {"missing_values", "od_flows", "od_flows_per_window"}
    assert held == {*MEASURES} - on_request - {"trips_per_weekday", "ds_statistics"}  # these two are derived
    assert run("verify", tmp_path / "bundle", "--ledger", tmp_path / "books" / "ledger.db")[0] == 0
    code, out, _ = run("ledger", "show", tmp_path / "books" / "ledger.db")
    assert rows(out) == [
        {
            "dataset": "city", "account_unit": "user", "total": "10", "spent": "1", "left": "9",
            "spent_exact": "1:1", "open_reservations": "0",
        }
    ]  # fmt: skip
    assert "1" in run("ledger", "explain", tmp_path / "books" / "ledger.db", "--dataset", "city")[1]
    assert len(rows(run("ledger", "entries", tmp_path / "books" / "ledger.db")[1])) == 4


def test_the_same_nonce_costs_once_and_gives_the_same_tables(run, release, tmp_path):
    words = ("--nonce", "monday", "--measures", "visits_per_tile")
    assert release("a", *words)[0] == release("b", *words)[0] == 0
    one, two = (run("table", tmp_path / name, "visits_per_tile")[1] for name in "ab")
    assert one == two
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "1"


def test_without_a_nonce_each_run_is_a_release_of_its_own(run, release, tmp_path):
    words = ("--measures", "visits_per_tile")
    assert release("a", *words)[0] == release("b", *words)[0] == 0
    one, two = (run("table", tmp_path / name, "visits_per_tile")[1] for name in "ab")
    assert one != two
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "2"


def test_a_refused_spend_ends_with_three_and_writes_nothing(run, release, tmp_path):
    words = ("--total-budget", "1.5", "--measures", "trips_per_weekday")
    assert release("a", *words)[0] == 0
    code, out, err = release("b", *words)
    assert (code, out) == (3, "")
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "b").exists()
    assert release("c", *words, epsilon="0.5")[0] == 0
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["left"] == "0"


@pytest.mark.parametrize(
    "words",
    [
        ("--total-budget", "20"),
        ("--account-unit", "trip"),
        ("--privacy-unit", "trip", "--total-budget", "10"),
        ("--measures", "trips_over_time"),
        ("--measures", "nothing_of_the_kind"),
        ("--measures", "od_flows,od_flows"),
        ("--weights", "od_flows=0"),
        ("--weights", "od_flows=-1"),
        ("--weights", "nothing=2"),
        ("--max-trips", "0"),
        ("--max-trips", "2.5"),
        ("--epsilon", "0"),
        ("--epsilon", "-1"),
        ("--epsilon", "nan"),
        ("--epsilon", "1e9"),
        ("--epsilon", "21"),
        ("--dates", "2024-05-01/2024-04-01"),
        ("--dataset", "../up"),
        ("--dataset", "=1+1"),
        ("--dataset", ""),
        ("--nonce", "  "),
        ("--engine", "abacus"),
        ("--part", "north"),
    ],
)
def test_what_cannot_be_is_refused_with_two_and_costs_nothing(run, release, tmp_path, words):
    assert release("first", "--measures", "trips_per_weekday")[0] == 0
    unit = () if "--privacy-unit" in words else ("--privacy-unit", "user")
    bound = () if {"--max-trips", "--privacy-unit"} & set(words) else ("--max-trips", "5")
    code, out, err = release("second", *words, unit=(*unit, *bound))
    assert (code, out) == (2, "")
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "second").exists()
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "1"


def test_a_unit_is_asked_for_and_never_assumed(release):
    for unit in ((), ("--privacy-unit", "user"), ("--max-trips", "5")):
        code, _, err = release("x", unit=unit)
        assert code == 2
        assert ERROR.fullmatch(err), err


def test_a_trip_account_takes_both_units(run, release, tmp_path):
    words = ("--account-unit", "trip", "--measures", "visits_per_tile")
    assert release("user", *words)[0] == 0
    assert release("trip", *words, unit=("--privacy-unit", "trip"))[0] == 0
    shown = rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]
    assert (shown["account_unit"], shown["spent"], shown["spent_exact"]) == (
        "trip",
        "1.4",
        "7:5",
    )  # 2/5 for M = 5, and 1


def test_a_top_up_charges_the_difference(run, release, tmp_path):
    ledger = ("--ledger", tmp_path / "books" / "ledger.db")
    name = release("bundle", "--measures", "visits_per_tile")[1].split()[1]
    code, out, err = run("top-up", name, "--epsilon", "2", "--out", tmp_path / "higher", *ledger)
    assert code == 0, err
    assert "charged 1, left 8" in out
    coarse, still = (
        run("table", tmp_path / name, "visits_per_tile", "--epsilon", "1")[1] for name in ("bundle", "higher")
    )
    assert coarse == still
    assert run("top-up", name, "--epsilon", "3", "--out", tmp_path / "beside", *ledger)[0] == 2
    assert run("top-up", "city-99-abcdef", "--epsilon", "3", "--out", tmp_path / "no", *ledger)[0] == 2


def test_a_changed_bundle_is_found(run, release, tmp_path):
    release("bundle", "--measures", "visits_per_tile")
    place = tmp_path / "bundle" / "tables" / "visits_per_tile.csv"
    place.write_bytes(place.read_bytes().replace(b"1", b"2", 1))
    for command in (("verify", tmp_path / "bundle"), ("table", tmp_path / "bundle", "visits_per_tile")):
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert ERROR.fullmatch(err), err


def test_tables_are_read_at_released_rungs_only(run, release, tmp_path):
    release("bundle", "--measures", "visits_per_tile", epsilon="0.6")
    assert run("table", tmp_path / "bundle", "visits_per_tile", "--epsilon", "0.6")[0] == 0
    for epsilon in ("0.7", "1", "0.05"):
        code, _, err = run("table", tmp_path / "bundle", "visits_per_tile", "--epsilon", epsilon)
        assert code == 2
        assert "0.6" in err
    assert run("table", tmp_path / "bundle", "od_flows")[0] == 2
    assert run("table", tmp_path / "nowhere", "od_flows")[0] == 2


def test_a_place_that_cannot_be_written_is_refused_before_the_charge(run, release, tmp_path, city):
    release("first", "--measures", "trips_per_weekday")
    for place in (city / "trips.csv" / "x", city / "trips.csv"):
        assert release(place, "--measures", "trips_per_weekday")[0] == 2
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "1"


def test_a_new_ledger_is_told_and_every_command_has_its_help(release, capsys):
    assert "a new one begins" in release("a", "--measures", "trips_per_weekday")[2]
    assert "a new one begins" not in release("b", "--measures", "trips_per_weekday")[2]
    for words in (["--help"], ["release", "--help"], ["table", "--help"], ["ledger", "--help"]):
        with pytest.raises(SystemExit):
            main(words)
        assert "option_strings" not in capsys.readouterr().out


def test_an_account_is_opened_with_parts_and_a_reservation_given_back(run, tmp_path):
    ledger = tmp_path / "ledger.db"
    words = ("--dataset", "land", "--total-budget", "2", "--account-unit", "user")
    assert run("ledger", "register", ledger, *words, "--parts", "users:north,south")[0] == 0
    assert run("ledger", "register", ledger, *words, "--parts", "users:north,south")[0] == 0  # the same again
    assert run("ledger", "register", ledger, *words)[0] == 2
    assert run("ledger", "register", ledger, *words, "--parts", "days:a,b")[0] == 2
    assert run("ledger", "verify", ledger)[0] == 0
    assert run("ledger", "void", ledger, "2", "--reason", "never drawn")[0] == 2
    assert run("ledger", "show", tmp_path / "other.db")[0] == 2
    assert not (tmp_path / "other.db").exists()


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (
            """ride_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng
1,2024-04-01 08:00:00,2024-04-01 09:00:00,54.3,9.9,54.3,9.9
""",
            {
                "trips_per_user",
                "user_time_delta",
                "radius_of_gyration",
                "user_tile_count",
                "mobility_entropy",
            },
        ),
        (
            "user_id,started_at,ended_at,start_tile,end_tile\nu,2024-04-01 08:00:00,2024-04-01 09:00:00,a,b\n",
            {"jump_length", "radius_of_gyration"},
        ),
    ],
    ids=["no users", "no coordinates"],
)
def test_what_the_form_of_the_data_cannot_answer_is_left_out_unless_it_is_named(
    run, release, tmp_path, text, left_out
):
    file = tmp_path / "trips.csv"
    file.write_text(text, encoding="utf-8")
    unit = ("--privacy-unit", "trip")
    code, _, err = release("bundle", "--trips", file, "--yes", *DATES, unit=unit)
    assert code == 0, err
    held = {table.stem for table in (tmp_path / "bundle" / "tables").glob("*.csv")}
    derived = {"ds_statistics", "trips_per_weekday"}
    few_tiles, by_trip = {"od_districts"}, {"total_trips"}
    assert held == set(MEASURES) - left_out - derived - few_tiles - by_trip - {
        "missing_values",
        "od_flows_per_window",
    }
    for measure in sorted(left_out):
        code, _, err = release("named", "--trips", file, "--yes", "--measures", measure, unit=unit)
        assert code == 2
        assert "no user column" in err or "no coordinates" in err
    assert rows(run("ledger", "show", tmp_path / "books" / "ledger.db")[1])[0]["spent"] == "1"


def test_empty_fields_are_released_on_request(run, release, tmp_path):
    assert release("bundle", "--measures", "missing_values")[0] == 0
    code, out, _ = run("table", tmp_path / "bundle", "missing_values")
    assert code == 0
    assert [row["column"] for row in rows(out)] == ["uid", "tid", "datetime", "lat", "lng"]


CHOSEN = (
    *("--dates", "2024-04-01/2024-05-15", "--step", "week", "--windows", "6,12,18"),
    *("--bins", "travel_time=0:60:15", "--bins", "jump_length=0.5,1,2.50", "--points", "5"),
)


def test_steps_windows_and_bins_are_chosen_by_option(run, release, city, tmp_path):
    code, _, err = release(
        "bundle", *CHOSEN, "--measures", "trips_over_time,visits_per_time_tile,travel_time,jump_length"
    )
    assert code == 0, err
    told = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    assert told["key_choices"] == {
        "step": "week",
        "windows": [6, 12, 18],
        "visits_cap": 5,
        "edges": {"jump_length": ["0.5", "1", "2.5"], "travel_time": ["0", "15", "30", "45", "60"]},
    }
    assert "--step week --windows 6,12,18 --bins jump_length=0.5,1,2.5 --bins" in told["command"]
    dates = [row["date"] for row in rows(run("table", tmp_path / "bundle", "trips_over_time")[1])]
    assert dates[:3] == ["before", "2024-04-01", "2024-04-08"]
    windows = {row["window"] for row in rows(run("table", tmp_path / "bundle", "visits_per_time_tile")[1])}
    assert windows == {"6-12", "12-18", "18-6"}
    common = (
        "--trips",
        city / "trips.parquet",
        "--tiles",
        city / "tiles.geojson",
        "--timezone",
        "Europe/Berlin",
    )
    for name, column in (("travel_time", "bin_end"), ("jump_length", "bin_start")):
        noisy = rows(run("table", tmp_path / "bundle", name)[1])
        exact = rows(run("exact", name, *common, *CHOSEN)[1])
        assert [row[column] for row in noisy] == [row[column] for row in exact]


@pytest.mark.parametrize(
    "words",
    [
        ("--step", "year"),
        ("--windows", "6,x"),
        ("--windows", "6,30"),
        ("--bins", "od_flows=1,2"),
        ("--bins", "travel_time=9,1"),
        ("--bins", "travel_time=0:60:0"),
        ("--bins", "travel_time=0:60:7"),
        ("--bins", "travel_time"),
        ("--bins", "travel_time=1", "--bins", "travel_time=2"),
    ],
)
def test_keys_that_cannot_be_are_refused_before_anything_is_charged(release, tmp_path, words):
    code, _, err = release("bundle", *DATES, *words)
    assert code == 2
    assert ERROR.fullmatch(err), err
    assert not (tmp_path / "books").exists()


def test_what_a_form_without_people_has_not_is_neither_published_nor_paid_for(run, city, tmp_path):
    """Bike shares name nobody: no row of noise about 0 people, and none of the noise that it would cost."""
    trips = pq.read_table(city / "trips.parquet")
    assert "user_id" in trips.column_names
    unnamed = trips.rename_columns(["ride_id" if n == "user_id" else n for n in trips.column_names])
    pq.write_table(unnamed, tmp_path / "bikes.parquet")
    given = ("--trips", tmp_path / "bikes.parquet", "--tiles", city / "tiles.geojson")
    given = (*given, "--timezone", "Europe/Berlin")
    code, out, err = run("exact", "ds_statistics", *given)
    assert (code, [row["statistic"] for row in rows(out)]) == (
        0,
        ["trips", "records", "complete_trips", "incomplete_trips"],
    ), err
    books = ("--ledger", tmp_path / "ledger.db", "--dataset", "bikes", "--out", tmp_path / "bundle")
    plan = ("--privacy-unit", "trip", "--epsilon", "1", "--measures", "ds_statistics,visits_per_tile")
    code, _, err = run("release", *given, *books, *plan)
    assert code == 0, err
    code, out, err = run("table", tmp_path / "bundle", "ds_statistics")
    assert (code, [row["statistic"] for row in rows(out)]) == (
        0,
        ["trips", "records", "complete_trips", "incomplete_trips"],
    ), err
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    (stated,) = [one for one in manifest["measures"] if one["name"] == "ds_statistics"]
    assert stated["sensitivity"] == 4
    assert run("report", tmp_path / "bundle", "--out", tmp_path / "report.html")[0] == 0
    assert "people, trips" not in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "name"),
    [("May 2024.csv", "May-2024.csv"), ("-trips-.csv", "trips-.csv"), (f"{'a' * 79}-b.csv", "a" * 79)],
)
def test_a_data_set_without_a_name_is_called_as_its_file(file, name):
    assert paying._own_name([f"folder/{file}"]) == name


@pytest.mark.parametrize("file", ["東京.csv", "данные.parquet", "---.csv"])
def test_a_file_whose_name_makes_no_name_is_no_account_that_others_share(file):
    with pytest.raises(InputError, match="--dataset"):
        paying._own_name([file])
