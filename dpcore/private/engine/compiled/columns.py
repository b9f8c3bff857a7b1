"""Columns of a shard as plain arrays, without a copy where nothing is unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed

Flags = NDArray[np.bool_]


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The same array, not to be written to. All that passes read is so, or each mixture would be compiled anew."""
    values.flags.writeable = False
    return values


class Columns(Sealed):
    """The columns of a table whose every column is one chunk, or none."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._table.num_rows)

    def arrow(self, name: str) -> pa.Array:
        """A column as it is stored."""
        column = self._table[name]
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

    def known(self, name: str) -> Flags | None:
        """Which rows are known; None where all are."""
        column = self.arrow(name)
        if not column.null_count:
            return None
        return frozen(column.is_valid().to_numpy(zero_copy_only=False))

    def filled(self, name: str, unknown: int) -> NDArray[Any]:
        """A column of whole numbers, with a number for what is unknown."""
        column = self.arrow(name)
        values = np.frombuffer(column.buffers()[1] or b"", column.type.to_pandas_dtype())
        values = values[column.offset : column.offset + len(column)]
        known = self.known(name)
        return frozen(values if known is None else np.where(known, values, values.dtype.type(unknown)))

    def flags(self, name: str) -> Flags:
        """A column of truth values; unknown is false."""
        column = self.arrow(name)
        if column.null_count:
            column = column.fill_null(False)
        return frozen(column.to_numpy(zero_copy_only=False))
