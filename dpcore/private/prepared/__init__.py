"""Prepared rows on disk: parts of a data set, ordered by person, read back as shards that hold whole people."""

from dpcore.private.prepared.files import STORED
from dpcore.private.prepared.part import LocalRows, Part, Shard

__all__ = ["STORED", "LocalRows", "Part", "Shard"]
