"""The server of the app, which ``streamlit run app.py`` finds in ``app.py`` and starts."""

import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager

from pages.parts.background import Made, start
from pages.parts.guard import Guard


def _open_browser() -> None:
    """Show the app in a browser, as Streamlit does for an app without a server of its own."""
    if not st.get_option("server.headless"):
        scheme = "https" if st.get_option("server.sslCertFile") else "http"
        host, port = st.get_option("server.address") or "localhost", st.get_option("server.port")
        address = f"{scheme}://{host}:{port}/{st.get_option('server.baseUrlPath').strip('/')}"
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def options(load: Callable[[], Made], titles: Mapping[str, str]) -> dict[str, Any]:
    """The options of ``st.App``.

    ``load`` runs in the background from the start, and the first page waits for it. It returns two functions, or None. The first
    makes what that page needs and runs at once. The second makes what other pages need and runs when a page has been shown.
    ``titles``: of the pages by their addresses; the first page has an empty one.
    """

    @asynccontextmanager
    async def opened(_app: object) -> AsyncIterator[None]:
        _open_browser()
        start(load)
        yield

    # Streamlit learns only from the first visit that app.py names the pages. Until then every address of a page, such as a
    # link to a release, would be unknown.
    PagesManager.uses_pages_directory = False
    return {"middleware": [Middleware(Guard, titles=titles)], "lifespan": opened}
