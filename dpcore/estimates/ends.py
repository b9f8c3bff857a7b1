"""Where trips end and begin: visits, arrivals and flows of each place, which agree with one another.

Flows between districts tell two things of a district as well: their sum in both directions is its visits, and their
difference says how many more trips begin there than end there. So both are used before the tiles are estimated.

*Arrivals.* About as many trips begin in a place as end there, because most people return. The arrivals of a place are its
average share of its visits, moved by what windows and flows say otherwise. The difference is shrunk by the ratio of its own
spread to that plus the noise (James and Stein 1961). That spread, relative to the visits, is the likeliest of a few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.places import Geography
from dpcore.estimates.posterior import Posterior
from dpcore.estimates.raking import quotient, shifted, summed
from dpcore.estimates.totals import Totals
from dpcore.estimates.visits import DistrictSums, tile_counts

_LOPSIDED: Final = (0.01, 0.03, 0.06, 0.12, 0.25)
"""By how much arrivals may usually differ from the average share of the visits, relative to that."""


@dataclass(frozen=True, eq=False)
class Ends:
    """The ends of trips at each place: the tiles, then outside."""

    visits: Posterior | None
    """Visits as the plan counts them; None if they were not released."""
    arrivals: Numbers
    """All ends of trips, which add up to the trips."""
    into: Numbers
    """Those of complete trips. The incomplete ones are spread over the places like all arrivals."""
    out: Numbers
    """Starts. Starts and arrivals are the visits, unless visits count places on the way too."""


def ends(
    tables: Mapping[str, Noisy],
    totals: Totals,
    geography: Geography,
    *,
    ends_only: bool,
    all_count: bool = False,
) -> Ends | None:
    """The ends of trips, from the best table that tells them; None if no table does.

    ``ends_only``: whether visits are both ends of a trip, not also places on the way; ``all_count``: as in ``tile_counts``.
    """
    windows = tables.get("visits_per_time_tile")
    visits = None
    if "visits_per_tile" in tables:
        table = tables["visits_per_tile"]
        between = tables.get("od_districts") if ends_only else None
        told = None if between is None else _visits_of_districts(between, totals)
        total = totals.ends if ends_only else None
        visits = tile_counts(table.values, table.noise, geography, total, told, all_count=all_count)
    if visits is not None and ends_only:
        arrivals = _arrivals(
            visits, tables, totals, np.append(geography.district, geography.district.max() + 1)
        )
        return _ends(visits, arrivals, visits.values - arrivals, totals)
    if windows is not None:
        places = windows.values.shape[2]
        noise = windows.noise.of_sum(windows.values.size // places)
        found = tile_counts(
            windows.values.reshape(-1, places).sum(axis=0), noise, geography, totals.trips
        ).values
        return _ends(visits, found, found, totals)
    if visits is not None:
        return _ends(visits, visits.values, visits.values, totals)
    flows = tables.get("od_flows")
    if flows is None or flows.cells is not None:
        return None
    noise = flows.noise.of_sum(len(flows.values))
    out, into = (
        tile_counts(flows.values.sum(axis=axis), noise, geography, totals.complete).values for axis in (1, 0)
    )
    return _ends(None, into, out, totals)


def _visits_of_districts(between: Noisy, totals: Totals) -> DistrictSums:
    """Flows out of and into each district. Each incomplete trip adds an arrival too, as often as elsewhere."""
    sums = between.values.sum(axis=0) + between.values.sum(axis=1)
    scale = totals.ends / (2 * totals.complete)
    return DistrictSums(scale * sums, scale * scale * 2 * (len(sums) + 1) * between.variance)


def _arrivals(visits: Posterior, tables: Mapping[str, Noisy], totals: Totals, district: Integers) -> Numbers:
    """The arrivals of each place, which add up to the trips and to the arrivals of each district."""
    windows, between = tables.get("visits_per_time_tile"), tables.get("od_districts")
    share = totals.trips / totals.ends
    count = int(district.max()) + 1
    arriving, noise = np.zeros(len(district)), np.full(len(district), np.inf)
    if windows is not None:
        arriving = windows.values.reshape(-1, len(district)).sum(axis=0)
        noise = np.full(len(district), windows.values.size / len(district) * windows.variance)
    if between is None:
        usual, whole, total = (
            share * visits.values,
            np.zeros(len(district), np.int64),
            np.array([totals.trips]),
        )
    else:
        sums = summed(visits.values, district, count)
        off = between.values.sum(axis=1) - between.values.sum(axis=0)
        back = 1 + totals.complete / totals.trips
        seen, error = (sums - off) / back, np.full(count, 2 * (count - 1) * between.variance / back**2)
        windowed, of_windows = summed(arriving, district, count), summed(noise, district, count)
        weight = error / (error + of_windows)
        seen, error = (
            np.where(weight > 0, weight * windowed + (1 - weight) * seen, seen),
            error * (1 - weight),
        )
        total = _shrunk(
            share * sums, sums, (seen, error), np.zeros(count, np.int64), np.array([totals.trips])
        )
        usual, whole = visits.values * quotient(total, sums)[district], district
    return _shrunk(usual, visits.values, (arriving, noise + share * share * visits.variance), whole, total)


def _shrunk(
    usual: Numbers, visits: Numbers, seen: tuple[Numbers, Numbers], group: Integers, total: Numbers
) -> Numbers:
    """Arrivals between their usual number and what was seen, at most the visits, with the totals of groups.

    ``seen``: arrivals and the variance of their noise, infinite where nothing was seen.
    """
    arriving, noise = seen
    off = arriving - usual
    binomial = np.maximum(usual * (1 - quotient(usual, visits)), 1e-9)
    spreads = [binomial + (part * usual) ** 2 for part in _LOPSIDED]
    known = np.isfinite(noise)
    likely = [_log_likelihood(off[known], (one + noise)[known]) for one in spreads]
    spread = spreads[int(np.argmax(likely))]
    kept = np.where(known, spread / (spread + noise), 0.0)
    return shifted(usual + kept * off, (1 - kept) * spread, visits, group, total)


def _log_likelihood(off: Numbers, variance: Numbers) -> float:
    return float((-np.log(variance) - off * off / variance).sum())


def _ends(visits: Posterior | None, arrivals: Numbers, out: Numbers, totals: Totals) -> Ends:
    """Scaled to the totals, where the table did not tell them."""
    arriving = _with_total(arrivals, totals.trips)
    return Ends(
        visits, arriving, arriving * (totals.complete / totals.trips), _with_total(out, totals.complete)
    )


def _with_total(values: Numbers, total: float) -> Numbers:
    even = np.full(len(values), total / len(values))
    whole = float(values.sum())
    found: Numbers = values * (total / whole) if whole > 0 else even
    return found
