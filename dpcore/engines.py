"""The engines that count trips exactly. They differ in speed and reach, never in an answer."""

from __future__ import annotations

from enum import Enum


class Engine(Enum):
    """What counts the trips of a data set."""

    COMPILED = "compiled"
    """Compiled passes over shards of whole people: the fastest on one computer."""
    DUCKDB = "duckdb"
    """The SQL of every measure on the embedded database: the definition that the others are tested against."""
    SPARK = "spark"
    """The same SQL on a Spark cluster, for trips that no single computer holds."""
