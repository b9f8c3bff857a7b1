"""What a wing adds to the pages of releases. Its page parts are imported where the wing is there."""

from __future__ import annotations

from typing import Final

from dpcore import wings

_TREES: Final = "tree"


def walk_button(name: str) -> None:
    """What stands on the card of a release that can be walked: begin to walk it."""
    from pages.released.parts import tree_view  # noqa: PLC0415 - only releases of this wing can be walked

    tree_view.walk_button(name)


def tree_section() -> None:
    """The tree that is walked, over the page; nothing without one."""
    if _TREES in wings.there():
        from pages.released.parts import tree_view  # noqa: PLC0415 - the wing may be missing

        tree_view.tree_section()
