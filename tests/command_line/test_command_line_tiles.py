"""Options for files of tiles on the command line."""

from __future__ import annotations

import json

import pytest

from dpcore.command_line.main import main
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


FEED = (
    '{"last_updated": 1, "ttl": 0, "version": "3.0", "data": {"stations": [{"station_id": "n", "lat": 0.5, "lon": 0.5, '
    '"name": [{"text": "North", "language": "en"}]}]}}'
)
ROWS = "begin,until,from_zone,to_zone\n2024-03-01 08:00,2024-03-01 08:20,n,n\n"


def test_trips_and_tiles_are_judged_together_and_obeying_loads(capsys, tmp_path):
    (tmp_path / "trips.csv").write_text(ROWS)
    (tmp_path / "stations.csv").write_text('code,label,lat,lng\nn,x,"0,5","0,5"\n')
    (tmp_path / "feed.json").write_text(FEED)
    asked = ["exact", "visits_per_tile", "--timezone", "UTC", "--trips", str(tmp_path / "trips.csv")]
    stations = ["--tiles", str(tmp_path / "stations.csv")]
    assert main([*asked, *stations]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("error: no property is known as tile id: stations.csv. Choose one with --tile-id")
    assert second.startswith("error: columns missing: ")
    assert "--column" in second
    roles = {"started_at": "begin", "ended_at": "until", "start_tile": "from_zone", "end_tile": "to_zone"}
    named = [word for role, name in roles.items() for word in ("--column", f"{role}={name}")]
    assert main([*asked, *stations, "--tile-id", "code", *named]) == 0
    assert capsys.readouterr().out.split()[1:] == ["n,2", "outside,0"]
    assert main([*asked, "--tiles", str(tmp_path / "feed.json"), *named]) == 0
    assert capsys.readouterr().out.split()[1:] == ["n,2", "outside,0"]


@pytest.mark.parametrize("trips", ["gone.csv", "trips.tar"])
def test_trips_that_cannot_be_opened_are_told_beside_the_tiles(capsys, tmp_path, trips):
    (tmp_path / "trips.tar").write_bytes(b"trips.csv" + bytes(248) + b"ustar\x0000" + bytes(248))
    files = ("--trips", str(tmp_path / trips), "--tiles", str(tmp_path / "no.geojson"))
    assert main(["exact", "od_flows", "--timezone", "UTC", *files]) == 2
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in told] == ["error", "error"]
    assert "there is no such file" in told[0]
    assert trips in told[1]
