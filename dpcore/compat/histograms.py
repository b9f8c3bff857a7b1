"""``max_...`` and ``bin_range_...`` become public edges of bins."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from numbers import Real
from typing import Final

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import BINS, MEASURES

Number = int | float | None

_DEFAULT_BINS: Final = 10


def edges_of(analysis: str, most: Number, width: Number) -> tuple[str, ...] | None:
    """Edges as ``KeyChoices`` takes them, in the unit of the analysis; None where neither parameter is given.

    Bins run from 0 in steps of ``bin_range_...`` to ``max_...``, and one more holds ``max_...`` and what is larger. The last
    step is shorter where ``max_...`` is no multiple: 100 in steps of 30 gives 30, 60, 90, 100 (there, the last bin
    began at 90 and yet was called more than 100). Where whole things are counted one by one, ``max_...`` has a bin of its own. With ``max_...`` alone there are ten bins.

    Raises:
        InputError: a parameter that is no positive number.
        PrivacyError: a width without an end, which only the data could give, or more bins than are allowed.

    """
    if most is None and width is None:
        return None
    if most is None:
        raise PrivacyError(
            "bins without an end would have to end where the data end",
            f"bin_range_{analysis}",
            f"Give max_{analysis} too; whatever is larger is counted in one last bin.",
        )
    end = _positive(f"max_{analysis}", most)
    whole = MEASURES[analysis].whole
    step = end / _DEFAULT_BINS if width is None else _positive(f"bin_range_{analysis}", width)
    if whole:
        if width is not None and step != step.to_integral_value():
            raise InputError(
                "a whole number of tiles is needed", f"bin_range_{analysis}", "Give 1, 2, 3 or so."
            )
        step = step.to_integral_value(ROUND_CEILING)
    steps = int(end / step)
    if not 1 <= steps < limits.MAX_BINS - 1:
        raise PrivacyError(
            f"there would be {steps:,} bins",
            f"max_{analysis}, bin_range_{analysis}",
            f"Give a width that fits into max_{analysis} 1 to {limits.MAX_BINS - 2:,} times.",
        )
    edges = [step * number for number in range(1, steps + 1)]
    if whole and step == 1:
        edges.append(edges[-1] + 1)
    elif edges[-1] < end:
        edges.append(end.to_integral_value(ROUND_CEILING) if whole else end)
    first = [Decimal(0)] if BINS[analysis].least is None else []  # where values may lie below 0
    return tuple(f"{edge.normalize():f}" for edge in (*first, *edges))


def _positive(parameter: str, number: Number) -> Decimal:
    """The exact decimal that was typed: 0.1 is 1/10."""
    fine = isinstance(number, Real) and not isinstance(number, bool)
    found = Decimal(str(number)) if fine else Decimal(0)
    if not (found.is_finite() and found > 0):
        raise InputError("a positive number is needed", parameter, "Give one such as 120, or leave it out.")
    return found
