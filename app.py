"""Epsilon Atlas: the router. Which pages there are is decided here; what they show, in ``pages/``."""

from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parent / "pages" / "assets"
# A picture of our own: Streamlit fetches named icons and emoji for the tab from somebody's server.
ICON = ASSETS / "icon.svg"
STYLE = ASSETS / "page.css"  # less empty space around a page, so that one screen tells its story

st.set_page_config(page_title="Epsilon Atlas", page_icon=str(ICON), layout="wide", initial_sidebar_state=210)
st.html(STYLE)
st.logo(ASSETS / "wordmark.svg", size="large", icon_image=ICON)

st.navigation(
    {
        "Owner": [
            st.Page("pages/owner/data.py", title="Data", icon=":material/upload_file:"),
            st.Page(
                "pages/owner/explore.py", title="Explore", icon=":material/travel_explore:", default=True
            ),
        ],
    }
).run()
