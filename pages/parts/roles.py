"""The roles of this visitor, decided on the server in every run, and the gate before all data."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from threading import Event
from typing import Final

import streamlit as st
from streamlit import config

from dpcore.errors import InputError
from pages.parts.admission import Admission, Visit, admission
from pages.parts.closed import closed_page
from pages.parts.role_map import Role

__all__ = ["Role", "admitted", "require", "roles", "visit"]

_LOGIN_WAS_SEEN: Final = Event()


def visit() -> Visit:
    """What the server knows of this visit. The one place that asks Streamlit; tests without a browser replace it."""
    headers = st.context.headers
    return Visit(
        mode=os.environ.get("EPSILON_ATLAS_MODE", ""),
        secrets=_secrets(),
        user=st.user.to_dict(),
        address=st.get_option("server.address"),
        peer=st.context.ip_address,
        headers=tuple((name, value) for name in headers for value in headers.get_all(name)),
        trusted_headers=st.get_option("server.trustedUserHeaders"),
        now=time.time(),
    )


def admitted() -> Admission:
    """This visitor's roles, or why there are none."""
    return admission(visit())


def roles() -> frozenset[Role]:
    """This visitor's roles."""
    return admitted().roles


def require(role: Role) -> None:
    """Go on only for a visitor with the role; others see a calm page, and the run ends.

    Called where data is obtained: a page that is listed nowhere, or runs in another way, is as closed.
    """
    mine = admitted()
    if role not in mine.roles:
        closed_page(mine)
        st.stop()


def _secrets() -> Mapping[str, object] | InputError:
    """The operator's secrets; nothing if there are none, and an error if they are there but cannot be read."""
    try:
        found = st.secrets.to_dict()
    except (OSError, ValueError):
        # Streamlit says the same of a file that is not there and of one that it cannot read.
        places = st.get_option("secrets.files")
        if config.is_manually_set("secrets.files") or any(os.path.lexists(place) for place in places):
            return InputError("the secrets cannot be read", "secrets.toml", "Mend the file, and start again.")
        found = {}
    if "auth" in found:
        _LOGIN_WAS_SEEN.set()
    elif _LOGIN_WAS_SEEN.is_set():
        # The file may be half written just now: a server that asked for a login never stops asking.
        return InputError("the login settings are gone", "secrets.toml", "Put them back, or start again.")
    return found
