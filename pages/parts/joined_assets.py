"""Scripts and styles of the components: inline components cannot import one another's files, so theirs are joined."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_ASSETS: Final = Path(__file__).parents[1] / "assets"


def joined(*names: str) -> str:
    """Files of the assets as one text."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)
