"""Prepared rows on disk: parts of a data set, ordered by person, read back as shards that hold whole people."""

from dpcore.private.prepared.part import Part
from dpcore.private.prepared.rows import LocalRows, Shard
from dpcore.private.prepared.stored import STORED

__all__ = ["STORED", "LocalRows", "Part", "Shard"]
