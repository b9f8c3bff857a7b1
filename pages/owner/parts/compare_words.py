"""Texts of the Compare page."""

from __future__ import annotations

from typing import Final

INTRO: Final = (
    "How alike are two sets of tables: a release and the truth, two releases, a preview at one ε and the truth? "
    "**A** is the reference."
)
PRIVATE: Final = "What stands here was made from true counts. Numbers of likeness are not private either."
PUBLIC: Final = "Both sides are releases, so this comparison may be shown to anyone."
NO_RELEASES: Final = (
    "No release is listed in the library yet. Publish one on the **Release** page, or upload a bundle."
)
UPLOAD: Final = "A bundle as one .zip file. It is checked, looked at in this session, and not kept."
WAITING: Final = "Choose a bundle to look at."
METRICS_HELP: Final = "What do these numbers mean?"
NEGATIVE: Final = (
    "Noise can take a count below zero. For shares, and so for all distances, it is taken for zero; rankings and "
    "numbers take it as it stands."
)
SERIES: Final = "A is dashed and brown, B solid and teal."
OWN_DATES: Final = "Each side stands on its own dates; a line ends where a date is missing."
MAP: Final = (
    "Blue: B has a larger share of the visits than A; orange: a smaller one. One step of the scale is a multiple of the "
    "share that each tile would have if all were equal, so its ends follow from the number of tiles alone."
)
WITHIN_NOISE: Final = (
    "Grey: **within noise**, {} of {} tiles. Noise alone may have made what both sides differ by there. Of 100 tiles without any "
    "difference, noise still colours up to 5."
)
NO_MAP: Final = "There is no map to compare: visits per tile are not on both sides, or one side has none."
CURVES: Final = (
    "How alike a release would be to the truth, at every ε: the mean and the band of 95 of 100 releases. Truth "
    "is all trips, so what the bound leaves out is part of it. Made from true counts: **not private, not accounted**."
)
CURVES_BUTTON: Final = "Work out utility curves"
DRAWING: Final = "Drawing throw-away previews"
CURVES_RELEASED: Final = (
    "The same estimated from the release itself: its finest counts stand for the true ones, so anyone may make it. "
    "Where counts are small, noise is taken for trips and the curve is too good."
)
