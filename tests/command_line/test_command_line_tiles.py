"""Options for files of tiles on the command line."""

from __future__ import annotations

import json

from tests.command_line.conftest import rows

CORNERS = [(0, 0), (1_000, 0), (1_000, 1_000), (0, 1_000), (0, 0)]


def test_commands_name_the_options_that_mend_a_file_of_tiles(run, tmp_path):
    """Two parts of one zone, and a neighbour that overlaps it, in metres and without a system."""
    squares = [(0, 0, "a"), (5_000, 5_000, "a"), (900, 0, "b")]
    features = [
        {
            "type": "Feature",
            "properties": {"tile_id": tile},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[390_000 + x + dx, 5_810_000 + y + dy] for dx, dy in CORNERS]],
            },
        }
        for x, y, tile in squares
    ]
    tiles = tmp_path / "tiles.geojson"
    tiles.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    trips = tmp_path / "trips.csv"
    trips.write_text(
        "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"
        "u,2024-03-04T08:00:00Z,2024-03-04T09:00:00Z,52.4337,13.3955,52.43,13.40\n"
    )
    words = ("exact", "visits_per_tile", "--trips", trips, "--tiles", tiles, "--timezone", "Europe/Berlin")
    told = []
    for options in (
        (),
        ("--tiles-crs", "EPSG:25833"),
        ("--tiles-crs", "EPSG:25833", "--merge-ids"),
        ("--tiles-crs", "EPSG:25833", "--merge-ids", "--overlaps", "first"),
    ):
        code, out, err = run(*words, *options)
        told.append((code, err))
    assert [code for code, _ in told] == [2, 2, 2, 0]
    assert "--tiles-crs" in told[0][1]
    assert "--merge-ids" in told[1][1]
    assert "--overlaps" in told[1][1], "all faults are told at once"
    assert "--overlaps" in told[2][1]
    assert [row["tile_id"] for row in rows(out)] == ["a", "b", "outside"]
