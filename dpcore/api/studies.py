"""What owners may ask beside loading trips and exact tables: previews, studies, projects and data frames.

Everything here is private, as in ``dpcore.api.owner``. Most commands need none of it, and it imports comparisons and scipy.
"""

from __future__ import annotations

from dpcore.exact_json import plain as written
from dpcore.exact_json import read_as
from dpcore.private.bound_study import BoundStudy, bound_study
from dpcore.private.frames import load_frame
from dpcore.private.preview import Preview, exact_at, preview
from dpcore.private.projects import saved as projects
from dpcore.private.projects.data import kept_trips, reopened
from dpcore.private.projects.project import Loaded, Project
from dpcore.private.utility_study import UtilityStudy, curves_of_release, utility_curves

__all__ = [
    "BoundStudy",
    "Loaded",
    "Preview",
    "Project",
    "UtilityStudy",
    "bound_study",
    "curves_of_release",
    "exact_at",
    "kept_trips",
    "load_frame",
    "preview",
    "projects",
    "read_as",
    "reopened",
    "utility_curves",
    "written",
]
