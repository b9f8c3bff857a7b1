"""DataForm: what is recorded of trips, whatever they hold. It is public, like the header of their file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class DataForm:
    """What of each trip is recorded. Measures that need more are refused by their names (``Measure.lacks``)."""

    users: bool = True
    """Whether a column names the person. Without one only the unit trip is possible."""
    points: bool = True
    """Whether places are coordinates. Zone ids alone have no distances."""
    times: bool = True
    """Whether there are times."""
    ends: bool = True
    """Whether both ends are recorded. With one of them alone, as of pick-ups, each trip is a visit and makes no flow."""


ALL_RECORDED: Final = DataForm()
"""The form that can answer every measure."""
