import bz2
import gzip
import io
import tarfile

import pytest
from reading_of import zipped

from dpcore import limits
from dpcore.command_line import main
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS
from dpcore.private.source import TripsFile, inspect, left_out_notes, trips_files
from dpcore.private.source.content import Content
from dpcore.private.source.every_file import every_file

_BYTES = {"parquet": b"PAR1 PAR1", "gz": gzip.compress(b"a,b\n"), "bz2": bz2.compress(b"a,b\n")}


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
        "old/2022.tsv",
        "old/2021.csv.gz",
        "old/2020.csv.bz2",
        "old/2019.xlsx",
        "old/2018",
        "old/2017.json",
        "read me.txt",
    ):
        (tmp_path / "trips" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "trips" / name).write_bytes(_BYTES.get(name.rpartition(".")[2], b"a,b\n"))
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
        "old/2020.csv.bz2",
        "old/2021.csv.gz",
        "old/2022.tsv",
        "old/2023.CSV",
    ]


def test_what_is_not_read_is_named_with_the_reason_and_the_rest_of_a_folder_is_read(folder):
    said = left_out_notes([folder, folder / "old" / "2023.CSV"])
    named = {name: note for note in said for name in note.partition(": ")[2].partition(" (")[0].split(", ")}
    assert {name: named[name].rpartition("(")[2] for name in named} == {
        ".git/": "its name begins with a dot or an underscore)",
        ".hidden.csv": "its name begins with a dot or an underscore)",
        "_delta.csv": "its name begins with a dot or an underscore)",
        "date=2024-03-01/_temporary/": "its name begins with a dot or an underscore)",
        "link.csv": "it is a link, and a folder holds only what lies in it)",
        "loop/": "it is a link, and a folder holds only what lies in it)",
        "old/2017.json": "no trips end so; unpack it, or save it as CSV)",
        "old/2018": "no ending says what it holds; name it .csv, for example)",
        "old/2019.xlsx": "a spreadsheet is not read; save it as CSV UTF-8)",
        "read me.txt": "by its name it is about data)",
    }
    assert all(note.startswith("not read in the folder trips: ") for note in said)


def test_texts_beside_trajectories_of_geolife_are_no_trips(tmp_path):
    (tmp_path / "010" / "Trajectory").mkdir(parents=True)
    (tmp_path / "010" / "Trajectory" / "1.plt").write_bytes(b"Geolife trajectory\r\n")
    (tmp_path / "010" / "labels.txt").write_bytes(b"a\tb\n")
    assert names(tmp_path) == [tmp_path.name]
    assert left_out_notes([tmp_path]) == (
        f"not read in the folder {tmp_path.name}: 010/labels.txt (it lies beside trajectories of GeoLife)",
    )


def test_all_files_of_a_folder_that_cannot_be_opened_are_told_at_once(folder):
    (folder / "old" / "2021.csv.gz").write_bytes(b"a,b\n")
    (folder / "old" / "2016.pq").write_bytes(b"a,b\n")
    with pytest.raises(InputError) as caught:
        trips_files([folder])
    mend = "Move it out of the folder, or: Rename it to end in .csv or .txt or .tsv or .tab, or choose another file."
    assert caught.value.faults == (
        f"the name ends in .pq, the content is CSV text: old/2016.pq. {mend}",
        f"the name ends in .gz, the content is CSV text: old/2021.csv.gz. {mend}",
    )
    assert caught.value.mend.startswith("Move it out of the folder, or: Rename it")


HEADER = "started_at,ended_at,start_tile,end_tile\n"
APART = "give these columns the names that the others have."


@pytest.fixture
def mixed(tmp_path):
    place = tmp_path / "mixed"
    place.mkdir()
    for name, data in {
        "1.csv": HEADER.encode(),
        "2.csv": HEADER.replace("ended_at", "until").encode(),
        "3.csv": HEADER.replace("ended_at", "until").encode(),
        "4.csv": zipped({"a.csv": HEADER}),
        "5.tar.gz": gzip.compress(_tar()),
        "6.tar.bz2": bz2.compress(_tar()),
        "7.zip": zipped({"a.csv": HEADER, "b.csv": HEADER}),
    }.items():
        (place / name).write_bytes(data)
    return place


def test_bad_files_of_every_kind_are_told_at_once(mixed, capsys):
    (mixed.parent / "tiles.csv").write_text('tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\n')
    words = ["exact", "visits_per_tile", "--trips", str(mixed), "--tiles", str(mixed.parent / "tiles.csv")]
    assert main([*words, "--timezone", "Europe/Berlin"]) == 2
    told = capsys.readouterr().err.splitlines()
    wanted = [
        ("the content is a zip archive", "4.csv", "Move it out of the folder"),
        ("a tar archive inside an archive", "5.tar.gz", "Unpack it"),
        ("a tar archive inside an archive", "6.tar.bz2", "Unpack it"),
        ("the zip archive holds 2 files", "7.zip", "Unpack it"),
        ("column missing: ended_at", "2.csv, 3.csv, nearest form", APART),
    ]
    for what, where, mend in wanted:
        assert any(what in line and where in line and mend in line for line in told), what
    assert not any("--column" in line for line in told)
    for name in ("4.csv", "5.tar.gz", "6.tar.bz2", "7.zip"):
        (mixed / name).unlink()
    assert main([*words, "--timezone", "Europe/Berlin"]) == 2
    assert "column missing: ended_at: 2.csv, 3.csv, nearest form" in capsys.readouterr().err
    for number in (2, 3):
        (mixed / f"{number}.csv").write_text(HEADER + "2024-03-01 10:00,2024-03-01 10:20,A,A\n" * number)
    assert main([*words, "--timezone", "Europe/Berlin"]) == 0


def test_columns_that_all_files_lack_are_named_once_with_the_option(mixed):
    files = [TripsFile.on_disk(mixed / name) for name in ("2.csv", "3.csv")]
    with pytest.raises(InputError, match=r"2\.csv, 3\.csv, nearest form.*--column ended_at=NAME"):
        every_file(files, inspect)


def test_bad_uploads_are_told_at_once(mixed):
    files = [(place.name, place.read_bytes()) for place in sorted(mixed.iterdir())]
    with pytest.raises(InputError) as refused:
        TripsFile.uploads(files)
    assert [fault.partition(": ")[2].split(".")[0] for fault in refused.value.faults] == ["4", "5", "6", "7"]


def test_what_loads_by_its_name_loads_in_a_folder_and_on_the_page():
    assert {*TRIPS_ENDINGS} == {ending for kind in Content for ending in kind.endings}


def _tar():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        told = tarfile.TarInfo("trips.csv")
        told.size = 4
        archive.addfile(told, io.BytesIO(b"a,b\n"))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("trips.tar.gz", gzip.compress(_tar()), "a tar archive inside an archive"),
        ("trips.tar.bz2", bz2.compress(_tar()), "a tar archive inside an archive"),
        ("trips.csv.gz", gzip.compress(b"PAR1\0\0PAR1"), "Parquet inside an archive"),
        ("trips.tar", _tar(), "the content is a tar archive"),
        ("trips.csv", _tar(), "the content is a tar archive"),
        ("trips.tgz", gzip.compress(_tar()), "a tar archive inside an archive"),
        ("trips.tbz2", bz2.compress(_tar()), "a tar archive inside an archive"),
        ("trips.rar", b"Rar!\x1a\x07\x01\0", "the content is a RAR archive"),
    ],
)
def test_archives_are_named_and_how_they_are_unpacked(name, data, said):
    with pytest.raises(InputError, match=said) as caught:
        TripsFile.uploaded(name, data).open_text().read()
    assert "Unpack it: a folder of files is one data set." in caught.value.mend


@pytest.mark.parametrize("encoding", ["cp949", "shift_jis", "gbk", "cp1251"])
def test_an_older_encoding_is_named_where_the_names_of_columns_are_not_known(encoding):
    letters = {"cp949": "대여일시", "shift_jis": "貸出日時", "gbk": "借出时间", "cp1251": "начало"}[encoding]
    file = TripsFile.uploaded("trips.csv", f"{letters},{letters}2\n1,2\n".encode(encoding))
    with pytest.raises(InputError, match="columns missing") as caught:
        inspect(file)
    assert caught.value.mend.startswith(
        "The header is not UTF-8 and was read as Latin-1. If it is of another older"
    )
    with pytest.raises(InputError) as caught:
        inspect(TripsFile.uploaded("trips.csv", b"a,b\n1,2\n"))
    assert "Latin-1" not in caught.value.mend


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
