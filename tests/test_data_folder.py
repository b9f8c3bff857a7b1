import pytest

from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS, folders, listed, opened


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "data" / "2024").mkdir(parents=True)
    for name in ("a.csv", "2024/b.parquet", "notes.txt"):
        (tmp_path / "data" / name).write_text("x")
    (tmp_path / "secret.csv").write_text("x")
    (tmp_path / "data" / "link.csv").symlink_to(tmp_path / "secret.csv")
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_files_of_the_folder_are_listed_and_links_out_of_it_are_not(folder):
    assert listed(TRIPS_ENDINGS) == ["2024/b.parquet", "a.csv"]
    assert opened("a.csv") == folder / "a.csv"


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "gone.csv", "", "."])
@pytest.mark.usefixtures("folder")
def test_nothing_outside_the_folder_is_opened(name):
    with pytest.raises(InputError, match="data folder"):
        opened(name)


def test_without_a_configured_folder_there_is_nothing(monkeypatch):
    monkeypatch.delenv("EPSILON_ATLAS_DATA", raising=False)
    assert listed(TRIPS_ENDINGS) == []
    with pytest.raises(InputError):
        opened("a.csv")


def test_a_folder_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_DATA", "/nonexistent/folder")
    with pytest.raises(InputError, match="does not exist"):
        listed(TRIPS_ENDINGS)


def test_folders_with_trips_are_listed_and_opened_as_folders(folder):
    (folder / "empty").mkdir()
    (folder / "2024" / "date=1").mkdir()
    (folder / "2024" / "date=1" / "c.csv").write_text("x")
    assert folders(TRIPS_ENDINGS) == ["2024/", "2024/date=1/"]
    assert opened("2024/", folder=True) == folder / "2024"
    for name, as_folder in (("a.csv", True), ("2024/", False), ("../", True), ("gone/", True)):
        with pytest.raises(InputError, match="data folder"):
            opened(name, folder=as_folder)
