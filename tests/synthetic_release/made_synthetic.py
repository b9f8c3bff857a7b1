"""Small synthetic releases of invented counts, with real noise."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction

import numpy as np

import dpcore
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.stability.choices import StabilityChoices, listed_texts
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.private.large_counts import stability_histogram
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import Anchor, AnyRelease, Release
from dpcore.release.kinds.synthetic import Synthetic
from tests.cities import four_tiles

WEEK = Period(date(2024, 4, 1), date(2024, 4, 7))
ANCHOR = Anchor("ab" * 32, 7, "cd" * 32, PrivacyUnit.TRIP, Fraction(2), Fraction(10))


def roy_choices(**changes) -> RoyChoices:
    given = {
        "bound": ContributionBound.per_trip(),
        "epsilon": Fraction(2),
        "period": WEEK,
        "holidays": frozenset({date(2024, 4, 1)}),
        "extras": ("zip", "gender"),
        "zips": ("02139", "=1+1"),
    }
    return RoyChoices(**given | changes)


def stability_choices(**changes) -> StabilityChoices:
    given = {
        "bound": ContributionBound.per_trip(),
        "epsilon": Fraction(4),
        "delta": Fraction(1, 1_000_000),
        "variant": Variant.ADD_REMOVE,
        "combinations": (("on_loc",), ("on_time", "on_loc", "off_loc")),
        "period": WEEK,
        "minutes": 360,
    }
    return StabilityChoices(**given | changes)


def made_synthetic(
    choices: RoyChoices | StabilityChoices | None = None,
    *,
    tables=None,
    seed: int = 2**62 + 1,
    form: str = "points",
    **changes,
) -> AnyRelease:
    """A release on four tiles of invented counts; ``changes`` are fields of the release itself."""
    choices = choices or roy_choices()
    given = {
        "id": "town-7-cdcdcd",
        "title": "Town",
        "note": "A note\nof two lines",
        "dataset": "town",
        "population": "everybody",
        "created": datetime(2024, 5, 1, 12, tzinfo=UTC),
        "plan": choices,
        "drawn": Synthetic(
            tables or (_roy(choices) if isinstance(choices, RoyChoices) else _stability(choices)), seed, form
        ),
        "tessellation": four_tiles(),
        "timezone": "Europe/Berlin",
        "anchor": replace(ANCHOR, currency=choices.bound.unit, charged=choices.loss[0]),
        "charged_delta": choices.loss[1],
        "parameters_chosen": "before_data",
        "command": "python -m dpcore synth",
        "software": {"python": "3", "epsilon-atlas": dpcore.__version__},
    }
    return Release(**given | changes)


def _roy(choices: RoyChoices):
    plan = choices.plan(four_tiles())
    exact = {group.name: np.full(plan.shape(group), 600 // plan.cells(group)) for group in plan.groups}
    return noisy_tables(exact, plan, origin="release")


def _stability(choices: StabilityChoices):
    plan = choices.plan()
    rng = np.random.default_rng(1)
    lists = {
        name: listed_texts(name, plan, four_tiles().tile_ids)
        for one in plan.combinations
        for name in one.columns
    }
    columns = {
        name: CodedColumn(rng.integers(0, len(texts), 30_000).astype(np.int32), texts)
        for name, texts in lists.items()
    }
    taps = TripEnds(plan, rng.integers(0, len(plan.partitions), 30_000), columns)
    return stability_histogram(taps, origin="release")
