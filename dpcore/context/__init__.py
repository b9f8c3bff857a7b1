"""What lies under the tiles of a map so that people know the place: water, parks, main streets, railways and names.

It is public, and nothing is counted on it. ``read_context`` reads a file, ``fitted`` makes it light enough for a browser,
``context_bytes`` and ``context_of_bytes`` write and read the file of a bundle.
"""

from __future__ import annotations

from dpcore.context.context import AREAS, LINES, Context, Layer
from dpcore.context.fitting import fitted, window
from dpcore.tiles.called import Place

__all__ = ["AREAS", "LINES", "Context", "Layer", "Place", "fitted", "window"]
