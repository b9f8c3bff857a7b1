"""Words of the report beside those that each measure says of itself."""

from __future__ import annotations

from typing import Final

from dpcore.measures import Section

FIVE_NUMBERS: Final = (
    "5, 25, 50, 75 and 95 of 100 values lie below these numbers; half of all lie between the second and the fourth. "
    "They are read off the noisy histogram at no cost, or bought on a public grid where that tells more; none is a value of the "
    "data."
)

SECTIONS: Final = (
    (Section.OVERVIEW, "Overview", "How many people and trips, and when."),
    (Section.PLACE, "Place", "Where trips start and end."),
    (Section.OD, "Origin and destination", "From where to where, how long and how far."),
    (Section.USER, "User", "How people differ in what they do."),
)
"""Each section with its title and what it is about, in the order of the report."""

DROWNED: Final = "Noise dominates here: merge tiles or hours, count more trips, or publish with a larger ε."
"""Said where no count of a table stands out of its noise."""

FEW: Final = "Noise dominates all others: merge tiles or hours to see more."
"""Said where few stand out."""
