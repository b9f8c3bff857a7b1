"""Glossary: the terms of this project, each in two or three sentences."""

import streamlit as st

from pages.parts.glossary import TERMS, explained
from pages.parts.roles import Role, require

require(Role.VIEWER)
st.title("Glossary")
wanted = st.text_input("Find a word", key="word", bind="query-params").strip().lower()
found = [term for term, text in TERMS.items() if wanted in f"{term} {text}".lower()]
if not found:
    st.info(
        "No word of this app contains these letters. Clear the field to see all words.",
        icon=":material/search_off:",
    )
st.markdown(explained(found))
