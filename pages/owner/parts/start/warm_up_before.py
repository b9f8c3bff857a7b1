"""What the first page of an owner takes longest to import. The server imports this while a browser loads the frame of the page.

Modules that name components are not here: Streamlit knows a component only if it is named while a page runs.
"""

import dpcore.api.code
import dpcore.api.studies
import dpcore.curator
import dpcore.planning.default_plan
import dpcore.views.charts.plots
import dpcore.views.numbers.selected_flows
import dpcore.views.planning.beside_truth
from pages.owner.parts.state import data_sets

__all__ = ["begin", "dpcore"]


def begin() -> None:
    """Make what all owners share, before the first one asks."""
    data_sets.draw_first()
