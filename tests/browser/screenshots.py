"""Write the pictures of the README from the app as it is: ``make screenshots``."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import flags, found
from tests.browser.conftest import free_port, started, wait_for

PICTURES = Path(__file__).parent / "pictures"
SIZES = {"": (1280, 900), "-narrow": (400, 860)}


def settled(page: Page, address: str) -> None:
    """Open a page and wait until its map is drawn."""
    page.goto(address)
    page.locator("[data-ready='true']").first.wait_for(timeout=60_000)
    page.get_by_text("How ε =").first.wait_for(timeout=60_000)
    page.wait_for_timeout(3_000)


def main() -> None:
    """Explore at both widths, light and dark; and its lower half."""
    path = found() or sys.exit("no Chromium; see make browser")
    PICTURES.mkdir(exist_ok=True)
    port = free_port()
    with TemporaryDirectory() as home, sync_playwright() as playwright:
        app = started(home, port)
        try:
            wait_for(f"http://localhost:{port}")
            browser = playwright.chromium.launch(
                executable_path=path, args=flags(), ignore_default_args=["--headless"]
            )
            for scheme in ("light", "dark"):
                for name, (width, height) in SIZES.items():
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    settled(page, f"http://localhost:{port}")
                    page.screenshot(path=PICTURES / f"explore-{scheme}{name}.png")
                    if scheme == "light" and not name:
                        page.get_by_role("heading", name="Flows").scroll_into_view_if_needed()
                        page.mouse.move(640, 500)
                        page.mouse.wheel(0, 900)
                        page.wait_for_timeout(2_500)
                        page.screenshot(path=PICTURES / "flows-and-rhythm.png")
                    page.close()
            browser.close()
        finally:
            app.terminate()
            app.wait(20)


if __name__ == "__main__":
    main()
