"""The server of the app: what it adds to the pages of Streamlit, and what it forbids.

``streamlit run app.py`` finds the server in ``app.py`` and starts it.
"""

import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from gc import disable, enable, freeze
from html import escape
from threading import Event, Thread
from time import sleep
from typing import Any, Final

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.pages_manager import PagesManager

from dpcore.errors import AtlasError
from pages.parts.first_screen import first_screen

METRICS: Final = "/_stcore/metrics"
COMPONENTS: Final = ("/component/", "/_stcore/bidi-components/")
"""Paths of the app's own parts, which its pages show in frames."""

ready: Final = Event()
"""Set once a page was shown, also that of a visitor without a role."""
named: Final = Event()
"""Set once a page named the components that all pages share. Streamlit forgets a component that is named elsewhere."""

_TITLE: Final = (
    b"<title>Streamlit</title>"  # stands in Streamlit's frame of a page, and in nothing that we write
)
_END: Final = b"</body>"
_SHORT: Final = 0.0005  # seconds
DRAWN: Final = 10.0
"""Seconds after the first page was sent. The browser still draws it, and the server must not slow it down."""
_needed: Final[set[str]] = set()
_imported: Final = Event()
_loading: Final = Event()

Made = tuple[Callable[[], None], Callable[[], None]] | None
"""What makes what the first page needs, and what makes what other pages need; None if nothing is to be made."""


class Guard:
    """Forbids other sites to show the app in a frame, where clicks could be misused, and closes the page of metrics.

    It also writes the first screen into the frame of each page, which a browser has seconds before the page.
    """

    def __init__(self, app: ASGIApp, titles: Mapping[str, str]) -> None:
        self._app, self._titles = app, titles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix("/" + st.get_option("server.baseUrlPath").strip("/"))
        path = "/" + path.lstrip("/")
        if "text/html" in Headers(scope=scope).get("accept", ""):  # the frame of a page, which we write into
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            scope = {**scope, "headers": plain}
        started: list[Message] = []

        async def framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                _forbid_frames(message, own=path.startswith(COMPONENTS))
                started.append(message)  # it says how long the body is, so it waits for it
                return
            if started:
                if _TITLE in message.get("body", b""):
                    _write_frame(started[0], message, self._first(path, scope["query_string"]))
                await send(started.pop())
            await send(message)

        closed = path.rstrip("/").endswith(METRICS)
        await (PlainTextResponse("Not found", 404) if closed else self._app)(scope, receive, framed)

    def _first(self, path: str, query: bytes) -> bytes:
        """The first screen of the page at a path; of a page that fills the screen, such as a step of a story, without a title."""
        full = {b"present", b"step", b"story"} & {part.partition(b"=")[0] for part in query.split(b"&")}
        title = "" if full else self._titles.get(path.strip("/"), "Epsilon Atlas")
        return first_screen(
            title, starting=not ready.is_set(), outlined=title == self._titles[""] == "Explore"
        )


def _forbid_frames(message: MutableMapping[str, Any], *, own: bool) -> None:
    headers = MutableHeaders(raw=message.setdefault("headers", []))
    headers["Content-Security-Policy"] = "frame-ancestors 'self'" if own else "frame-ancestors 'none'"
    headers["X-Frame-Options"] = "SAMEORIGIN" if own else "DENY"


def need_soon(address: str) -> None:
    """Let browsers load a large file of ours while they still load the frame of a page."""
    _needed.add(address)


def _write_frame(start: MutableMapping[str, Any], body: MutableMapping[str, Any], first: bytes) -> None:
    """Write our title and the first screen into Streamlit's frame of a page."""
    soon = (f'<link rel="prefetch" href="{escape(address)}">' for address in sorted(_needed))
    head = "".join(["<title>Epsilon Atlas</title>", *soon]).encode()
    body["body"] = body["body"].replace(_TITLE, head, 1).replace(_END, first + _END, 1)
    headers = MutableHeaders(raw=start["headers"])
    headers["Content-Length"] = str(len(body["body"]))
    for name in ("ETag", "Last-Modified"):  # they are of the file that Streamlit has
        del headers[name]


def wait() -> None:
    """Wait for what is imported since the start of the server: two threads that import at once would hinder each other."""
    if _loading.is_set():
        _imported.wait()


def _open_browser() -> None:
    """Show the app in a browser, as Streamlit does for an app without a server of its own."""
    if not st.get_option("server.headless"):
        scheme = "https" if st.get_option("server.sslCertFile") else "http"
        host, port = st.get_option("server.address") or "localhost", st.get_option("server.port")
        address = f"{scheme}://{host}:{port}/{st.get_option('server.baseUrlPath').strip('/')}"
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _begin(load: Callable[[], Made]) -> None:
    """Import in the background. Then make what all visitors share.

    An import holds the interpreter for as long as it is let. A browser asks for sixty files at once, and would wait for each.
    Modules stay for good. Python does not look through them for garbage, neither meanwhile, which would take a fifth of the time, nor later.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SHORT)
    disable()
    try:
        made = load()
    finally:
        sys.setswitchinterval(usual)
        freeze()
        enable()
        _imported.set()
    if made is None:
        return
    for_first, for_others = made
    with suppress(AtlasError):  # whoever visits a page meets the same fault and is told
        for_first()
    for shown in (named, ready):
        shown.wait()
    sleep(DRAWN)
    with suppress(AtlasError):  # as above
        for_others()


def options(load: Callable[[], Made], titles: Mapping[str, str]) -> dict[str, Any]:
    """The options of ``st.App``.

    ``load`` runs in the background from the start, and the first page waits for it. It returns two functions, or None. The first
    makes what that page needs and runs at once. The second makes what other pages need and runs when a page has been shown.
    ``titles``: of the pages by their addresses; the first page has an empty one.
    """

    @asynccontextmanager
    async def opened(_app: object) -> AsyncIterator[None]:
        _open_browser()
        _loading.set()
        Thread(target=_begin, args=(load,), daemon=True).start()
        yield

    # Streamlit learns only from the first visit that app.py names the pages. Until then every address of a page, such as a
    # link to a release, would be unknown.
    PagesManager.uses_pages_directory = False
    return {"middleware": [Middleware(Guard, titles=titles)], "lifespan": opened}
