"""Start the server: ``python -m pages.parts.serve [options of Streamlit]``.

As ``streamlit run app.py``, but told beforehand that the pages are named in ``app.py``. Streamlit learns it by itself
at the first visit only, and until then takes every address of a page, such as a link to a release, for unknown.
"""

import sys
from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

APP = Path(__file__).parents[2] / "app.py"


def main() -> None:
    """Serve the app with the options of the command line."""
    PagesManager.uses_pages_directory = False
    sys.argv = ["streamlit", "run", str(APP), *sys.argv[1:]]
    cli.main()


if __name__ == "__main__":
    main()
