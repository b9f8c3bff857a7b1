"""Points of people as files, and an oracle: the trips that a rule cuts, written as plainly as its definition."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt

from dpcore.measures.trip_rule import TripRule
from dpcore.private.source.trips_file import TripsFile

START = datetime(2024, 4, 1)
GAP, STAYS = TripRule.by_gap("30min"), TripRule.by_stays("200m,20min")
NEAR, FAR = 0.001, 0.5
"""Degrees of latitude: about 111 m, which is in a stay of 200 m, and in another tile."""

Row = tuple[str, str, str, str]
"""A point as written: person, time, latitude, longitude."""


def point(user: str, minute: int, lat: float, lng: float) -> Row:
    """A good point, minutes after the start."""
    return user, (START + timedelta(minutes=minute)).isoformat(" "), str(lat), str(lng)


def some_points(rng: random.Random, user: str, count: int) -> list[Row]:
    """Points with ties, gaps that just are and just are not longer than the rule's, stays, and steps from tile to tile."""
    minute, lat, lng = rng.randrange(3 * 24 * 60), 0.5, 0.5
    rows = []
    for _ in range(count):
        rows.append(point(user, minute, lat, lng))
        minute += rng.choice([0, 0, 1, 5, 19, 20, 29, 30, 31, 300])
        how = rng.choice(["stays", "near", "far", "far", "outside"])
        lat += {"stays": 0, "near": rng.choice([-NEAR, NEAR]), "outside": 0}.get(how, rng.choice([-FAR, FAR]))
        lng = 9.0 if how == "outside" else rng.choice([0.5, 1.5])
        lat = min(max(round(lat, 4), 0.25), 1.75)
    return rows


def spoilt(rng: random.Random, user: str) -> tuple[str, ...]:
    """A record that is no point: bad, or without a time or a place. It is in no trip."""
    good = point(user, rng.randrange(3 * 24 * 60), 0.5, 0.5)
    return rng.choice(
        [
            (*good, "one field more"),
            ("", *good[1:]),
            (*good[:1], "nonsense", *good[2:]),
            (*good[:2], "95", good[3]),
            (*good[:1], "", *good[2:]),
            (*good[:2], "", good[3]),
        ]
    )


def trips_of(rows: list[Row], rule: TripRule) -> list[list[Row]]:
    """The points of each trip of one person, from the first to the last, by the definition of the rule."""
    rows = sorted(rows, key=lambda row: (row[1], float(row[2]), float(row[3])))
    at = [datetime.fromisoformat(row[1]) for row in rows]
    if rule.gap_s is not None:
        cuts = [n for n in range(1, len(rows)) if (at[n] - at[n - 1]).total_seconds() > rule.gap_s]
        return [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True) if a < b]
    stays, opened = [], 0
    while opened < len(rows):
        beyond = [n for n in range(opened + 1, len(rows)) if metres(rows[opened], rows[n]) >= rule.metres]
        end = beyond[0] if beyond else len(rows)
        left = at[end] if beyond else at[-1]
        if (left - at[opened]).total_seconds() >= rule.stay_s:
            stays.append((opened, end - 1))
        opened = end
    return [rows[one[1] : other[0] + 1] for one, other in pairwise(stays)]


def metres(one: Row, other: Row) -> float:
    """Great-circle distance of two points."""
    (lat, lng), (to_lat, to_lng) = (map(radians, map(float, row[2:4])) for row in (one, other))
    half = sin((to_lat - lat) / 2) ** 2 + cos(lat) * cos(to_lat) * sin((to_lng - lng) / 2) ** 2
    return 2 * 6_371_008.8 * asin(sqrt(half))


def files_of(rows: list[tuple[str, ...]], rng: random.Random, files: int = 2) -> list[TripsFile]:
    """The rows in no order, over some files, of which each has other columns besides."""
    rows = rng.sample(rows, len(rows))
    parts: list[list[tuple[str, ...]]] = [[] for _ in range(files)]
    for row in rows:
        rng.choice(parts).append(row)
    return [
        TripsFile.uploaded(
            f"points-{n}.csv",
            "".join(
                f"{','.join(row)},note{n}\n" for row in [("uid", "datetime", "lat", "lng"), *part]
            ).encode(),
        )
        for n, part in enumerate(parts)
    ]
