"""Both engines of one computer on one table or on trips, for tests that compare them."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from contextlib import contextmanager
from hashlib import blake2b

import duckdb
import numpy as np
import pyarrow as pa

from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measure import Engine
from dpcore.private.engine import duckdb as sql
from dpcore.private.exact import ENGINES
from dpcore.private.prepare import PREPARED
from dpcore.private.trips import local_rows


def count(bounded, measures, engine=Engine.COMPILED):
    """The exact answers by an engine, with nothing read from the cache and nothing kept."""
    return ENGINES[engine](bounded, local_rows(bounded.trips), measures, None)


_started = functools.cache(
    functools.partial(duckdb.connect, config={"threads": 1})
)  # a table here has few rows
_numbers = itertools.count()


@contextmanager
def connected():
    """An empty database beside others in one that is started once: to start it takes longer than to ask it."""
    name = f"beside_{next(_numbers)}"
    with _started().cursor() as connection:
        connection.execute(f"ATTACH ':memory:' AS {name}")
        connection.execute(f"USE {name}")
        try:
            yield connection
        finally:
            connection.execute("USE memory")
            connection.execute(f"DETACH {name}")


def by_sql(table, bound, measures):
    """The exact answers of one shard by the SQL of the measures."""
    with connected() as connection:
        sql.tables(connection, table, bound, measures)
        return {measure.name: sql._answer(connection, measure) for measure in measures}


def cells(answer):
    """An answer as a mapping; where nothing is counted there is no cell."""
    found = {}
    for *key, n in answer.T.tolist():
        found[tuple(key)] = found.get(tuple(key), 0) + n
    return {key: n for key, n in found.items() if n}


def kept(bounded):
    """The trips that count, by the SQL, as a multiset of what measures read."""
    found = Counter()
    for shard in local_rows(bounded.trips).shards():
        with connected() as connection:
            sql.tables(connection, shard.table(PREPARED.names), bounded.bound)
            found.update(connection.execute("SELECT * FROM kept").fetchall())
    return found


def kept_ways(bounded):
    """Start, tiles on the way and end of each trip that counts, by the SQL, as a multiset; the end of an incomplete one."""
    found = Counter()
    for shard in local_rows(bounded.trips).shards():
        with duckdb.connect() as connection:
            ways = [measure_named("visits_per_tile", KeyChoices(visits_cap=3))]
            sql.tables(connection, shard.table(PREPARED.names), bounded.bound, ways)
            trips = connection.execute("SELECT complete, start_tile, via, end_tile FROM kept").fetchall()
            found.update(
                (start, *(way or ()), end) if complete else (end,) for complete, start, way, end in trips
            )
    return found


class Made:
    """Random prepared rows, with everything that readers can give and more: ties, nulls, long and empty trips."""

    def __init__(self, seed):
        self.rng, self.made = np.random.default_rng(seed), 0

    def table(self, people=8, *, users=True, points=True, ways=True, few_hashes=False, outside=False):
        """Some rows of some people, in no order."""
        rows = []
        for user in self.rng.integers(-(2**63), 2**63, people):
            count = self.rng.choice([1, 2, 3, 6, 21, 45])
            made = [self._row(points, ways and not few_hashes, outside) for _ in range(count)]
            if self.rng.random() < 0.3:
                made = [made[0]] * count
            rows += [{"user_id": int(user) if users else None, **row} for row in made]
        for row in rows:
            # what is in a hash is what trips that share it have in common; a few hashes for all make ties of others
            content = int.from_bytes(blake2b(repr(row).encode(), digest_size=7).digest())
            row["rnd"] = content % 2 * 2 + row["complete"] if few_hashes else content
            row |= {f"missing_{kind}": int(self.rng.integers(0, 3)) for kind in ("lat", "lng", "time")}
        self.rng.shuffle(rows)
        schema = PREPARED.set(0, pa.field("user_id", pa.int64()))
        return pa.Table.from_pylist(rows, schema).combine_chunks()

    def _row(self, points, ways, outside):
        rng = self.rng
        complete = bool(rng.random() < 0.8)
        self.made += 1  # two trips that are not the same end at different times
        end = int(rng.integers(0, 9 * 24 * 6)) * 600_000_000 + 1_711_929_600_000_000 + self.made
        start = end - int(rng.choice([0, 1, 59, 60, 1500])) * int(rng.integers(1, 9)) * 1_000_000

        def tile():
            return -1 if outside else int(rng.integers(-1, 6))

        places = [int(rng.normal(500_000_000, 10 ** rng.integers(3, 9))) for _ in range(4)]
        row = {
            "complete": complete,
            "start_tile": tile() if complete else rng.choice([None, -1]),
            "end_tile": tile() if rng.random() < 0.9 else None,
            "start_us": start if complete else None,
            "end_us": end if complete or rng.random() < 0.8 else None,
            "start_hour": start // 3_600_000_000 if complete else None,
            "jump_m": int(rng.integers(0, 60_000)) if complete and points else None,
            "start_lat": places[0] if complete and points else None,
            "start_lng": places[1] if complete and points else None,
            "via": rng.integers(-1, 6, int(rng.integers(1, 9))).tolist()
            if ways and complete and rng.random() < 0.5
            else None,
        }
        row["end_hour"] = None if row["end_us"] is None else end // 3_600_000_000
        placed = points and (complete or rng.random() < 0.7)
        row["end_lat"], row["end_lng"] = (places[2], places[3]) if placed else (None, None)
        return row
