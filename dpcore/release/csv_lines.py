"""A table of many rows as lines of CSV, byte for byte as Arrow writes them, in half of its seconds.

Released tables repeat themselves: their keys are few, and so are the values of small counts. So each text is made once, and lines
are put together from texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_ROWS_AT_ONCE: Final = 8192
"""What is put together stays in the processor's cache."""
_PAIRS: Final = 16_000
"""Texts of two columns are joined into one column where they are no more."""

Coded = tuple[NDArray[np.int64], pa.Array]
"""For each row the number of a text, and the texts."""


def csv_lines(table: pa.Table) -> Iterator[pa.Buffer]:
    """The bytes of a CSV file with a header, in parts. Texts are quoted, missing values are empty. The table has a row."""
    yield pa.py_buffer(f"{','.join(table.column_names)}\n".encode())
    columns: list[Coded] = []
    for column in table.columns:
        numbers, texts = _coded(column)
        before = columns[-1] if columns else None
        if before is not None and len(before[1]) * len(texts) <= _PAIRS:
            left, right = np.divmod(np.arange(len(before[1]) * len(texts)), len(texts))
            both = pc.binary_join_element_wise(before[1].take(left), texts.take(right), ",")
            columns[-1] = before[0] * len(texts) + numbers, both
        else:
            columns.append((numbers, texts))
    numbers, texts = columns[-1]
    columns[-1] = numbers, pc.binary_join_element_wise(texts, "\n", "")
    for first in range(0, len(table), _ROWS_AT_ONCE):
        some = slice(first, first + _ROWS_AT_ONCE)
        lines = pc.binary_join_element_wise(*(texts.take(numbers[some]) for numbers, texts in columns), ",")
        _, ends, content = lines.buffers()
        yield content.slice(0, int(np.frombuffer(ends, np.int32)[len(lines)]))


def _coded(column: pa.ChunkedArray) -> Coded:
    if pa.types.is_integer(column.type) and not column.null_count:
        values = column.to_numpy()
        least, most = int(values.min()), int(values.max())
        if most - least < len(values):
            return values - least, pa.array(np.arange(least, most + 1)).cast(pa.string())
    encoded = column.combine_chunks().dictionary_encode("encode")
    texts = encoded.dictionary.cast(pa.string())
    if pa.types.is_string(column.type):
        texts = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return encoded.indices.to_numpy().astype(np.int64), texts.fill_null("")
