"""What owners may ask beside loading trips and exact tables: previews, studies, projects, data frames and Spark.

Most commands need none of it, and it imports comparisons, every kind of release and scipy. So ``api.owner`` imports this module
when it is first asked for one of these names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpcore.private.bound_study import BoundStudy, bound_study
from dpcore.private.frames import load_frame
from dpcore.private.preview import Preview, exact_at
from dpcore.private.projects import saved
from dpcore.private.projects.data import kept_trips, reopened
from dpcore.private.projects.project import Loaded, Project
from dpcore.private.projects.written import plain, read_as
from dpcore.private.spark.loading import fingerprint_on_spark, inspect_on_spark, load_on_spark
from dpcore.private.spark.session import spark_is_installed
from dpcore.private.synthetic.reading import must_have_users
from dpcore.private.utility_study import UtilityStudy, curves_of_release, utility_curves

STUDIES: Final[Mapping[str, object]] = {
    "BoundStudy": BoundStudy,
    "Loaded": Loaded,
    "Preview": Preview,
    "Project": Project,
    "UtilityStudy": UtilityStudy,
    "bound_study": bound_study,
    "exact_at": exact_at,
    "fingerprint_on_spark": fingerprint_on_spark,
    "inspect_on_spark": inspect_on_spark,
    "kept_trips": kept_trips,
    "load_frame": load_frame,
    "load_on_spark": load_on_spark,
    "must_have_users": must_have_users,
    "projects": saved,
    "read_as": read_as,
    "reopened": reopened,
    "spark_is_installed": spark_is_installed,
    "curves_of_release": curves_of_release,
    "utility_curves": utility_curves,
    "written": plain,
}
"""Each thing by the name under which ``api.owner`` offers it."""
