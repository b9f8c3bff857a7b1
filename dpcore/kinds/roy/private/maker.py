"""How synthetic trips are priced, counted and drawn."""

from __future__ import annotations

from typing import Final

from dpcore.curator.makers import Made, Maker, form_of
from dpcore.curator.pricing import price_of_noisy_tables
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.private.drawing import must_be_drawable, noisy_tables
from dpcore.kinds.roy.private.station_trips import ExactTables, exact_tables, station_trips_of
from dpcore.private.bounding import must_have_users
from dpcore.private.progress import Progress
from dpcore.private.synthetic.drawing import fresh_seed
from dpcore.private.trips import PrivateTrips
from dpcore.release.kinds.synthetic import Synthetic
from dpcore.tiles import Tessellation


def _check_model(trips: PrivateTrips, tiles: Tessellation, choices: RoyChoices) -> None:
    must_have_users(trips, choices.bound)
    must_be_drawable(choices.plan(tiles))


def _count_model(
    trips: PrivateTrips, tiles: Tessellation, choices: RoyChoices, progress: Progress | None
) -> ExactTables:
    plan = choices.plan(tiles)
    return exact_tables(station_trips_of(trips, tiles, plan.domain), plan)


def _draw_model(counted: ExactTables, choices: RoyChoices, trips: PrivateTrips, tiles: Tessellation) -> Made:
    tables = noisy_tables(counted.counts, counted.plan, origin="release")
    return Made(choices, Synthetic(tables, fresh_seed(), form_of(trips)))


MAKER: Final = Maker(price_of_noisy_tables, _check_model, _count_model, _draw_model)
