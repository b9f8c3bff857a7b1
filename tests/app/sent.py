"""What a page told the browser and nobody sees (``pages/parts/map_data.py``)."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def sent(app: AppTest, kind: str) -> list[tuple[str, Any]]:
    """Messages of a kind, in the order of the page: the link of each, and its bytes or what its JSON says."""
    found = []
    for one in app.get("bidi_component"):
        if one.proto.component_name != "map_data":
            continue
        end = 4 + int.from_bytes(one.proto.bytes[:4], "little")
        head, rest = json.loads(one.proto.bytes[4:end]), one.proto.bytes[end:]
        if head["kind"] == kind:
            found.append((head["link"], head.get("message", rest)))
    return found


def answered(app: AppTest, name: str) -> list[Any]:
    """What the page holds of one thing that can be chosen in the browser, as its answers say."""
    return [message[name]["value"] for _, message in sent(app, "answers") if name in message]
