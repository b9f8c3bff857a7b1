"""Which tile a point lies in: at most one, whatever the point and whatever the tiles."""

from dpcore.tile_index.index import TileIndex

__all__ = ["TileIndex"]
