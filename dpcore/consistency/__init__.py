"""Tables of a release that agree with each other: post-processing that costs no privacy.

======================  ==========================================================================
``consistent``          a release at a rung becomes ``Consistent``: tables, totals, what was saved
``agreed``              the same for measurements that are in no release yet
``savings``             for each measure the expected squared error before and after, exactly
``sentences``           all of it in plain words, for reports
``consistent_table``    one measure as columns of text, as the command line prints it
======================  ==========================================================================

Inside: ``identities`` (which sums are equal, with proofs), ``stack`` (cells side by side), ``least_squares`` (the
solver), ``estimate``, ``savings``, ``words`` and ``columns``.
"""

from dpcore.consistency.columns import consistent_table
from dpcore.consistency.estimate import Consistent, Table, Total, agreed, consistent
from dpcore.consistency.savings import Saving, savings
from dpcore.consistency.words import said, sentences

__all__ = [
    "Consistent",
    "Saving",
    "Table",
    "Total",
    "agreed",
    "consistent",
    "consistent_table",
    "said",
    "savings",
    "sentences",
]
