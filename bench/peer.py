"""DpMobilityReport on the long-form file: all its analyses, no HTML. Runs in its own environment."""

import json
import resource
import sys
from importlib.metadata import version
from pathlib import Path

import geopandas as gpd
import pandas as pd
from dp_mobility_report import DpMobilityReport

city, mode = Path(sys.argv[1]), sys.argv[2]
trips = pd.read_csv(city / "trips_long.csv")
tiles = gpd.read_file(city / "tiles.geojson")
asked = {"privacy_budget": 1, "max_trips_per_user": 5} if mode == "private" else {"privacy_budget": None}
report = DpMobilityReport(trips, tiles, disable_progress_bar=True, **asked)
assert report.report  # noqa: S101 - the analyses run when they are asked for
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"version": version("dp-mobility-report"), "rss_mb": memory}))
