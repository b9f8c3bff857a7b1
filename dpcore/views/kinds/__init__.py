"""What releases of other kinds than tables show: a few views of each, every one a slide with its words.

Pages, pictures and reports show the same slides. Releases of tables have their own views (``dpcore.views.pictures``).
"""

from dpcore.views.kinds.views_of_kind import (
    has_views,
    kind_report_html,
    kind_slide,
    kind_slides,
    kind_views,
    read_rows,
)
from dpcore.views.kinds.words import slide_tables

__all__ = [
    "has_views",
    "kind_report_html",
    "kind_slide",
    "kind_slides",
    "kind_views",
    "read_rows",
    "slide_tables",
]
