"""Joint draws in bundles: written beside estimates, made again by verify, and refused where they differ."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.estimates import draws as sampler
from dpcore.estimates import words
from dpcore.measures.attribute import attribute_of
from dpcore.measures.choices import KeyChoices
from dpcore.release import read_bundle, verify_bundle, write_bundle
from dpcore.release.draws import COLUMNS
from dpcore.release.table_files import csv_bytes, parquet_bytes
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite
from tests.release.test_bundle_estimates import refused

VISITS, FLOWS = "visits_per_tile", "od_districts"
WEIGHTS = {VISITS: 3, FLOWS: 2, "total_trips": 1}


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, unit="user")


def draws_in(folder, name=VISITS):
    return pq.read_table(folder / "draws" / f"{name}.parquet")


def change(folder, table, name=VISITS) -> None:
    """Put another table into both files, with sums and seal that fit."""
    parts = {f"draws__{name}__parquet": parquet_bytes(table), f"draws__{name}__csv": csv_bytes(table)}
    rewrite(folder, **parts)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


# ---- what is written


def test_a_bundle_holds_a_hundred_draws_of_visits_and_of_flows_between_districts(written):
    assert draws_in(written).column_names == ["tile_id", *COLUMNS]
    assert draws_in(written, FLOWS).column_names == ["origin", "destination", *COLUMNS]
    assert len(COLUMNS) == sampler.DRAWS == 100
    told = manifest(written)
    assert told["schema_version"] == 5
    assert [one["name"] for one in told["estimates"]["draws"]["tables"]] == [VISITS, FLOWS]
    assert words.DRAWN in told["statements"]["estimates"]
    assert verify_bundle(written).files == len(list(written.rglob("*.*")))


def test_the_same_release_gives_the_same_draws_and_other_noise_gives_others(release, written, tmp_path):
    write_bundle(release, tmp_path / "again")
    write_bundle(made_release(weights=WEIGHTS, unit="user"), tmp_path / "other")
    for path in (written / "draws").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / "draws" / path.name).read_bytes()
        assert path.read_bytes() != (tmp_path / "other" / "draws" / path.name).read_bytes()


def three_lines(folder) -> str:
    text = (folder / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## How to add up") : text.index("## Files")]
    (lines,) = re.findall(r"```\n(.*?)\n```", section, re.DOTALL)
    return lines


@pytest.mark.parametrize("weights", [WEIGHTS, {FLOWS: 1}], ids=["visits", "flows alone"])
def test_the_three_lines_of_the_readme_give_a_sum_with_its_range(weights, tmp_path):
    write_bundle(made_release(weights=weights, unit="trip"), tmp_path / "b")
    lines = three_lines(tmp_path / "b")
    assert len(lines.splitlines()) == 3
    shown = subprocess.run(
        [sys.executable, "-c", lines], check=True, cwd=tmp_path / "b", capture_output=True, text=True
    )
    found = [float(line.split()[1]) for line in shown.stdout.splitlines()[:3]]
    table = draws_in(tmp_path / "b", next(iter(weights)))
    inside = [
        row
        for row, keys in enumerate(table.drop_columns(COLUMNS).to_pylist())
        if "outside" not in keys.values()
    ]
    sums = np.stack([table[name].to_numpy() for name in COLUMNS])[:, inside[:3]].sum(axis=1)
    assert found == pytest.approx(np.quantile(sums, [0.025, 0.5, 0.975]))


def test_each_column_uses_one_draw_of_the_share_in_all_tables(written):
    """Where most of the error is that of the share, the sums of both tables rise and fall together."""
    visits, flows = (
        np.stack([draws_in(written, name)[one].to_numpy() for one in COLUMNS]).sum(axis=1)
        for name in (VISITS, FLOWS)
    )
    assert np.corrcoef(visits, flows)[0, 1] > 0.2


# ---- where there are none


def test_very_many_tiles_have_no_draws_and_the_bundle_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sampler, "MOST_CELLS", 3)
    write_bundle(made_release(weights={VISITS: 1}), tmp_path / "b")
    assert not (tmp_path / "b" / "draws").exists()
    assert manifest(tmp_path / "b")["estimates"]["draws"] == {"not_drawn": words.LARGE}
    assert words.WHY_NOT_DRAWN[words.LARGE] in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert verify_bundle(tmp_path / "b").files
    monkeypatch.undo()
    assert "cannot be the draws" in refused(tmp_path / "b")


def test_one_table_that_is_too_large_has_none_beside_another_and_the_bundle_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sampler, "MOST_CELLS", 5)
    write_bundle(made_release(weights={VISITS: 1, FLOWS: 1}), tmp_path / "b")
    assert {path.stem for path in (tmp_path / "b" / "draws").iterdir()} == {VISITS}
    said = [one for one in manifest(tmp_path / "b")["statements"]["estimates"] if words.NOT_DRAWN_TOO in one]
    assert len(said) == 1
    assert said[0] in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert verify_bundle(tmp_path / "b").files


def test_tables_that_are_split_have_none_and_the_bundle_says_so(tmp_path):
    choices = KeyChoices(splits=(attribute_of("bike=electric,plain"),))
    write_bundle(made_release(weights={VISITS: 1}, period=None, choices=choices), tmp_path / "b")
    assert manifest(tmp_path / "b")["estimates"]["draws"] == {"not_drawn": words.SPLIT}
    assert words.WHY_NOT_DRAWN[words.SPLIT] in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert verify_bundle(tmp_path / "b").files


def test_tables_without_places_have_none_and_are_written_as_before(tmp_path):
    write_bundle(made_release(weights={"trips_per_hour": 1}, period=None), tmp_path / "b")
    assert manifest(tmp_path / "b")["schema_version"] == 3
    assert "draws" not in manifest(tmp_path / "b")["estimates"]
    assert verify_bundle(tmp_path / "b").files


def test_whatever_fails_while_drawing_leaves_a_whole_bundle_that_says_so(tmp_path, monkeypatch):
    def fails(*given):
        raise RuntimeError(given)

    monkeypatch.setattr(sampler, "joint_draws", fails)
    write_bundle(made_release(weights=WEIGHTS), tmp_path / "b")
    assert manifest(tmp_path / "b")["estimates"]["draws"] == {"not_drawn": words.FAILED}
    assert words.WHY_NOT_DRAWN[words.FAILED] in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert "How to add up" not in (tmp_path / "b" / "README.md").read_text(encoding="utf-8")
    assert verify_bundle(tmp_path / "b").files
    assert read_bundle(tmp_path / "b").drawn.stated.estimates.tables


# ---- what somebody changed, with sums that fit


@pytest.mark.parametrize("name", [VISITS, FLOWS])
def test_a_draw_that_was_changed_is_refused_by_verify_naming_the_file(bundle, name):
    table = draws_in(bundle, name)
    for step, fault in ((1, False), (2, True)):
        other = table["draw_007"].to_numpy() + step * (np.arange(len(table)) == 1)
        change(bundle, with_column(table, "draw_007", pa.array(other)), name)
        assert not fault or f"draws/{name}.parquet" in refused(bundle)
        assert fault or verify_bundle(bundle).files, "another computer may round so"


MALFORMED = {
    "a missing value": lambda t: with_column(t, "draw_000", pa.array([None, 1, 1, 1, 1], pa.int64())),
    "a negative number": lambda t: with_column(t, "draw_000", pa.array([-1] * 5)),
    "a huge number": lambda t: with_column(t, "draw_000", pa.array([2**60] * 5)),
    "no whole numbers": lambda t: with_column(t, "draw_000", pa.array([1.5] * 5)),
    "a row less": lambda t: t.slice(0, 4),
    "rows in another order": lambda t: t.take([1, 0, 2, 3, 4]),
    "a column less": lambda t: t.drop_columns(["draw_099"]),
    "a column more": lambda t: t.append_column("draw_100", t["draw_099"]),
    "draws in another order": lambda t: t.select(["tile_id", *reversed(COLUMNS)]),
}


@pytest.mark.parametrize("make", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_table_of_draws_is_refused_when_it_is_read_naming_the_file(bundle, make):
    change(bundle, make(draws_in(bundle)))
    with pytest.raises(BundleError) as found:
        read_bundle(bundle)
    assert f"draws/{VISITS}" in str(found.value)


def test_the_two_files_of_draws_must_say_the_same(bundle):
    table = draws_in(bundle)
    other = csv_bytes(with_column(table, "draw_000", table["draw_001"]))
    rewrite(bundle, draws__visits_per_tile__csv=other)
    assert f"draws/{VISITS}.csv" in refused(bundle)


STATED = {
    "no draws": lambda told: told.pop("draws"),
    "a reason instead": lambda told: told.update(draws={"not_drawn": words.FAILED}),
    "another reason": lambda told: told.update(draws={"not_drawn": words.SPLIT}),
    "an unknown reason": lambda told: told.update(draws={"not_drawn": "x"}),
    "a table less": lambda told: told["draws"]["tables"].pop(),
    "a table of another measure": lambda told: told["draws"]["tables"].append({"name": "total_trips"}),
    "another number": lambda told: told["draws"].update(number=50),
}


@pytest.mark.parametrize("change_of", STATED.values(), ids=STATED)
def test_a_manifest_cannot_say_otherwise_of_them(bundle, change_of):
    rewrite(bundle, lambda document: change_of(document["estimates"]))
    assert refused(bundle)


def test_draws_of_another_method_are_not_made_again_and_the_verdict_says_so(bundle):
    rewrite(bundle, lambda document: document["estimates"]["draws"].update(method=99))
    assert verify_bundle(bundle).other_method


@pytest.mark.parametrize("version", [3, 4])
def test_a_bundle_of_an_earlier_schema_has_no_draws_and_verifies_as_before(bundle, version):
    def earlier(document):
        document["schema_version"] = version
        document["software"]["epsilon-atlas"] = "0.3.0.dev0"
        del document["estimates"]["draws"]
        document["statements"]["estimates"].remove(words.DRAWN)
        for name in [name for name in document["files"] if name.startswith("draws/")]:
            del document["files"][name]
            (bundle / name).unlink()
        (bundle / "draws").rmdir()

    rewrite(bundle, lambda document: document.update(schema_version=version))
    assert "since schema version 5" in refused(bundle)
    rewrite(bundle, earlier)
    assert verify_bundle(bundle).estimates
    assert read_bundle(bundle).drawn.stated.draws is None
