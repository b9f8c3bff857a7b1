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
# Arrow would ask for pages of 2 MB: the system takes long to find room for them, and to clear what a small table never uses.
os.environ.setdefault("MIMALLOC_ALLOW_THP", "0")

from dpcore.command_line import main

# What is imported stays: to look for garbage in it a hundred times while it comes in is a tenth of a command.
set_threshold(300_000)

OF_NO_USE = (
    "dateutil",
    "yaml",
    "coverage",
    "cffi",
    "pyarrow._s3fs",
    "pyarrow._gcsfs",
    "pyarrow._azurefs",
    "pyarrow._hdfs",
)
# Commands that hand no data frame to anybody. Releases need the linear algebra themselves.
UNWANTED = {"exact": (*OF_NO_USE, "scipy.linalg"), "release": OF_NO_USE, "top-up": OF_NO_USE}

if __name__ == "__main__":
    elsewhere = any(word.endswith("spark") for word in sys.argv)  # Spark has frames
    for name in () if elsewhere else UNWANTED.get("".join(sys.argv[1:2]), ()):
        sys.modules[name] = None  # type: ignore[assignment] # Python takes None for a module that may not be imported
    if UNWANTED.keys() & {*sys.argv[1:2]} and not elsewhere:
        import numpy as np

        # scipy asks for every name of numpy, and so for the translator of Fortran and for the tests.
        np.f2py = np.testing = None  # type: ignore[assignment]
    code = main()
    # Python looks for garbage in all that is left before it ends, which takes longer than counting known trips.
    freeze()
    sys.exit(code)
