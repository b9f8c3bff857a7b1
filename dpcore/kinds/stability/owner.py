"""What owners of trips may look at before they release large counts. Everything here is private, as in ``dpcore.api.owner``."""

from __future__ import annotations

from dpcore.kinds.stability.private.counting import counted_as_keys
from dpcore.kinds.stability.private.large_counts import StabilityPreview, stability_preview
from dpcore.kinds.stability.private.opal_week import invented_opal_week

__all__ = [
    "StabilityPreview",
    "counted_as_keys",
    "invented_opal_week",
    "stability_preview",
]
