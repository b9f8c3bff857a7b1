"""Compile the code that counts trips, and make the built-in city, when the project is installed.

    python -m pages.owner.parts.start.compile_ahead

A small invented city is counted, as a server would count it. So all that a server needs is compiled, and nothing else. Compiled
code is cached on disk. The small city is deleted. The built-in city stays in the data folder.
"""

import os
from tempfile import TemporaryDirectory
from typing import Final

_TRIPS_AND_TILES: Final = (40_000, 12)  # by so many people that the table of their ids must grow
_HOME: Final = "EPSILON_ATLAS_HOME"


def compile_all() -> None:
    """Count the small city: first what Explore shows, then what the Report shows besides."""
    from dpcore import demo  # noqa: PLC0415 - loaded by the process alone
    from dpcore.api import owner  # noqa: PLC0415 - as above
    from dpcore.measures import MEASURES, Section  # noqa: PLC0415 - as above
    from dpcore.measures.choices import KeyChoices  # noqa: PLC0415 - as above
    from dpcore.privacy import ContributionBound  # noqa: PLC0415 - as above

    trips, _ = owner.invented_city(*_TRIPS_AND_TILES)
    choices = KeyChoices(demo.DEMO_PERIOD)
    # Flows between districts are counted as flows between tiles are.
    counted = [measure for measure in MEASURES.values() if measure.name != "od_districts"]
    for measure in sorted(counted, key=lambda one: one.section is Section.USER):
        for bound in (ContributionBound.per_user(1), ContributionBound.per_trip()):
            owner.exact_table(trips, measure.name, bound, choices)


def main() -> None:
    """Compile, in a data folder that is deleted. Then make the built-in city in the data folder of this installation."""
    own = os.environ.get(_HOME)
    with TemporaryDirectory() as folder:
        os.environ[_HOME] = folder
        compile_all()
    if own is None:
        del os.environ[_HOME]
    else:
        os.environ[_HOME] = own
    from dpcore.api import owner  # noqa: PLC0415 - loaded by the process alone

    owner.demo_city()


if __name__ == "__main__":
    main()
