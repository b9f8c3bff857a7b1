"""How alike tables are (release and truth, two releases, synthetic and real trips), and what changed.

====================  =====================================================================================
``tables``            ``CountTable``, counts on public keys; ``Side``, the tables of one side with a name: of a release,
                      of a folder of files, or as the owner counts them
``matching``          ``matched`` puts two tables on the union of their keys
``scoring``           ``scores``: every metric that suits a measure, for one matched pair; ``compared``: all measures that
                      two sides share; ``left_out`` says which of those cannot be
``metrics``           ``METRICS``: the name of each, what it means, and which direction is better
``formulas``,         the formulas themselves: for lists of counts, and for the map (``Geography``: centroids and
``on_the_map``        raster of public tiles, made once for many comparisons)
``layout``            how the cells of each measure lie: along a line, on the map, or in no order
``curves``            how alike drawn tables of each epsilon are to the truth, as bands
``change``            ``changes``: what changed from one release to another, in all and by cell; which may be laid side by side
``all_trips``         ``Scaled``: the counts of a release scaled to all trips
``chance``            the exact law of the errors of two sides, and the level at which few announced changes are false
``findings``          ``findings``: what a release surely says of its largest places and of its day
``known_releases``    releases of others with their epsilons, beside a plan
====================  =====================================================================================

All of these are public formulas. Whether a result may be shown depends on what was compared: if one side is the truth, the
result is for the owner only.
"""

from dpcore.comparison.matching import Pair, laid_alike, matched, step_of_both
from dpcore.comparison.metrics import METRICS, Metric
from dpcore.comparison.on_the_map import Geography
from dpcore.comparison.scoring import Score, compared, left_out, scores
from dpcore.comparison.tables import (
    CountTable,
    Side,
    can_be_compared,
    side_of_any,
    side_of_folder,
    side_of_measurements,
    side_of_release,
    side_of_tables,
)

__all__ = [
    "METRICS",
    "CountTable",
    "Geography",
    "Metric",
    "Pair",
    "Score",
    "Side",
    "can_be_compared",
    "compared",
    "laid_alike",
    "left_out",
    "matched",
    "scores",
    "side_of_any",
    "side_of_folder",
    "side_of_measurements",
    "side_of_release",
    "side_of_tables",
    "step_of_both",
]
