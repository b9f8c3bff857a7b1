"""Nothing of an owner enters a story, its file or its pages."""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.release import write_bundle
from dpcore.stories.file import story_text
from dpcore.stories.slides import slides
from dpcore.stories.taken import slides_file
from pages.released.parts import words
from tests.app.test_pages import CANARY, TILES, load, payloads, trips
from tests.app.test_pages import texts as all_texts
from tests.app.test_story_page import SEEN, VIEWER, fine, press, started, texts, told, visited
from tests.conftest import ROOT

PLANTED = 6_367
"""A true number of trips, of each tile too, which no release tells."""


@pytest.fixture(autouse=True)
def on_shelf(tmp_path, monkeypatch):
    for name, release in SEEN.items():
        write_bundle(release, tmp_path / name)
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))


def test_nothing_of_an_owner_enters_a_story_its_file_or_its_pages():
    """Private ids, names and counts are planted in the session and in prepared data before a story is made and played."""
    rows = trips(users=40).decode().replace("u7,", "canary-u7,")
    rows += "".join(_trip(f"extra-{at}") for at in range(PLANTED - 200))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    load(app, rows.encode(), _named_tiles())
    visited(app, "pages/owner/explore.py")
    fine(started(visited(app)))
    visited(app, VIEWER, release="new", view="map")
    press(app, words.ADD_VIEW)
    visited(app)
    seen = [story_text(told(app)), texts(app)]
    made = slides(told(app), lambda shown: SEEN[shown.id])
    seen += [f"{one.title} {one.sentence} {one.told} {one.source} {one.alt}" for one in made]
    for form in (".pptx", ".html"):  # words of a PDF are numbers of letters: it holds those of the slides
        seen += _words_of(slides_file(made, told(app).title, form), form)
    press(app, words.PLAY)
    for _ in told(app).steps:
        seen.append(texts(app))
        sent = payloads(app) if app.get("bidi_component") else b""
        in_letters, in_bytes = _written(PLANTED)[:2], _written(PLANTED)[2:]
        for planted in (b"canary", CANARY.encode(), *in_bytes):
            assert planted not in sent
        whole = re.sub(
            rb"(?<=\d)\.\d+", b"", sent
        )  # a count has no decimals; those of an estimate may hold its digits by chance
        for planted in in_letters:
            assert planted not in whole
        if not next(one for one in app.button if one.key == "story-next").disabled:
            press(app, "story-next")
    for planted in ("canary", "2024-04-01 08:00", f"{PLANTED}", f"{PLANTED:,}"):
        assert planted not in "".join(seen)
    owners = b"".join(_everything(visited(app, "pages/owner/explore.py")))
    assert b"canary" in owners, "it is there for its owner"
    owners += b"".join(_everything(visited(app, "pages/owner/data.py")))
    assert any(planted in owners for planted in _written(PLANTED)), "and so is the count"


def _trip(user: str) -> str:
    return f"{user},0,2024-04-02 08:00:00,0.5,0.5\r\n{user},0,2024-04-02 09:00:00,0.5,1.5\r\n"


def _written(count: int) -> list[bytes]:
    """How a count may be sent: in letters, or as a number of a table."""
    texts = [f"{count}".encode(), f"{count:,}".encode()]
    return texts + [np.array([count], kind).tobytes() for kind in ("<i4", "<i8", "<f4", "<f8")]


def _words_of(content: bytes, form: str) -> list[str]:
    """All that can be read of a file, without the lines of its pictures."""
    if form == ".pptx":
        with ZipFile(BytesIO(content)) as archive:
            return [
                archive.read(name).decode("utf-8", "replace")
                for name in archive.namelist()
                if name.endswith(".xml")
            ]
    return [re.sub(r'(?s)<svg.*?</svg>|base64,[^"]*', "", content.decode())]


def _named_tiles() -> bytes:
    return TILES.replace(b"West *side*", b"canary-west").replace(b"East", b"canary-east")


def _everything(app: AppTest) -> list[bytes]:
    return [all_texts(app).encode(), payloads(app)]
