"""``python -m dpcore COMMAND``."""

import sys

from dpcore.command_line import main

if __name__ == "__main__":
    sys.exit(main())
