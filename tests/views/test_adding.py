"""One sum done right in a report: its range by the draws of a release, beside what the ends of ranges would give."""

from __future__ import annotations

from html import unescape

import numpy as np

from dpcore.estimates.words import likely, rounded
from dpcore.measures import MEASURES
from dpcore.release.draws import draws_at
from dpcore.release.estimates import estimates_of
from dpcore.views.report import report_html
from tests.release.made_releases import made_release

EVERY = dict.fromkeys(MEASURES, 1)


def test_one_sum_has_the_range_of_the_draws_beside_what_the_ends_of_ranges_would_give():
    """The district with most visits, with its range, narrower than the ends added up; and the same in a static file."""
    every = made_release(weights=EVERY)
    table, districts = estimates_of(every).tables["visits_per_tile"], every.plan.choices.districts
    shown = table.counted if table.all_trips is None else table.all_trips
    sums = np.bincount(districts.of_tiles, shown.values[:-1])
    tiles = np.flatnonzero(np.array(districts.of_tiles) == sums.argmax())
    low, high = np.quantile(
        draws_at(every, estimates_of(every)).tables["visits_per_tile"][tiles].sum(axis=0), [0.025, 0.975]
    )
    assert high - low < (shown.high - shown.low)[tiles].sum()
    value = sums.max()
    told = likely(value, min(low, value), max(high, value), "visits of all trips")
    for file in (report_html(every), report_html(every, static=True)):
        text = unescape(file)
        assert f"District {districts.names[sums.argmax()]}: {told}, added up over {len(tiles)} tiles" in text
        assert (
            f"would add up to {rounded(value, shown.low[tiles].sum(), shown.high[tiles].sum())[1]} to "
            in text
        )


def test_a_report_of_a_release_without_draws_shows_no_such_sum(monkeypatch):
    monkeypatch.setattr("dpcore.estimates.draws.MOST_CELLS", 1)
    assert "How to add up" not in report_html(made_release(weights={"visits_per_tile": 1}, id="none"))
