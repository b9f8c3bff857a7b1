"""SparkRows: prepared trips that Spark holds, on this computer or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.private.sealed import Sealed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, repr=False, eq=False)
class SparkRows(Sealed):
    """Prepared trips, one row a trip; columns as ``prepare.PREPARED``, with ``user_id`` the text of the id.

    When nobody has this object any more, Spark lets go of the trips.
    """

    session: SparkSession
    view: str
    """Name of the table that holds them, known to every session on the same Spark."""
    count: int
    """How many trips: exact, so for nobody outside."""
    must_be_held: Callable[[], None]
    """Refuses to go on once Spark let go of them."""
    must_be_unchanged: Callable[[], None]
    """Refuses to go on once the files are not those that were read."""
