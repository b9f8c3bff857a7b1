"""Lines that are no records: titles above the names of columns, remarks, second lines of names, footers."""

from __future__ import annotations

import pytest
from neighbours_of import TEXTS
from reading_of import CANONICAL, GOOD, ZONE, gzipped, reading_of, upload

from dpcore.errors import InputError
from dpcore.private.source import BadRecords, TripsFile, inspect, read

TITLES = "Bike trips March 2024,,,,,,\nSource: City,,,,,,\n,,,,,,\n"
REMARK = "# exported 2024-04-01\n"


def given(text, line, name="trips.csv"):
    return upload(text, name).with_header(line)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("above", "line"), [(TITLES, "4"), (REMARK, "2"), (REMARK * 2, " 03 "), ("\n\n" + REMARK, "4")]
)
def test_the_names_stand_in_the_line_that_the_owner_names(above, line, end):
    text = (above + CANONICAL + GOOD).replace("\n", end)
    assert reading_of(given(text, line))[0].num_rows == 1
    assert reading_of(given(gzipped(text), line, "trips.csv.gz"))[0].num_rows == 1


def test_bad_records_are_told_by_their_line_in_the_file():
    with pytest.raises(
        InputError, match=r"has 1 field, the header 7: trips.csv, line 6. Is this a remark.*--drop-bad"
    ):
        reading_of(given(TITLES + CANONICAL + GOOD + "(1 row)\n", "4"))


@pytest.mark.parametrize(
    ("text", "said"), [(TITLES + CANONICAL + GOOD, "--header 4"), (REMARK + CANONICAL + GOOD, "--header 2")]
)
def test_a_first_line_that_is_no_header_says_how_the_right_one_is_named(text, said):
    with pytest.raises(InputError, match=said) as refused:
        inspect(upload(text))
    assert "Bike trips" not in str(refused.value)


@pytest.mark.parametrize("line", ["1", "0", "101", "-2", "4.0"])
def test_other_numbers_are_no_line_of_names(line):
    with pytest.raises(InputError, match=r"this is no line of names.*2 to 100"):
        given(CANONICAL + GOOD, line)


def test_a_line_beyond_the_end_is_no_header():
    with pytest.raises(InputError, match="the file has no header"):
        inspect(given(CANONICAL + GOOD, "50"))


def test_names_that_the_owner_typed_are_shown_back_and_known_ones_are_named():
    header = "Dispatching_base_num,Pickup_date,locationID\n"
    with pytest.raises(
        InputError,
        match="Of the column names only Pickup_date and locationID are known, so the others are not shown",
    ):
        inspect(upload(header))
    with pytest.raises(InputError, match="Found: Dispatching_base_num, Pickup_date, locationID"):
        inspect(upload(header), {"start_tile": "locationID"})


def test_json_is_told_how_it_loads():
    with pytest.raises(
        InputError,
        match=r"the content is JSON: trips.json.*pandas.read_json\(path, lines=True, dtype=False\)",
    ) as refused:
        TripsFile.uploaded("trips.json", b'{"a": 1}\n{"a": 2}\n')
    assert "--header" not in str(refused.value)


def test_no_line_of_a_person_changes_how_others_are_read_below_a_named_header():
    """Brute force: each text as the lines of one person, below a header that stands in line 2."""
    base = [row["user_id"] for row in reading_of(given(REMARK + CANONICAL + GOOD * 2, "2"))[0].to_pylist()]
    accepted = 0
    person = GOOD.strip().replace("u1", "p7").encode()
    for what, write in TEXTS.items():
        data = (REMARK + CANONICAL + GOOD).encode() + write(person) + b"\n" + GOOD.encode()
        file = given(data, "2")
        try:
            reading = read(file, inspect(file), timezone=ZONE, bad_records=BadRecords.DROP)
            users = [user for batch in reading.batches() for user in batch["user_id"].to_pylist()]
        except InputError:
            continue
        accepted += 1
        assert [user for user in users if user == "u1"] == base, what
    assert accepted > len(TEXTS) // 2


def test_buenos_aires_loads_as_it_is():
    names = (
        "Id_recorrido,duracion_recorrido,fecha_origen_recorrido,id_estacion_origen,long_estacion_origen,lat_estacion_origen,"
        "fecha_destino_recorrido,id_estacion_destino,long_estacion_destino,lat_estacion_destino,id_usuario"
    )
    line = '1B,"1,320",2022-03-31 10:00:41,44B,-58.4,-34.6,2022-03-31 10:22:41,45B,-58.5,-34.5,606B'
    (row,) = reading_of(f"{names}\n{line}\n")[0].to_pylist()
    assert (row["user_id"], row["start_lat"], row["end_lng"]) == ("606B", -34.6, -58.5)
