"""Ids of trips that no tile has, on the Data page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.app.test_code_on_pages import shown
from tests.app.test_pages import look
from tests.conftest import ROOT
from tests.test_ids_written_differently import tiles_of, trips_of


def test_the_data_page_says_the_same_and_its_control_mends_it():
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    page.switch_page("pages/owner/data.py").run()
    files = [trips_of(("610", "0620")), tiles_of("0610", "0620")]
    page.file_uploader[0].set_value(("trips.csv", files[0].encode(), "text/csv")).run()
    page.file_uploader[1].set_value(("tiles.geojson", files[1].encode(), "application/json")).run()
    next(s for s in page.selectbox if s.label == "Time zone of the city").set_value("Europe/Berlin").run()

    def load():
        next(b for b in page.button if b.label == "Load").click().run()
        if not page.metric:
            look(page)
        assert not page.exception
        outside = next(m.value for m in page.metric if m.label == "Ends outside every tile")
        return outside, " ".join(told.value for told in page.warning)

    outside, told = load()
    assert outside == "50 %"
    assert "1 id of 1 trip is that of no tile" in told
    assert "on the Data page: Ids that are written differently" in told
    (rules,) = [m for m in page.multiselect if m.label == "Ids that are written differently"]
    rules.set_value(["leading-zeros"]).run()
    outside, told = load()
    assert outside == "0 %"
    assert "of no tile" not in told
    assert "match_ids='leading-zeros'" in shown(page)
