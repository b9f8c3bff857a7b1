"""Draw synthetic trips from a fitted distribution. Post-processing, no data.

These random choices protect nobody, so a fast seeded generator is enough. Whoever knows the seed learns nothing beyond the
noisy tables. Noise never comes from here, see ``dpcore.noise``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.declared import values_in
from dpcore.kinds.roy.domain import DURATION_BINS, DURATION_EDGES, TripColumns, TripDomain
from dpcore.kinds.roy.trip_model import Calendar, TripModel

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Generator = np.random.Generator


def generator(seed: int) -> Generator:
    """The random generator of one synthetic data set; the same seed gives the same choices."""
    return np.random.default_rng([seed])


def samples(laws: Floats, rows: Codes, rng: Generator) -> Codes:
    """The number of the drawn value for each row, shape (n,).

    ``laws`` holds one distribution a row, shape (laws, values), each adding up to 1. ``rows`` says which one each draw
    follows, shape (n,); sorted rows are fastest.
    """
    number, values = laws.shape
    steps = np.cumsum(laws, axis=1)
    steps = np.minimum(steps / steps[:, -1:], 1.0) + np.arange(number)[:, None]
    found = np.searchsorted(steps.ravel(), rows + rng.random(len(rows)), side="right")
    # Adding the row number costs the last bits of the uniform number, which may push it to the end of its row.
    last = values - 1 - np.argmax(laws[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found - rows * values, last[rows]))


def seconds_in(bins: Codes, rng: Generator) -> NDArray[np.int32]:
    """A whole number of seconds in each bin of durations.

    It is uniform on the logarithmic scale of the bins. In the last, wide bin the density falls with the square of the
    duration.
    """
    edges = np.array(DURATION_EDGES, np.int32)
    low, high = edges[bins], edges[bins + 1]
    u = rng.random(len(bins))
    evenly = low * np.exp(u * np.log(high / low))
    rarely = low / (1 - u * (1 - low / high))
    found = np.where(bins == len(DURATION_BINS) - 1, rarely, evenly).astype(np.int32)
    return np.asarray(np.clip(found, edges[bins], edges[bins + 1] - 1))


def synthetic_trips(model: TripModel, seed: int) -> TripColumns:
    """As many trips as the model estimates, in the order of their start; each ends after it starts."""
    rng, domain, n = generator(seed), model.domain, model.trips
    pair = np.repeat(np.arange(model.flows.size), rng.multinomial(n, model.flows.ravel()))
    start, end = np.divmod(pair, domain.sizes["start"])
    codes = {"start": start, "end": end, "band": domain.stations.band_of_pair.ravel()[pair]}
    if model.calendar is not None:
        codes |= _on_date(domain, _dates(domain, model.calendar, start, rng))
    for name, law in model.laws.items():
        row = np.zeros(n, np.int64)
        for given in law.given:
            row = row * domain.sizes[given] + codes[given]
        found = samples(law.values, row, rng)
        codes |= _on_date(domain, found) if name == "date" else {name: found}
    second = codes["hour"] * 3_600 + rng.integers(0, 3_600, n)
    seconds = seconds_in(codes["duration"], rng)
    extras = {one.name: codes[one.name].astype(np.int32) for one in domain.extras}
    extras |= {one.name: values_in(one, codes[one.name], rng.random(n)) for one in domain.declared}
    order = np.argsort(codes["date"] * 86_400 + second, kind="stable")

    def column(codes: Codes | NDArray[np.int32]) -> NDArray[np.int32]:
        return codes[order].astype(np.int32)

    return TripColumns(
        column(start),
        column(end),
        column(codes["date"]),
        column(second),
        column(seconds),
        {name: column(values) for name, values in extras.items()},
    )


def _dates(domain: TripDomain, calendar: Calendar, start: Codes, rng: Generator) -> Codes:
    """A date for each trip: the month given the start, then the day type, then the date."""
    day_types, months = domain.sizes["day_type"], calendar.day_type.shape[1]
    month = np.zeros(len(start), np.int64) if calendar.month is None else samples(calendar.month, start, rng)
    day_type = samples(calendar.day_type.reshape(-1, day_types), start * months + month, rng)
    return samples(calendar.date.reshape(-1, calendar.date.shape[-1]), month * day_types + day_type, rng)


def _on_date(domain: TripDomain, date: Codes) -> dict[str, Codes]:
    """A date, and what it tells."""
    return {"date": date, "month": domain.month_of_date[date], "day_type": domain.day_type_of_date[date]}
