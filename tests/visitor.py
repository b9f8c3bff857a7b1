"""A visitor without a browser: speaks to a running server as a browser does, and may lie in its headers."""

from __future__ import annotations

from dataclasses import dataclass
from socket import create_connection

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect


@dataclass(frozen=True)
class Seen:
    """What the server sent for one run of the app."""

    frames: tuple[bytes, ...]
    paths: frozenset[str]
    """Addresses of the pages that the menu lists."""
    not_found: bool
    """Whether the server said that there is no such page."""
    collapsed: bool
    """Whether the sidebar starts collapsed."""
    failed: bool
    """Whether the script ended in an exception."""

    def says(self, text: str) -> bool:
        return any(text.encode() in frame for frame in self.frames)


def visit(
    port: int, page: str = "", query: str = "", headers: dict[str, str] | None = None, seconds: float = 60
) -> Seen:
    """Open a page of a server on this computer; ``headers`` replace or add what a browser would send."""
    sent = {"Origin": f"http://localhost:{port}", **(headers or {})}
    host = sent.pop("Host", f"localhost:{port}")
    with connect(
        f"ws://{host}/_stcore/stream",
        sock=create_connection(("127.0.0.1", port)),
        subprotocols=["streamlit"],
        additional_headers=sent,
        max_size=None,
        proxy=None,
        open_timeout=seconds,
    ) as socket:
        ask = BackMsg()
        ask.rerun_script.page_name = page
        ask.rerun_script.query_string = query
        socket.send(ask.SerializeToString())
        frames: list[bytes] = []
        paths: set[str] = set()
        not_found = collapsed = failed = False
        while True:
            frame = socket.recv(timeout=seconds)
            message = ForwardMsg.FromString(frame)
            frames.append(frame)
            kind = message.WhichOneof("type")
            if kind == "navigation":
                hidden = message.navigation.position == message.navigation.Position.HIDDEN
                listed = message.navigation.app_pages
                paths = set() if hidden else {page.url_pathname for page in listed}
            elif kind == "page_not_found":
                not_found = True
            elif kind == "page_config_changed":
                state = message.page_config_changed.initial_sidebar_state
                collapsed = collapsed or state == message.page_config_changed.COLLAPSED
            elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                failed = True
            elif kind == "script_finished" and message.script_finished != message.FINISHED_EARLY_FOR_RERUN:
                return Seen(tuple(frames), frozenset(paths), not_found, collapsed, failed)
