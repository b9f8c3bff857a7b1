import pytest

from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS, data_path, data_paths, folders


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "data" / "2024").mkdir(parents=True)
    for name in ("a.csv", "2024/b.parquet", "notes.md"):
        (tmp_path / "data" / name).write_text("x")
    (tmp_path / "secret.csv").write_text("x")
    (tmp_path / "data" / "link.csv").symlink_to(tmp_path / "secret.csv")
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_files_of_the_folder_are_listed_and_links_out_of_it_are_not(folder):
    assert data_paths(TRIPS_ENDINGS) == ["2024/b.parquet", "a.csv"]
    assert data_path("a.csv") == folder / "a.csv"


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "gone.csv", "", "."])
@pytest.mark.usefixtures("folder")
def test_nothing_outside_the_folder_is_opened(name):
    with pytest.raises(InputError, match="data folder"):
        data_path(name)


def test_without_a_configured_folder_there_is_nothing(monkeypatch):
    monkeypatch.delenv("EPSILON_ATLAS_DATA", raising=False)
    assert data_paths(TRIPS_ENDINGS) == []
    with pytest.raises(InputError):
        data_path("a.csv")


def test_a_folder_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_DATA", "/nonexistent/folder")
    with pytest.raises(InputError, match="does not exist"):
        data_paths(TRIPS_ENDINGS)


def test_lists_are_short_and_every_folder_is_found_all_the_same(folder, monkeypatch):
    (folder / "2025").mkdir()
    (folder / "2025" / "1.txt").write_text("x")
    monkeypatch.setattr("dpcore.places._MOST_LISTED", 2)
    assert data_paths(TRIPS_ENDINGS) == ["2024/b.parquet", "2025/1.txt"]
    assert folders(TRIPS_ENDINGS) == ["2024/", "2025/"]


def test_folders_with_trips_are_listed_and_opened_as_folders(folder):
    (folder / "empty").mkdir()
    (folder / "2024" / "date=1").mkdir()
    (folder / "2024" / "date=1" / "c.csv").write_text("x")
    assert folders(TRIPS_ENDINGS) == ["2024/", "2024/date=1/"]
    assert data_path("2024/", folder=True) == folder / "2024"
    for name, as_folder in (("a.csv", True), ("2024/", False), ("../", True), ("gone/", True)):
        with pytest.raises(InputError, match="data folder"):
            data_path(name, folder=as_folder)
