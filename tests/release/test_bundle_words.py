from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import jsonschema
import numpy as np
import pandas as pd
import pytest

from dpcore.noise.mechanisms import measured
from dpcore.release import read_bundle, write_bundle
from dpcore.release.kinds.registry_record import registry_yaml
from dpcore.release.manifest import readme_of as readme
from dpcore.release.release import Tables
from dpcore.release.texts import markdown, one_line, several_lines
from tests.release.made_releases import made_release
from tests.release.tampering import manifest

NASTY = (
    "a: b",
    "# x",
    "- x",
    "=1+1",
    "'\"\\",
    "{a: [b]}",
    "&x *x !x %x @x `x",
    "null",
    "1e999",
    "yes",
    "<script>alert(1)</script>",
    "<img src=x onerror=y>",
    "[x](javascript:y)",
    "![](http://x.y)",
    "https://x.y www.x.y a@b.c",
    "$x$ :smile:",
    "```\n# out\n```",
    "a\n---\nb: c",
    "a\n===\n| b |",
    "\U0001f6b2 \u00e4 \u65e5",
    "\x00\x1b[31m\x85\u2028\u2029\ufeff\ufffe\ufffftail",
)


def yaml_read(text: str):
    """A strict reader of the little YAML that a record uses: maps, lists of scalars, JSON scalars."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]

    def block(at: int, indent: int):
        found, is_list = {}, None
        while at < len(lines):
            line = lines[at]
            depth = len(line) - len(line.lstrip(" "))
            if depth < indent:
                break
            assert depth == indent, line
            item = re.fullmatch(r" *- (.+)", line)
            if item:
                assert is_list is not False
                is_list, found = True, [*(found or []), json.loads(item[1])]
                at += 1
                continue
            is_list = False
            key, value = re.fullmatch(r" *([a-z_]+):(?: (.+))?", line).groups()
            assert key not in found
            if value is None:
                found[key], at = block(at + 1, indent + 2)
            else:
                found[key], at = json.loads(value), at + 1
        return found, at

    found, end = block(0, 0)
    assert end == len(lines)
    return found


REQUIRED, FREE = True, False
REGISTRY_FIELDS = {
    "url_slug": (REQUIRED, str),
    "status": (REQUIRED, {"Converted", "Draft", "Pending", "Changes Required", "Approved"}),
    "tier": (REQUIRED, {1, 2, 3}),
    "deployment": (
        REQUIRED,
        {
            "basic": (
                REQUIRED,
                {
                    "name": (REQUIRED, str),
                    "data_curators": (REQUIRED, list),
                    "intended_use": (REQUIRED, str),
                    "data_product_type": (
                        REQUIRED,
                        {
                            "Summary statistics",
                            "Machine learning model",
                            "Dataset",
                            "Synthetic data",
                            "Interactive API",
                            "SQL queries",
                        },
                    ),
                    "data_product_region": (REQUIRED, str),
                    "description": (REQUIRED, str),
                    "publication_date": (REQUIRED, str),
                    "data_product_sector": (
                        FREE,
                        {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"},
                    ),
                },
            ),
            "dp_variant": (
                FREE,
                {
                    "variant_name": (
                        FREE,
                        {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
                    ),
                    "data_domain": (FREE, str),
                    "unprotected_quantities": (FREE, str),
                },
            ),
            "privacy_loss": (
                FREE,
                {
                    "privacy_unit": (FREE, str),
                    "privacy_unit_details": (FREE, str),
                    "privacy_parameters": (
                        FREE,
                        {"epsilon": (FREE, float), "delta": (FREE, float), "rho": (FREE, float)},
                    ),
                    "privacy_parameters_details": (FREE, str),
                },
            ),
            "deployment_model": (
                FREE,
                {
                    "model_name": (FREE, {"Local", "Central", "Shuffle", "Federated", "Varies"}),
                    "model_name_details": (FREE, str),
                    "actors": (FREE, str),
                    "release_type": (FREE, {"One release", "Many releases"}),
                    "release_type_details": (FREE, str),
                    "data_source_type": (FREE, {"Static", "Dynamic"}),
                    "data_source_type_details": (FREE, str),
                    "access_type": (FREE, {"Interactive", "Non-interactive"}),
                    "access_type_details": (FREE, str),
                },
            ),
            "accounting": (FREE, {"post_processing": (FREE, str), "composition": (FREE, str)}),
            "implementation": (
                FREE,
                {
                    "preprocessing_and_hyperparameter_tuning": (FREE, str),
                    "mechanisms": (FREE, str),
                    "justification": (FREE, str),
                },
            ),
            "administrative": (
                FREE,
                {"sources": (FREE, str), "notes": (FREE, str), "registry_authors": (REQUIRED, list)},
            ),
        },
    ),
}
"""The fields of the schema of 15 July 2026 (opendp/deployments-registry-data, commit 3e9c812): whether one must be there, and its
type, its values, or the fields in it. Nothing else is allowed."""


def faults(record: object, fields: object, place: str = "record") -> list[str]:
    """Where a record does not keep to the registry's schema."""
    if isinstance(fields, set):
        return [] if record in fields else [f"{place}: {record}"]
    if not isinstance(fields, dict):
        kinds = (int, float) if fields is float else fields
        return [] if isinstance(record, kinds) and record not in ("", []) else [place]
    found = [f"{place}: {name} is not allowed" for name in record if name not in fields]
    found += [
        f"{place}: {name} is missing" for name, (must, _) in fields.items() if must and name not in record
    ]
    for name, (_, inside) in fields.items():
        found += faults(record[name], inside, f"{place}.{name}") if name in record else []
    return found


@pytest.mark.parametrize("given", [{}, {"unit": "trip", "epsilon": "1.5"}, {"publisher": "City of Elm"}])
def test_the_registry_record_keeps_to_the_schema_of_the_registry(given):
    assert faults(yaml_read(registry_yaml(made_release(**given)).decode()), REGISTRY_FIELDS) == []


@pytest.mark.parametrize("given", [{}, {"unit": "trip", "epsilon": "1.5"}])
def test_the_schema_itself_finds_no_fault(given, shared):
    yaml = pytest.importorskip("yaml")
    schema = yaml.safe_load(shared("registry/schema-2026-07-15.yaml").read_text(encoding="utf-8"))
    record = yaml_read(registry_yaml(made_release(**given)).decode())
    found = jsonschema.Draft202012Validator(schema).iter_errors(record)
    assert [one.message for one in found] == []


def test_a_record_by_the_schema_of_before_has_faults():
    record = {
        "status": "Draft",
        "tier": 3,
        "deployment": {"product": {"data_product_sector": "Transportation"}},
    }
    assert len(faults(record, REGISTRY_FIELDS)) == 3


def test_the_registry_record_tells_the_release():
    record = yaml_read(
        registry_yaml(made_release(unit="trip", epsilon="1.5", publisher="City of Elm")).decode()
    )
    assert (record["status"], record["tier"]) == ("Draft", 3)
    told = record["deployment"]
    assert told["basic"]["name"] == "Trips of an invented city"
    assert told["basic"]["publication_date"] == "2024-05-01"
    assert told["basic"]["data_curators"] == ["City of Elm"]
    assert told["privacy_loss"]["privacy_unit"] == "Event-level"
    assert told["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.5}
    assert told["deployment_model"]["release_type"] == "One release"
    assert "od_flows" in told["accounting"]["composition"]
    assert "discrete Laplace" in told["implementation"]["mechanisms"]


@pytest.mark.parametrize("text", NASTY)
def test_no_text_of_the_owner_becomes_structure_in_yaml(text):
    record = yaml_read(registry_yaml(made_release(title=text, note=text, population=text)).decode())
    assert record["deployment"]["basic"]["name"] == (one_line(text, 120) or "four-tiles-3-0a1b2c")
    assert set(record) == {"url_slug", "status", "tier", "deployment"}


def test_another_reader_of_yaml_agrees():
    yaml = pytest.importorskip("yaml")
    for text in NASTY:
        data = registry_yaml(made_release(title=text, note=text, population=text)).decode()
        assert yaml.safe_load(data) == yaml_read(data)


@pytest.mark.parametrize("text", NASTY)
def test_no_text_of_the_owner_becomes_structure_in_the_readme(text):
    plain = readme(made_release(title="t", note="n", population="p", publisher="q", command="c")).decode()
    nasty = readme(
        made_release(title=text, note=text, population=text, publisher=text, command=text)
    ).decode()
    assert headings(nasty)[1:] == headings(plain)[1:]
    outside = re.sub(r"(?ms)^(`{3,})$.*?^\1$", "", nasty)
    assert not re.search(r"(?<!\\)(<|\[|\$|!\[)", outside)
    assert "http://" not in outside
    assert "www.x" not in outside
    assert not re.search(r"(?<!\\)@", outside)


def headings(text: str) -> list[str]:
    outside = re.sub(r"(?ms)^(`{3,})$.*?^\1$", "", text)
    lines = outside.splitlines()
    assert not any(re.fullmatch(r"(=+|-{2,})", line) for line in lines)
    return [line for line in lines if line.startswith("#")]


@pytest.mark.parametrize("text", NASTY)
def test_texts_survive_a_bundle_as_they_are_printed(text, tmp_path):
    release = made_release(
        title=text, note=text, command=text, weights={"trips_per_weekday": 1}, epsilon="0.1"
    )
    write_bundle(release, tmp_path / "b")
    back = read_bundle(tmp_path / "b")
    assert (back.title, back.note, back.command) == (release.title, release.note, release.command)


@pytest.mark.parametrize("text", [*NASTY, "a \u202e b", " x\t\ty ", "a\n\n\n\n\nb", "x" * 5000, "ab " * 2000])
def test_cleaning_a_text_twice_changes_nothing_more(text):
    for most in (7, 120, 4000):
        line, lines = one_line(text, most), several_lines(text, most)
        assert one_line(line, most) == line
        assert several_lines(lines, most) == lines
        assert max(len(line), len(lines)) <= most


def test_plain_words_stay_readable():
    assert markdown("Bike share 2024, east-west (v1.2)") == "Bike share 2024, east-west (v1.2)"


def test_the_readme_says_what_a_stranger_needs():
    release = made_release(sparse=True, unit="trip", parameters_chosen="after_preview")
    text = readme(release).decode()
    width = release.measurements["visits_per_tile"].half_widths[-1]
    assert f"about 1,240 ({1240 - width:,} to {1240 + width:,})" in text
    for said in (
        "never means zero trips",
        "may be negative",
        "python -m dpcore verify",
        "QGIS",
        "kepler.gl",
        "pd.read_parquet",
        release.command,
        "With 20 trips",
        "preview",
        "family",
    ):
        assert said in text


def test_every_file_of_the_bundle_stands_in_its_readme(tmp_path):
    write_bundle(made_release(), tmp_path / "b")
    text = (tmp_path / "b" / "README.md").read_text()
    for path in (tmp_path / "b").rglob("*.csv"):
        assert str(path.relative_to(tmp_path / "b")) in text
    for name in ("manifest.json", "registry.yaml", "tiles.geojson", "maps/visits_per_tile.geojson"):
        assert name in text


# ---- the manifest


def facts(tmp_path, **changes):
    write_bundle(made_release(**changes), tmp_path / "b")
    return manifest(tmp_path / "b")


def test_the_manifest_says_what_was_asked_of_it(tmp_path):
    told = facts(
        tmp_path,
        sparse=True,
        epsilon="2",
        weights={"od_flows": 2, "visits_per_tile": 2, "trips_over_time": 1},
        parameters_chosen="after_preview",
        raised_from="four-tiles-2",
    )
    assert told["schema_version"] == 5
    privacy = told["privacy"]
    assert (privacy["unit"], privacy["max_trips"], privacy["delta"]) == ("user", 3, "0")
    assert privacy["neighbouring_relation"] == "add/remove one privacy unit"
    assert privacy["epsilon"] == {"decimal": "2", "exact": "2/1"}
    assert [rung["decimal"] for rung in privacy["rungs"]] == [
        "0.1",
        "0.2",
        "0.3",
        "0.5",
        "0.75",
        "1",
        "1.5",
        "2",
    ]
    assert told["release"]["raised_from"] == "four-tiles-2"
    assert told["release"]["created"] == "2024-05-01T12:30:00Z"
    assert told["period"] == {"first": "2024-04-01", "last": "2024-04-07"}
    assert (told["timezone"], told["parameters_chosen"]) == ("Europe/Berlin", "after_preview")
    assert told["ledger_entry"]["charged"]["exact"] == "2/1"
    assert told["ledger_entry"]["total_budget"]["exact"] == "10/1"
    assert told["software"]
    assert told["command"]
    flows = next(entry for entry in told["measures"] if entry["name"] == "od_flows")
    assert flows["epsilon"] == {"decimal": "0.8", "exact": "4/5"}
    assert flows["keys"] == {
        "axes": [{"columns": ["origin"], "keys": 626}, {"columns": ["destination"], "keys": 626}],
        "cells": 626 * 626,
    }
    assert flows["listing"]["listed_at"]["exact"] == "2/1"
    absent = told["statements"]["absent_keys"]["od_flows"]
    assert f"below {flows['listing']['threshold']}" in absent
    assert "never means zero" in absent
    assert any("preview" in sentence for sentence in told["statements"]["not_protected"])


def test_only_a_trip_level_release_warns_of_people_with_many_trips(tmp_path):
    for unit, warned in (("trip", True), ("user", False)):
        told = facts(tmp_path / unit, unit=unit)
        assert any("many trips" in sentence for sentence in told["statements"]["not_protected"]) is warned


def test_all_numbers_of_the_manifest_are_whole(tmp_path):
    facts(tmp_path)
    json.loads(
        (tmp_path / "b" / "manifest.json").read_text(), parse_float=pytest.fail, parse_constant=pytest.fail
    )


def test_times_are_written_in_utc_and_need_their_zone(tmp_path):
    with pytest.raises(ValueError, match="zone"):
        write_bundle(made_release(created=datetime(2024, 5, 1)), tmp_path / "b")
    moment = datetime.fromisoformat("2024-05-01T12:00:00.5+02:00")
    assert facts(tmp_path, created=moment)["release"]["created"] == "2024-05-01T10:00:00Z"
    assert read_bundle(tmp_path / "b").created == datetime(2024, 5, 1, 10, tzinfo=UTC)


def without_example(text: str) -> str:
    """A README without the numbers of the one tile that it shows."""
    found = re.sub(r"(?m)^(For example .* of the tile ).*$", r"\1", text)
    return re.sub(r"(?m)^\| (released|estimate), of .*$", "", found)


@pytest.mark.parametrize("sparse", [False, True])
def test_other_trips_change_the_tables_and_nothing_else(sparse, tmp_path):
    one = made_release(sparse=sparse)
    others = {}
    for name, measurement in one.measurements.items():
        cells = np.arange(1, measurement.keys.size, max(2, measurement.keys.size // 40), dtype=np.int64)
        measure = one.plan.measure(name)
        keys = measure.keys(one.tessellation.tile_ids)
        others[name] = measured(measure, keys, cells, cells % 90, one.plan, origin="release")
    write_bundle(one, tmp_path / "one")
    write_bundle(made_release(sparse=sparse, drawn=Tables(others)), tmp_path / "other")
    facts_of = [manifest(tmp_path / place) for place in ("one", "other")]
    for told in facts_of:
        del told["files"], told["seal"]
    assert facts_of[0] == facts_of[1]
    texts = [(tmp_path / place / "README.md").read_text() for place in ("one", "other")]
    assert without_example(texts[0]) == without_example(texts[1])
    for name in ("registry.yaml", "tiles.geojson"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    for name, measurement in one.measurements.items():
        if measurement.cells is not None:
            continue  # which pairs are listed is part of the noisy answer
        keys = list(measurement.keys.columns)
        tables = [
            pd.read_csv(tmp_path / place / "tables" / f"{name}.csv", dtype=str) for place in ("one", "other")
        ]
        assert list(tables[0]) == list(tables[1])
        pd.testing.assert_frame_equal(tables[0][keys], tables[1][keys])
