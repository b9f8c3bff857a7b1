"""What each measure counts, how to read it, and what the noise does to it: one or two plain sentences each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_BARS: Final = "Each bar is a count; the stroke on it is its 95 % interval."
_PEOPLE: Final = "Each person counts once, whatever the number of trips, so one person changes one bar by one and the noise is small."

EXPLANATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ds_statistics": (
            "How many trips and records were counted, and how many people where the form of the data names them. A complete trip has two records, its start and its end; of "
            "an incomplete one only one is known. Noise of the same width lies on every number, so it hardly matters "
            "for the large ones."
        ),
        "missing_values": (
            "How many fields were empty in the records that were counted: a look at the quality of the data. A small "
            "number, or one below zero, is mostly noise; read it as 'few or none'."
        ),
        "trips_over_time": (
            "Trips by the date on which they ended. The line is the noisy count, the band holds 95 % of the noise: a rise "
            "or fall that stays within the band may be noise alone."
        ),
        "trips_per_weekday": (
            "Trips by the weekday on which they ended. "
            f"{_BARS} Seven large counts stand the noise well; two bars whose strokes overlap may be equal."
        ),
        "trips_per_hour": (
            "Starts and ends of trips by hour of the day, weekdays and weekends apart, on the city's own clock. The band "
            "holds 95 % of the noise; the quiet hours of the night are the first to drown in it."
        ),
        "visits_per_tile": (
            "How often trips started or ended in each tile. Darker to lighter means few to many; a grey tile has a count "
            "that noise alone could have made, which does not say that nobody was there."
        ),
        "visits_per_time_tile": (
            "Where trips ended in each part of the day, weekdays and weekends apart. All small maps share one colour scale, so "
            "they can be compared. The visits are spread over many more cells than on the map above, so more of them are grey."
        ),
        "od_flows": (
            "How many trips went from one tile to another. There are far more pairs of tiles than trips, so noise alone "
            "makes flows out of nothing: trust those that stand out, and read the others as 'few or none'."
        ),
        "travel_time": (
            "How long trips took from start to end, in minutes, days included. "
            f"{_BARS} The last bin is open: whatever took longer is in it."
        ),
        "jump_length": (
            "How far apart start and end of a trip lie, in kilometres as the crow flies. "
            f"{_BARS} The last bin is open, so no single long trip shows."
        ),
        "trips_per_user": (
            f"How many trips people made: the height of a bar is a number of people. {_PEOPLE} All trips of a person count "
            "here, also those that the contribution bound leaves out elsewhere."
        ),
        "user_time_delta": (
            "How many hours lie between the end of a trip and the start of the same person's next one. "
            f"{_BARS} Below zero are trips that began before the one before them had ended."
        ),
        "radius_of_gyration": (
            "How far people range: the typical distance of a person's places from their middle, in kilometres. "
            f"{_PEOPLE}"
        ),
        "user_tile_count": f"In how many different tiles a person's trips started or ended. {_PEOPLE}",
        "mobility_entropy": (
            "How evenly people divide their visits between their tiles: 0 is always the same tile, 1 is all of them "
            f"equally often. {_PEOPLE}"
        ),
        "five_numbers": (
            "5, 25, 50, 75 and 95 of 100 values lie below these numbers; half of all lie between the second and the fourth. "
            "They are read off the noisy histogram at no cost, or bought on a public grid where that tells more; none is a value of the "
            "data."
        ),
    }
)
"""By measure."""

SECTIONS: Final = (
    (
        "overview",
        "Overview",
        "How many people and trips, and when.",
        (
            "ds_statistics",
            "missing_values",
            "trips_over_time",
            "trips_per_weekday",
            "trips_per_hour",
        ),
    ),
    ("place", "Place", "Where trips start and end.", ("visits_per_tile", "visits_per_time_tile")),
    (
        "od",
        "Origin and destination",
        "From where to where, how long and how far.",
        ("od_flows", "travel_time", "jump_length"),
    ),
    (
        "user",
        "User",
        "How people differ in what they do.",
        (
            "trips_per_user",
            "user_time_delta",
            "radius_of_gyration",
            "user_tile_count",
            "mobility_entropy",
        ),
    ),
)
"""Key, title, what it is about, and its measures, in the order of the report."""

ALL_POINTS: Final = (
    "Here the tiles that a trip passes between its ends count as well, at most {cap} visits of each trip."
)
"""Added where the owner chose to count all points."""

DROWNED: Final = "Noise dominates here: merge tiles or hours, count more trips, or publish with a larger ε."
"""Said where no count of a table stands out of its noise."""

FEW: Final = "Noise dominates all others: merge tiles or hours to see more."
"""Said where few stand out."""
