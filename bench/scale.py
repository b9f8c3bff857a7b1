"""Cases of size: python -m bench.scale NAME CITY. Prints one line of JSON.

``limit`` is what this machine cannot do faster with any program: copying memory, reading the file's bytes and decoding
its seven columns. ``text`` is the checked reading of CSV alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from dpcore import demo
from dpcore.api import owner

Figures = dict[str, float | str]

COPIED = 2**30
COLUMNS = ("user_id", "started_at", "ended_at", "start_lat", "start_lng", "end_lat", "end_lng")


def limit(city: Path) -> Figures:
    """Memory copied, bytes read and columns decoded, each on one core."""
    source, target = np.ones(COPIED // 8), np.empty(COPIED // 8)
    target[:] = 0.0  # the first touch asks the system for memory, which is not what is measured
    copied = min(_seconds(lambda: np.copyto(target, source)) for _ in range(3))
    file = city / "trips.parquet"
    read = min(_seconds(lambda: _read(file)) for _ in range(2))
    decoded = min(_seconds(lambda: _decoded(file)) for _ in range(2))
    return {
        "copied_gb_s": COPIED / copied / 1e9,
        "read_gb_s": file.stat().st_size / read / 1e9,
        "decoded_s": decoded,
        "trips": pq.read_metadata(file).num_rows,
    }


def text(city: Path) -> Figures:
    """Bytes a second of one core that reading and checking a CSV file takes, without tiles, hashes or storing."""
    from dpcore.private.source import read  # noqa: PLC0415 - of this case only

    speeds = {}
    for name in ("trips.csv", "trips_long.csv"):
        if not (city / name).exists():
            continue
        file = owner.TripsFile.on_disk(city / name)
        seen = owner.inspect(file)
        took = []
        for _ in range(3):
            began = time.process_time()
            for _batch in read(file, seen, timezone=demo.DEMO_TIMEZONE).batches():
                pass
            took.append(time.process_time() - began)
        speeds[name.removesuffix(".csv")] = file.size / min(took) / 1e6
    return dict(speeds)


def _seconds(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _read(file: Path) -> None:
    with file.open("rb", buffering=0) as stream:
        while stream.read(2**22):
            pass


def _decoded(file: Path) -> None:
    with pq.ParquetFile(file) as table:
        for _batch in table.iter_batches(131_072, columns=list(COLUMNS), use_threads=False):
            pass


CASES = {case.__name__: case for case in (limit, text)}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](Path(sys.argv[2]))))
