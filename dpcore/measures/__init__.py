"""What may be asked: measures with public keys and proved sensitivities, plans of them, and their measurements.

================  ====================================================================================
``keys``          public key sets of tables
``bins``          public bins of histograms, and public grids for purchased quantiles
``term``          which rows a measure counts, in which cells, and what each adds
``measure``       what a measure is, and why its sensitivity holds
``choices``       the registry of measures, and the owner's choices about their keys
``overview``      measures: overall numbers, and when trips are made
``journeys``      measures: where trips start and end, flows, travel time, distance
``people``        measures: how people differ
``plan``          which measures, under which bound, with which share of epsilon each
``bought``        purchased quantiles: what each costs, and how much one person or one trip changes them
``measurement``   noisy counts of one measure at every rung
================  ====================================================================================

One file of this folder holds everything about a measure. Its ``ALL`` is registered below: it needs no mention elsewhere.
"""

from __future__ import annotations

from dpcore import wings
from dpcore.measures.choices import BINS, GRIDS, MEASURES, Each, measure_named, register
from dpcore.measures.measure import Engine, Kind, Layout, Measure, Section

__all__ = [
    "BINS",
    "GRIDS",
    "MEASURES",
    "Each",
    "Engine",
    "Kind",
    "Layout",
    "Measure",
    "Section",
    "measure_named",
    "register",
]

for _file in wings.files_of("measures", "overview", "journeys", "people"):  # the order of tables and reports
    register(*getattr(_file, "ALL", ()))
