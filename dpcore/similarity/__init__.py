"""How alike two sets of tables are: release against truth, release against release, synthetic against real.

=======================  =========================================================================
``read_side``            a bundle, or a folder of CSV files, as tables of counts with a name; likewise
                         ``side_of_release``, ``side_of_measurements`` and ``side_of_tables``
``CountTable``           counts on public keys; ``matched`` lays two of them on the union of their keys
``scores``               every metric that suits a measure, for one matched pair
``compared``             all measures that two sides share; ``left_out`` says of which that cannot be
``METRICS``              what each metric is called, what it means, and which direction is better
``Geography``            centroids and raster of public tiles, made once for many comparisons
=======================  =========================================================================

Inside, one file a family of formulas: ``shares`` (SMAPE, divergences), ``ordered`` (moving counts along a line),
``plane`` (moving them over the map), ``ranking`` (order), ``structure`` (the picture). All of them are public formulas;
whether their answer may be shown depends on what was compared: with the truth on one side it is for the owner alone.
"""

from dpcore.similarity.count_table import CountTable
from dpcore.similarity.geography import Geography
from dpcore.similarity.matching import Pair, laid_alike, matched, step_of_both
from dpcore.similarity.metrics import METRICS, Metric
from dpcore.similarity.scoring import Score, compared, left_out, scores
from dpcore.similarity.sides import (
    Side,
    read_side,
    side_of_measurements,
    side_of_release,
    side_of_tables,
    with_tables,
)

__all__ = [
    "METRICS",
    "CountTable",
    "Geography",
    "Metric",
    "Pair",
    "Score",
    "Side",
    "compared",
    "laid_alike",
    "left_out",
    "matched",
    "read_side",
    "scores",
    "side_of_measurements",
    "side_of_release",
    "side_of_tables",
    "step_of_both",
    "with_tables",
]
