"""Rows of a small CSV text: one row a line, whatever quotation marks stand in other lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def rows_of(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """The number of each line that is not empty, counted from 1, and its fields, as ``fields_of`` gives them."""
    for number, line in enumerate(_LINE_END.split(text), 1):
        if line:
            yield number, fields_of(line, separator)


def fields_of(line: str, separator: str) -> list[str] | None:
    """The fields of one line without its end; None where a quotation mark is left open or a field is far too long."""
    # an open quotation mark makes the reader take the second, empty line as well
    rows = csv.reader([line, ""], delimiter=separator)
    try:
        fields = next(rows)
    except csv.Error:
        return None
    return fields if rows.line_num == 1 else None
