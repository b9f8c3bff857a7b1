"""What the tests reach, after ``pytest --cov``: of everything at least what pyproject.toml asks, of what privacy hangs on all.

python -m tests.reached
"""

from __future__ import annotations

import io
import os
import sys

from coverage import Coverage

from tests.conftest import ROOT
from tests.ledger import postgresql

CRITICAL = (
    "dpcore/private/bounding.py",
    "dpcore/private/sealed.py",
    "dpcore/noise/samplers.py",
    "dpcore/noise/sparse.py",
    "dpcore/noise/mechanisms.py",
    "dpcore/noise/exponential.py",
    "dpcore/private/synthetic/drawing.py",
    "dpcore/curator/*.py",
    "dpcore/ledger/*.py",
)
"""Files that a mistake in would cost somebody's privacy: contribution bounding, noise, mechanisms, the door, the ledger."""

CRITICAL_LEAST = 100.0
"""In percent: every line and every branch. What is missing is printed."""

WITHOUT_SERVER = 99.5
"""The same where there is no PostgreSQL: a few lines of the ledger's storage speak to a server alone."""


def main() -> int:
    """Both reports, and 1 where too little is reached."""
    nowhere = [pattern for pattern in CRITICAL if not any(ROOT.glob(pattern))]
    if nowhere:
        print("no such files, so name them anew:", *nowhere)
        return 1
    measured = Coverage()
    measured.load()
    least = measured.get_option("report:fail_under")
    found = measured.report(file=io.StringIO())
    critical = measured.report(include=[str(ROOT / pattern) for pattern in CRITICAL])
    print(f"{found:.1f} % of all lines and branches, {critical:.2f} % of those that privacy hangs on")
    has_server = postgresql.NAMED in os.environ or postgresql.binaries() is not None
    if not has_server:
        print("no PostgreSQL here, so what speaks to a server alone was not asked for: make ci brings one")
    return int(found < least or critical < (CRITICAL_LEAST if has_server else WITHOUT_SERVER))


if __name__ == "__main__":
    sys.exit(main())
