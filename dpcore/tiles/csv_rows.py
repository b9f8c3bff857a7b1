"""Rows of a small CSV text. Each line is one row, whatever quotation marks other lines hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def rows_of(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """The number of each line that is not empty, counted from 1, and its fields as ``fields_of`` gives them."""
    for number, line in enumerate(_LINE_END.split(text), 1):
        if line:
            yield number, fields_of(line, separator)


def fields_of(line: str, separator: str) -> list[str] | None:
    """The fields of one line without its line end. None if a quotation mark is not closed or a field is too long."""
    # After an open quotation mark the reader also takes the second, empty line.
    rows = csv.reader([line, ""], delimiter=separator)
    try:
        fields = next(rows)
    except csv.Error:
        return None
    return fields if rows.line_num == 1 else None
