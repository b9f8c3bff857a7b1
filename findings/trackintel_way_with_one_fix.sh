#!/usr/bin/env bash
# trackintel 1.4.2 with geopandas 1.2.0 and pandas 3.1.1.
#
# A person is at home until 6:30, at work from 7:00 to 15:00 and at home again. There is a fix every ten minutes or so on the way. The stays are
# found by the usual steps, with the last one (`include_last=True`) and without a limit of holes in time.
# Expected: three stays, and two trips between them.
# Seen: a way needs two fixes of its own between two stays. If the way home has one, the three stays are found and one trip. Nothing says that a
# way is missing.
# Who is hurt: who counts trips of phones that tell their place every ten minutes: short trips are missing, long ones are not.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "trackintel==1.4.2" "geopandas==1.2.0" "pandas==3.1.1" "shapely==2.2.0"

cat > "$place/trips.py" <<'TRIPS'
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
import geopandas as gpd
import pandas as pd
from trackintel.io import read_positionfixes_gpd
from trackintel.preprocessing import generate_trips

HOME, WORK, NEAR, HALF = (59.91, 10.72), (59.91, 10.78), (59.912, 10.735), (59.912, 10.75)
ONE = {"06:00": HOME, "06:30": HOME, "06:40": NEAR, "06:45": HALF, "07:00": WORK, "15:00": WORK, "15:10": HALF, "15:20": HOME, "16:00": HOME}
TWO = {**ONE, "15:15": NEAR}
NEVER = 1e6  # minutes


def counted(fixes: dict[str, tuple[float, float]]) -> tuple[int, int]:
    """Stays, and trips between two of them."""
    rows = [("a", f"2024-10-25 {time}", *place) for time, place in sorted(fixes.items())]
    frame = pd.DataFrame(rows, columns=["user_id", "tracked_at", "lat", "lng"])
    frame["tracked_at"] = pd.to_datetime(frame["tracked_at"], utc=True)
    frame = gpd.GeoDataFrame(frame, geometry=gpd.points_from_xy(frame.lng, frame.lat), crs="EPSG:4326")
    read = read_positionfixes_gpd(frame, geom_col="geometry")
    rule = {"dist_threshold": 200, "time_threshold": 20, "gap_threshold": NEVER, "include_last": True}
    read, stays = read.generate_staypoints(method="sliding", **rule)
    stays = stays.assign(is_activity=True)
    read, legs = read.generate_triplegs(stays, gap_threshold=NEVER)
    trips = generate_trips(stays, legs, gap_threshold=NEVER)[2]
    return len(stays), int(trips[["origin_staypoint_id", "destination_staypoint_id"]].notna().all(axis=1).sum())


one, two = counted(ONE), counted(TWO)
print(f"trackintel {version('trackintel')}, geopandas {version('geopandas')}, pandas {version('pandas')}")
print(f"two fixes on each way: {two[0]} stays, {two[1]} trips")
print(f"one fix on the way home: {one[0]} stays, {one[1]} trips (expected: the same)")
if (one, two) != ((3, 1), (3, 2)):
    raise SystemExit("this has changed")
TRIPS

"$place/venv/bin/python" "$place/trips.py"
