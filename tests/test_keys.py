from datetime import date

import duckdb
import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.measures import MEASURES
from dpcore.measures.keys import Axis, KeySet, Period, bin_axis, date_axis, plain_axis, tile_axis


def test_tiles_come_in_order_and_everything_else_is_outside():
    axis = tile_axis("tile_id", ("A", "B"))
    assert axis.labels == ("A", "B", "outside")
    assert axis.positions(np.array([0, 1, -1])).tolist() == [0, 1, 2]


def test_days_beyond_the_period_fall_into_before_and_after():
    axis = date_axis("date", Period(date(1970, 1, 3), date(1970, 1, 4)))
    assert axis.labels == ("before", "1970-01-03", "1970-01-04", "after")
    assert axis.positions(np.array([-5, 1, 2, 3, 4, 99])).tolist() == [0, 0, 1, 2, 3, 3]


def test_a_plain_axis_has_no_label_for_strangers():
    with pytest.raises(ValueError, match="no label"):
        plain_axis("hour", ("0", "1")).positions(np.array([2]))
    with pytest.raises(ValueError, match="no label"):
        Axis("hour", ("0",)).positions(np.array([-1]))


def test_cells_of_a_product_run_with_the_last_axis_fastest():
    keys = KeySet((plain_axis("kind", ("start", "end")), tile_axis("tile_id", ("A", "B"))))
    cells = keys.cells([np.array([0, 1, 1]), np.array([1, 0, -1])])
    assert cells.tolist() == [1, 3, 5]
    assert keys.size == 6
    assert keys.labels(cells) == {"kind": ["start", "end", "end"], "tile_id": ["B", "A", "outside"]}


def test_bins_are_half_open_print_two_columns_and_leave_no_value_out():
    keys = KeySet((plain_axis("kind", ("a", "b")), bin_axis((2, 5))))
    assert keys.columns == ("kind", "bin_start", "bin_end")
    assert keys.shape == (2, 3)
    assert keys.labels(np.array([0, 1, 5])) == {
        "kind": ["a", "a", "b"],
        "bin_start": ["-inf", "2", "5"],
        "bin_end": ["2", "5", "inf"],
    }


def test_every_number_of_trips_has_the_bin_that_its_edges_say():
    measure = MEASURES["trips_per_user"]
    keys = measure.keys(())
    numbers = range(1, 700)
    with duckdb.connect() as connection:  # user i has i trips; nobody's trips are no user's
        connection.execute(
            "CREATE VIEW trips AS SELECT u.i AS user_id FROM range(1, 700) u(i), range(700) t(j) WHERE j < i "
            "UNION ALL SELECT NULL FROM range(10)"
        )
        counts = dict(connection.execute(measure.sql).fetchall())
    edges = keys.labels(keys.all_cells)
    assert len(edges["bin_start"]) >= 10
    for number, (low, high) in enumerate(zip(edges["bin_start"], edges["bin_end"], strict=True)):
        assert counts[number] == sum(float(low) <= n < float(high) for n in numbers)


@pytest.mark.parametrize(
    ("first", "last"),
    [("2024-04-02", "2024-04-01"), ("1960-01-01", "1970-01-01"), ("2000-01-01", "2099-01-01")],
)
def test_an_empty_or_endless_period_is_refused(first, last):
    with pytest.raises(PrivacyError, match="period"):
        Period(date.fromisoformat(first), date.fromisoformat(last))
