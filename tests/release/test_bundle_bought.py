"""Bundles with bought quantiles: read back as they were, and refused where somebody changed them."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from dpcore.errors import BundleError
from dpcore.measures.bought import BoughtQuantiles
from dpcore.noise.five_numbers import columns
from dpcore.release import Release, read_bundle, verify_bundle, write_bundle
from dpcore.release.canonical import canonical, sealed
from dpcore.release.five_numbers import five_numbers, five_numbers_table
from dpcore.release.table_files import csv_bytes, parquet_bytes
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite

WEIGHTS = {"travel_time": 2, "user_time_delta": 1, "trips_per_weekday": 1}


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, epsilon="1", five_numbers=2, ranges=Fraction(1, 10))


def test_what_was_bought_is_read_back_as_it_was(release, written):
    found = read_bundle(written)
    assert found.five_numbers == release.five_numbers
    assert found.ranges == release.ranges
    assert found.plan == release.plan
    assert verify_bundle(written).files == 20


def test_the_table_holds_the_bought_numbers_with_their_intervals(release, written):
    with (written / "tables" / "five_numbers.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expected = columns(five_numbers(release))
    assert list(rows[0]) == list(expected)
    assert [row["measure"] for row in rows] == expected["measure"]
    assert [float(row["value"]) for row in rows] == [float(text) for text in expected["value"]]
    assert [row["method"] for row in rows] == expected["method"]
    for row in rows:
        assert float(row["low_95"]) <= float(row["value"]) <= float(row["high_95"])


def test_its_words_say_what_was_bought_and_at_what_price(written):
    told = (written / "README.md").read_text(encoding="utf-8")
    assert "tables/five_numbers.csv" in told
    assert "never drawn again" in told
    registry = (written / "registry.yaml").read_text(encoding="utf-8")
    assert "ranges of bins 0.1 (3 quantiles)" in registry


def test_a_bundle_that_bought_nothing_says_nothing_of_it(tmp_path):
    write_bundle(made_release(weights=WEIGHTS, epsilon="1"), tmp_path / "b")
    assert not {"five_numbers", "ranges"} & set(manifest(tmp_path / "b"))
    assert not list((tmp_path / "b").rglob("five_numbers*"))


def forged_table(bundle, column: str, number: float) -> dict[str, bytes]:
    table = five_numbers_table(read_bundle(bundle))
    where = table.schema.get_field_index(column)
    first = pc.if_else(pa.array([n == 0 for n in range(table.num_rows)]), number, table[column])
    table = table.set_column(where, column, first)
    return {
        "tables__five_numbers__csv": csv_bytes(table),
        "tables__five_numbers__parquet": parquet_bytes(table),
    }


@pytest.mark.parametrize(("column", "number"), [("value", 1.0), ("low_95", 0.125), ("half_width_95", 0.0)])
def test_numbers_that_do_not_follow_from_the_manifest_and_the_tables_are_refused(bundle, column, number):
    rewrite(bundle, **forged_table(bundle, column, number))
    with pytest.raises(BundleError, match="do not follow from the manifest"):
        read_bundle(bundle)


def test_a_csv_that_says_something_else_than_its_parquet_is_refused(bundle):
    rewrite(bundle, tables__five_numbers__csv=forged_table(bundle, "value", 1.0)["tables__five_numbers__csv"])
    with pytest.raises(BundleError, match="differs from its Parquet"):
        read_bundle(bundle)


def of(member, *path):
    """A change of the manifest: the last of the path is the value."""

    def change(document):
        place = document[member]
        for step in path[:-2]:
            place = place[step]
        place[path[-2]] = path[-1]

    return change


FORGERIES = {
    "off the grid": of("five_numbers", "values", "travel_time", "p50", "12.25"),
    "another form": of("five_numbers", "values", "travel_time", "p50", "1e1"),
    "not a number": of("five_numbers", "values", "travel_time", "p50", "nan"),
    "crossed": of("five_numbers", "values", "travel_time", "p5", "1440"),
    "one too few": lambda document: document["five_numbers"]["values"]["travel_time"].pop("p50"),
    "one too many": of("five_numbers", "values", "travel_time", "p51", "10"),
    "a summary of no histogram": of("five_numbers", "values", "od_flows", {"p5": "1"}),
    "a summary missing": lambda document: document["five_numbers"]["values"].pop("travel_time"),
    "values that are none": of("five_numbers", "values", "travel_time", ["1"]),
    "weight nothing": of("five_numbers", "weight", 0),
    "another weight": of("five_numbers", "weight", 3),
    "a weight that is none": of("five_numbers", "weight", "2"),
    "at no rung": of("five_numbers", "at_total_epsilon", {"decimal": "7", "exact": "7/1"}),
    "at another rung": of("five_numbers", "at_total_epsilon", {"decimal": "0.5", "exact": "1/2"}),
    "cheaper than it was": of("five_numbers", "epsilon_of_one", {"decimal": "0", "exact": "1/99999999"}),
    "a finer grid": of("five_numbers", "grids", "travel_time", "points", 7),
    "no summaries at all": lambda document: document.pop("five_numbers"),
    "another range": of("ranges", "values", "travel_time", "p95", "10"),
    "a range of known ends": of("ranges", "values", "mobility_entropy", {"p95": "0.5"}),
    "half a range": lambda document: document["ranges"]["values"]["user_time_delta"].pop("p5"),
    "a range missing": lambda document: document["ranges"]["values"].pop("user_time_delta"),
    "another share": of("ranges", "share", {"decimal": "0.2", "exact": "1/5"}),
    "all of epsilon": of("ranges", "share", {"decimal": "1", "exact": "1/1"}),
    "no ranges at all": lambda document: document.pop("ranges"),
    "no draw at all": of("ranges", "values", {}),
    "no summary at all": of("five_numbers", "values", {}),
    "a range of nothing": of("ranges", "values", "travel_time", {}),
    "a share without decimals": of("ranges", "share", {"decimal": "0.333333", "exact": "1/3"}),
    "other bins": of("key_choices", "edges", "travel_time", ["1", "2"]),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_manifest_that_says_something_else_is_refused_in_plain_words(bundle, change):
    rewrite(bundle, change)
    with pytest.raises(BundleError) as told:
        read_bundle(bundle)
    assert told.value.__cause__ is None
    assert len(str(told.value)) < 600


JSON_VALUES = (
    None, True, False, 0, -1, 3, 10**17, "", "x", "0.1", "1/0", "9/1", "nan", [], [[]], ["5"], ["5", "4"], [True], {},
    {"exact": "1/0"}, {"exact": "1/2", "decimal": "x"}, {"travel_time": {}}, {"travel_time": {"p95": []}},
    {"travel_time": ["1"] * 600}, {"od_flows": {"p5": "1"}}, {"edges": {"travel_time": 3}}, {"": {"": {}}},
)  # fmt: skip


def places(value, path=()):
    """Every place within a JSON value, the value itself included."""
    yield path
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        yield from places(member, (*path, key))


@pytest.mark.parametrize("member", ["five_numbers", "ranges", "key_choices"])
def test_whatever_json_stands_there_is_a_release_or_is_refused_as_a_bundle(written, tmp_path, member):
    told = manifest(written)
    trials = [(path, value) for path in places(told[member], (member,)) for value in JSON_VALUES]
    chosen = random.Random(member).sample(trials, 100)  # the same ones every time
    chosen += [((member,), value) for value in JSON_VALUES]
    chosen += [((member, "values"), value) for value in JSON_VALUES if "values" in told[member]]
    bundle = shutil.copytree(written, tmp_path / "b")
    for path, value in chosen:
        document = json.loads(json.dumps(told))
        place = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        (bundle / "manifest.json").write_bytes(canonical(sealed(document)))
        try:
            found = read_bundle(bundle)
        except BundleError:
            continue
        assert canonical(value) == canonical(at(told, path)), (path, value)
        assert isinstance(found, Release)


def at(document, path):
    for step in path:
        document = document[step]
    return document


def test_a_bought_set_without_a_draw_is_none():
    with pytest.raises(ValueError, match="at least one"):
        BoughtQuantiles(Fraction(1), Fraction(1, 10), {})


def test_a_table_too_many_or_too_few_is_refused(bundle, tmp_path):
    (bundle / "tables" / "five_numbers.csv").unlink()
    with pytest.raises(BundleError):
        read_bundle(bundle)
    plain = tmp_path / "plain"
    write_bundle(made_release(weights=WEIGHTS, epsilon="1"), plain)
    (plain / "tables" / "five_numbers.csv").write_bytes(io.BytesIO(b"measure\n").getvalue())
    with pytest.raises(BundleError, match="does not belong"):
        read_bundle(plain)
