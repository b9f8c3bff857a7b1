"""Local use: who sits at the computer on which the app runs needs no login.

Three ways in which somebody else could look local are closed: a server that listens beyond this computer, a
name of the attacker's that is made to point here (DNS rebinding), and a proxy that passes strangers on. A
proxy that hides itself cannot be noticed: who puts one in front of the app configures login.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

LOCAL_ADDRESSES: Final = ("localhost", "127.0.0.1", "::1")

_LOCAL_HOST: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_OF_PROXIES: Final = (
    "forwarded", "x-forwarded", "x-original-", "x-real-ip", "via", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
    "fly-client-ip", "fly-forwarded-", "x-envoy-", "cf-", "x-appengine-", "fastly-client-ip", "x-azure-", "x-arr-",
)  # fmt: skip
"""Beginnings of headers that a proxy adds."""


def not_local(address: object, peer: str | None, headers: Iterable[tuple[str, str]]) -> str:
    """Why a visit is not local use, in words; empty if it is.

    Args:
        address: Where the server listens, as configured.
        peer: Address of the other end of the connection; None if it is this computer.
        headers: Headers of the request that opened the connection, names and values; a browser always
            sends Host and Origin, so a request without them is nobody's.
    """
    sent: dict[str, list[str]] = {}
    for name, value in headers:
        sent.setdefault(name.lower(), []).append(value)
    if address not in LOCAL_ADDRESSES:
        return "The server listens to other computers as well."
    if peer is not None:
        return "The request came from another computer."
    if any(name.startswith(_OF_PROXIES) for name in sent):
        return "The request came through a proxy."
    host = sent.get("host", [])
    if len(host) != 1 or not _LOCAL_HOST.fullmatch(host[0]):
        return "The page was opened under another name than localhost."
    if not _same_origin(sent.get("origin", []), host[0]):
        return "The request came from another page than this one."
    return ""


def _same_origin(origin: list[str], host: str) -> bool:
    """Whether the page that opened the connection came from this server, not from another one on this computer."""
    if len(origin) != 1:
        return False
    try:
        parts = urlsplit(origin[0])
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()
