"""The fixed texts of publishing from the Synthesize page."""

from __future__ import annotations

from typing import Final

HELP: Final = (
    "A release draws its noise and its trips afresh, after the ledger was charged: no draw of this page ever becomes one. "
    "The bundle holds the synthetic trips, the noisy tables they were drawn from, the tiles and a manifest."
)
TOO_MUCH: Final = (
    "The budget does not hold it: ε {charge} is asked, ε {left} is left. Lower ε; nothing was spent."
)
WORKING: Final = "Counting, charging, drawing noise and trips"
TRIPS_HELP: Final = (
    "The synthetic trips alone. Load them on the Data page like any trips file, with the tiles of the bundle."
)
TRAJECTORIES_HELP: Final = "The synthetic trajectories alone: one row for each tile that one of them visits."
SCRIPT: Final = (
    "The same from a command line: `python -m dpcore {command} --trips … --tiles … {choices} --out DIR`."
)
