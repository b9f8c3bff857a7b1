"""The code that does what a page does: to copy, and to take along as a notebook."""

from __future__ import annotations

import streamlit as st

from dpcore.api.code import Code
from pages.parts.messages import take_away


def show_code(code: Code, name: str, *, command: str = "", said: str = "") -> None:
    """An expander with the Python of a page, and its command where there is one; ``name``: of the notebook's file.

    ``said``: what the placeholders in both stand for.
    """
    with st.expander("The same in code", icon=":material/code:"):
        if said:
            st.caption(said)
        st.code(code.python(), language="python", wrap_lines=True)
        take_away("Notebook (.ipynb)", code.notebook, f"{name}.ipynb", icon="book", key=f"notebook {name}")
        if command:
            st.markdown("From a command line:")
            st.code(command, language="sh", wrap_lines=True)
