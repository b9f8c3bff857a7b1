"""`report` from the command line: one file, made of a bundle alone, at a released rung."""

from __future__ import annotations

import re

import pytest

from dpcore.release import write_bundle, zipped
from tests.release.made_releases import made_release

ERROR = re.compile(r"error: [^:]+: .+\. .+\n")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "made"
    write_bundle(made_release(title="A made city"), folder)
    return folder


def test_a_report_is_one_file_that_tells_where_it_is(run, bundle, tmp_path):
    out = tmp_path / "new" / "report.html"
    code, printed, told = run("report", bundle, "--out", out)
    assert (code, printed) == (0, "")
    assert told.startswith(f"wrote {out}")
    page = out.read_text(encoding="utf-8")
    assert "<h1>A made city</h1>" in page
    assert '<b id="epsilon">2</b>' in page
    assert [path.name for path in out.parent.iterdir()] == ["report.html"], "nothing beside it"


def test_it_is_of_the_rung_that_was_asked_for(run, bundle, tmp_path):
    assert run("report", bundle, "--out", tmp_path / "r.html", "--epsilon", "0.5")[0] == 0
    assert '<b id="epsilon">0.5</b>' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_static_report_has_no_charts_and_says_so(run, bundle, tmp_path):
    told = {}
    for name, words in (("whole", ()), ("static", ("--static",))):
        code, _, told[name] = run("report", bundle, "--out", tmp_path / f"{name}.html", *words)
        assert code == 0
    whole, static = ((tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in told)
    assert "(5.0 MB)" in told["whole"]
    assert "(0.1 MB)" in told["static"]
    assert "This file has no charts." in static
    assert "This file has no charts." not in whole
    assert 'class="chart"' in whole
    assert 'class="chart"' not in static
    assert "<script" not in static


def test_a_zipped_bundle_gives_the_same_file(run, bundle, tmp_path):
    (tmp_path / "made.zip").write_bytes(zipped(bundle))
    run("report", bundle, "--out", tmp_path / "a.html")
    run("report", tmp_path / "made.zip", "--out", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--epsilon", "5"), "Choose one of: 0.1, 0.2"),
        (("--epsilon", "NaN"), "plain decimal"),
    ],
)
def test_a_rung_that_was_not_released_is_refused(run, bundle, tmp_path, words, said):
    code, printed, told = run("report", bundle, "--out", tmp_path / "r.html", *words)
    assert (code, printed) == (2, "")
    assert ERROR.fullmatch(told)
    assert said in told
    assert not (tmp_path / "r.html").exists()


def test_a_file_that_cannot_be_written_is_refused(run, bundle, tmp_path):
    (tmp_path / "taken").write_text("a file")
    code, _, told = run("report", bundle, "--out", tmp_path / "taken" / "r.html")
    assert code == 2
    assert ERROR.fullmatch(told)


def test_what_is_no_bundle_is_refused(run, tmp_path):
    code, _, told = run("report", tmp_path / "nothing", "--out", tmp_path / "r.html")
    assert code == 2
    assert ERROR.fullmatch(told)
