"""Scripts and styles of our components. Streamlit serves their folder, so that scripts import one another as modules."""

from __future__ import annotations

from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.components.v1 import declare_component

from pages.parts.guard import need_soon

_ASSETS: Final = Path(__file__).parents[1] / "assets"
_SCRIPTS: Final = tuple(sorted(_ASSETS.glob("*.js")))


def _served(name: str, folder: Path) -> str:
    """Address of a folder that Streamlit serves."""
    declare_component(name, path=str(folder))
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/component/{__name__}.{name}"


# The address changes with the scripts, because a browser keeps them for good. They import one another by bare names, so the
# change is in the folder.
_DIGEST: Final = sha256(b"".join(path.read_bytes() for path in _SCRIPTS)).hexdigest()[:16]
_FOLDER: Final = _served(f"assets{_DIGEST}", _ASSETS)
for _path in _SCRIPTS:
    need_soon(f"{_FOLDER}/{_path.name}")


def styles(*names: str) -> str:
    """Styles of a component as one text."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


def module(name: str) -> str:
    """The script of a component: it is that of a file of ours.

    A component of Streamlit may name a served file only where its package is installed and declares it; ours run from a folder.
    So the text that Streamlit gives the browser imports the file by its address. One that could not be fetched is asked for
    again: a browser remembers what failed by its address.
    """
    address = f"{_FOLDER}/{name}"
    return (
        f'const at = (more) => new URL("{address}" + more, document.baseURI).href;\n'
        'const { default: draw } = await import(at("")).catch(() => import(at("?again")));\n'
        "export default draw;\n"
    )


def deck_address() -> str:
    """Address of the deck.gl bundle, which Streamlit serves straight out of the installed pydeck.

    Empty without pydeck: the component then says that there is no map. The version is in the address because
    the browser keeps the file for good.
    """
    found = find_spec("pydeck")
    if found is None or found.origin is None:
        return ""
    try:
        installed = version("pydeck")
    except PackageNotFoundError:
        return ""
    folder = Path(found.origin).parent / "nbextension" / "static"
    address = f"{_served('deckgl', folder)}/index.js?v={installed}"
    need_soon(address)
    return address
