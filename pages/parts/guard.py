"""What the server adds to each answer of Streamlit: headers that forbid frames, and the first screen in the frame of a page."""

from collections.abc import Mapping, MutableMapping
from html import escape
from typing import Any, Final

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts.first_screen import first_screen
from pages.parts.warm_up import ready

METRICS: Final = "/_stcore/metrics"
COMPONENTS: Final = ("/component/", "/_stcore/bidi-components/")
"""Paths of the app's own parts, which its pages show in frames."""

_TITLE: Final = (
    b"<title>Streamlit</title>"  # stands in Streamlit's frame of a page, and in nothing that we write
)
_END: Final = b"</body>"
_needed: Final[set[str]] = set()


class Guard:
    """Writes the first screen into the frame of each page, which a browser has seconds before the page.

    Other sites may not show the app in a frame, where clicks could be misused, and nobody may read the page of metrics.
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
                    _write_frame(started[0], message, self._first_screen(path, scope["query_string"]))
                await send(started.pop())
            await send(message)

        closed = path.rstrip("/").endswith(METRICS)
        await (PlainTextResponse("Not found", 404) if closed else self._app)(scope, receive, framed)

    def _first_screen(self, path: str, query: bytes) -> bytes:
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
