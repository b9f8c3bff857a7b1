"""What a measure counts, as plain facts: which rows, in which cell each of them counts, and what it adds there.

The SQL of a measure of trips is made from these facts (``grouped``). So a change to all such measures, such as splitting
them by an attribute, is a change of facts: it needs no SQL of its own and no code for each measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """Rows of one table that count, and the cell in which each of them counts."""

    rows: str
    """The table: ``kept`` has a row for each counted trip, ``kept_via`` one for each tile on the way of a counted trip."""
    key: tuple[tuple[str, str], ...]
    """For each key column its name and the SQL of an integer that is read off the row alone."""
    where: str = ""
    """SQL of the rows that count; empty if all do."""
    adds: str = "1"
    """SQL of the integer that a row adds to its cell."""

    @property
    def sql(self) -> str:
        """The sum of what its rows add, for each cell that occurs: the columns of the key, then ``n``."""
        columns = ", ".join(f"{expression} AS {name}" for name, expression in self.key)
        total = "count(*)" if self.adds == "1" else f"CAST(sum({self.adds}) AS BIGINT)"
        where = f" WHERE {self.where}" if self.where else ""
        return f"SELECT {columns}, {total} AS n FROM {self.rows}{where} GROUP BY {_places(self)}"


def grouped(terms: Sequence[Term]) -> str:
    """SQL of the sum over all terms, for each cell that occurs. The names of the columns are those of the first term."""
    if len(terms) == 1:
        return terms[0].sql
    names = ", ".join(name for name, _ in terms[0].key)
    each = " UNION ALL ".join(term.sql for term in terms)
    return f"SELECT {names}, CAST(sum(n) AS BIGINT) AS n FROM ({each}) terms GROUP BY {_places(terms[0])}"


def _places(term: Term) -> str:
    return ", ".join(str(place) for place in range(1, len(term.key) + 1))
