"""All faults of a tessellation file in one answer."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Final

from dpcore import limits
from dpcore.errors import TessellationError

_PLACES: Final = 5
"""Places of one fault that are named."""


def one_error(faults: Sequence[TessellationError], source_name: str) -> TessellationError:
    """One error for one or more faults of a file. Faults that differ only in their place are one."""
    places: dict[tuple[str, str], list[str]] = {}
    for fault in faults:
        places.setdefault((fault.what, fault.mend), []).append(fault.where)
    (what, mend), where = next(iter(places.items()))
    options = frozenset[str]().union(*(fault.options for fault in faults))
    if len(places) == 1:
        return TessellationError(what, _place_list(where, source_name), mend, options=options)
    listed = [
        f"({number}) {what}: {_place_list(where, source_name)}. {mend}"
        for number, ((what, mend), where) in enumerate(places.items(), 1)
    ]
    more = len(listed) - limits.MAX_LISTED_PROBLEMS
    return TessellationError(
        f"{len(listed):,} faults",
        source_name,
        " ".join(listed[: limits.MAX_LISTED_PROBLEMS]) + (f" And {more:,} more." if more > 0 else ""),
        options=options,
    )


def _place_list(places: Sequence[str], source_name: str) -> str:
    first, *others = places[:_PLACES]
    more = [f"{len(places) - _PLACES:,} more"] if len(places) > _PLACES else []
    return "; ".join([first, *(place.removeprefix(f"{source_name}, ") for place in others), *more])


def utf8_text(data: bytes, source_name: str) -> str:
    """The text of a file, without its byte-order mark. Raises TessellationError."""
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise TessellationError(
            "the text is not UTF-8",
            source_name,
            "It is of an older encoding, such as Windows-1252, CP949, GBK or Shift_JIS. Save it as UTF-8.",
        ) from None
