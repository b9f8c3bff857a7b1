"""Names that no place may have, because tables use them for something else."""

from __future__ import annotations

from collections.abc import Collection

from dpcore.errors import PrivacyError


def must_not_be_a_place(category: str, names: Collection[str]) -> None:
    """Refuse tiles or stations of which one is called as a category of a table is; raises PrivacyError.

    Trips there would be taken for trips of which the place is not known.
    """
    if category in names:
        raise PrivacyError(
            f"a place is called {category!r}, and so is the category of places that are not known",
            "tiles",
            "Give that tile another id.",
        )
