"""Which measures of ours a choice of analyses stands for, and with which weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES, Section

_SEGMENTS: Final = {
    "overview": Section.OVERVIEW,
    "place_analysis": Section.PLACE,
    "od_analysis": Section.OD,
    "user_analysis": Section.USER,
}
SEGMENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        segment: tuple(
            name
            for name, measure in MEASURES.items()
            if measure.section is section and measure.differences is not None
        )
        for segment, section in _SEGMENTS.items()
    }
)
"""Segments of its report with their analyses. The names of the analyses are those of our measures."""

ANALYSES: Final = tuple(name for names in SEGMENTS.values() for name in names)
"""All analyses, in the order of its report."""

_ALL: Final = "all"


def chosen_analyses(
    selection: Sequence[str] | None, exclusion: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The analyses that are asked for, in the order of the report, and notes; a selection overrules an exclusion.

    Raises:
        InputError: a name that is neither a segment nor an analysis.
        PrivacyError: nothing is left.

    """
    notes = []
    if selection is not None and exclusion is not None:
        notes.append("analysis_exclusion is ignored beside analysis_selection, as in DpMobilityReport.")
        exclusion = None
    if selection is None:
        left_out = _expanded("analysis_exclusion", exclusion or ())
        found = tuple(name for name in ANALYSES if name not in left_out)
    else:
        wanted = _expanded("analysis_selection", selection)
        found = tuple(name for name in ANALYSES if name in wanted)
    if not found:
        raise PrivacyError("no analysis is left", "analysis_selection, analysis_exclusion", "Choose one.")
    return found, tuple(notes)


def named(name: str, selection: Sequence[str] | None) -> bool:
    """Whether an analysis was selected by its own name, not by a segment or by default."""
    return selection is not None and name in selection


def weights_of(
    analyses: Sequence[str], budget_split: Mapping[str, int]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The weight of each analysis, 1 where none is given, and notes; InputError for an unknown name.

    Whether weights are whole and positive is checked where the plan is made.
    """
    if not isinstance(budget_split, Mapping):
        raise InputError("not weights", "budget_split", 'Give names with weights: {"od_flows": 3}.')
    for name in budget_split:
        if name not in ANALYSES:
            raise InputError.unknown("analysis in budget_split", name, ANALYSES)
    ignored = ", ".join(name for name in budget_split if name not in analyses)
    notes = (f"budget_split of {ignored} is ignored: not among the analyses.",) if ignored else ()
    return {name: budget_split.get(name, 1) for name in analyses}, notes


def _expanded(parameter: str, names: Sequence[str]) -> set[str]:
    if isinstance(names, str):
        raise InputError("a list of names is needed", parameter, f'Write ["{names}"].')
    found: set[str] = set()
    for name in names:
        if name in SEGMENTS:
            found |= set(SEGMENTS[name])
        elif name in ANALYSES:
            found.add(name)
        elif name == _ALL:
            found |= set(ANALYSES)
        else:
            raise InputError.unknown(f"name in {parameter}", str(name), (*SEGMENTS, *ANALYSES))
    return found
