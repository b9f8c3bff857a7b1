"""Bundles whose plan has districts: the tiles say in which they lie, and nobody can say otherwise."""

from __future__ import annotations

import json
from dataclasses import replace

import geopandas
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.release import kind_of, read_bundle, verify_bundle, write_bundle
from dpcore.release.kinds import TABLES
from dpcore.tiles import halved, own_districts
from dpcore.tiles.drawn import as_drawn, tiles_geojson
from tests.cities import DISTRICTS, four_tiles
from tests.release.made_releases import WEEK, made_release
from tests.release.tampering import manifest, rewrite

NAMES = ("south", "south", "north", "north")
OTHERS = ("south", "north", "south", "north")
WEIGHTS = {"visits_per_tile": 2, "od_districts": 1, "total_trips": 1}


def made(choices=None, **changes):
    chosen = choices or KeyChoices(WEEK, districts=DISTRICTS, most_trips=40)
    return made_release(weights=WEIGHTS, choices=chosen, **changes)


@pytest.fixture
def bundle(tmp_path):
    write_bundle(made(), tmp_path / "city")
    return tmp_path / "city"


def with_districts(names):
    return tiles_geojson(as_drawn(replace(four_tiles(), districts=names)))


def test_all_files_of_tiles_have_the_districts_of_the_plan(bundle):
    features = json.loads((bundle / "tiles.geojson").read_text("utf-8"))["features"]
    assert [one["properties"]["district"] for one in features] == [*NAMES]
    assert pq.read_table(bundle / "tiles.parquet")["district"].to_pylist() == [*NAMES]
    assert geopandas.read_file(bundle / "tiles.gpkg")["district"].tolist() == [*NAMES]
    drawn = json.loads((bundle / "maps/visits_per_tile.geojson").read_text("utf-8"))["features"]
    assert [one["properties"]["district"] for one in drawn] == [*NAMES]


def test_the_plan_and_the_tiles_are_read_back_and_load_as_tiles_again(bundle):
    release = read_bundle(bundle)
    assert release.plan.choices == KeyChoices(WEEK, districts=DISTRICTS, most_trips=40)
    assert release.tessellation.districts == NAMES
    assert own_districts(release.tessellation) == DISTRICTS
    assert release.measurements["od_districts"].keys.axes[0].labels == ("north", "south", "outside")
    assert release.measurements["total_trips"].sensitivity == 40
    assert verify_bundle(bundle).words


def test_the_table_of_districts_has_their_names_as_text_and_no_points(tmp_path):
    numbered = KeyChoices(WEEK, districts=Districts(("01", "02"), (0, 0, 1, 1)))
    write_bundle(made(numbered), tmp_path / "city")
    table = pq.read_table(tmp_path / "city" / "tables" / "od_districts.parquet")
    assert table.column_names[:4] == ["origin", "destination", "value", "half_width_95"]
    assert not [name for name in table.column_names if name.endswith(("_lng", "_lat"))]
    assert table["origin"].to_pylist()[:4] == ["01", "01", "01", "02"]


def test_districts_of_the_file_that_the_plan_does_not_use_are_not_published(tmp_path):
    own = replace(four_tiles(), districts=OTHERS)
    write_bundle(made(tessellation=own), tmp_path / "chosen")
    assert read_bundle(tmp_path / "chosen").tessellation.districts == NAMES
    write_bundle(made_release(weights={"visits_per_tile": 1}, tessellation=own), tmp_path / "none")
    assert read_bundle(tmp_path / "none").tessellation.districts == ()
    assert b"district" not in (tmp_path / "none" / "tiles.geojson").read_bytes()


@pytest.mark.parametrize("names", [OTHERS, (), ("south", "south", "north", "east")], ids=str)
def test_tiles_whose_districts_are_not_those_of_the_plan_are_refused_by_name(bundle, names):
    rewrite(bundle, tiles__geojson=with_districts(names))
    with pytest.raises(
        BundleError, match=r"districts of the tiles are not those of the plan: tiles\.geojson"
    ):
        verify_bundle(bundle)


def test_districts_without_a_plan_of_them_are_refused_by_name(tmp_path):
    write_bundle(made_release(weights={"visits_per_tile": 1}), tmp_path / "city")
    rewrite(tmp_path / "city", tiles__geojson=with_districts(NAMES))
    with pytest.raises(BundleError, match=r"not those of the plan: tiles\.geojson"):
        verify_bundle(tmp_path / "city")


def test_a_plan_with_other_districts_is_refused(bundle):
    def swap(of_tiles):
        return lambda document: document["key_choices"]["districts"].update(of_tiles=of_tiles)

    assert manifest(bundle)["key_choices"]["districts"] == {"names": ["north", "south"], "of_tiles": "1100"}
    rewrite(bundle, swap("1010"))
    with pytest.raises(BundleError, match=r"not those of the plan: tiles\.geojson"):
        verify_bundle(bundle)
    for impossible in ("110", "0000", "11 0", "9100"):
        rewrite(bundle, swap(impossible))
        with pytest.raises(BundleError, match=r"manifest\.json"):
            verify_bundle(bundle)


def test_commands_and_code_give_the_districts_and_the_cap_again():
    plan = made().plan
    command = TABLES.command(plan, "city", "UTC")
    assert "--districts own --most-trips 40" in command
    assert "districts=own_districts(tiles), most_trips=40" in " ".join(TABLES.python(plan).split())
    laid = replace(plan.choices, districts=halved(four_tiles(), 3), most_trips=None)
    plan = replace(plan, choices=laid)
    assert "--districts 3" in TABLES.command(plan, "city", "UTC")
    assert "--most-trips" not in TABLES.command(plan, "city", "UTC")
    assert "districts=halved(tiles, 3)" in TABLES.python(plan)


def test_terms_are_read_back_with_districts_and_cap():
    plan = made().plan
    assert kind_of(plan).plan_of_terms(json.loads(json.dumps(kind_of(plan).terms(plan)))) == plan
    assert plan.choices.districts == Districts(("north", "south"), (1, 1, 0, 0))
