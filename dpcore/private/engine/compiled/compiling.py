"""How every pass is compiled."""

from __future__ import annotations

from typing import Any, Final

PASS: Final[dict[str, Any]] = {"nogil": True, "cache": True, "fastmath": False, "error_model": "numpy"}
"""Without the interpreter's lock, so that two shards are counted at once; kept on disk; exact in its order of sums."""
