"""What owners may ask beside loading trips and exact tables: previews, studies, projects, data frames and Spark.

Most commands need none of it, and it imports comparisons, every kind of release and scipy. So ``api.owner`` imports this module
when it is first asked for one of these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore.exact_json import plain, read_as
from dpcore.private.bound_study import BoundStudy, bound_study
from dpcore.private.counting_trips import CountingTrips, counted_as_keys, counted_in_model
from dpcore.private.frames import load_frame
from dpcore.private.preview import Preview, exact_at
from dpcore.private.projects import saved
from dpcore.private.projects.data import kept_trips, reopened
from dpcore.private.projects.project import Loaded, Project
from dpcore.private.spark.loading import fingerprint_on_spark, inspect_on_spark, load_on_spark
from dpcore.private.spark.session import spark_is_installed
from dpcore.private.synthesis.large_counts import StabilityPreview, stability_preview
from dpcore.private.synthesis.levels_study import LEVEL_EPSILONS, LevelsStudy, levels_plans, levels_study
from dpcore.private.synthesis.opal_week import invented_opal_week
from dpcore.private.synthesis.paper import (
    PaperNoise,
    PaperPreview,
    PaperVariants,
    paper_cost,
    paper_preview,
    paper_variants,
    paper_variants_of_invented,
)
from dpcore.private.synthesis.preview import (
    RUNS,
    Beside,
    Spread,
    SynthesisPreview,
    SynthesisRuns,
    synthesis_preview,
    synthesis_runs,
)
from dpcore.private.synthesis.reading import must_have_users
from dpcore.private.synthesis.station_trips import must_have_kept
from dpcore.private.synthesis.sweep import EPSILONS, MODES, Sweep, SweepRow, bounds_of, sweep, swept_plans
from dpcore.private.synthesis.tree_preview import (
    ComparedPatterns,
    ComparedQuery,
    ComparedWorkload,
    TreePreview,
    compare_queries,
    compare_top_patterns,
    compare_workload,
    tree_preview,
)
from dpcore.private.trajectories.sequences import TrajectoryLengths, trajectory_lengths
from dpcore.private.utility_study import UtilityStudy, curves_of_release, utility_curves

STUDIES: Final[Mapping[str, object]] = {
    "EPSILONS": EPSILONS,
    "LEVEL_EPSILONS": LEVEL_EPSILONS,
    "LevelsStudy": LevelsStudy,
    "levels_plans": levels_plans,
    "levels_study": levels_study,
    "MODES": MODES,
    "RUNS": RUNS,
    "Beside": Beside,
    "BoundStudy": BoundStudy,
    "ComparedPatterns": ComparedPatterns,
    "ComparedQuery": ComparedQuery,
    "ComparedWorkload": ComparedWorkload,
    "CountingTrips": CountingTrips,
    "Loaded": Loaded,
    "PaperNoise": PaperNoise,
    "PaperPreview": PaperPreview,
    "PaperVariants": PaperVariants,
    "Preview": Preview,
    "Project": Project,
    "Spread": Spread,
    "StabilityPreview": StabilityPreview,
    "Sweep": Sweep,
    "SweepRow": SweepRow,
    "SynthesisPreview": SynthesisPreview,
    "SynthesisRuns": SynthesisRuns,
    "TrajectoryLengths": TrajectoryLengths,
    "TreePreview": TreePreview,
    "UtilityStudy": UtilityStudy,
    "bound_study": bound_study,
    "bounds_of": bounds_of,
    "compare_queries": compare_queries,
    "compare_top_patterns": compare_top_patterns,
    "compare_workload": compare_workload,
    "counted_as_keys": counted_as_keys,
    "counted_in_model": counted_in_model,
    "exact_at": exact_at,
    "fingerprint_on_spark": fingerprint_on_spark,
    "inspect_on_spark": inspect_on_spark,
    "invented_opal_week": invented_opal_week,
    "kept_trips": kept_trips,
    "load_frame": load_frame,
    "load_on_spark": load_on_spark,
    "must_have_kept": must_have_kept,
    "must_have_users": must_have_users,
    "paper_cost": paper_cost,
    "paper_study": paper_preview,
    "paper_variants": paper_variants,
    "paper_variants_of_invented": paper_variants_of_invented,
    "projects": saved,
    "read_as": read_as,
    "reopened": reopened,
    "spark_is_installed": spark_is_installed,
    "stability_preview": stability_preview,
    "sweep": sweep,
    "swept_plans": swept_plans,
    "synthesis_preview": synthesis_preview,
    "synthesis_runs": synthesis_runs,
    "trajectory_lengths": trajectory_lengths,
    "tree_preview": tree_preview,
    "curves_of_release": curves_of_release,
    "utility_curves": utility_curves,
    "written": plain,
}
"""Each thing by the name under which ``api.owner`` offers it."""
