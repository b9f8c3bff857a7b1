"""What the tests reach, after ``pytest --cov``: of everything at least what pyproject.toml asks, of what privacy hangs on all.

python -m tests.reached
"""

from __future__ import annotations

import io
import sys

from coverage import Coverage

from tests.conftest import ROOT

CRITICAL = (
    "dpcore/private/bounding.py",
    "dpcore/private/sealed.py",
    "dpcore/noise/samplers.py",
    "dpcore/noise/sparse.py",
    "dpcore/noise/mechanisms.py",
    "dpcore/noise/exponential.py",
    "dpcore/private/synthesis/drawing.py",
    "dpcore/curator/*.py",
    "dpcore/ledger/*.py",
)
"""Files that a mistake in would cost somebody's privacy: contribution bounding, noise, mechanisms, the door, the ledger."""

CRITICAL_LEAST = 100.0
"""In percent: every line and every branch. What is missing is printed."""


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
    return int(found < least or critical < CRITICAL_LEAST)


if __name__ == "__main__":
    sys.exit(main())
