"""The lists in which places are chosen. Their keys have a number, which rises when something else chose."""

from __future__ import annotations


def chosen(widgets, what: str):
    """The list of ``places``, of the ``other`` place, or the ``level``."""
    return next(widget for widget in widgets if widget.key.startswith(f"{what} chosen "))
