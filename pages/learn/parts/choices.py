"""One of a few, chosen in a lesson: whatever a link says, an option comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from streamlit.delta_generator import DeltaGenerator

Option = TypeVar("Option")


def one_of(
    at: DeltaGenerator,
    label: str,
    options: Sequence[Option],
    default: Option,
    *,
    key: str,
    format_func: Callable[[Option], str] = str,
) -> Option:
    """Side by side, bound to the address; the default where a link leaves the choice empty or names no option."""
    chosen = at.segmented_control(
        label,
        options,
        default=default,
        format_func=format_func,
        required=True,
        key=key,
        bind="query-params",
    )
    return chosen if chosen in options else default


def one_listed(
    at: DeltaGenerator,
    label: str,
    options: Sequence[Option],
    default: Option,
    *,
    key: str,
    format_func: Callable[[Option], str] = str,
) -> Option:
    """In a list that opens, bound to the address; the default where a link leaves the choice empty or names no option."""
    chosen = at.selectbox(
        label,
        options,
        index=options.index(default),
        format_func=format_func,
        key=key,
        bind="query-params",
    )
    return chosen if chosen in options else default
