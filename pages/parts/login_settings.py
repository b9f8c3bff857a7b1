"""The login that the operator configured: ``[auth]`` of the secrets, checked before anybody relies on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from dpcore.errors import InputError
from pages.parts.local_use import LOCAL_ADDRESSES

WHERE: Final = "secrets.toml, [auth]"
CALLBACK: Final = "/oauth2callback"
SHORTEST_COOKIE_SECRET: Final = 32
OF_A_PROVIDER: Final = ("client_id", "client_secret", "server_metadata_url")


def providers(auth: object, trusted_headers: object = None) -> tuple[str | None, ...]:
    """The providers that a visitor may choose from; None stands for the one without a name.

    Raises InputError if the settings are incomplete or would let somebody in who did not log in.
    """
    if not isinstance(auth, Mapping):
        raise InputError("login is not configured", WHERE, "Write a table; see secrets.example.toml.")
    if trusted_headers:
        # Streamlit lets such a header replace the address of whoever logged in.
        raise InputError("two ways to log in", "server.trustedUserHeaders", "Leave it empty.")
    secret = auth.get("cookie_secret")
    if not isinstance(secret, str) or len(secret) < SHORTEST_COOKIE_SECRET:
        # It signs the cookie that says who somebody is: who guesses it is anybody.
        raise InputError(
            "the cookie secret is too short",
            f"{WHERE} cookie_secret",
            f"Write at least {SHORTEST_COOKIE_SECRET} random characters, for example of: openssl rand -hex 32.",
        )
    _check_redirect(auth.get("redirect_uri"))
    named = [name for name, value in auth.items() if isinstance(value, Mapping) and name != "client_kwargs"]
    found: list[str | None] = [*([None] if "client_id" in auth else []), *named]
    if not found:
        raise InputError("login names no provider", WHERE, f"Write {', '.join(OF_A_PROVIDER)}.")
    for name in found:
        section = auth if name is None else auth[name]
        missing = [key for key in OF_A_PROVIDER if not isinstance(section.get(key), str) or not section[key]]
        if missing or (name and "_" in name):
            raise InputError(
                "a login provider is incomplete",
                WHERE if name is None else f"{WHERE[:-1]}.{name}]",
                f"Write {', '.join(missing)}." if missing else "Choose a name without an underscore.",
            )
    return tuple(found)


def _check_redirect(uri: object) -> None:
    place = f"{WHERE} redirect_uri"
    parts = urlsplit(uri) if isinstance(uri, str) else urlsplit("")
    if not parts.path.endswith(CALLBACK) or not parts.hostname:
        raise InputError(
            "the way back from the login is missing",
            place,
            f"Write this app's address, ending in {CALLBACK}.",
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL_ADDRESSES):
        raise InputError("the way back from the login is open to listeners", place, "Begin it with https://.")
