"""What to do about a bundle that is refused: the advice that errors give."""

from __future__ import annotations

from typing import Final

AGAIN: Final = "Get the bundle again from where it was published."
CHANGED: Final = f"The bundle was changed after it was written. {AGAIN}"
