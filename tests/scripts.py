"""Scripts of the pages as one text, for a script engine without a browser."""

from __future__ import annotations

import re

from tests.conftest import ROOT

ASSETS = ROOT / "pages" / "assets"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def script(name: str) -> str:
    """One of our scripts as it is served."""
    return (ASSETS / f"{name}.js").read_text(encoding="utf-8")


def as_one(*names: str) -> str:
    """Some of our scripts, as if they were one: what they import from others is left out."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", script(name))) for name in names)
