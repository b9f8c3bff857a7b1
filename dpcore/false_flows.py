"""How many false flows a release may list: the public number from which the threshold of a huge table follows.

A table with too many cells to be listed whole, such as flows between thousands of tiles, gets noise on every cell and lists
those whose noisy count reaches a threshold. Empty cells pass too, by chance: false flows. Their expected number F is chosen
beforehand, and the threshold is the lowest one at which no more than F of an empty table would pass. No count plays a part
in it, so the choice costs no privacy: a smaller F takes true small flows out of the list, a larger one lets in more of both.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from dpcore.errors import PrivacyError

USUAL_FALSE_FLOWS: Final = Fraction(1)
"""Cells of an empty table that are listed by chance, on average at most, where nothing else is chosen."""
FEWEST: Final = Fraction(1, 1000)
MOST: Final = Fraction(1_000_000)
"""More would fill the files with noise."""

_DECIMAL: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,3})?")
_MEND: Final = "Give a number from 0.001 to 1000000 with at most three decimals, such as 100."


def exact_false_flows(text: str) -> Fraction:
    """The number that decimal text names exactly; raises PrivacyError for anything else."""
    if not _DECIMAL.fullmatch(text.strip()):
        raise PrivacyError("not a number of false flows", repr(text[:40]), _MEND)
    return checked(Fraction(text.strip()))


def checked(number: object) -> Fraction:
    """The same number if it may be chosen; raises PrivacyError for a float, too many decimals, or out of range."""
    if not isinstance(number, Fraction) or not FEWEST <= number <= MOST or (number * 1000).denominator != 1:
        raise PrivacyError("not a number of false flows", "false flows", _MEND)
    return number
