"""``python -m dpcore COMMAND``."""

import os
import sys

# Tables are small: on busy cores a second thread of BLAS makes each product a hundred times slower. It reads this when loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from dpcore.command_line import main

if __name__ == "__main__":
    sys.exit(main())
