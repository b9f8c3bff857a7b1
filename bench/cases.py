"""One case of the benchmark: python -m bench.cases NAME CITY [more]. Prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from fractions import Fraction
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from bench.running import FIFTEEN
from dpcore import demo
from dpcore.api import owner
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit
from dpcore.tiles import Box, Tessellation, read_tessellation, square_grid

Figures = dict[str, float | str]


def loaded(city: Path, file: str, *, recount: bool) -> tuple[owner.PrivateTrips, Tessellation]:
    """Trips of a file or a folder of files, and tiles, of the benchmark's city."""
    tessellation = read_tessellation(city / "tiles.geojson", "tiles.geojson")
    files = owner.trips_files([city / file])
    seen = [owner.inspect(one) for one in files]
    return (
        owner.load(files, seen, tessellation, timezone=demo.DEMO_TIMEZONE, recount=recount),
        tessellation,
    )


def long(city: Path) -> Figures:
    """Write the trips in the form uid, tid, datetime, lat, lng: two rows a trip."""
    table = pq.read_table(city / "trips.parquet")

    def both(start: str, end: str) -> pa.Array:
        return pa.array(np.stack([table[start].to_numpy(), table[end].to_numpy()], axis=1).ravel())

    rows = pa.table(
        {
            "uid": both("user_id", "user_id"),
            "tid": pa.array(np.repeat(np.arange(len(table)), 2)),
            "datetime": both("started_at", "ended_at").cast(pa.timestamp("s")),
            "lat": both("start_lat", "end_lat"),
            "lng": both("start_lng", "end_lng"),
        }
    )
    pa_csv.write_csv(rows, city / "trips_long.csv")
    return {}


def publish(city: Path, file: str, epsilon: str = "1") -> Figures:
    """Read a file, count the fifteen measures for people with at most five trips, draw their noise, charge, write the bundle."""
    from dpcore import curator  # noqa: PLC0415 - other cases do without the ledger
    from dpcore.ledger import Account  # noqa: PLC0415

    trips, tessellation = loaded(city, file, recount=True)
    with TemporaryDirectory() as folder:
        ledger = curator.ledger_at(Path(folder) / "ledger.db")
        curator.register(ledger, Account("bench", "invented people", PrivacyUnit.USER, Fraction(10)))
        plan = Plan.up_to(
            ContributionBound.per_user(5),
            dict.fromkeys(FIFTEEN, 1),
            epsilon,
            KeyChoices(demo.DEMO_PERIOD),
        )
        request = curator.Request("bench", plan, "Bench", "", "bench", "before_data")
        curator.publish(trips, tessellation, request, ledger)
    return {"rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def tiles(_city: Path, number: str) -> Figures:
    """Points a second of the tile kernel, on one core."""
    if int(number) <= 5_000:
        ids, names, polygons = demo.city_tiles(int(number), 7)
        tessellation = Tessellation.of(ids, names, polygons, "bench")
    else:
        tessellation = square_grid(Box(9.6, 54.1, 10.2, 54.5), 187.0)
    west, south, east, north = tessellation.bounds
    rng = np.random.default_rng(7)
    lng, lat = rng.uniform(west, east, 5_000_000), rng.uniform(south, north, 5_000_000)
    began = time.process_time()
    index = tessellation.index
    built = time.process_time()
    index.assign(lng[:1000], lat[:1000])  # compiles
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        index.assign(lng, lat)
        best = min(best, time.process_time() - start)
    corners = sum(len(p.exterior.coords) if p.geom_type == "Polygon" else 0 for p in tessellation.polygons)
    return {
        "points_per_second": len(lng) / best,
        "index_seconds": built - began,
        "corners": corners / len(tessellation.tile_ids),
    }


def noise(_city: Path) -> Figures:
    """Cell-rungs a second of the ladder, beside other samplers; and the sparse ladder."""
    import opendp.prelude as dp  # noqa: PLC0415 - of the comparison only

    from dpcore.noise.samplers import ladder  # noqa: PLC0415
    from dpcore.noise.sparse import sparse_ladder, threshold_for  # noqa: PLC0415

    rhos = [rung / 10 for rung in RUNGS]
    ladder(rhos, 1000)
    began = time.perf_counter()
    ladder(rhos, 300_000)
    ours = 300_000 * len(rhos) / (time.perf_counter() - began)

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    laplace = dp.m.make_laplace(*space, scale=10.0)
    began = time.perf_counter()
    laplace([0] * 50_000)
    oracle = 50_000 / (time.perf_counter() - began)

    rng = np.random.default_rng(7)
    began = time.perf_counter()
    rng.geometric(0.1, 3_000_000) - rng.geometric(0.1, 3_000_000)
    unsafe = 3_000_000 / (time.perf_counter() - began)

    # 20,000 tiles and what lies outside of them; a million pairs with trips, all of them well above the threshold,
    # so that every rung of a million cells is drawn.
    size, occupied = 20_001**2, 1_000_000
    cells = np.unique(rng.integers(0, size, 2 * occupied))
    cells = np.sort(rng.choice(cells, occupied, replace=False))
    counts = 1_000 + rng.geometric(0.01, occupied)
    sparse_ladder(cells[:5_000], counts[:5_000], size, rhos, threshold_for(size, rhos[-1], Fraction(1)))
    began, worked = time.perf_counter(), time.process_time()
    shown, values = sparse_ladder(cells, counts, size, rhos, threshold_for(size, rhos[-1], Fraction(1)))
    sparse = {"sparse_seconds": time.perf_counter() - began, "sparse_cpu": time.process_time() - worked}
    if values.shape != (len(rhos), len(shown)) or len(shown) < occupied:
        raise RuntimeError("not every occupied cell was listed at every rung")
    # The same table cell by cell, as those who have no sparse law must draw it: one rung, extrapolated.
    return {
        "ladder": ours,
        "opendp": oracle,
        "numpy": unsafe,
        **sparse,
        "sparse_rungs": len(rhos),
        "opendp_dense_seconds": size / oracle,
        "numpy_dense_seconds": size / unsafe,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def move(city: Path) -> Figures:
    """The Explore page rerun for a new epsilon on 2,000 tiles: figures, sentences, charts, tables, messages.

    At the first look at a stop its estimates are made, at the next one they are there. The page runs as a test drives it, in one
    process; drawing in the browser is not in it.
    """
    from streamlit.testing.v1 import AppTest  # noqa: PLC0415 - of this case only

    from pages.owner.parts.state.data_sets import data_set  # noqa: PLC0415
    from pages.owner.parts.state.session import Session  # noqa: PLC0415
    from pages.parts import roles  # noqa: PLC0415
    from pages.parts.admission import Visit  # noqa: PLC0415

    headers = (("Host", "localhost"), ("Origin", "http://localhost"))
    roles.visit = lambda: Visit(address="localhost", headers=headers, now=0.0)  # driven without a browser
    folder = city.parent / "city-2000"
    demo.write_city(folder, 1_000_000, 2_000, 7)
    trips, tessellation = loaded(folder, "trips.parquet", recount=False)
    mine = Session()
    mine.load(data_set(trips, tessellation, KeyChoices(demo.DEMO_PERIOD), is_demo=True))
    app = AppTest.from_file(str(Path("app.py").resolve()), default_timeout=300)
    app.session_state["atlas"] = mine
    began = time.perf_counter()
    app.run()
    first = time.perf_counter() - began
    times: dict[str, list[float]] = {"first": [], "again": []}
    for looked in times.values():
        for rung in (0, 3, 7, 12, 5):
            mine.choice.rung = rung
            began = time.process_time()
            app.run()
            looked.append(time.process_time() - began)
    if app.exception:
        raise RuntimeError(app.exception[0].message)
    if mine.data is None or mine.data.tessellation.digest != tessellation.digest:
        raise RuntimeError(
            "a project of this data folder was opened in place of the city: name an empty folder"
        )
    return {
        "first_look_s": median(times["first"]),
        "move_ms": 1000 * median(times["again"]),
        "first_s": first,
        "tiles": len(tessellation.tile_ids),
    }


CASES = {case.__name__: case for case in (long, publish, tiles, noise, move)}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])))
