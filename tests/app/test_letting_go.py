"""What a session holds: nothing private is left in it when its data set is let go of."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from types import FunctionType, ModuleType

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.api import studies
from dpcore.comparison import CountTable, Pair, Score, Side
from dpcore.comparison.curves import Curve
from dpcore.measures.measurement import Measurement
from dpcore.private.sealed import Sealed
from pages.owner.parts.compare import pictures as words
from pages.owner.parts.compare.change import EVERY
from pages.owner.parts.release import bound_choice
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.results import Growing, Picture
from pages.owner.parts.state.session import Session
from tests.app.test_pages import CANARY, load, trips
from tests.conftest import ROOT

PAGES = ("explore", "compare", "report", "release", "data")
MADE_OF_TRIPS = (Sealed, DataSet, Growing, Picture, CountTable, Pair, Score, Curve, Measurement)


def reachable(root: object) -> Iterator[object]:
    """Everything that an object holds, through lists, fields, closures and weak keys that are alive."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType)):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, FunctionType):  # its globals are those of a module
            waiting += [one.__closure__, one.__defaults__, one.__kwdefaults__]
        else:
            waiting += gc.get_referents(one)


def private(app: AppTest) -> list[object]:
    """What a session holds that was made of true counts, or of noise that nobody paid for.

    All of it: Streamlit keeps callbacks with their arguments too, even those of pages that were left.
    """
    return [
        one
        for one in reachable(app._session_state)
        if isinstance(one, MADE_OF_TRIPS)
        or (isinstance(one, Side) and not one.released)
        or (isinstance(one, bytes) and CANARY.encode() in one)
    ]


def press(app: AppTest, label: str) -> None:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception, app.exception


@pytest.fixture
def toured(tmp_path, monkeypatch):
    """A session that saw its own trips on every page of the owner."""
    monkeypatch.setattr(studies, "utility_curves", partial(studies.utility_curves, draws=2))
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    load(app, trips())
    app.file_uploader[0].set_value(("trips.csv", trips(), "text/csv")).run()
    app.session_state["tiles place"] = "Square grid"
    app.run()
    assert any(b.label.startswith("I understand") for b in app.button)
    for page in PAGES:
        app.switch_page(f"pages/owner/{page}.py").run()
        assert not app.exception, (page, app.exception)
        if page == "compare":
            (tabs,) = (box for box in app.segmented_control if EVERY in box.options)
            tabs.set_value(EVERY).run()
            press(app, words.CURVES_BUTTON)
        if page == "release":
            press(app, bound_choice.LOOK)
    return app


def kinds(found: list[object]) -> set[type]:
    return {type(one) for one in found}


def test_what_every_page_worked_out_is_in_the_session_alone_and_after_forgetting_nowhere(toured):
    """The other tests could not fail if it found nothing."""
    named = {kind.__name__ for kind in kinds(private(toured))}
    assert named >= {"PrivateTrips", "Preview", "UtilityStudy", "BoundStudy", "DataSet", "Growing", "Picture"}
    assert named >= {"Side", "CountTable", "Score", "Curve", "Measurement"}
    places = set(toured.session_state["atlas"].kept.by_kind)
    assert places >= {
        "preview",
        "visits picture",
        "flows picture",
        "side A",
        "side B",
        "scores",
        "curves",
        "report",
        "bound choice",
    }
    # texts, numbers, choices and files that were uploaded: widgets hold nothing else
    others = {key: value for key, value in toured.session_state.items() if key != "atlas"}
    assert not [
        one for one in reachable(others) if isinstance(one, (*MADE_OF_TRIPS, Side, Session, np.ndarray))
    ]
    toured.session_state["atlas"].forget()
    assert kinds(private(toured)) == set()


def test_after_loading_another_file_nothing_of_the_one_before_is_left_and_after_forgetting_on_the_page_nothing(
    toured,
):
    before = private(toured)  # holds them, so that no address is used again
    toured.switch_page("pages/owner/data.py").run()
    next(c for c in toured.button_group if c.label == "Tiles from").set_value("Upload").run()
    load(toured, trips(users=30))
    after = {id(one) for one in private(toured)}
    assert toured.session_state["atlas"].data.trips.name == "trips.csv"
    assert [type(one) for one in before if id(one) in after] == []
    toured.switch_page("pages/owner/explore.py").run()
    toured.switch_page("pages/owner/data.py").run()
    toured.file_uploader[0].set_value(("trips.csv", trips(), "text/csv")).run()
    assert kinds(private(toured)) >= {Growing, Picture, DataSet}
    press(toured, "Delete them")
    assert toured.session_state["atlas"].data.is_demo
    assert toured.file_uploader[0].value == []
    toured.session_state["atlas"].forget()
    assert kinds(private(toured)) == set(), "the upload is gone too"
