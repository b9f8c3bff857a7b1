"""Widgets that show what is chosen elsewhere."""

from __future__ import annotations

from pages.parts import widget_keys
from pages.parts.widget_keys import when_other


def test_a_widget_that_a_new_one_replaced_undoes_no_choice(monkeypatch):
    state, heard = {"places 0": []}, []
    monkeypatch.setattr(widget_keys.st, "session_state", state)
    changed = when_other("places 0", [], heard.append)
    changed()  # its starting value, which came once more
    assert heard == []
    state["places 0"] = [4]
    changed()
    assert heard == [[4]]
