"""The roles of this visitor, decided on the server in every run; the check before all data, and the page of the refused."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from threading import Event
from typing import Final

import streamlit as st
from streamlit import config

from dpcore.errors import InputError, InternalError
from dpcore.views.ground.plain import plain
from pages.parts.admission import Admission, Closed, Role, Visit, admission
from pages.parts.messages import show_refusal
from pages.parts.tile_server import ADDRESS, ATTRIBUTION

__all__ = ["Role", "admitted", "require", "roles", "visit"]

_LOGIN_WAS_SEEN: Final = Event()


def visit() -> Visit:
    """What the server knows of this visit. Only this function asks Streamlit; tests without a browser replace it."""
    headers = st.context.headers
    return Visit(
        mode=os.environ.get("EPSILON_ATLAS_MODE", ""),
        background={name: os.environ.get(name, "") for name in (ADDRESS, ATTRIBUTION)},
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
    """Go on only for a visitor with the role. Others see a page that says so, and the run ends.

    It is called where data is obtained, so a page that is not in the menu, or runs in another way, is checked too. Raises
    InternalError for a visitor without the role where no page runs, as in a thread of its own: Streamlit ends nothing there.
    """
    mine = admitted()
    if role not in mine.roles:
        closed_page(mine)
        st.stop()
        raise InternalError.at("a role that is asked for where no page runs")


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


_LOGIN = (
    "Epsilon Atlas shows how a city moves without showing how anyone in it moves. This server shows it to "
    "people it knows: log in with your address."
)
_AGAIN = "Your login ran out. Log in again to go on. Files that you had loaded must be loaded again."
_UNVERIFIED = (
    "The login service did not say that this address is verified, so nothing can be shown to you. "
    "Verify your address there, then log in again."
)
_NO_ROLE = (
    "You are logged in, but this address has no role here. If you should see something, ask whoever runs "
    "this server to add it."
)
_NOT_LOCAL = (
    "This server has no login. So it serves only the person at its own computer, in a browser window opened at "
    "`localhost`."
)
_OPERATOR = """
1. Copy `.streamlit/secrets.example.toml` to `.streamlit/secrets.toml` and fill in `[auth]`: the login service.
2. List under `[roles]` who is owner and who is viewer.
3. Start the app again.

To show releases to everyone without a login, start a server that has nothing else: `make view BUNDLE=...`.
"""
_MISCONFIGURED = (
    "This server's settings cannot be used, so it shows nothing to anyone. Its operator must mend this:"
)


def closed_page(mine: Admission) -> None:
    """The page of a visitor who may not see what was asked for, with the next step."""
    with st.container(width=620):
        if mine.closed in {Closed.LOG_IN, Closed.LOG_IN_AGAIN}:
            st.title("Log in")
            st.markdown(_LOGIN if mine.closed is Closed.LOG_IN else _AGAIN)
            _login_buttons(mine)
        elif mine.closed in {Closed.UNVERIFIED, Closed.NO_ROLE}:
            st.title("Nothing to see for this address")
            if mine.address:
                st.text(f"Logged in as {mine.address}")
            st.markdown(_UNVERIFIED if mine.closed is Closed.UNVERIFIED else _NO_ROLE)
            _logout_button()
        elif mine.closed is Closed.NOT_LOCAL:
            st.title("Open to its owner only")
            st.markdown(f"{_NOT_LOCAL} {mine.reason}")
            with st.expander("For whoever runs this server: show it to others"):
                st.markdown(_OPERATOR)
        elif mine.fault is not None:
            st.title("Closed for now")
            st.markdown(_MISCONFIGURED)
            show_refusal(mine.fault)
        else:  # a role, but not the one that was asked for
            st.title("Not a page for you")
            st.markdown(
                "This page is for the owner of the data. The pages that are open to you are in the menu."
            )


def who_is_logged_in(mine: Admission) -> None:
    """In the sidebar: the address that is logged in, and the way out."""
    if mine.address:
        with st.sidebar:
            st.text(f"Logged in as {mine.address}")
            _logout_button()


def _login_buttons(mine: Admission) -> None:
    for name in mine.providers:
        label = "Log in" if name is None else f"Log in with {plain(name)}"
        if st.button(label, key=f"log in {name}", type="primary", icon=":material/login:"):
            st.login() if name is None else st.login(name)


def _logout_button() -> None:
    if st.button("Log out", key="log out", icon=":material/logout:"):
        st.logout()
