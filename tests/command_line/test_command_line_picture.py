"""`picture`, and stories as files to take along, from the command line: whole files, at a released rung, and clear refusals."""

from __future__ import annotations

import pytest

from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.release import write_bundle
from tests.release.made_releases import WEEK, made_release
from tests.synthetic_release.made_synthetic import made_synthetic, stability_choices
from tests.synthetic_release.made_tree import made_tree


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "made"
    write_bundle(made_release(title="A made city"), folder)
    return folder


def test_a_picture_is_one_file_that_tells_where_it_is(run, bundle, tmp_path):
    out = tmp_path / "new" / "map.svg"
    code, printed, told = run(
        "picture", bundle, "--out", out, "--epsilon", "0.5", "--sentence", "As we <b>say</b>."
    )
    assert (code, printed) == (0, "")
    assert told == f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB)\n"
    page = out.read_text(encoding="utf-8")
    assert "As we &lt;b&gt;say&lt;/b&gt;." in page
    assert "shown at its stop of \N{GREEK SMALL LETTER EPSILON} = 0.5" in page
    assert "words." in page
    assert "author&#x27;s" in page or "author's" in page
    assert [path.name for path in out.parent.iterdir()] == ["map.svg"], "nothing beside it"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--view", "nothing", "--out", "x.png"), "unknown view"),
        (("--out", "x.gif"), "unknown form of a picture"),
        (("--out", "x.png", "--epsilon", "7"), "this rung was not released"),
        (("--out", "x.png", "--link", "&".join(["tile=A"] * 60)), "the link names too many things"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_can(run, bundle, words, told):
    code, printed, said = run("picture", bundle, *words)
    assert (code, printed) == (2, "")
    assert said.startswith(f"error: {told}")


def test_a_file_that_cannot_be_written_leaves_nothing_behind(run, bundle, tmp_path):
    (tmp_path / "map.png").mkdir()
    code, _, told = run("picture", bundle, "--out", tmp_path / "map.png")
    assert (code, "the file cannot be written" in told) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_a_link_colours_the_map_by_a_sum(run, tmp_path):
    choices = KeyChoices(sums={"fare": "0:20:0.5"}, by="visits_per_tile")
    made = made_release(weights={"visits_per_tile": 1, "mean_fare": 1}, choices=choices)
    write_bundle(made, tmp_path / "sums")
    out = tmp_path / "map.svg"
    assert run("picture", tmp_path / "sums", "--out", out, "--link", "colours=mean_fare")[0] == 0
    assert "Mean of fare by tile" in out.read_text(encoding="utf-8")


def test_a_category_of_split_tables_is_drawn(run, tmp_path):
    split = made_release(
        weights={"visits_per_tile": 1},
        choices=KeyChoices(WEEK, splits=(Categories("mode", ("bus", "rail")),)),
    )
    write_bundle(split, tmp_path / "split")
    out = tmp_path / "map.svg"
    assert run("picture", tmp_path / "split", "--out", out)[0] == 2
    assert run("picture", tmp_path / "split", "--out", out, "--category", "mode=bus")[0] == 0
    assert "mode bus" in out.read_text(encoding="utf-8")


def test_a_story_is_written_to_take_along_from_its_file_or_at_once(run, bundle, tmp_path):
    story, at_once, from_file = (tmp_path / name for name in ("s.json", "a.html", "b.html"))
    assert run("story", bundle, "--out", story)[0] == 0
    assert run("story", bundle, "--out", at_once)[0] == 0
    assert run("story", bundle, "--from", story, "--out", from_file)[0] == 0
    assert at_once.read_bytes() == from_file.read_bytes()
    code, _, told = run("story", bundle, "--from", story, "--out", tmp_path / "c.doc")
    assert (code, "unknown form of a story" in told) == (2, True)
    assert run("story", bundle, "--from", story)[0] == 2


@pytest.mark.parametrize(
    ("made", "view", "said"),
    [
        (lambda: made_synthetic(title="Made"), "flows", "synthetic"),
        (lambda: made_synthetic(stability_choices(), title="Made"), "map-on", "not listed"),
        (lambda: made_tree(title="Made", number=3_000), "levels", "more noise"),
    ],
)
def test_views_of_other_kinds_are_pictures_and_one_report(run, tmp_path, made, view, said):
    write_bundle(made(), tmp_path / "made")
    out = tmp_path / "view.svg"
    assert run("picture", tmp_path / "made", "--view", view, "--out", out)[0] == 0
    assert said in out.read_text(encoding="utf-8")
    report = tmp_path / "report.html"
    assert run("report", tmp_path / "made", "--out", report)[0] == 0
    page = report.read_text(encoding="utf-8")
    assert said in page
    assert "What is promised" in page
    for words in (
        ("--view", "moon"),
        ("--view", view, "--link", "tile=A"),
        ("--view", view, "--epsilon", "7"),
    ):
        code, _, told = run("picture", tmp_path / "made", *words, "--out", tmp_path / "x.png")
        assert (code, told.startswith("error: ")) == (2, True)
    assert not (tmp_path / "x.png").exists()
