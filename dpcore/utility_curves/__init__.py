"""How alike a noisy table will be to the true one at each epsilon: worked out from the law of the noise, not drawn.

A metric that is a sum over cells needs the law of one noisy count only, and cells of equal counts have one law: so the
work is the number of different counts times the length of that law. Of shares in a large table the noisy total, by which
they are divided, is replaced by its mean: it is a sum of many cells, and hardly moves. In a small one each count is paired with
the sum of all others. The earth mover's distance along a line follows from the laws of the sums up to each place and
beyond it. Each is compared with simulation in the tests.

The formulas are public. Their answer is as private as the counts that are put in: with true counts it is for the
owner alone, with released ones it is an estimate that anyone may make (too good where counts are small: noise is taken for trips).
"""

from dpcore.utility_curves.bands import Band, Curve, drawn_band
from dpcore.utility_curves.curves import CellCounts, curves_of_release, worked_out

__all__ = ["Band", "CellCounts", "Curve", "curves_of_release", "drawn_band", "worked_out"]
