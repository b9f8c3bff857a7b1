"""The card of a released tree: both numbers, days where days are bounded, and a bundle to take away."""

from __future__ import annotations

from dpcore.release import write_bundle
from tests.app.test_released import HOSTILE, LIBRARY, opened, texts
from tests.synthetic_release.made_tree import day_choices, made_tree, tree_choices


def test_a_tree_has_a_card_with_both_numbers_and_a_download(tmp_path, monkeypatch):
    write_bundle(made_tree(tree_choices(), title=HOSTILE), tmp_path / "trips")
    write_bundle(made_tree(day_choices(), id="days", title="Days"), tmp_path / "days")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path))
    app = opened(LIBRARY)
    seen = texts(app)
    assert not app.exception
    assert not app.warning
    assert "<script>" not in seen.replace("\\<", "")
    for words in (
        "**A trajectory tree**",
        "ε = **2.5** in all, **1** for Critical places. **Protects one trip, not a person**",
        "ε = **5** in all, **2** for Critical places. **Protects everything a person did**, up to a limit; at most 2 days",
    ):
        assert words in seen, words
    assert [button.proto.label for button in app.get("download_button")] == ["Download .zip"] * 2
