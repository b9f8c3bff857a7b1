"""The public list of zips: what can be none is refused by its place, before it can cost anything."""

from __future__ import annotations

import pytest

from dpcore.errors import InputError
from dpcore.kinds.roy.choices import zips_of


def test_different_zips_stay_in_their_order():
    assert zips_of(["02139", " SW1A 1AA", "", "02139", "1010-220"], "zips") == (
        "02139",
        "SW1A 1AA",
        "1010-220",
    )


def test_what_can_be_no_zip_is_named_by_its_place_and_never_said():
    lines = ["02139", "=1+1", "<b>", *["x" * 13] * 9]
    with pytest.raises(InputError, match="line 2, 3, 4, 5, 6 and 6 more") as refused:
        zips_of(lines, "zips.txt")
    assert "=1" not in str(refused.value)
