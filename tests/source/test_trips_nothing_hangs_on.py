"""What a refusal carries: its own text and no error of a library, which may hold a piece of the file."""

from __future__ import annotations

import zlib

import pyarrow as pa
import pytest
from reading_of import CANONICAL, GOOD, LONG, gzipped, parquet, reading_of, upload, zipped

from dpcore import limits
from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.private.source import TripsFile, inspect, parquet_file, reading

CANARY = "zq7canary"
ROWS = CANONICAL + GOOD.replace("u1", CANARY) * 50
LONG_ROWS = LONG + "".join(f"{CANARY},{i},2024-03-01 10:00:00,1,2\n" for i in range(50))


def chain(error):
    """The error and all that hang on it, however they do."""
    found, left = [], [error]
    while left:
        one = left.pop()
        if one is not None and one not in found:
            found.append(one)
            left += [one.__context__, one.__cause__, *getattr(one, "exceptions", ())]
    return found


def carried(error):
    """All that an error holds, as text: arguments, attributes of its class and its own, notes."""
    names = [name for name in dir(error) if not name.startswith("__") or name in {"__notes__", "__dict__"}]
    return "\n".join([str(error), repr(error), repr(error.args), *(repr(getattr(error, n)) for n in names)])


def assert_alone(error):
    for one in chain(error):
        assert isinstance(one, AtlasError), type(one)
        assert CANARY not in carried(one), type(one)


def texts_of_bad_utf8():
    columns = {name: [cell] for name, cell in zip(CANONICAL.strip().split(","), GOOD.split(","), strict=True)}
    raw = pa.array([CANARY.encode() + b"\xff"], pa.binary())
    columns["user_id"] = pa.Array.from_buffers(pa.string(), 1, raw.buffers())
    return parquet(columns)


def packed_table():
    names = CANONICAL.strip().split(",")
    cells = [CANARY, *GOOD.strip().split(",")[1:]]
    return parquet({name: [cell] * 100 for name, cell in zip(names, cells, strict=True)})


def broken(data, begin, end=None):
    """The bytes with some of them turned over."""
    end = begin + 1 if end is None else end
    return data[:begin] + bytes(byte ^ 0xFF for byte in data[begin:end]) + data[end:]


ZIP, GZIP, PARQUET = zipped({"a.csv": ROWS}), gzipped(ROWS), packed_table()

REFUSED = {
    "bad UTF-8": ("t.csv", ROWS.encode() + f"ü{CANARY}".encode("latin-1")),
    "bad UTF-8 in the header": ("t.csv", f"ü{CANARY}\n".encode("latin-1") + ROWS.encode()),
    "bad UTF-8 in gzip": ("t.csv.gz", gzipped(ROWS.encode() + b"\xff")),
    "cut letter": ("t.csv", ROWS.encode() + CANARY.encode() + b"\xc3"),
    "NUL": ("t.csv", ROWS + f"{CANARY}\0"),
    "open quotation mark": ("t.csv", ROWS + f'"{CANARY}' + GOOD),
    "endless line": ("t.csv", ROWS + CANARY * 200_000),
    "wrong number of fields": ("t.csv", ROWS + f"{CANARY}\n"),
    "bad number": ("t.csv", ROWS + GOOD.replace("52.5", CANARY)),
    "bad time": ("t.csv", ROWS + GOOD.replace("2024-03-01 10:00:00", CANARY)),
    "bad time in a long file": ("t.csv", LONG_ROWS + f"u,t,{CANARY},1,2\n"),
    "data for a header": ("t.csv", f"{CANARY},1\n" + ROWS),
    "zip cut": ("t.zip", ZIP[: len(ZIP) // 2]),
    "zip with a wrong sum": ("t.zip", broken(ZIP, ZIP.find(b"PK\x01\x02") + 16, ZIP.find(b"PK\x01\x02") + 20)),
    "zip with damaged data": ("t.zip", broken(ZIP, 60, 90)),
    "zip with a damaged entry": ("t.zip", broken(ZIP, 28)),
    "gzip cut": ("t.csv.gz", GZIP[:-12]),
    "gzip with damaged data": ("t.csv.gz", broken(GZIP, 40, 60)),
    "Parquet cut": ("t.parquet", PARQUET[:-20]),
    "Parquet with a damaged footer": ("t.parquet", broken(PARQUET, len(PARQUET) - 60, len(PARQUET) - 20)),
    "Parquet with damaged pages": ("t.parquet", broken(PARQUET, 4, 60)),
    "Parquet with bad UTF-8": ("t.parquet", texts_of_bad_utf8()),
    "Parquet with a bad number": ("t.parquet", parquet({
        "uid": ["u"], "tid": ["t"], "datetime": ["2024-03-01 10:00:00"], "lat": [CANARY], "lng": ["1"],
    })),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_no_error_of_a_library_and_no_cell_hangs_on_a_refusal(kind):
    name, data = REFUSED[kind]
    with pytest.raises(InputError) as error:
        reading_of(data, name)
    assert_alone(error.value)


def test_nor_on_that_of_a_record_without_end(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2 * limits.MAX_RECORD_BYTES)
    with pytest.raises(InputError, match="quotation mark") as error:
        reading_of(ROWS + f'"{CANARY}' + GOOD * 60_000)
    assert_alone(error.value)


def test_nor_on_that_of_text_that_the_engine_refuses(monkeypatch):
    def refuse(*_args, **_options):
        raise pa.ArrowInvalid(CANARY)

    file = upload(ROWS)
    found = inspect(file)
    monkeypatch.setattr(pa.csv, "read_csv", refuse)
    with pytest.raises(InputError, match="not CSV") as error:
        list(reading.read(file, found, timezone="UTC").batches())
    assert_alone(error.value)


def test_nor_on_that_of_a_page_that_breaks_while_it_is_read(monkeypatch):
    def refuse(*_args):
        raise pa.ArrowInvalid(CANARY)

    monkeypatch.setattr(parquet_file, "plain", refuse)
    with pytest.raises(InputError, match="damaged") as error:
        reading_of(PARQUET, "t.parquet")
    assert_alone(error.value)


def test_nor_on_that_of_an_archive_that_breaks_while_it_is_read(monkeypatch):
    file = upload(GZIP, "t.csv.gz")

    def refuse(*_args):
        raise zlib.error(CANARY)

    with file.open_text() as stream:
        monkeypatch.setattr(stream._inner, "read", refuse)
        with pytest.raises(InputError, match="damaged") as error:
            stream.read()
    assert_alone(error.value)


@pytest.mark.parametrize("fault", [ValueError, RuntimeError, pa.ArrowInvalid])
def test_nor_on_a_fault_of_ours(monkeypatch, fault):
    def fail(*_args):
        raise fault(CANARY)

    monkeypatch.setattr(reading, "trips_of_rows", fail)
    with pytest.raises(InternalError) as error:
        reading_of(ROWS)
    assert_alone(error.value)


def test_nor_on_that_of_a_full_work_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 10)
    with pytest.raises(InputError, match="work folder") as error:
        reading_of(LONG_ROWS, work_folder=tmp_path / f"not-there-{CANARY[:3]}")
    assert_alone(error.value)


@pytest.mark.parametrize("use", ["open_bytes", "open_arrow", "open_text", "identity"])
def test_nor_on_that_of_a_file_that_is_gone(tmp_path, use):
    place = tmp_path / "t.csv"
    place.write_text(ROWS)
    file = TripsFile.on_disk(place)
    place.unlink()
    with pytest.raises(InputError, match="cannot be opened") as error:
        getattr(file, use)()
    assert_alone(error.value)
    with pytest.raises(InputError, match="cannot be opened") as error:
        TripsFile.on_disk(place)
    assert_alone(error.value)


def test_this_test_finds_what_hangs_on_an_error():
    def hiding():
        try:
            (CANARY.encode() + b"\xff").decode()
        except UnicodeDecodeError:
            raise InputError("a", "b", "c") from None

    with pytest.raises(InputError) as error:
        hiding()
    assert CANARY in carried(error.value.__context__)
    with pytest.raises(AssertionError):
        assert_alone(error.value)
