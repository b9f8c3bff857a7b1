"""The server of the app, which ``streamlit run app.py`` finds in ``app.py`` and starts."""

import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager

from pages.parts.guard import Guard
from pages.parts.warm_up import Made, start


def _address() -> str:
    """Where a browser on this computer finds the app."""
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    host, port = st.get_option("server.address") or "localhost", st.get_option("server.port")
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - the server listens everywhere, and a browser needs one place
        host = "localhost"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/{st.get_option('server.baseUrlPath').strip('/')}"


def _open_browser() -> None:
    """Say where the app is, and show it in a browser, as Streamlit does for an app without a server of its own."""
    sys.stdout.write(f"\n  Epsilon Atlas is at {_address()}\n\n")
    sys.stdout.flush()
    if not st.get_option("server.headless"):
        Thread(target=webbrowser.open, args=(_address(),), daemon=True).start()


class _Queue(ForwardMsgQueue):
    """Messages to a browser, of which those that answer it are kept when a run of a page begins.

    A browser asks where it may send a file, and asks once. Streamlit drops an answer that has not left yet when a run of the
    whole page begins, and then the file is never sent.
    """

    def clear(
        self, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
    ) -> None:
        waiting = [message for message in self._queue if message.WhichOneof("type") == "file_urls_response"]
        super().clear(retain_lifecycle_msgs, fragment_ids_this_run)
        kept = {id(message) for message in self._queue}
        self._queue += [message for message in waiting if id(message) not in kept]


def options(load: Callable[[], Made], titles: Mapping[str, str]) -> dict[str, Any]:
    """The options of ``st.App``.

    ``load`` runs in the background from the start, and the first page waits for it. It returns a function that makes what that page
    needs and runs at once, or None.
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
    app_session.ForwardMsgQueue = _Queue  # type: ignore[attr-defined]
    return {"middleware": [Middleware(Guard, titles=titles)], "lifespan": opened}
