import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import TripsFile, trips_files


@pytest.fixture
def folder(tmp_path):
    for name in (
        "date=2024-03-02/part-0.parquet",
        "date=2024-03-01/part-0.parquet",
        "date=2024-03-01/_temporary/part-1.parquet",
        "_SUCCESS",
        "_delta.csv",
        ".hidden.csv",
        ".git/a.csv",
        "old/2023.CSV",
        "read me.txt",
    ):
        (tmp_path / "trips" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "trips" / name).write_bytes(b"PAR1 PAR1" if name.endswith("parquet") else b"a,b\n")
    (tmp_path / "secret.csv").write_bytes(b"a,b\n")
    (tmp_path / "trips" / "link.csv").symlink_to(tmp_path / "secret.csv")
    (tmp_path / "trips" / "loop").symlink_to(tmp_path / "trips")
    return tmp_path / "trips"


def names(*paths):
    return [file.name for file in trips_files(paths)]


def test_a_folder_is_all_trips_files_below_it_called_by_their_place(folder):
    assert names(folder) == [
        "date=2024-03-01/part-0.parquet",
        "date=2024-03-02/part-0.parquet",
        "old/2023.CSV",
    ]


def test_a_file_is_called_by_its_name_unless_another_is_called_so(folder, tmp_path):
    assert names(str(tmp_path / "secret.csv")) == ["secret.csv"]
    both = [folder / f"date=2024-03-0{day}" / "part-0.parquet" for day in (1, 2)]
    assert names(*both) == [str(path) for path in both]


def test_a_folder_without_trips_is_refused(folder, tmp_path):
    (tmp_path / "_temporary").mkdir()
    with pytest.raises(InputError, match="no trips file in the folder: _temporary"):
        trips_files([tmp_path / "_temporary"])
    with pytest.raises(InputError, match="cannot be opened"):
        trips_files([folder / "gone.csv"])


def test_too_many_files_and_names_are_refused(folder, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TRIPS_FILES", 2)
    with pytest.raises(InputError, match="more than 2 files"):
        trips_files([folder])
    monkeypatch.setattr(limits, "MAX_FOLDER_ENTRIES", 4)
    with pytest.raises(InputError, match="more than 4 names"):
        trips_files([folder])


def test_uploads_are_limited_together(monkeypatch):
    monkeypatch.setattr(limits, "MAX_UPLOAD_BYTES", 10)
    assert len(TripsFile.uploads([("a.csv", b"a,b\n"), ("b.csv", b"a,b\n")])) == 2
    assert TripsFile.uploads([]) == ()
    with pytest.raises(InputError, match="12 bytes, the limit is 10"):
        TripsFile.uploads([("a.csv", b"a,b\n")] * 3)
    monkeypatch.setattr(limits, "MAX_UPLOADED_FILES", 1)
    with pytest.raises(InputError, match="2 uploads"):
        TripsFile.uploads([("a.csv", b"a\n")] * 2)
