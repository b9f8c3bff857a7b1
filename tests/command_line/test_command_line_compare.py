"""Comparing from the command line: bundles, folders of tables, and what is refused."""

from __future__ import annotations

import csv
import io
import re
import shutil
from datetime import date

import pytest

from dpcore.command_line.output import write_to
from dpcore.comparison import METRICS
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.noise.five_numbers import columns
from dpcore.release import read_bundle, release_table, write_bundle
from dpcore.release.five_numbers import five_numbers
from tests.release.made_releases import made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices

ERROR = re.compile(r"(note: .+\n)*error: [^:]+: .+\. .+\n")
BEST = {name: metric.best for name, metric in METRICS.items()}


@pytest.fixture
def bundle(tmp_path):
    write_bundle(made_release(epsilon="2"), tmp_path / "bundle")
    return tmp_path / "bundle"


def table(text: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["measure"], row["metric"]): row for row in csv.DictReader(io.StringIO(text))}


def exact(run, city, out, *measures):
    for measure in measures:
        code, _, err = run(
            *("exact", measure, "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
            *("--timezone", "Europe/Berlin", "--out", out),
        )
        assert code == 0, err
    return out


def test_a_bundle_against_itself_is_perfect(run, bundle):
    code, out, err = run("compare", bundle, bundle)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "measure,metric,value,unit,better,cells,note"
    found = table(out)
    assert {measure for measure, _ in found} == set(read_bundle(bundle).measurements)
    for (_, metric), row in found.items():
        assert float(row["value"]) == pytest.approx(BEST[metric])


def test_rungs_of_a_bundle_can_be_compared_with_its_tables(run, bundle, tmp_path):
    release = read_bundle(bundle)
    for measure in release.measurements:
        code, out, _ = run("table", bundle, measure, "--epsilon", "0.5")
        assert code == 0
        (tmp_path / "tables").mkdir(exist_ok=True)
        (tmp_path / "tables" / f"{measure}.csv").write_text(out, encoding="utf-8")
    (tmp_path / "tables" / "notes.csv").write_text("a\n1\n", encoding="utf-8")
    same = table(run("compare", bundle, tmp_path / "tables", "--epsilon", "0.5")[1])
    other = table(run("compare", bundle, tmp_path / "tables")[1])
    assert all(float(row["value"]) == pytest.approx(BEST[metric]) for (_, metric), row in same.items())
    assert float(other["visits_per_tile", "smape"]["value"]) > 0
    assert release_table(release, "visits_per_tile", None)


def test_exact_answers_of_the_oracle_against_themselves_are_perfect(run, shared, tmp_path):
    folder = tmp_path / "expected"
    folder.mkdir()
    for name in ("visits_per_tile", "visits_per_time_tile", "od_flows", "trips_per_hour", "five_numbers"):
        shutil.copy(shared(f"oracle-mini/expected/{name}.csv"), folder)  # the last one is of another form
    code, out, err = run("compare", folder, folder, "--tiles", shared("oracle-mini/tiles.geojson"))
    assert code == 0, err
    found = table(out)
    assert ("visits_per_tile", "emd") in found
    assert ("visits_per_time_tile", "emd") in found
    for (_, metric), row in found.items():
        assert float(row["value"]) == pytest.approx(BEST[metric])


def test_summaries_of_histograms_are_compared_where_both_sides_have_them(run, tmp_path):
    write_bundle(made_release(weights={"travel_time": 1}, period=None), tmp_path / "bundle")
    assert run("compare", tmp_path / "bundle", tmp_path / "bundle")[0] == 0
    summary = columns(five_numbers(read_bundle(tmp_path / "bundle")))
    write_to(tmp_path / "tables" / "five_numbers.csv", summary)
    code, out, err = run("compare", tmp_path / "bundle", tmp_path / "tables")
    assert code == 0, err
    assert float(table(out)["five_numbers", "smape"]["value"]) == pytest.approx(0, abs=1e-4)


def test_truth_against_a_release_needs_no_tiles_and_truth_alone_does(run, city, tmp_path):
    measures = ("visits_per_tile", "trips_per_hour", "travel_time", "ds_statistics", "od_flows")
    truth = exact(run, city, tmp_path / "truth", *measures)
    code, _, err = run(
        *("release", "--trips", city / "trips.parquet", "--tiles", city / "tiles.geojson"),
        *("--timezone", "Europe/Berlin", "--privacy-unit", "user", "--max-trips", "5", "--epsilon", "2"),
        *("--measures", ",".join(measures), "--out", tmp_path / "bundle", "--ledger", tmp_path / "ledger.db"),
    )
    assert code == 0, err
    code, out, err = run("compare", truth, tmp_path / "bundle")
    assert code == 0, err
    found = table(out)
    assert {measure for measure, _ in found} == set(measures)
    assert float(found["visits_per_tile", "emd"]["value"]) > 0
    assert found["visits_per_tile", "emd"]["unit"] == "metres"
    assert 0 < float(found["travel_time", "emd"]["value"]) < 1980  # minutes: the farthest place of a bin
    assert 0 < float(found["visits_per_tile", "jsd"]["value"]) < 1
    without = table(run("compare", truth, truth)[1])
    assert without["visits_per_tile", "emd"]["value"] == ""
    assert "tiles" in without["visits_per_tile", "emd"]["note"]
    with_tiles = table(run("compare", truth, truth, "--tiles", city / "tiles.geojson")[1])
    assert float(with_tiles["visits_per_tile", "emd"]["value"]) == 0


def test_the_table_can_go_to_a_folder_and_what_is_not_compared_is_said(run, city, bundle, tmp_path):
    truth = exact(run, city, tmp_path / "truth", "trips_per_weekday")
    code, out, err = run("compare", truth, bundle, "--out", tmp_path / "out")
    assert (code, out) == (0, "")
    assert "note: not compared, only in bundle: visits_per_tile" in err
    written = (tmp_path / "out" / "similarity-owner-only.csv").read_text("utf-8")
    assert ("trips_per_weekday", "emd") in table(written)


def test_numbers_made_of_anything_but_two_bundles_say_that_they_are_not_private(run, city, bundle, tmp_path):
    truth = exact(run, city, tmp_path / "truth", "trips_per_weekday")
    for sides in ((truth, bundle), (bundle, truth), (truth, truth)):
        code, out, err = run("compare", *sides)
        assert code == 0
        assert out.splitlines()[0] == "measure,metric,value,unit,better,cells,note"
        assert "note: for the owner only: tables without a verified bundle (truth)" in err
        assert run("compare", *sides, "--out", tmp_path / "o")[0] == 0
    assert [path.name for path in (tmp_path / "o").iterdir()] == ["similarity-owner-only.csv"]
    code, out, err = run("compare", bundle, bundle, "--out", tmp_path / "p")
    assert (code, out, err) == (0, "", "")
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["similarity.csv"]


def test_bad_input_ends_with_code_2_and_words_that_help(run, city, bundle, tmp_path):
    empty, broken, other = (tmp_path / name for name in ("empty", "broken", "other"))
    for folder in (empty, broken, other):
        folder.mkdir()
    canary = "canary-7f31"
    (broken / "visits_per_tile.csv").write_text(f"tile_id,value\nA,{canary}\n", encoding="utf-8")
    (other / "visits_per_tile.csv").write_text("tile_id,value\nX,3\noutside,1\n", encoding="utf-8")
    for words, said in (
        (("compare", bundle), "required"),
        (("compare", bundle, tmp_path / "gone"), "gone"),
        (("compare", bundle, empty), "no tables"),
        (("compare", bundle, broken), "visits_per_tile.csv"),
        (("compare", bundle, other), "tiles are not the same"),
        (("compare", other, other, "--tiles", city / "tiles.geojson"), "tiles are not those"),
        (("compare", other, other, "--tiles", tmp_path / "gone.geojson"), "gone.geojson"),
        (("compare", bundle, bundle, "--epsilon", "7"), "rung"),
        (("compare", bundle, bundle, "--epsilon", "much"), "epsilon"),
        (("compare", exact(run, city, tmp_path / "truth", "travel_time"), bundle), "no measure in common"),
        (("compare", broken / "visits_per_tile.csv", bundle), "neither a bundle folder"),
    ):
        code, out, err = run(*words)
        assert (code, out) == (2, ""), (words, err)
        assert said in err
        assert canary not in err
        assert ERROR.fullmatch(err), err


def test_files_that_are_no_tables_are_refused(run, bundle, tmp_path):
    for number, content in enumerate(
        (
            b"",
            b"\xff\xfe\x00",
            b"tile_id\nA\n",
            b"value\n3\n",
            b"tile_id,value\nA,1\nA,2\n",
            b"tile_id,value\nA,\n",
        )
    ):
        folder = tmp_path / f"f{number}"
        folder.mkdir()
        (folder / "visits_per_tile.csv").write_bytes(content)
        code, _, err = run("compare", bundle, folder)
        assert code == 2, (content, err)
        assert ERROR.fullmatch(err), err


def test_tables_and_large_counts_are_refused_and_two_months_are_not_compared_date_by_date(
    run, bundle, tmp_path
):
    write_bundle(made_synthetic(stability_choices()), tmp_path / "large")
    for sides in ((bundle, tmp_path / "large"), (tmp_path / "large", bundle)):
        code, out, err = run("compare", *sides)
        assert (code, out) == (2, "")
        assert "the two sides have no measure in common" in err
        assert ERROR.fullmatch(err), err
    for name, month in (("april", 4), ("june", 6)):
        period = Period(date(2024, month, 1), date(2024, month, 30))
        write_bundle(made_release(epsilon="2", period=period), tmp_path / name)
    code, out, err = run("compare", tmp_path / "april", tmp_path / "june")
    assert code == 0
    assert "note: not compared: trips_over_time, because the two periods have no date in common\n" in err
    assert "trips_over_time" not in {measure for measure, _ in table(out)}
    assert ("trips_per_weekday", "emd") in table(out)


def test_different_bins_leave_one_measure_out_and_no_more(run, tmp_path):
    """Two releases that bought their ranges have different bins."""
    edges = {"a": ("5", "10", "20"), "b": ("7", "11"), "c": ("5", "20", "60")}
    for name, own in edges.items():
        weights, choices = {"travel_time": 1, "trips_per_weekday": 1}, KeyChoices(edges={"travel_time": own})
        write_bundle(made_release(weights=weights, choices=choices), tmp_path / name)
    code, out, err = run("compare", tmp_path / "a", tmp_path / "b")
    assert code == 0, err
    assert "note: not compared: travel_time, because the bins are not the same\n" in err
    assert {measure for measure, _ in table(out)} == {"trips_per_weekday", "five_numbers"}
    code, out, err = run("compare", tmp_path / "a", tmp_path / "c")
    assert (code, err) == (0, "")
    assert "joined to the 2 edges that they share: 5, 20" in table(out)["travel_time", "smape"]["note"]


def test_a_side_that_is_none_is_named_with_its_path(run, bundle, tmp_path):
    (tmp_path / "chk.py").write_text("print(1)\n", encoding="utf-8")
    for sides, letter in (((bundle, tmp_path / "chk.py"), "B"), ((tmp_path / "chk.py", bundle), "A")):
        code, out, err = run("compare", *sides)
        assert (code, out) == (2, "")
        assert f": {letter}, {tmp_path / 'chk.py'}" in err


def test_both_are_written_over_each_other_as_a_page(run, bundle, tmp_path):
    page = tmp_path / "both.html"
    code, out, err = run(
        "compare", bundle, bundle, "--html", page, "--measures", "visits_per_tile", "--metrics", "emd,ssim"
    )
    assert (code, err) == (0, "")
    assert {*table(out)} == {("visits_per_tile", "emd"), ("visits_per_tile", "ssim")}
    assert "Difference of two maps" in page.read_text(encoding="utf-8")
    assert run("compare", bundle, bundle, "--measures", "visits")[0] == 2
    assert run("compare", bundle, bundle, "--metrics", "rmse")[0] == 2
