"""One measure after agreement as columns of text."""

from __future__ import annotations

from fractions import Fraction

from dpcore.consistency.estimate import Table, consistent
from dpcore.consistency.savings import savings
from dpcore.consistency.words import saved
from dpcore.release import Release, release_table


def consistent_table(
    release: Release, measure: str, epsilon: Fraction | None
) -> tuple[dict[str, list[str] | list[int]], Table, str]:
    """One measure at one revealed rung, agreeing with the other tables: key columns, ``value``, ``half_width_95``.

    Values are decimal texts with six digits, so that printed totals agree as well; half widths have three and are
    rounded up. The table itself is returned beside them: its ``reason`` says why values are as drawn, if they are. Last comes
    one sentence on what agreement saves, or that reason.

    Args:
        release: what was published.
        measure: name of a measure that it holds.
        epsilon: total epsilon of a revealed rung; None for the finest.

    Raises:
        InputError: the release does not hold the measure.
        PrivacyError: that rung was not revealed.

    """
    columns = release_table(release, measure, epsilon)
    wanted = release.plan.epsilon if epsilon is None else epsilon
    found = consistent(release, release.measurements[measure].rungs.index(wanted))
    table = found.tables[measure]
    said = next((saved(one) for one in savings(found) if one.measure == measure), f"as drawn: {table.reason}")
    return (
        {
            **columns,
            "value": [f"{value:.6f}" for value in table.values.tolist()],
            "half_width_95": [_up(width) for width in table.half_widths.tolist()],
        },
        table,
        said,
    )


def _up(width: float) -> str:
    """Three decimals, never too small.

    >>> _up(1.2341), _up(3.0)
    ('1.235', '3.000')
    """
    rounded = round(width, 3)
    return f"{rounded if rounded >= width else rounded + 0.001:.3f}"
