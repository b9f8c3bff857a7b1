"""Make what the first start needs: when the project is installed, or else while a server starts for the first time.

    python -m pages.owner.parts.ahead            when it is installed: compile, and make the built-in city
    python -m pages.owner.parts.ahead compile    beside a server, which makes the city itself

Compiled code is cached on disk. A process of its own counts a small invented city in a folder that is deleted, so it compiles just what the
server is about to need, and the server takes from the cache what is there when it gets so far. The built-in city lies in the data folder.
"""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final

import platformdirs

from dpcore import places

_SIZE: Final = (40_000, 12)  # with so many people that the table of their ids must grow
_ROOT: Final = Path(__file__).parents[3]
_HOME: Final = "EPSILON_ATLAS_HOME"
_ONLY_COMPILE: Final = "compile"


def begin() -> None:
    """Start compiling, unless compiled code lies where numba keeps it: beside the package, or where nobody may write there, in a cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    kept = [Path(chosen)] if chosen else [Path(places.__file__).parent, platformdirs.user_cache_path("numba")]
    if any(compiled for place in kept for compiled in place.rglob("*.nbi")):
        return
    paths = os.pathsep.join([str(_ROOT), *sys.path])
    compile_it = partial(
        subprocess.run,
        [sys.executable, "-m", __name__, _ONLY_COMPILE],
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what goes wrong here goes wrong again where it is told
        check=False,
    )
    Thread(target=compile_it, daemon=True).start()


def compile_all() -> None:
    """Count the small city: first what Explore shows, then what the Report shows besides."""
    from dpcore import demo  # noqa: PLC0415 - loaded by the process alone
    from dpcore.api import owner  # noqa: PLC0415 - as above
    from dpcore.measures import MEASURES, Section  # noqa: PLC0415 - as above
    from dpcore.measures.choices import KeyChoices  # noqa: PLC0415 - as above
    from dpcore.privacy import ContributionBound  # noqa: PLC0415 - as above

    trips, _ = owner.invented_city(*_SIZE)
    choices = KeyChoices(demo.DEMO_PERIOD)
    named = [
        measure for measure in MEASURES.values() if measure.name != "od_districts"
    ]  # they are flows, of fewer places
    for measure in sorted(named, key=lambda one: one.section is Section.USER):
        for bound in (ContributionBound.per_user(1), ContributionBound.per_trip()):
            owner.exact_table(trips, measure.name, bound, choices)


def main() -> None:
    """Compile, in a data folder that is deleted. Then make the built-in city in the own one, unless a server does so."""
    own = os.environ.get(_HOME)
    with TemporaryDirectory() as folder:
        os.environ[_HOME] = folder
        compile_all()
    if own is None:
        del os.environ[_HOME]
    else:
        os.environ[_HOME] = own
    if sys.argv[1:] != [_ONLY_COMPILE]:
        from dpcore.api import owner  # noqa: PLC0415 - loaded by the process alone

        owner.demo_city()


if __name__ == "__main__":
    main()
