#!/usr/bin/env bash
# keplergl 0.4.0 (26 October 2026) with h3 4.5.0.
#
# A frame has one H3 cell a row, as whole numbers, as `h3.api.basic_int`, DuckDB and Parquet files have them. It is given to a map of kepler.gl.
# Expected: the browser gets the cells.
# Seen: they are sent as numbers of JSON, which a browser reads as doubles. A cell has 60 bits, and the unused places at its end are all ones, so
# rounding to 53 bits carries into the places that are used. Of 8 resolutions no cell is a cell any more. `use_arrow=True` sends all 64 bits.
# Who is hurt: who joins counts by numbers of cells: hexagons are missing, without a word.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "keplergl==0.4.0" "h3==4.5.0"

cat > "$place/send.py" <<'SEND'
import base64
import json
import warnings
from importlib.metadata import version

import h3.api.basic_int as h3
import pandas as pd
import pyarrow as pa
from keplergl import KeplerGl
from keplergl.serializers import data_to_json

warnings.filterwarnings("ignore")
cells = [h3.latlng_to_cell(52.52, 13.41, resolution) for resolution in range(5, 13)]
frame = pd.DataFrame({"cell": cells, "visits": 1})


def sent(**how: bool) -> dict:
    shown = KeplerGl(data={"visits": frame}, **how)
    return json.loads(json.dumps(data_to_json(shown.data, shown)["visits"]), parse_int=float)  # numbers as a browser reads them


usual = [int(row[0]) for row in sent()["data"]["data"]]
arrow = pa.ipc.open_stream(base64.b64decode(sent(use_arrow=True)["data"])).read_all()["cell"].to_pylist()
same, valid = sum(map(int.__eq__, usual, cells)), sum(map(h3.is_valid_cell, usual))
print(f"keplergl {version('keplergl')}, h3 {version('h3')}: {len(cells)} cells, of resolution 5 to 12")
print(f"as usual: {same} arrive as they are, {valid} are cells (expected: {len(cells)} and {len(cells)})")
print(f"for example {h3.int_to_str(cells[4])} becomes {h3.int_to_str(usual[4])}")
print(f"with use_arrow=True: {sum(map(int.__eq__, arrow, cells))} arrive as they are")
if same or valid or arrow != cells:
    raise SystemExit("this has changed")
SEND

"$place/venv/bin/python" "$place/send.py"
