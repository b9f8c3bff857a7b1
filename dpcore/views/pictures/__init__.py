"""Pictures of views to take along: what stands in them as data, drawn by a library without a browser.

``slide_of`` and ``change_of`` say what a picture shows, with the numbers and sentences of the Viewer. ``png``, ``svg`` and ``pdf`` draw
it. matplotlib is imported only when something is drawn.
"""

from dpcore.views.pictures.slide import Slide
from dpcore.views.pictures.views import can_be_drawn, change_of, slide_of, view_titles

__all__ = ["Slide", "can_be_drawn", "change_of", "slide_of", "view_titles"]
