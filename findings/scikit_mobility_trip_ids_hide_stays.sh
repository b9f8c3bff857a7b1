#!/usr/bin/env bash
# scikit-mobility 1.3.1, with pins by which it can be imported on Python 3.11: numpy 1.26.4, pandas 1.5.3, geopandas 0.10.2, shapely 1.8.5,
# rtree 1.4.1, h3 3.7.7.
#
# A person rides to work at 8:00 and home at 17:00. The frame has a column of trip ids, which is named as such (`trajectory_id`).
# Expected: an id is a name. It parts the two trips or it does not, and what it is called changes no count.
# Seen: it parts the points for `stay_locations`, so the stay of 8 hours 40 minutes at work is none; without the column it is there. It parts nothing
# for `to_flowdataframe`, but that sorts by it before it sorts by time, as text. The two trips have three flows, and the third runs at work if the
# ids are 1 and 2, and at home if they are "out" and "back".
# Who is hurt: who names trip ids because there are some loses work places and homes, and counts flows that nobody made.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "scikit-mobility==1.3.1" "numpy==1.26.4" "pandas==1.5.3" "geopandas==0.10.2" "shapely==1.8.5.post1" "rtree==1.4.1" "h3==3.7.7"

cat > "$place/count.py" <<'COUNT'
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
import geopandas as gpd
import pandas as pd
import skmob
from shapely.geometry import box
from skmob.preprocessing.detection import stay_locations

NAMES = {"latitude": "lat", "longitude": "lng", "datetime": "datetime", "user_id": "uid"}
TILES = gpd.GeoDataFrame(
    {"tile_ID": ["home", "work"]}, geometry=[box(10.70, 59.9, 10.75, 59.92), box(10.75, 59.9, 10.80, 59.92)], crs="EPSG:4326"
)


def points(there: str, back: str) -> pd.DataFrame:
    rows = [
        ("ann", there, "2024-10-25 08:00", 59.91, 10.72),
        ("ann", there, "2024-10-25 08:20", 59.91, 10.78),
        ("ann", back, "2024-10-25 17:00", 59.91, 10.78),
        ("ann", back, "2024-10-25 17:05", 59.91, 10.72),
    ]
    frame = pd.DataFrame(rows, columns=["uid", "tid", "datetime", "lat", "lng"])
    return frame.assign(datetime=pd.to_datetime(frame["datetime"]))


def stays(frame: pd.DataFrame, **more: str) -> int:
    read = skmob.TrajDataFrame(frame, **NAMES, **more)
    return len(stay_locations(read, minutes_for_a_stop=20.0, spatial_radius_km=0.2, no_data_for_minutes=1e12))


def flows(frame: pd.DataFrame) -> dict[tuple[str, str], int]:
    found = skmob.TrajDataFrame(frame, trajectory_id="tid", **NAMES).to_flowdataframe(TILES, self_loops=True)
    return {(row.origin, row.destination): int(row.flow) for row in found.itertuples()}


with_ids, without = stays(points("1", "2"), trajectory_id="tid"), stays(points("1", "2").drop(columns="tid"))
numbered, named = flows(points("1", "2")), flows(points("out", "back"))
print(f"scikit-mobility {version('scikit-mobility')}")
print(f"stays of 20 minutes: {with_ids} with trip ids, {without} without (expected: the same)")
print(f"flows of trips 1 and 2: {numbered}")
print(f"flows of trips out and back: {named} (expected: the same, and two of them)")
ways = {("home", "work"): 1, ("work", "home"): 1}
if (with_ids, without) != (0, 1) or numbered != {**ways, ("work", "work"): 1} or named != {**ways, ("home", "home"): 1}:
    raise SystemExit("this has changed")
COUNT

"$place/venv/bin/python" "$place/count.py"
