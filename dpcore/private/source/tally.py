"""Tally: the running counts of one reading, private until the report is written from them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dpcore.private.source.faults import Faults
from dpcore.private.source.text import Mask


class Tally:
    """What was read so far; every count is of good records but ``records``."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.parsed = 0  # records that were handed on by the parser
        self.trips = 0
        self.incomplete = 0
        self.at_zero = 0
        self.missing: Counter[str] = Counter()
        self.unlisted: Counter[str] = Counter()

    @property
    def records(self) -> int:
        """All records, also those that never reached the parser."""
        return self.parsed + self.faults.left_out

    def miss(self, column: str, missing: Mask, bad: Mask) -> None:
        """Count the missing fields of a column in records that are not bad."""
        count = int(np.count_nonzero(missing & ~bad)) if missing.any() else 0
        self.missing[column] += count

    def unlist(self, attribute: str, unlisted: Mask, bad: Mask) -> None:
        """Count the values of an attribute that are on no list, in records that are not bad."""
        count = int(np.count_nonzero(unlisted & ~bad))
        if count:
            self.unlisted[attribute] += count

    def notes(self) -> tuple[str, ...]:
        """What is legal but may be a mistake, for the report."""
        if not self.at_zero:
            return ()
        return (f"{self.at_zero:,} places at latitude 0, longitude 0: a missing place written as zeros?",)
