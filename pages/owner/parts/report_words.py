"""The fixed texts of the owner's report."""

from __future__ import annotations

INTRO = (
    "Every measure, noisy beside true, with the error that you would publish. All of them share ε here, so each is noisier "
    "than on Explore, where five do."
)

NO_DOWNLOAD = (
    "This report is for your eyes and has no download: the truth is in it, and its noise was not paid for. A file to share "
    "is made of a **release**: publish on the Release page, then take it from the Viewer (Download), or with "
    "`python -m dpcore report`."
)

LEGEND = (
    ":material/show_chart: **Teal**: noisy, with 95 % of the noise. **Brown**: the truth, all trips. Colours stay the same "
    "at every ε; an axis grows where noise needs more room."
)

SMALL_MAPS = "All small maps share one colour scale. Grey: noise alone could have made the count."

TRUE_MAPS = "The same, true: grey is where nobody arrived."

TILE = "Click a tile to see its arrivals by time of day."
