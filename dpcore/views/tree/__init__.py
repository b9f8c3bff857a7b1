"""A noisy trajectory tree as pictures, tables and sentences: colours of levels, icicle, lengths, prices, answers."""

from dpcore.views.tree.boxes import Box, Icicle, icicle, icicle_table
from dpcore.views.tree.colours import LevelColour, ink_on, level_colours
from dpcore.views.tree.figure import icicle_figure
from dpcore.views.tree.histogram import lengths_chart, noisy_lengths_chart
from dpcore.views.tree.level_map import legend_svg, levels_svg, tile_colours
from dpcore.views.tree.lists import (
    losses_table,
    missing_table,
    patterns_table,
    patterns_text,
    places_table,
    price_table,
    right_words,
)
from dpcore.views.tree.replies import about, asked_for, between, reply

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
    "legend_svg",
    "lengths_chart",
    "level_colours",
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
    "tile_colours",
]
