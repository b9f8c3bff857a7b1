"""Epsilon Atlas: the router. It decides which pages a visitor has; ``pages/`` holds what they show."""

import os
import sys

# A server for viewers cannot import private code, whatever its pages ask for: these packages are removed before anything
# of ours is imported. An unknown mode removes them too.
VIEWERS_ONLY = bool(os.environ.get("EPSILON_ATLAS_MODE"))
if VIEWERS_ONLY:
    for room in (
        "dpcore.private",
        "dpcore.api.owner",
        "dpcore.api.studies",
        "dpcore.kinds.roy.private",
        "dpcore.kinds.roy.owner",
        "dpcore.kinds.stability.private",
        "dpcore.kinds.stability.owner",
        "dpcore.kinds.tree.private",
        "dpcore.kinds.tree.owner",
        "dpcore.engines.spark",
        "dpcore.curator",
        "dpcore.ledger",
        "pages.owner",
    ):
        sys.modules[room] = None  # type: ignore[assignment]  # Python takes None for a module that may not be imported

# Tables are small, and the visitors are the threads: on busy cores a second thread of BLAS makes each product a hundred times
# slower. BLAS reads this when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path  # noqa: E402 - the packages are removed first

import streamlit as st  # noqa: E402 - as above

from dpcore import wings  # noqa: E402 - as above
from pages.learn.parts.catalogue import lessons  # noqa: E402 - as above
from pages.parts import serve, warm_up  # noqa: E402 - as above
from pages.parts.roles import Role, admitted, closed_page, who_is_logged_in  # noqa: E402 - as above

ASSETS = Path(__file__).parent / "pages" / "assets"
# A picture of our own: Streamlit would fetch a named icon or emoji for the tab from another server.
ICON = ASSETS / "icon.svg"
STYLE = ASSETS / "page.css"  # less empty space around a page, so that one screen tells its story

# A page of a wing is there if one of its wings is.
OF_WINGS = {
    "pages/owner/synthesize.py": {"roy", "stability"},
    "pages/owner/trajectories.py": {"tree"},
    "pages/released/story.py": {"stories"},
}


def there(listed: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The pages that are there."""
    found = {*wings.there()}
    return {page: told for page, told in listed.items() if OF_WINGS.get(page, found) & found}


OWNER = there(
    {
        "pages/owner/data.py": ("Data", ":material/upload_file:"),
        "pages/owner/explore.py": ("Explore", ":material/travel_explore:"),
        "pages/owner/release.py": ("Release", ":material/publish:"),
        "pages/owner/report.py": ("Report", ":material/summarize:"),
        "pages/owner/compare.py": ("Compare", ":material/compare_arrows:"),
        "pages/owner/synthesize.py": ("Synthesize", ":material/auto_awesome:"),
        "pages/owner/trajectories.py": ("Trajectories", ":material/route:"),
    }
)
RELEASED = there(
    {
        "pages/released/library.py": ("Library", ":material/book_2:"),
        "pages/released/viewer.py": ("Viewer", ":material/map:"),
        "pages/released/story.py": ("Story", ":material/auto_stories:"),
    }
)

LEARN = {
    "pages/learn/lessons.py": ("Lessons", ":material/school:"),
}
WORDS = {"pages/learn/glossary.py": ("Glossary", ":material/dictionary:")}


def load() -> warm_up.Made:
    """Import what the first page takes longest to import, while the first browser still loads the frame of the page.

    Returns a function that makes what all owners share of the built-in city.
    """
    if VIEWERS_ONLY:
        return None
    from pages.owner.parts.start import warm_up_before  # noqa: PLC0415 - a server for viewers may not; it takes seconds

    return warm_up_before.begin


def closed() -> None:
    """The page of a visitor without a role."""
    closed_page(admitted())


def pages(listed: dict[str, tuple[str, str]], first: str) -> list[st.Page]:
    """The pages of a group; ``first`` opens when the address names none, and also under its own name.

    Streamlit takes the name of the first page away, so the same page stands there once more, hidden from the menu.
    """
    found = [
        st.Page(
            path, title=title, icon=icon, default=path == first, url_path="first" if path == first else None
        )
        for path, (title, icon) in listed.items()
    ]
    again = [(first, *listed[first])] if first in listed else []
    return [
        *found,
        *(st.Page(path, title=title, icon=icon, visibility="hidden") for path, title, icon in again),
    ]


def titles() -> dict[str, str]:
    """Titles of the pages by their addresses. They are shown before it is known who the visitor is, and tell nothing."""
    listed = (RELEASED if VIEWERS_ONLY else OWNER | RELEASED | LEARN) | WORDS
    found = {Path(path).stem: title for path, (title, _) in listed.items()}
    if not VIEWERS_ONLY:
        found |= {Path(one.page).stem.lstrip("0123456789_"): one.title for one in lessons()}
    return found | {"": "Library" if VIEWERS_ONLY else "Explore"}


def _full_screen() -> bool:
    """Whether the address shows a presentation or plays a story."""
    return st.query_params.get("present") == "1" or not {"step", "story"}.isdisjoint(st.query_params)


def route() -> None:
    """Show the page that was asked for."""
    st.set_page_config(
        page_title="Epsilon Atlas",
        page_icon=str(ICON),
        layout="wide",
        initial_sidebar_state="collapsed" if _full_screen() else 210,
    )
    st.html(STYLE)
    st.logo(ASSETS / "wordmark.svg", size="large", icon_image=ICON)
    mine = admitted()
    menu = {}
    if Role.OWNER in mine.roles:
        menu["Owner"] = pages(OWNER, "pages/owner/explore.py")
    if Role.VIEWER in mine.roles:
        menu["Released"] = pages(RELEASED, "" if Role.OWNER in mine.roles else "pages/released/library.py")
    if mine.roles and VIEWERS_ONLY:  # lessons count the demo city, which a server for viewers cannot do
        menu["Learn"] = pages(WORDS, "")
    elif mine.roles:
        menu["Learn"] = [
            *pages(LEARN | WORDS, ""),
            *(st.Page(one.page, title=one.title, icon=one.icon, visibility="hidden") for one in lessons()),
        ]
    if menu:
        chosen = st.navigation(menu)
        warm_up.wait()  # the browser shows the first screen meanwhile
        # Streamlit knows a component only if it is declared while a page runs, and this module is read before that.
        from pages.parts.chart import picture_settings  # noqa: PLC0415 - see above

        with st.sidebar:
            picture_settings()
        who_is_logged_in(mine)
    else:
        # The same page stands under the address of every page, so that a visitor with a bookmark is asked to log in and not
        # told that the page does not exist.
        known = [*RELEASED, *WORDS]
        if not VIEWERS_ONLY:
            known += [*OWNER, *LEARN, *(one.page for one in lessons())]
        chosen = st.navigation(
            [
                st.Page(closed, title="Epsilon Atlas", default=True),
                *(
                    st.Page(closed, title="Epsilon Atlas", url_path=Path(path).stem.lstrip("0123456789_"))
                    for path in known
                ),
            ],
            position="hidden",
        )
    try:
        chosen.run()
    finally:
        warm_up.ready.set()


if __name__ == "__main__":
    route()
else:  # the server imports this file to find the app
    app = st.App(__file__, **serve.options(load, titles()))
