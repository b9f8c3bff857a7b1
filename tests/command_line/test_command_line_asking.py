"""What the command line asks before it spends: trips that lie outside the tiles, and an account that opens for good."""

from __future__ import annotations

import io
import re
import sys

import pytest

from dpcore.command_line.main import main
from dpcore.ledger import Ledger
from tests.command_line.conftest import city_in, ran

QUICK = ("--privacy-unit", "user", "--max-trips", "5", "--epsilon", "1")
KINDS = {
    "release": ("release", *QUICK, "--measures", "trips_per_weekday"),
    "roy": ("synth", "roy", *QUICK, "--dates", "2024-03-04/2024-03-10"),
    "stability": ("synth", "stability", *QUICK, "--combinations", "on_loc"),
    "trajectory-tree": ("synth", "trajectory-tree", *QUICK, "--height", "1"),
}
SWAPPED = "inside if latitude and longitude are swapped"
ELSEWHERE = "tessellation of another city"


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    """The files of a small city, and its trips once more with swapped axes and in another country."""
    out = city_in(tmp_path_factory.mktemp("city"), trips=300, tiles=12)
    header, *rows = (out / "trips.csv").read_text(encoding="utf-8").splitlines()
    other = {"lat": "lng", "lng": "lat"}
    swapped = re.sub("lat|lng", lambda axis: other[axis[0]], header)
    (out / "swapped.csv").write_text("\n".join([swapped, *rows]), encoding="utf-8")
    names = header.replace('"', "").split(",")
    places = [number for number, name in enumerate(names) if name.endswith("_lng")]
    with (out / "elsewhere.csv").open("w", encoding="utf-8") as file:
        file.write(f"{header}\n")
        for row in rows:
            cells = row.split(",")
            for place in places:
                cells[place] = str(float(cells[place]) + 30) if cells[place] else ""
            file.write(f"{','.join(cells)}\n")
    return out


@pytest.fixture
def run(capsys, city, tmp_path):
    """Run a command that spends, on a file of the city; returns its code and what it said to its owner."""

    def command(kind: str, trips: str, *words: str) -> tuple[int, str]:
        given = ("--trips", city / trips, "--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin")
        own = ("--out", tmp_path / "bundle", "--ledger", tmp_path / "ledger.db", "--dataset", "town")
        code = main([str(word) for word in (*KINDS[kind], *given, *own, *words)])
        return code, capsys.readouterr().err

    return command


@pytest.fixture
def types(monkeypatch):
    """Sit at a terminal and answer."""

    def answer(text: str) -> None:
        keys = io.StringIO(text)
        monkeypatch.setattr(keys, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stdin", keys)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return answer


def nothing_happened(place) -> bool:
    return not (place / "bundle").exists() and not (place / "ledger.db").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_trips_outside_the_tiles_are_not_paid_for_without_a_word(kind, run, tmp_path):
    code, said = run(kind, "swapped.csv")
    assert code == 2
    assert f"note: for your eyes only: Most trips start or end outside every tile, and {SWAPPED}" in said
    assert "add --yes. Nothing was charged or written." in said
    assert nothing_happened(tmp_path)


def test_exact_answers_say_so_too_with_the_option_that_mends_it(city, capsys):
    common = ("--tiles", city / "tiles.geojson", "--timezone", "Europe/Berlin")
    exact = ("exact", "trips_per_weekday", "--trips", city / "swapped.csv", *common)
    code, _, said = ran(capsys, *exact)
    assert (code, SWAPPED in said, "--column lat=NAME" in said) == (0, True, True)
    other = {"lat": "lng", "lng": "lat"}
    names = [(f"{end}_{axis}", f"{end}_{other[axis]}") for end in ("start", "end") for axis in other]
    mended = [word for role, name in names for word in ("--column", f"{role}={name}")]
    code, answer, said = ran(capsys, *exact, *mended)
    assert (code, "outside" in said) == (0, False)
    assert ran(capsys, *exact[:3], city / "trips.csv", *common)[1] == answer


def test_another_city_is_not_taken_for_swapped_axes(run, tmp_path):
    code, said = run("release", "elsewhere.csv")
    assert (code, ELSEWHERE in said, "swapped" in said) == (2, True, False)
    assert nothing_happened(tmp_path)


def test_who_chose_before_looking_is_told_nothing_about_the_trips(run):
    code, said = run("release", "swapped.csv", "--parameters-chosen", "before_data")
    assert (code, "outside every tile" in said) == (0, False)


def test_who_says_yes_beforehand_is_warned_and_not_asked(run, tmp_path):
    code, said = run("release", "swapped.csv", "--yes")
    assert (code, SWAPPED in said, "[y/N]" in said) == (0, True, False)
    bundle = "".join(
        place.read_text(encoding="utf-8", errors="replace")
        for place in (tmp_path / "bundle").rglob("*")
        if place.is_file()
    )
    books = repr(Ledger.opened(tmp_path / "ledger.db").entries())
    assert "swapped" not in bundle + books  # for the owner's eyes alone
    assert "--yes" not in bundle


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "maybe\n"])
def test_at_a_terminal_anything_but_yes_spends_nothing(answer, run, types, tmp_path):
    types(answer)
    code, said = run("release", "swapped.csv")
    assert (code, "Publish all the same? [y/N]" in said) == (2, True)
    assert nothing_happened(tmp_path)


def test_at_a_terminal_yes_goes_on(run, types):
    types("y\nyes\n")
    code, said = run("release", "swapped.csv")
    assert (code, "Publish all the same? [y/N]" in said, "Open it? [y/N]" in said) == (0, True, True)


def test_trips_inside_the_tiles_are_no_question(run):
    code, said = run("release", "trips.csv")
    assert (code, "outside" in said, "[y/N]" in said) == (0, False, False)


@pytest.mark.parametrize("kind", ["release", "stability"])
def test_a_first_release_says_what_total_it_opens_and_how_to_name_another(kind, run):
    code, said = run(kind, "trips.csv")
    assert code == 0
    assert (
        "note: the account town is new. Its first release opens it with a final total of epsilon 10 for all its releases "
        "together; choose another total with --total-budget\n"
    ) in said


def test_a_total_that_was_named_is_said_and_no_question(run, types):
    types("")
    code, said = run("release", "trips.csv", "--total-budget", "2.5")
    assert (code, "[y/N]" in said) == (0, False)
    assert (
        "note: the account town is new. Its first release opens it with a final total of epsilon 2.5 for all its releases "
        "together\n" in said
    )


def test_at_a_terminal_an_account_is_opened_only_if_its_owner_agrees(run, types, tmp_path):
    types("n\n")
    code, said = run("release", "trips.csv")
    assert (code, "Open it? [y/N]" in said, "Name its total with --total-budget" in said) == (2, True, True)
    assert Ledger.opened(tmp_path / "ledger.db").accounts() == ()
    assert not (tmp_path / "bundle").exists()


def test_a_second_release_of_the_account_asks_nothing(run, tmp_path, types):
    assert run("release", "trips.csv")[0] == 0
    types("")
    code, said = run("release", "trips.csv", "--out", str(tmp_path / "second"))
    assert (code, "opens it" in said, "[y/N]" in said) == (0, False, False)


UNSEEN = ("--parameters-chosen", "before_data")


@pytest.fixture
def bad(city):
    """A file of which one record is bad, and whose modes are mostly on no list."""
    header, *rows = (city / "trips.csv").read_text(encoding="utf-8").splitlines()
    names = header.replace('"', "").split(",")
    broken = rows[0].split(",")
    broken[names.index("start_lat")] = "north"
    (city / "bad.csv").write_text("\n".join([header, ",".join(broken), *rows[1:]]), encoding="utf-8")
    return "bad.csv"


@pytest.mark.parametrize("kind", KINDS)
def test_who_chose_before_looking_is_told_no_count_of_any_kind(kind, run, bad, tmp_path):
    words = ("--drop-bad", "--attribute", "mode=no such word")
    code, said = run(kind, bad, *words, *UNSEEN)
    assert code == 0
    assert not re.search(r"left out|on no list|your eyes|of \d+ (trips|records)|count:|lie within", said)
    assert '"parameters_chosen":"before_data"' in (tmp_path / "bundle" / "manifest.json").read_text(
        "utf-8"
    ).replace('": "', '":"')


@pytest.mark.parametrize("kind", KINDS)
def test_who_was_told_something_cannot_say_afterwards_that_nobody_looked(kind, run, bad, tmp_path):
    assert "left out 1 of" in run(kind, bad, "--drop-bad", "--max-trips", "4", "--yes")[1]
    ledger = (tmp_path / "ledger.db").read_bytes()
    code, said = run(kind, bad, "--drop-bad", "--out", tmp_path / "second", *UNSEEN)
    assert (code, "looked at on this computer" in said, "left out" in said) == (2, True, False)
    assert (tmp_path / "ledger.db").read_bytes() == ledger


def test_a_refusal_that_counts_bad_records_is_a_look_and_one_that_does_not_is_none(run, bad, tmp_path):
    code, said = run("release", bad, *UNSEEN)
    assert (code, "bad records, and nothing is said of them" in said) == (2, True)
    assert not re.search(r"start_lat|line \d", said)
    assert run("release", bad, "--drop-bad", *UNSEEN)[0] == 0
    assert "line 2, column start_lat" in run("release", bad)[1]
    code, said = run("release", bad, "--drop-bad", "--out", tmp_path / "second", "--epsilon", "2", *UNSEEN)
    assert (code, "looked at on this computer" in said) == (2, True)


def test_a_look_stops_nothing_that_was_charged(run, bad, tmp_path):
    words = ("--drop-bad", "--nonce", "n", *UNSEEN)
    assert run("release", bad, *words)[0] == 0
    run("release", bad)
    assert run("release", bad, *words, "--out", tmp_path / "again")[0] == 0
