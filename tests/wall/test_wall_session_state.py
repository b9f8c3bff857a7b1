"""Session state of other pages: who takes it is found."""

from __future__ import annotations

import pytest

from tests.wall.findings import findings, found_in

PLANTED = [
    *(
        ("pages.learn.x", f"import streamlit as st\n{text}", "uses session state of other pages")
        for text in (
            "st.session_state['trips']",
            "st.session_state.get('trips')",
            "st.session_state.get('trips', 'learn ')",
            "st.session_state.setdefault('trips', 1)",
            "st.session_state.pop('trips')",
            "st.session_state.trips",
            "st.session_state[f'{a}learn ']",
            "A = 'trips'\nst.session_state[A]",
            "A = 'learn '\nfor A in 'trips', 'b':\n    st.session_state[A]",
            "A = 'learn '\ndef f(A):\n    return st.session_state[A]",
            "st.session_state[a]",
            "st.session_state.values()",
            "list(st.session_state.items())",
            "kept = st.session_state\nkept['trips']",
            "getattr(st, 'session_state')['trips']",
        )
    ),
    ("pages.learn.x", "from streamlit import session_state as s\ns['trips']", "takes session state"),
]

ALLOWED = [
    (
        "pages.learn.x",
        "import streamlit as st\nst.session_state['learn a'] = st.session_state.get('learn b')",
    ),
    ("pages.learn.x", "import streamlit as st\na = 1\nst.session_state.pop(f'learn drawn {a}', None)"),
    ("pages.learn.x", "import streamlit as st\nA = 'learn a'\nst.session_state[A] = 1"),
    (
        "pages.learn.x",
        "import streamlit as st\nfor key in [*st.query_params]:\n    del st.session_state[key]",
    ),
    ("pages.owner.x", "import streamlit as st\nst.session_state['a'] = 1"),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED, ids=[found for *_, found in PLANTED])
def test_what_is_planted_is_found_of_session_state(name, text, found):
    assert found_in(name, text, found), findings(name, text)


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_what_is_allowed_is_not_found_of_session_state(name, text):
    assert findings(name, text) == []
