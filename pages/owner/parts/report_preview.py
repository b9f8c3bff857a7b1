"""The preview behind the owner's report: every measure that the data can answer, drawn once for each bound.

It is private: it lives in the session of its owner and goes when its data set is let go of.
"""

from __future__ import annotations

from dpcore import owner
from dpcore.measures import DEFAULT_WEIGHTS, MEASURES
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, ContributionBound
from pages.owner.parts.session import DataSet, session

_KEPT = 2  # bounds; a preview of all measures is large


def report_preview(data: DataSet, bound: ContributionBound) -> owner.Preview:
    """The preview of all measures under a bound; counted and drawn at its first use."""
    plan = Plan(bound, weights(data), RUNGS, data.choices)
    return session().kept.last("report", bound, lambda: session().draw(plan).preview, most=_KEPT)


def weights(data: DataSet) -> dict[str, int]:
    """The usual weights of all measures that the form of the data and its public choices can answer."""
    trips = data.trips
    return {
        name: DEFAULT_WEIGHTS[name]
        for name, measure in MEASURES.items()
        if measure.answerable(has_users=trips.has_users, has_points=trips.has_points)
        and (data.period or not measure.needs_period)
    }
