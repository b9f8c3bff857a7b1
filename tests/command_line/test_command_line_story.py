"""`story` from the command line: the first story of a release, and whether a story can be played."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, date, datetime

import pytest

from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.release import write_bundle
from dpcore.stories.file import story_of
from tests.release.made_releases import WEEK, made_release, with_trips_of_other_days

ERROR = re.compile(r"error: [^:]+: .+\. .+\n")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    later = datetime(2024, 6, 1, tzinfo=UTC)
    new = made_release(
        id="new", unit="trip", period=Period(date(2024, 4, 8), date(2024, 4, 14)), created=later
    )
    for release in (made_release(id="old", unit="trip"), new):
        write_bundle(with_trips_of_other_days(release, 0), folder / release.id)
    write_bundle(made_release(id="people"), folder / "people")
    split = made_release(id="split", unit="trip", choices=KeyChoices(WEEK, splits={"mode": ["bus", "rail"]}))
    write_bundle(split, folder / "split")
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return tmp_path_factory.mktemp("story") / "deep" / "story.json"


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def test_a_story_is_written_and_checked(run, bundles, written):
    code, out, told = run("story", bundles / "new", "--with", bundles / "old", "--out", written)
    assert (code, out) == (0, "")
    assert told.startswith(f"wrote {written}")
    assert [path.name for path in written.parent.iterdir()] == ["story.json"]
    steps = story_of(written.read_bytes()).steps
    assert steps[0].view == "change"
    code, out, _ = run("story", "--check", written, bundles / "new", bundles / "old")
    assert code == 0
    assert [(row["view"], row["fault"]) for row in rows(out)] == [(one.view, "") for one in steps]
    code, out, told = run("story", "--check", written, bundles / "new")
    assert code == 2
    assert [row["step"] for row in rows(out) if row["fault"]] == ["1"]
    assert "1 of " in told


def test_all_faults_of_a_file_are_told_and_none_of_its_texts(run, bundles, written, tmp_path):
    run("story", bundles / "new", "--out", written)
    found = json.loads(written.read_text())
    found["steps"] = [{"view": "<b>", "release": "<b>", "sentence": "x\x00"}] * 3
    (tmp_path / "s.json").write_text(json.dumps(found))
    code, out, told = run("story", "--check", tmp_path / "s.json", bundles / "new")
    assert (code, out) == (2, "")
    assert len(re.findall("^error: ", told, re.MULTILINE)) == 9
    assert "<b>" not in told
    found["steps"] = [{}] * 10_000
    (tmp_path / "s.json").write_text(json.dumps(found))
    assert "1 to 200 entries" in run("story", "--check", tmp_path / "s.json", bundles / "new")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new"], "--out"),
        (["new", "old", "--out", "x.json"], "one release"),
        (["new", "--with", "people", "--out", "x.json"], "single trips"),
        (["split", "--with", "new", "--out", "x.json"], "split by category"),
        (["new", "--check", "none.json"], "cannot be read"),
        (["new", "--check", "x.json", "--out", "y.json"], "not both"),
        (["gone", "--out", "x.json"], "no such bundle"),
        (["new", "--out", "x.png"], "unknown form of a story"),
    ],
)
def test_what_cannot_be_done_ends_with_code_2_and_how_to_mend_it(run, bundles, tmp_path, words, said):
    places = [bundles / word if word in {"new", "old", "people", "split", "gone"} else word for word in words]
    places = [tmp_path / word if str(word).endswith(".json") else word for word in places]
    code, out, told = run("story", *places)
    assert (code, out) == (2, "")
    assert ERROR.fullmatch(told)
    assert said in told
    assert not list(tmp_path.iterdir())
