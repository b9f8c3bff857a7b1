"""The code that does what a page does: to copy, and to take along as a notebook."""

from __future__ import annotations

import streamlit as st

from dpcore.api.code import Code
from pages.parts.messages import take_away
from pages.parts.when_open import expander


def show_code(code: Code, name: str, *, command: str = "", said: str = "") -> None:
    """An expander with the Python of a page, and its command where there is one; ``name``: of the notebook's file.

    ``said``: what the placeholders in both stand for. Code is sent when the expander is opened: a browser takes half a
    second to load what colours it, and needs that half second for the map.
    """

    def shown() -> None:
        if said:
            st.caption(said)
        st.code(code.python(), language="python", wrap_lines=True)
        take_away("Notebook (.ipynb)", code.notebook, f"{name}.ipynb", icon="book", key=f"notebook {name}")
        if command:
            st.markdown("From a command line:")
            st.code(command, language="sh", wrap_lines=True)

    expander("The same in code", shown, icon=":material/code:", key=f"code of {name}")
