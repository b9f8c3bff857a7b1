#!/usr/bin/env bash
# OpenDP 0.16.0 (6 October 2026) with polars 1.36.1, which `opendp[polars]` installs.
#
# Two tiles of a person count, with one visit in each: `truncate_num_groups(2, by=["tile"])`, then `truncate_per_group(1, by=["tile"])`. Half of the epsilon
# of a context is meant for it.
# Expected: the default of a bound works; and if a query cannot be answered, it says so before it is charged.
# Seen: `summarize()` tells the scale of its noise, and `release()` charges it. Then `collect()` fails with "multiple fields with name 'tile' found": with
# the default `keep="sample"` the column that is grouped by stands twice in the plan. With `keep="first"` the same query is answered.
# Who is hurt: who bounds people by the places that they visit. The half is spent, and a second try takes the other half.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "opendp[polars]==0.16.0" "polars==1.36.1"

cat > "$place/ask.py" <<'ASK'
import warnings
from importlib.metadata import version

import opendp.prelude as dp
import polars as pl

warnings.filterwarnings("ignore")
dp.enable_features("contrib")
visits = pl.LazyFrame({"person": ["a"] * 3 + ["b"] * 3, "tile": ["A", "B", "C"] * 2})
context = dp.Context.compositor(
    data=visits,
    privacy_unit=dp.unit_of(contributions=1, identifier="person"),
    privacy_loss=dp.loss_of(epsilon=2.0),
    split_evenly_over=2,
    margins=[dp.polars.Margin(by=[], max_length=100)],
)


def ask(**keep: str) -> str:
    bounded = context.query().truncate_num_groups(2, by=["tile"], **keep).truncate_per_group(1, by=["tile"])
    query = bounded.group_by("tile").agg(dp.len(signed=True)).with_keys(pl.LazyFrame({"tile": ["A", "B", "C"]}))
    scale = query.summarize()["scale"][0]
    released = query.release()
    try:
        return f"scale {scale:g}, {released.collect().height} tiles"
    except Exception as error:
        return f"scale {scale:g}, {'twice the same column' if 'multiple fields with name' in str(error) else error}"


print(f"OpenDP {version('opendp')}, polars {version('polars')}; epsilon for two queries")
said = [ask(), ask(keep="first")]
print(f"by default: {said[0]} (expected: 3 tiles)")
print(f"keep='first': {said[1]}")
try:
    ask(keep="first")
    left = True
except ValueError:
    left = False
print(f"epsilon is left for a third query: {left} (expected: True, as one failed)")
if "twice the same column" not in said[0] or not said[1].endswith("3 tiles") or left:
    raise SystemExit("this has changed")
ASK

"$place/venv/bin/python" "$place/ask.py"
