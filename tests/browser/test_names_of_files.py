"""Names of files are shown whole on the Data page, on a telephone too: two months differ in the middle of their names."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app.test_pages import trips
from tests.browser.conftest import running, settled

pytestmark = pytest.mark.browser

MONTHS = tuple(f"bikes-of-the-city-2017{month}-all-trips-as-downloaded.csv" for month in ("01", "04"))
SHOWN = "(one) => getComputedStyle(one, '::after').content"
WIDE = "(one) => one.scrollWidth - one.clientWidth"


@pytest.mark.parametrize("width", [1280, 400])
def test_two_months_can_be_told_apart_by_the_names_of_their_files(page, tmp_path, width):
    for name in MONTHS:
        (tmp_path / name).write_bytes(trips())
    page.set_viewport_size({"width": width, "height": 900})
    with running(tmp_path / "home", EPSILON_ATLAS_DATA=str(tmp_path)) as owners:
        page.goto(f"{owners}/data")
        settled(page)
        page.get_by_role("radio", name="Upload").first.press("Space")
        settled(page)
        page.locator("input[type=file]").first.set_input_files([tmp_path / name for name in MONTHS])
        names = page.get_by_test_id("stFileChipName")
        expect(names).to_have_count(2)
        settled(page)
        assert [one.evaluate(SHOWN) for one in names.all()] == [f'"{name}"' for name in MONTHS]
        assert [one.evaluate(WIDE) for one in names.all()] == [0, 0], "nothing of a name is cut"
        page.get_by_role("radio", name="Data folder").first.press("Space")
        settled(page)
        for name in MONTHS:
            page.get_by_role("combobox", name="Trips files and folders").click()
            page.get_by_role("option", name=name).click()
            settled(page)
        chosen = page.locator("[data-tag] > span")
        expect(chosen).to_have_text([*MONTHS])
        assert [one.evaluate(WIDE) for one in chosen.all()] == [0, 0]
