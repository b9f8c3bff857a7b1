"""Where trips end and begin: visits, arrivals and flows of each place, which agree with one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.estimates.noisy import Noisy, Numbers
from dpcore.estimates.places import Ground
from dpcore.estimates.totals import Totals
from dpcore.estimates.visits import Masses, masses
from dpcore.estimates.windows import arrivals_of_tiles


@dataclass(frozen=True, eq=False)
class Ends:
    """The ends of trips at each place: the tiles, then outside."""

    visits: Masses | None
    """Visits as the plan counts them; None if they were not released."""
    arrivals: Numbers
    """All ends of trips, which add up to the trips."""
    into: Numbers
    """Those of complete trips. The incomplete ones are spread over the places like all arrivals."""
    out: Numbers
    """Starts. Starts and arrivals are the visits, unless visits count places on the way too."""


def ends(tables: Mapping[str, Noisy], totals: Totals, ground: Ground, *, ends_only: bool) -> Ends | None:
    """The ends of trips, from the best table that tells them; None if no table does.

    ``ends_only``: whether visits are both ends of a trip, not also places on the way.
    """
    windows = tables.get("visits_per_time_tile")
    visits = None
    if "visits_per_tile" in tables:
        table = tables["visits_per_tile"]
        visits = masses(table.values, table.noise, ground, totals.ends if ends_only else None)
    if visits is not None and ends_only:
        arrivals = arrivals_of_tiles(visits, windows, totals.trips)
        return _ends(visits, arrivals, visits.values - arrivals, totals)
    if windows is not None:
        places = windows.values.shape[2]
        noise = windows.noise.of_sum(windows.values.size // places)
        found = masses(windows.values.reshape(-1, places).sum(axis=0), noise, ground, totals.trips).values
        return _ends(visits, found, found, totals)
    if visits is not None:
        return _ends(visits, visits.values, visits.values, totals)
    flows = tables.get("od_flows")
    if flows is None or flows.cells is not None:
        return None
    noise = flows.noise.of_sum(len(flows.values))
    out, into = (
        masses(flows.values.sum(axis=axis), noise, ground, totals.complete).values for axis in (1, 0)
    )
    return _ends(None, into, out, totals)


def _ends(visits: Masses | None, arrivals: Numbers, out: Numbers, totals: Totals) -> Ends:
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
