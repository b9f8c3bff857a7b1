"""What may be asked: measures with their public keys and proved sensitivities, plans of them, and what came of a plan.

================  ====================================================================================
``keys``          public key sets of tables
``bins``          public bins of histograms, and the points that a bought quantile can be
``measure``       what a measure is, and why its sensitivity holds
``choices``       the registry of measures, and what an owner chooses about their keys
``overview``      measures: overall numbers, and when trips are made
``journeys``      measures: where trips start and end, from where to where, how long, how far
``people``        measures: how people differ
``plan``          which measures, under which bound, with which share of epsilon each
``bought``        quantiles that a plan buys: what each costs, and how much one person or one trip changes them
``measurement``   noisy counts of one measure at every rung
================  ====================================================================================

A measure is written in one place, a file of this folder, and says all that is said of it. Its file gets a line below.
"""

from __future__ import annotations

from dpcore.measures import journeys, overview, people
from dpcore.measures.choices import BINS, DEFAULT_WEIGHTS, GRIDS, MEASURES, Each, measure_named, register
from dpcore.measures.measure import Engine, Kind, Layout, Measure, Section

__all__ = [
    "BINS",
    "DEFAULT_WEIGHTS",
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

register(*overview.ALL)
register(*journeys.ALL)
register(*people.ALL)
