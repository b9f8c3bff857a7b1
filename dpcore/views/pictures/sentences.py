"""The sentence that is said of a view: which place is the busiest, and when. Stories and pictures say the same one.

It is made of what was released, at the stop that is looked at. What is sure is called so; an estimate stands with its range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from dpcore import limits
from dpcore.comparison.findings import Finding, findings
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.release.estimates import estimates_of
from dpcore.release.one_part import part_of
from dpcore.release.texts import one_line
from dpcore.views.ground.part_choice import one_part
from dpcore.views.ground.selection import selection_label
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import Address, as_shown
from dpcore.views.numbers.findings import of_those_that_count
from dpcore.views.numbers.guarantee import can_be_found, promise_of
from dpcore.views.numbers.told_tiles import largest_words, sum_on_map
from dpcore.views.pictures.table_view import table_views

MAY_HIDE: Final = "Noise may hide a busier one."
"""What follows the largest number where it may be chance."""


def sentence_of(release: Release, at: Address) -> str:
    """What is said of a view at its stop: of the chosen tile, else what is largest, or when most trips take place.

    Empty where no sentence of ours is about what is shown, such as a time window or an area of several tiles.
    """
    if at.view in {"guarantee", "promise"}:
        return shortened(can_be_found(promise_of(release)))
    splits = release.plan.choices.splits
    if splits:
        part = one_part(at.part, splits)
        return "" if part is None else _of_part(release, part, at)
    return shortened(_of_view(release, at, _findings(release, at.rung)))


def _of_view(release: Release, at: Address, told: tuple[Finding, ...]) -> str:
    at = as_shown(at, release)
    if at.view == "map" and (at.window is not None or at.chosen.places or at.colours):
        return _of_the_map(release, at)
    if at.chosen.places and at.view == "flows":  # the other sentences are not about a choice
        return ""
    view = table_views().get(at.view)
    return "" if view is None or view.sentence is None else view.sentence(release, told, at)


def _of_part(release: Release, part: Mapping[str, str], at: Address) -> str:
    """The sentence of a view of one part. Nothing is called sure: findings keep their level over one table, not over many parts."""
    said = _of_view(part_of(release, part), replace(at, part=()), ())
    named = ", ".join(f"{name} {label}" for name, label in part.items())
    return shortened(f"{named[:1].upper()}{named[1:]}: {said}") if said else ""


def shortened(said: str) -> str:
    """A sentence of at most so many letters as a step may have."""
    return one_line(said, limits.MAX_SENTENCE_CHARACTERS)


def _of_the_map(release: Release, at: Address) -> str:
    """What is said of a map that shows a choice, a time window or a sum; empty where none of ours is about that."""
    tile = at.chosen.tile
    coloured = sum_on_map(release, at.colours)
    if coloured:
        return "" if at.chosen.places else largest_words(release, coloured, at.rung)
    if at.window is not None or tile is None or VISITS not in release.measurements:
        return ""
    shown = shown_at(release, VISITS, at)
    said = f"{'released count ' * shown.is_drawn}{shown.told(tile)}"
    return f"{selection_label(at.chosen, release.tessellation, None)}: {said}."


def shown_at(release: Release, measure: str, at: Address) -> Shown:
    """What is shown of a table at the stop of an address."""
    guess = None if at.released else estimates_of(release, at.rung, of=(measure,))
    return shown_of(release.measurements, measure, at.rung, guess)


def _findings(release: Release, rung: int) -> tuple[Finding, ...]:
    """Findings, which are told at the finest stop alone."""
    return findings(release) if rung == len(release.plan.rungs) - 1 else ()


def maybe_words(called: str, name: str, words: str, *, of_all: bool, released: bool = False) -> str:
    """What has the largest number, which may be chance; ``of_all``: as for ``surely_words``."""
    which = f"the busiest {called}{of_those_that_count(of_all=of_all)}"
    return f"By {numbers_word(released=released)} {which} is {name}: {words}. {MAY_HIDE}"


def numbers_word(*, released: bool) -> str:
    """What a number is called."""
    return "released count" if released else "estimate"


def views_with_sentences() -> tuple[str, ...]:
    """The views of tables of which something is said, in the order of a story."""
    return tuple(name for name, view in table_views().items() if view.sentence is not None)
