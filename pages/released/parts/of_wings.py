"""What a wing adds to the pages of releases. Its page parts are imported where the wing is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore import wings

if TYPE_CHECKING:
    from dpcore.release import AnyRelease, Release
    from pages.released.parts.viewing import Viewing

_TREES, _STORIES = "tree", "stories"


def walk_button(name: str) -> None:
    """What stands on the card of a release that can be walked: begin to walk it."""
    from pages.released.parts import tree_view  # noqa: PLC0415 - only releases of this wing can be walked

    tree_view.walk_button(name)


def tree_section() -> None:
    """The tree that is walked, over the page; nothing without one."""
    if _TREES in wings.there():
        from pages.released.parts import tree_view  # noqa: PLC0415 - the wing may be missing

        tree_view.tree_section()


def has_stories() -> bool:
    """Whether stories can be made and played."""
    return _STORIES in wings.there()


def add_button(mine: Viewing, release: Release) -> None:
    """The button that puts the view that is looked at into the story; nothing where there are no stories."""
    if has_stories():
        from pages.released.parts import telling  # noqa: PLC0415 - the wing may be missing

        telling.add_button(mine, release)


def add_kind_button(name: str, release: AnyRelease, view: str) -> None:
    """The same for a view of a release of another kind than tables."""
    if has_stories():
        from pages.released.parts import telling  # noqa: PLC0415 - the wing may be missing

        telling.add_kind_button(name, release, view)


def keep_story() -> None:
    """Keep the story of this browser tab, which the page does not show; nothing where there are no stories."""
    if has_stories():
        from pages.released.parts import telling  # noqa: PLC0415 - the wing may be missing

        telling.keep_in_tab()
