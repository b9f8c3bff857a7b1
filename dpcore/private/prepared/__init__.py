"""Prepared rows on disk: parts of a data set, ordered by person, which are read back as shards of whole people."""

from dpcore.private.prepared.files import STORED
from dpcore.private.prepared.part import LocalRows, Part, Shard

__all__ = ["STORED", "LocalRows", "Part", "Shard"]
