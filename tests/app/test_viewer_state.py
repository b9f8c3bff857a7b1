"""What a viewer's state takes and where it begins, without a page."""

from __future__ import annotations

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
