"""A node that runs the scripts of pages without a browser: the one that Playwright brings along."""

from __future__ import annotations

from pathlib import Path

import playwright

NODE = str(Path(playwright.__file__).parent / "driver" / "node")
