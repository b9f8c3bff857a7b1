"""Accuracy: how wide the noise of each table is, and how many of its estimates are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.estimates import Estimates
from dpcore.estimates.words import LIKELY_MEANS
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.views.maps.address import Address
from dpcore.views.maps.drawn_map import Listed
from dpcore.views.numbers import estimated
from dpcore.views.pictures.table_view import TableView


def _drawing(release: Release, _at: Address, estimates: Estimates) -> tuple[Listed, Sequence[str]]:
    table = estimated.accuracy_table(release, estimates)
    noise = table["noise of one count (95 %)"]
    known = table.get(estimated.KNOWN_COUNTS, [""] * len(noise))
    words = [
        f"{one}{f'; {other} estimates' if other else ''}" for one, other in zip(noise, known, strict=True)
    ]
    guessed = are_computed(estimates)
    title = f"Noise of one count{f', and how many {estimated.KNOWN_COUNTS}' if guessed else ''}"
    told = LIKELY_MEANS if guessed else estimates.why_not_all
    return Listed(title, tuple(zip(table["measure"], words, strict=True))), [told]


VIEW: Final = TableView(
    "How accurate it is",
    lambda _, __: True,
    lambda release, _: tuple(release.measurements),
    _drawing,
    button=":material/straighten: Accuracy",
)
