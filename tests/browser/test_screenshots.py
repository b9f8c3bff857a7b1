"""What writes the pictures of the README makes one of them; ``make screenshots`` makes all."""

from __future__ import annotations

import struct

import pytest

from tests.browser import screenshots

pytestmark = pytest.mark.browser


def test_a_picture_is_made_of_the_app_as_it_is(page, address, tmp_path, monkeypatch):
    monkeypatch.setattr(screenshots, "PICTURES", tmp_path)
    screenshots.lesson(page, address, "light")
    (picture,) = tmp_path.iterdir()
    content = picture.read_bytes()
    assert picture.name == "lesson-light.png"
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (1280, 900)
