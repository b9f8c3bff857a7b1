"""A noisy trajectory tree as pictures, tables and sentences."""

from dpcore.kinds.tree.views.boxes import Box, Icicle, icicle, icicle_figure, icicle_table
from dpcore.kinds.tree.views.levels import (
    LevelColour,
    ink_on,
    level_colours,
    levels_map,
    levels_svg,
)
from dpcore.kinds.tree.views.tables import (
    lengths_chart,
    losses_table,
    missing_table,
    noisy_lengths_chart,
    patterns_table,
    patterns_text,
    places_table,
    price_table,
    right_words,
)
from dpcore.kinds.tree.views.walked import about, asked_for, between, reply

__all__ = [
    "Box",
    "Icicle",
    "LevelColour",
    "about",
    "asked_for",
    "between",
    "icicle",
    "icicle_figure",
    "icicle_table",
    "ink_on",
    "lengths_chart",
    "level_colours",
    "levels_map",
    "levels_svg",
    "losses_table",
    "missing_table",
    "noisy_lengths_chart",
    "patterns_table",
    "patterns_text",
    "places_table",
    "price_table",
    "reply",
    "right_words",
]
