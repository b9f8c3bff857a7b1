"""A tile server that the operator may name: pictures of streets under the map. Without one the browser calls nobody else.

The address is checked when the app starts. It goes to every browser, so it must hold no secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from dpcore.context.context import MAX_ATTRIBUTION_CHARACTERS, one_line
from dpcore.errors import InputError

ADDRESS: Final = "EPSILON_ATLAS_TILE_SERVER"
ATTRIBUTION: Final = "EPSILON_ATLAS_TILE_ATTRIBUTION"
_PLACES: Final = ("{z}", "{x}", "{y}")
_MOST: Final = 500
_PLAIN: Final = re.compile(r"[!#$%&'()*+,./0-9:;=?@A-Z_a-z~{}\[\]-]+")
_HERE: Final = ("localhost", "127.0.0.1", "::1")
_MEND: Final = "Give an address such as https://tiles.example.org/{z}/{x}/{y}.png."


@dataclass(frozen=True)
class TileServer:
    """Where the browser finds pictures of 256 pixels in Web Mercator."""

    template: str
    """Address with ``{z}``, ``{x}`` and ``{y}``, once each."""
    host: str
    """Whom the browser calls, with the port."""
    attribution: str
    """Whose pictures they are; it stands on the map."""


def tile_server(named: Mapping[str, str]) -> TileServer | None:
    """The tile server of some environment variables, None where none is named. Raises InputError for one that cannot be used."""
    template, attribution = named.get(ADDRESS, ""), named.get(ATTRIBUTION, "")
    if not template:
        if attribution:
            raise InputError("an attribution without a tile server", ATTRIBUTION, f"Set {ADDRESS} as well.")
        return None
    if len(template) > _MOST or not _PLAIN.fullmatch(template):
        raise InputError("the tile server has no plain address", ADDRESS, _MEND)
    rest = template
    for place in _PLACES:
        if template.count(place) != 1:
            raise InputError(f"the tile server needs {place} once", ADDRESS, _MEND)
        rest = rest.replace(place, "0")
    parts = _parts_of_address(rest)
    if (
        "{" in rest
        or "}" in rest
        or parts is None
        or not parts.hostname
        or _parts_of_address(template) is None
    ):
        raise InputError("the tile server has no plain address", ADDRESS, _MEND)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        raise InputError("the tile server is not reached by https", ADDRESS, _MEND)
    if "@" in parts.netloc or "{" in urlsplit(template).netloc or parts.fragment:
        raise InputError(
            "the tile server's address holds a login, a {place} in its host, or a #", ADDRESS, _MEND
        )
    return TileServer(template, parts.netloc, one_line(attribution, MAX_ATTRIBUTION_CHARACTERS))


def _parts_of_address(address: str) -> SplitResult | None:
    """The parts of an address; None where it is none."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts
