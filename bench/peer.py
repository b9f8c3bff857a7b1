"""DpMobilityReport on the long-form file: the same five analyses, no noise, no HTML. Runs in its own environment."""

import json
import resource
import sys
from importlib.metadata import version
from pathlib import Path

import geopandas as gpd
import pandas as pd
from dp_mobility_report import DpMobilityReport

city = Path(sys.argv[1])
trips = pd.read_csv(city / "trips_long.csv")
tiles = gpd.read_file(city / "tiles.geojson")
report = DpMobilityReport(
    trips,
    tiles,
    privacy_budget=None,
    analysis_selection=[
        "trips_over_time",
        "trips_per_weekday",
        "trips_per_hour",
        "visits_per_tile",
        "od_flows",
    ],
    disable_progress_bar=True,
)
assert report.report  # noqa: S101 - the analyses run when they are asked for
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"version": version("dp-mobility-report"), "rss_mb": memory}))
