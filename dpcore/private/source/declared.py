"""What owners declare of a column that no name can tell: that it means something else than it seems to.

It stands beside the roles of columns in the same mapping. A declaration needs no look at a value.
"""

from __future__ import annotations

from typing import Final

ONE_TRIP: Final = "one_trip"
"""The role by which an owner declares that each row is one trip, for a column that would tell otherwise."""
NO_PERSON: Final = "no_person"
"""The role by which an owner declares that a column, or folders with such a name, are of no people."""
NO_END: Final = "no_end"
"""The role by which an owner declares that only one end of each trip is known, of the column of its time."""
NO_TIMES: Final = "no_times"
"""The role by which an owner declares that there are no times: of the column of the order of the places of a trip, or, where each row
is a whole trip, of the column of its start."""
LAT_FIRST: Final = "lat_first"
"""The role by which an owner declares that the places in a column of geometries have their latitude first."""
DECLARED: Final = (ONE_TRIP, NO_PERSON, NO_END, NO_TIMES, LAT_FIRST)
"""What is declared of a column beside its role."""
