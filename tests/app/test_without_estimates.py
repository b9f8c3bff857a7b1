"""Viewer and pictures of a release whose estimates cannot be computed: released counts everywhere, and why, once."""

from __future__ import annotations

import pytest

from dpcore.estimates import words
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.release import estimates, write_bundle
from dpcore.views.ground.plain import plain
from dpcore.views.maps.address import VIEWS
from dpcore.views.maps.window_message import windows_of
from tests.app.test_pages import texts
from tests.app.test_released import opened
from tests.release.made_releases import WEEK, made_release
from tests.release.test_every_plan_is_written import splits

WITHOUT_SWITCH = ("guarantee", "download")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Puts a release on the shelf whose estimates failed when it was written, and fail still."""

    def fails(*_, **__):
        raise KeyError("a step of the estimate")

    def put(**fields) -> str:
        monkeypatch.setattr(estimates, "estimate", fails)
        release = made_release(id="one", title="One", **fields)
        write_bundle(release, tmp_path / "one")
        monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
        return windows_of(release.plan)[0] if "visits_per_time_tile" in release.measurements else ""

    return put


def must_be_released(app, view: str) -> None:
    assert not app.error, view
    assert not any(one.label == "Numbers" for one in app.get("button_group")), view
    if view not in WITHOUT_SWITCH:
        assert texts(app).count(plain(words.NOT_COMPUTED)) == 1, view
        assert app.query_params["numbers"] in ("released", ["released"]), view


@pytest.mark.parametrize("unit", ["user", "trip"])
def test_the_viewer_shows_released_counts_in_every_view_and_says_why_once(shelf, unit):
    window = shelf(unit=unit, weights=dict.fromkeys(MEASURES, 1))
    for view in VIEWS:
        must_be_released(opened(release="one", view=view), view)
        must_be_released(opened(release="one", view=view, numbers="estimate", present="1"), view)
    for chosen in ({"tile": "a"}, {"window": window}, {"tile": "a", "present": "1"}, {"beside": "numbers"}):
        must_be_released(opened(release="one", view="map", numbers="estimate", **chosen), "map")
    app = opened(release="one", view="map")
    next(one for one in app.toggle if one.label == "Show the numbers as a table").set_value(True).run()
    assert not app.exception
    assert [*app.dataframe[0].value] == ["tile", "name", "released count", "noise from", "noise to"]


def test_parts_without_estimates_are_shown_by_their_released_counts(shelf):
    shelf(
        weights={"visits_per_tile": 1, "od_flows": 1, "trips_per_hour": 1},
        choices=KeyChoices(WEEK, splits=splits(2)),
    )
    for view in ("map", "flows", "rhythm", "rankings", "accuracy"):
        must_be_released(opened(release="one", view=view, part="mode:c0"), view)
    for view in ("map", "rhythm"):
        must_be_released(opened(release="one", view=view), view)
