"""A refusal on Spark that counts bad records is a look, as on this computer."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import demo
from dpcore.command_line.main import main
from tests.spark.small_city import ZONE

UNSEEN = ("--parameters-chosen", "before_data")


@pytest.mark.usefixtures("spark_here")
def test_whom_spark_told_of_bad_records_cannot_say_afterwards_that_nobody_looked(tmp_path, capsys):
    demo.write_city(tmp_path, 600, 20, 7)
    table = pq.read_table(tmp_path / "trips.parquet")
    cells = table["start_lat"].to_pylist()
    cells[7] = 913.25
    number = table.schema.get_field_index("start_lat")
    pq.write_table(table.set_column(number, "start_lat", pa.array(cells)), tmp_path / "trips.parquet")

    def told(*words: str) -> tuple[int, str]:
        read = ("--engine", "spark", "--trips", tmp_path / "trips.parquet", "--attribute", "mode=walk,bus")
        on = ("--column", "mode=mode", "--tiles", tmp_path / "tiles.geojson", "--timezone", ZONE)
        asked = ("--privacy-unit", "trip", "--epsilon", "1", "--measures", "trips_per_weekday")
        pays = ("--ledger", tmp_path / "ledger.db", "--dataset", "town", "--out", tmp_path / words[0])
        code = main([str(word) for word in ("release", *read, *on, *asked, *pays, *words[1:])])
        return code, capsys.readouterr().err

    code, said = told("refused", *UNSEEN)
    assert (code, "nothing is said of them" in said) == (2, True)
    assert told("first", "--drop-bad", *UNSEEN)[0] == 0, "who was told nothing has not looked"
    code, said = told("refused")
    assert (code, "row 8, column start_lat" in said) == (2, True)
    code, said = told("second", "--drop-bad", "--epsilon", "2", *UNSEEN)
    assert (code, "looked at on this computer" in said) == (2, True)
    assert not (tmp_path / "second").exists()
