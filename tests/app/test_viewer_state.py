"""What a viewer's state takes and where it begins, without a page."""

from __future__ import annotations

from datetime import UTC, date, datetime

from dpcore.measures.keys import Period
from dpcore.release import write_bundle, zipped
from pages.released.parts import viewing
from tests.release.made_releases import made_release


def test_of_bundles_that_are_brought_the_latest_few_are_kept(tmp_path, monkeypatch):
    mine = viewing.Viewing()
    monkeypatch.setattr(viewing, "viewing", lambda: mine)
    monkeypatch.setattr(viewing, "require", lambda _: None)
    most = viewing.MAX_UPLOADS
    contents = {}
    for name in "abcdef"[: most + 1]:
        write_bundle(made_release(id=name, weights={"visits_per_tile": 1}), tmp_path / name)
        contents[name] = zipped(tmp_path / name)
    *first, last = contents
    for name in (*first, first[0], last):
        viewing.take(contents[name])
    assert [*mine.uploads] == [f"upload:{name}" for name in (*first[2:], first[0], last)]


def test_the_viewer_opens_on_released_counts_where_these_are_nearer_and_a_link_decides_otherwise(monkeypatch):
    sharp = made_release(unit="trip", weights={"visits_per_tile": 1}, epsilon="10")
    monkeypatch.setattr(viewing, "release_shown", lambda _: sharp)
    mine = viewing.Viewing()
    for query, released in (
        ({}, True),
        ({"view": "map"}, True),
        ({"rung": "10"}, False),
        ({"numbers": "estimate"}, False),
        ({"rung": "10", "numbers": "released"}, True),
    ):
        mine.look_at("sharp", query)
        assert mine.at.released == released, query


def test_the_viewer_opens_with_the_newest_period_and_what_is_brought_comes_first(tmp_path, monkeypatch):
    """A month that was published later than the next one stays behind it."""
    mine = viewing.Viewing()
    monkeypatch.setattr(viewing, "viewing", lambda: mine)
    monkeypatch.setattr(viewing, "require", lambda _: None)
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    for name, month, published in (("a", 1, 30), ("b", 11, 2), ("c", 4, 20)):
        period, created = (
            Period(date(2017, month, 1), date(2017, month, 28)),
            datetime(2024, 5, published, tzinfo=UTC),
        )
        weights = {"visits_per_tile": 1, "trips_over_time": 1}
        write_bundle(
            made_release(id=name, title=f"Trips {name}", period=period, created=created, weights=weights),
            tmp_path / name,
        )
    assert [*viewing.titles()] == ["b", "c", "a"]
    brought = made_release(id="old", title="Brought", weights={"visits_per_tile": 1}, period=None)
    write_bundle(brought, tmp_path / "elsewhere" / "old")
    viewing.take(zipped(tmp_path / "elsewhere" / "old"))
    assert [*viewing.titles().items()][:2] == [("upload:old", "Brought (uploaded)"), ("b", "Trips b")]
