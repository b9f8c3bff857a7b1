"""Plans of every kind of release for one synthetic city."""

from __future__ import annotations

from datetime import date

import pandas as pd

import dpcore

WEEKS = dpcore.Period(date(2024, 3, 4), date(2024, 3, 31))
PEOPLE = dpcore.ContributionBound.per_user(3)
KINDS = ("tables", "model", "stability", "tree")
RANGE = ["count", "at_least", "at_most", "noise_low_95", "noise_high_95"]


def plan_of(kind: str, tiles):
    return {
        "tables": lambda: dpcore.Plan.up_to(PEOPLE, {"visits_per_tile": 2, "travel_time": 1}, "1"),
        "model": lambda: dpcore.model_plan(PEOPLE, "2", WEEKS),
        "stability": lambda: dpcore.stability_plan(
            PEOPLE, "4", combinations=("on_loc", "off_loc", "on_time+on_loc"), minutes=60
        ),
        "tree": lambda: dpcore.tree_plan(
            PEOPLE, "0.5", levels={tiles.tile_ids[0]: "Low"}, tiles=tiles, height=3
        ),
    }[kind]()


def sure(answers: pd.DataFrame) -> bool:
    """Whether every count lies within its ranges, of which the one of the noise is the narrower."""
    return bool(
        (answers["at_least"] <= answers["noise_low_95"]).all()
        and (answers["noise_low_95"] <= answers["count"]).all()
        and (answers["count"] <= answers["noise_high_95"]).all()
        and (answers["noise_high_95"] <= answers["at_most"]).all()
    )
