#!/usr/bin/env bash
# DpMobilityReport 0.2.11, with pins by which it can be imported: numpy 1.26.4, pandas 2.1.4, geopandas 0.14.4, shapely 2.0.7, scikit-learn 1.5.2.
#
# Two trips in four tiles; one begins on the corner where all four meet. The report is exact (no privacy budget).
# Expected: whatever a point on a border does to visits of tiles, there are two trips.
# Seen: the corner is four rows of that trip, one for each tile. It has five rows then. Trips are counted by having one row or two, so there is
# one trip, with seven visits and five flows. All of that stands in one report.
# Who is hurt: places that were snapped to a grid lie on its corners. The more of them, the fewer trips and the more visits, and what one person
# can change is more than the noise is made for.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export TMPDIR="$place" # the report empties a folder there
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "dp-mobility-report==0.2.11" "numpy==1.26.4" "pandas==2.1.4" "geopandas==0.14.4" "scipy==1.13.1" "fiona==1.9.6" \
  "shapely==2.0.7" "scikit-learn==1.5.2" "matplotlib==3.8.4" "opencv-python==4.10.0.84" "diffprivlib==0.6.5" "setuptools==80.9.0"

cat > "$place/report.py" <<'REPORT'
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
import geopandas as gpd
import pandas as pd
from dp_mobility_report import DpMobilityReport
from shapely.geometry import box

rows = [
    ("ann", "1", "2024-10-25 08:00", 59.91, 10.72),
    ("ann", "1", "2024-10-25 08:20", 59.91, 10.78),
    ("ben", "2", "2024-10-25 12:00", 59.92, 10.75),
    ("ben", "2", "2024-10-25 12:15", 59.91, 10.77),
]
points = pd.DataFrame(rows, columns=["uid", "tid", "datetime", "lat", "lng"])
points["datetime"] = pd.to_datetime(points["datetime"])
sides = [(10.7, 59.9), (10.75, 59.9), (10.7, 59.92), (10.75, 59.92)]
tiles = gpd.GeoDataFrame({"tile_id": [*"ABCD"]}, geometry=[box(x, y, x + 0.05, y + 0.02) for x, y in sides], crs=4326)

found = DpMobilityReport(points, tiles, privacy_budget=None, disable_progress_bar=True).report
trips = int(found["ds_statistics"].data["n_trips"])
visits, flows = int(found["visits_per_tile"].data.visits.sum()), int(found["od_flows"].data.flow.sum())
print(f"DpMobilityReport {version('dp-mobility-report')}, shapely {version('shapely')}")
print(f"trips: {trips} (expected: 2); visits: {visits} (expected: 4); flows: {flows} (expected: 2)")
if (trips, visits, flows) != (1, 7, 5):
    raise SystemExit("this has changed")
REPORT

cd "$place"
"$place/venv/bin/python" report.py
