"""How many false flows a release may list, where there are too many pairs of tiles to list all of them."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.errors import AtlasError
from dpcore.false_flows import USUAL_FALSE_FLOWS
from dpcore.measures import measure_named
from dpcore.views.listing import NUMBERS, false_flows_text
from pages.owner.parts import release_words
from pages.owner.parts.draft import Draft
from pages.owner.parts.session import DataSet
from pages.parts.listing import thresholds

_FLOWS: Final = "od_flows"


def flow_form(data: DataSet, draft: Draft) -> None:
    """Fill in the number of false flows; nothing is asked where every pair is listed, or where flows are not published."""
    cells = measure_named(_FLOWS, draft.choices).keys(data.tessellation.tile_ids).size
    if _FLOWS not in draft.weights or cells <= limits.MAX_DENSE_CELLS:
        draft.false_flows = USUAL_FALSE_FLOWS
        return
    start = draft.false_flows if draft.false_flows in NUMBERS else USUAL_FALSE_FLOWS
    draft.false_flows = st.select_slider(
        "False flows in the list, about",
        NUMBERS,
        format_func=false_flows_text,
        help=release_words.FALSE_FLOWS_HELP,
        value=start,
        key="release false flows",
    )
    try:
        plan = draft.plan()
    except AtlasError:
        return  # what is wrong with the plan stands beside its price
    rho = plan.share(_FLOWS) * plan.epsilon / plan.measure(_FLOWS).sensitivity(plan.bound)
    thresholds(rho, cells, draft.false_flows, "Which flows will be listed")
