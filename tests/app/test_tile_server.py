"""Which addresses of a tile server the operator may name, and that a wrong one closes the app."""

from __future__ import annotations

import pytest

from dpcore.errors import InputError
from pages.parts.admission import Closed, Visit, admission
from pages.parts.tile_server import ADDRESS, ATTRIBUTION, TileServer, tile_server

GOOD = "https://tiles.example.org:8443/a/{z}/{x}/{y}.png?key=1"


def test_an_address_with_places_for_zoom_column_and_row_is_taken_with_its_attribution():
    assert tile_server({}) is None
    assert tile_server({ADDRESS: GOOD, ATTRIBUTION: "© <b>us</b>\u202e"}) == TileServer(
        GOOD, "tiles.example.org:8443", "© <b>us</b>"
    )
    here = tile_server({ADDRESS: "http://localhost:8000/{z}/{x}/{y}.png"})
    assert (here.host, here.attribution) == ("localhost:8000", "")


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("http://tiles.example.org/{z}/{x}/{y}.png", "not reached by https"),
        ("//tiles.example.org/{z}/{x}/{y}.png", "not reached by https"),
        ("javascript:alert({z}{x}{y})", "no plain address"),
        ("https:///{z}/{x}/{y}", "no plain address"),
        ("https://tiles.example.org:port/{z}/{x}/{y}", "no plain address"),
        ("https://tiles.example.org/{z}/{x}.png", "needs {y} once"),
        ("https://tiles.example.org/{z}/{x}/{y}/{x}", "needs {x} once"),
        ("https://{s}.example.org/{z}/{x}/{y}", "no plain address"),
        ("https://{z}.example.org/{x}/{y}", "a {place} in its host"),
        ("https://me:secret@example.org/{z}/{x}/{y}", "holds a login"),
        ('https://example.org/{z}/{x}/{y}"><script>', "no plain address"),
        ("https://example.org/{z}/{x}/{y}" + "a" * 500, "no plain address"),
    ],
)
def test_any_other_address_is_refused_in_words_and_the_app_is_closed(address, what):
    with pytest.raises(InputError, match="tile server") as refused:
        tile_server({ADDRESS: address})
    assert what in refused.value.what
    assert "secret" not in str(refused.value)
    seen = admission(Visit(mode="view", background={ADDRESS: address}))
    assert (seen.roles, seen.closed) == (frozenset(), Closed.MISCONFIGURED)


def test_an_attribution_alone_is_a_mistake():
    with pytest.raises(InputError, match="without a tile server"):
        tile_server({ATTRIBUTION: "somebody"})
