"""``python -m dpcore COMMAND``.

A command need not wait for packages that others import in case they are wanted: it takes them away. At its first array pyarrow
imports pandas, to know a data frame if it meets one, and pandas is there only if dateutil is. numba imports YAML, coverage, cffi
and the linear algebra of scipy. Together they take longer than counting known trips.
"""

import os
import sys
from gc import freeze, set_threshold

# Tables are small: on busy cores a second thread of BLAS makes each product a hundred times slower. It reads this when loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from dpcore.command_line import main

# What is imported stays: to look for garbage in it a hundred times while it comes in is a tenth of a command.
set_threshold(300_000)

# Commands that hand no data frame to anybody. Releases need the linear algebra themselves.
UNWANTED = {
    "exact": ("dateutil", "yaml", "coverage", "cffi", "scipy.linalg"),
    "release": ("dateutil", "yaml", "coverage", "cffi"),
    "top-up": ("dateutil", "yaml", "coverage", "cffi"),
}

if __name__ == "__main__":
    elsewhere = any(word.endswith("spark") for word in sys.argv)  # Spark has frames
    for name in () if elsewhere else UNWANTED.get("".join(sys.argv[1:2]), ()):
        sys.modules[name] = None  # type: ignore[assignment] # Python takes None for a module that may not be imported
    code = main()
    if (
        "exact" in sys.argv[1:2]
    ):  # the end of a process looks for garbage again, in all that it leaves to the system
        freeze()
    sys.exit(code)
