"""Draw synthetic trips from a fitted distribution. Post-processing, no data.

These random choices protect nobody, so a fast seeded generator is enough. Whoever knows the seed learns nothing beyond the
noisy tables. Noise never comes from here, see ``dpcore.noise``.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from dpcore.synthesis.domain import DURATION_BINS, DURATION_EDGES, TripColumns
from dpcore.synthesis.model import TripModel

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Generator = np.random.Generator


def fresh_seed() -> int:
    """A new random seed. Stored with a synthetic data set, it makes the drawing reproducible."""
    return int.from_bytes(os.urandom(8), "big") >> 1


def generator(seed: int) -> Generator:
    """The random generator of one synthetic data set; the same seed gives the same choices."""
    return np.random.default_rng([seed])


def drawn(laws: Floats, rows: Codes, rng: Generator) -> Codes:
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
    stations, day_types = domain.sizes["start"], domain.sizes["day_type"]
    pair = np.repeat(np.arange(model.flows.size), rng.multinomial(n, model.flows.ravel()))
    start, end = np.divmod(pair, stations)
    month = np.zeros(n, np.int64) if model.month is None else drawn(model.month, start, rng)
    months = model.day_type.shape[1]
    day_type = drawn(model.day_type.reshape(-1, day_types), start * months + month, rng)
    hour = drawn(model.hour.reshape(-1, 24), start * day_types + day_type, rng)
    date = drawn(model.date.reshape(-1, model.date.shape[-1]), month * day_types + day_type, rng)
    second = hour * 3_600 + rng.integers(0, 3_600, n)
    seconds = seconds_in(drawn(model.duration, domain.stations.band_of_pair.ravel()[pair], rng), rng)
    extras, parent = {}, start
    if domain.area is not None and model.area is not None:
        parent = extras[domain.area.name] = drawn(model.area, start, rng)
    if model.person is not None:
        shape = tuple(len(attribute.labels) for attribute in domain.person)
        codes = np.unravel_index(drawn(model.person, parent, rng), shape)
        extras |= {attribute.name: code for attribute, code in zip(domain.person, codes, strict=True)}
    order = np.argsort(date * 86_400 + second, kind="stable")

    def column(codes: Codes | NDArray[np.int32]) -> NDArray[np.int32]:
        return codes[order].astype(np.int32)

    return TripColumns(
        column(start),
        column(end),
        column(date),
        column(second),
        column(seconds),
        {name: column(codes) for name, codes in extras.items()},
    )
