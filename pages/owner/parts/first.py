"""What the first page of an owner takes longest to import. The server imports this while a browser loads the frame of the page.

Modules of pages are not here: they name components, which Streamlit knows only if a page runs.
"""

import dpcore.api.code
import dpcore.curator
import dpcore.planning.default_plan
import dpcore.views.beside_truth
import dpcore.views.estimated_flows
import dpcore.views.plots
from dpcore.api.owner import bound_study  # loaded with all studies when it is asked for

__all__ = ["bound_study", "dpcore"]
