"""Pages run through ``app.py`` only.

Streamlit takes every file of a folder named ``pages`` for a page until ``st.navigation`` has been called once,
so the first visitor of a new server who asks for ``/data`` would get the bare file, without the router and what it
decides about roles.
"""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Start over with ``app.py`` if Streamlit ran this page by itself; the address stays."""
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
