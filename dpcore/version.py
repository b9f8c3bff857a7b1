"""The version of Epsilon Atlas, and where its package lies: for whoever writes a bundle, keeps a file or sends the code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

VERSION: Final = "0.3.0"
FOLDER: Final = Path(__file__).parent
"""The folder of the package ``dpcore``."""
