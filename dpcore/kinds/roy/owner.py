"""What owners of trips may look at before they release synthetic trips. Everything here is private, as in ``dpcore.api.owner``."""

from __future__ import annotations

from dpcore.kinds.roy.private.counting import counted_in_model
from dpcore.kinds.roy.private.paper import (
    PaperNoise,
    PaperPreview,
    PaperVariants,
    paper_cost,
    paper_variants,
    paper_variants_of_invented,
)
from dpcore.kinds.roy.private.paper import paper_preview as paper_study
from dpcore.kinds.roy.private.preview import (
    RUNS,
    Beside,
    Spread,
    SynthesisPreview,
    SynthesisRuns,
    synthesis_preview,
    synthesis_runs,
)
from dpcore.kinds.roy.private.station_trips import must_have_kept
from dpcore.kinds.roy.private.sweep import EPSILONS, MODES, Sweep, SweepRow, bounds_of, sweep, swept_plans

__all__ = [
    "EPSILONS",
    "MODES",
    "RUNS",
    "Beside",
    "PaperNoise",
    "PaperPreview",
    "PaperVariants",
    "Spread",
    "Sweep",
    "SweepRow",
    "SynthesisPreview",
    "SynthesisRuns",
    "bounds_of",
    "counted_in_model",
    "must_have_kept",
    "paper_cost",
    "paper_study",
    "paper_variants",
    "paper_variants_of_invented",
    "sweep",
    "swept_plans",
    "synthesis_preview",
    "synthesis_runs",
]
