"""``epsilon-atlas``: start the app from an installed package, in any folder.

A wheel holds the app beside the library, as ``dpcore/app``; a checkout holds it beside the package. The app is a program, so it
runs as one: no module of ours imports it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from dpcore.command_line.main import Parser
from dpcore.errors import AtlasError, InputError

_HERE: Final = Path(__file__).parents[1]
_INSTALL: Final = "Install it with: pip install 'epsilon-atlas[app]'"
_REFUSED: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Become the app, or say what it lacks and return an exit code. Words after ``--`` are given to Streamlit."""
    parser = Parser(prog="epsilon-atlas", description="The app in a browser.")
    parser.set_defaults(bundles=None)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="the app, on the built-in city")
    view = commands.add_parser("view", help="releases only, for viewers")
    view.add_argument("bundles", metavar="BUNDLES", help="a bundle, or a folder that holds several")
    for command in (run, view):
        command.add_argument("streamlit", nargs=argparse.REMAINDER, help="-- and options of streamlit run")
    try:
        options = parser.parse_args(arguments)
        _become(app(), options.bundles, options.streamlit)
    except AtlasError as error:
        print(f"error: {error}", file=sys.stderr)
        return _REFUSED


def app() -> Path:
    """The file of the app. InputError where the app or what shows it is not installed."""
    shown = any((Path(place) / "streamlit").is_dir() for place in sys.path)
    for place in (_HERE / "app" / "app.py", _HERE.parent / "app.py"):
        if place.is_file() and shown:
            return place
    raise InputError("the app is not installed", "epsilon-atlas", _INSTALL)


def _become(file: Path, bundles: str | None, words: Sequence[str]) -> NoReturn:
    """Run the app in place of this process, so that every signal reaches it."""
    given = [word for word in words if word != "--"]
    if given and not given[0].startswith("-"):
        raise InputError(
            f"{given[0]!r} is no option of epsilon-atlas",
            "epsilon-atlas",
            "Options of Streamlit stand after --",
        )
    environment = dict(os.environ)
    if bundles is not None:
        if not Path(bundles).exists():
            raise InputError(
                "there is no such bundle", bundles, "Name a bundle, or a folder that holds several."
            )
        environment |= {
            "EPSILON_ATLAS_MODE": "view",
            "EPSILON_ATLAS_BUNDLES": str(Path(bundles).resolve()),
        }
    # -P: a file of the folder where it is started, such as random.py, is not imported.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(file), *given]
    os.execve(sys.executable, command, environment)  # noqa: S606 - our own app, and options of who starts it


if __name__ == "__main__":
    sys.exit(main())
