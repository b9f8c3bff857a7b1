"""The fixed texts of publishing from the Synthesize page."""

from __future__ import annotations

from typing import Final

HELP: Final = (
    "A release draws its noise and its trips afresh, after the ledger was charged: no draw of this page ever becomes one. "
    "The bundle holds the synthetic trips, the noisy tables they were drawn from, the tiles and a manifest."
)
TOO_MUCH: Final = "The budget does not hold it: ε {charge} is asked, ε {left} is left. Lower ε."
WORKING: Final = "Counting, charging, drawing noise and trips"
TRIPS_HELP: Final = (
    "The synthetic trips alone. Load them on the Data page like any trips file, with the tiles of the bundle."
)
TRAJECTORIES_HELP: Final = "The synthetic trajectories alone: one row for each tile that one of them visits."
SCRIPT: Final = (
    "The same choices from a command line. It makes a release of its own, at its own price. TRIPS, TILES and ZIPS stand for "
    "your files, NAME for the data set that pays, DIR for a new folder."
)
EARLIER: Final = "Published before: **{title}**, release `{release}`, entry {entry} of the ledger, {charge} charged. It lies in the Library."
