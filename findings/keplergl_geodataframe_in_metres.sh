#!/usr/bin/env bash
# keplergl 0.4.0 (26 October 2026) with geopandas 1.2.0.
#
# A GeoDataFrame in metres (EPSG:25833, Berlin) is given to a map of kepler.gl in a notebook. The same map is saved as HTML.
# Expected: the map in the notebook and the saved one show the same place, as both are made of the same frame by the same package.
# Seen: the saved file holds degrees, because it is written as GeoJSON, which is turned into WGS84. The notebook is sent the metres as they stand.
# The system goes along as PROJJSON, and the script of the widget has no reader of that.
# Who is hurt: who looks in the notebook sees an empty map; who checks the saved file only sees nothing of it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "keplergl==0.4.0" "geopandas==1.2.0" "shapely==2.2.0"

cat > "$place/show.py" <<'SHOW'
import base64
import re
import warnings
from importlib.metadata import version
from pathlib import Path

import geopandas as gpd
import keplergl
import pyarrow as pa
from keplergl import KeplerGl
from keplergl.serializers import data_to_json
from shapely import Point

warnings.filterwarnings("ignore")
frame = gpd.GeoDataFrame({"name": ["Alexanderplatz"]}, geometry=[Point(392_000, 5_820_000)], crs=25833)
shown = KeplerGl(data={"places": frame})

sent = data_to_json(shown.data, shown)["places"]  # what the widget in the notebook is told
table = pa.ipc.open_stream(base64.b64decode(sent["data"])).read_all()
at = table["geometry"].to_pylist()[0]
system = str(table.schema.field("geometry").type.crs)
script = (Path(keplergl.__file__).parent / "static" / "widget.js").read_text(encoding="utf-8", errors="ignore")
reads = "projjson" in script.lower()

shown.save_to_html(file_name="map.html")
lng, lat = re.search(r'"coordinates": \[([0-9.]+), ([0-9.]+)\]', open("map.html", encoding="utf-8").read()).groups()

print(f"keplergl {version('keplergl')}, geopandas {version('geopandas')}")
print(f"in the notebook: x {at['x']}, y {at['y']} (expected: 13.4, 52.5), in {system}, which the widget can read: {reads}")
print(f"in the saved file: {lng}, {lat}")
metres = (at["x"], at["y"]) == (392_000.0, 5_820_000.0) and not reads
if not metres or not lng.startswith("13.4") or not lat.startswith("52.5"):
    raise SystemExit("this has changed")
SHOW

cd "$place"
"$place/venv/bin/python" show.py
