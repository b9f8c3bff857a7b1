"""How large counts are priced, counted and drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpcore.curator.makers import Made, Maker, form_of
from dpcore.curator.pricing import price_of_noisy_tables
from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.private.drawing import keys_must_be_drawable
from dpcore.kinds.stability.private.large_counts import must_fit_a_bundle, stability_histogram
from dpcore.kinds.stability.private.trip_ends import TripEnds, must_be_countable, trip_ends_of
from dpcore.kinds.stability.totals import parts_words
from dpcore.ledger import Price
from dpcore.privacy import PrivacyUnit
from dpcore.private.progress import Progress
from dpcore.private.synthetic.drawing import fresh_seed
from dpcore.private.trips import PrivateTrips
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.tiles import Tessellation


def price_of_large_counts(choices: StabilityChoices, currency: PrivacyUnit) -> Price:
    """The price of large counts: that of one part, however many there are; raises like ``must_be_payable``."""
    price = price_of_noisy_tables(choices, currency)
    if not choices.divisions:
        return price
    return replace(price, steps=(*price.steps, parts_words(choices.plan())))


def _check_stability(trips: PrivateTrips, tiles: Tessellation, choices: StabilityChoices) -> None:
    plan = choices.plan()
    must_be_countable(trips, tiles, plan)
    keys_must_be_drawable(plan)


def _count_stability(
    trips: PrivateTrips, tiles: Tessellation, choices: StabilityChoices, progress: Progress | None
) -> TripEnds:
    found = trip_ends_of(trips, tiles, choices.plan())
    must_fit_a_bundle(found)
    return found


def _draw_stability(
    counted: TripEnds, choices: StabilityChoices, trips: PrivateTrips, tiles: Tessellation
) -> Made:
    tables = stability_histogram(counted, origin="release")
    return Made(choices, Synthetic(tables, fresh_seed(), form_of(trips)))


MAKER: Final = Maker(price_of_large_counts, _check_stability, _count_stability, _draw_stability)
