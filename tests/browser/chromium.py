"""Find a Chromium for the browser tests, or install one, or say exactly what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = (
    "--headless=new",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
    "--disable-accelerated-2d-canvas",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""A browser without a screen that draws WebGL in software and calls nobody.

Without a graphics card, pages are put together faster by the processor than by software that stands in for a card.
"""


def found() -> str | None:
    """Path of a Chromium on this machine, or None."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return chosen
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def flags() -> list[str]:
    """Flags to start it with; as root Chromium has no sandbox of its own."""
    return [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def installed() -> str | None:
    """Path of a Chromium after trying Debian's package and Playwright's own build."""
    attempts = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        attempts[:0] = [["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]]
    for attempt in attempts:
        subprocess.run(
            attempt,
            check=False,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )
        if found():
            break
    return found()


if __name__ == "__main__":
    path = found() or installed()
    if path is None:
        sys.exit(
            "No Chromium for the browser tests. Install one, for example with 'sudo apt-get install chromium', "
            "or name one: make test CHROMIUM=/path/to/chromium"
        )
    print(f"browser tests use {path}")
