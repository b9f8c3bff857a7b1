"""What the owner looks at before synthetic trips are made: a throw-away draw beside the truth.

The noise is drawn for looking only and never stored, see ``dpcore.private.preview``. A release draws afresh.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.beside import Beside, beside, trips_within
from dpcore.private.synthesis.drawing import must_be_drawable, noisy_tables
from dpcore.private.synthesis.kept import PrivateColumns
from dpcore.private.synthesis.records import exact_tables
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.model import fitted
from dpcore.synthesis.sampling import fresh_seed, synthetic_trips
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.tessellation import Tessellation


@dataclass(frozen=True, repr=False, eq=False)
class SynthesisPreview(Sealed):
    """One throw-away synthetic data set with the truth."""

    plan: SynthesisPlan
    trips: PrivateColumns
    """Synthetic."""
    beside: Beside
    within: float
    """Share of all trips that lie in the public domain, 0 to 1."""
    counted: float
    """Share of those that count under the bound, 0 to 1."""


def synthesis_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    plan: SynthesisPlan,
    *,
    progress: Progress | None = None,
) -> SynthesisPreview:
    """A fresh throw-away draw of a plan and the truth beside it; never a release.

    Args:
        trips: prepared trips.
        tessellation: the tiles that they were assigned to, which are the stations.
        plan: domain, bound and epsilon.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: a plan that cannot be drawn, or a bound on users where there are none.
        InputError: no trip lies in the domain.

    """
    tell = progress or (lambda _: None)
    must_be_drawable(plan)
    own = trips_within(trips, tessellation, plan.domain)
    tell(0.3)
    exact = exact_tables(own, plan, bounding_key())
    tell(0.5)
    drawn = synthetic_trips(fitted(noisy_tables(exact.counts, plan, origin="preview")), fresh_seed())
    made = PrivateColumns.of(drawn)
    tell(0.7)
    found = beside(own.columns, made, plan.domain, tessellation)
    tell(1.0)
    return SynthesisPreview(
        plan=plan,
        trips=made,
        beside=found,
        within=len(own.columns) / max(trips.local_rows().count, 1),
        counted=int(exact.counts[plan.groups[0].name].sum()) / len(own.columns),
    )
