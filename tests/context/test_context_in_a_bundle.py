"""What lies under the map of a release: written into its bundle, and read from strangers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpcore import limits
from dpcore.context import Context, file
from dpcore.context.file import context_bytes
from dpcore.errors import BundleError
from dpcore.release import read_bundle, verify_bundle, write_bundle, zipped
from dpcore.release.layout import CONTEXT
from dpcore.release.reading import read_under
from dpcore.tiles import Box, square_grid
from dpcore.views.report import report_html
from tests.context.made_layers import made_context
from tests.release.made_releases import made_release
from tests.release.tampering import manifest, rewrite


@pytest.fixture(scope="module")
def release():
    plain = made_release(weights={"visits_per_tile": 1}, epsilon="0.2")
    return replace(plain, context=made_context(plain.tessellation))


@pytest.fixture
def bundle(release, tmp_path):
    write_bundle(release, tmp_path / "bundle")
    return tmp_path / "bundle"


def refused(place) -> str:
    with pytest.raises(BundleError) as found:
        read_bundle(place)
    return str(found.value)


def test_a_bundle_gives_its_context_back_byte_by_byte(release, bundle):
    assert verify_bundle(bundle).release == release.id
    for place in (bundle, zipped(bundle)):
        found = read_bundle(place).context
        assert context_bytes(found) == context_bytes(release.context)
        assert found.attribution == "© Somebody"
    assert manifest(bundle)["schema_version"] == 5
    assert "© Somebody" in (bundle / "README.md").read_text(encoding="utf-8")


def test_a_bundle_without_context_is_written_as_before(release, tmp_path):
    write_bundle(replace(release, context=None), tmp_path / "bundle")
    assert manifest(tmp_path / "bundle")["schema_version"] == 5
    assert "context" not in manifest(tmp_path / "bundle")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"name":"Harbour"', b'"name":"Har\\u202ebour"'),
        (b'"name":"Harbour"', b'"name":"Harbour","url":"https://example.org"'),
        (b'"rank":3,"name"', b'"rank":99,"name"'),
        (b'"rank":0', b'"rank":true'),
        (b'"type":"Point"', b'"type":"Polygon"'),
        (b'"attribution":"', b'"attribution":"<script>alert(1)</script>\\n'),
        (b'"features":[', b'"features":[[[[['),
        (b'"kind":"water"', b'"kind":"fire"'),
        (b"\n", b" \n"),
    ],
    ids=lambda part: part.decode()[:24],
)
def test_a_changed_context_is_refused(bundle, before, after):
    data = (bundle / CONTEXT).read_bytes()
    assert before in data
    rewrite(bundle, context__geojson=data.replace(before, after, 1))
    assert CONTEXT in refused(bundle)


def test_hostile_names_stay_plain_text_and_the_manifest_must_say_whose_work_it_is(bundle):
    data = (bundle / CONTEXT).read_bytes().replace(b"Harbour", b"<img src=x onerror=alert(1)>")
    rewrite(bundle, context__geojson=data)
    assert read_bundle(bundle).context.places[0].name == "<img src=x onerror=alert(1)>"
    rewrite(bundle, context__geojson=data.replace("© Somebody".encode(), b"nobody"))
    assert "manifest" in refused(bundle)


def test_the_context_of_another_city_is_refused(bundle):
    elsewhere = made_context(square_grid(Box(30.0, 10.0, 30.1, 10.1), 2000))
    rewrite(bundle, context__geojson=context_bytes(elsewhere))
    assert "of another place than the tiles" in refused(bundle)


def test_a_huge_context_is_refused_before_it_is_parsed(bundle):
    rewrite(bundle, context__geojson=b"[" * (limits.MAX_KEPT_CONTEXT_BYTES + 1))
    assert f"more than {limits.MAX_KEPT_CONTEXT_BYTES:,} bytes" in refused(bundle)


def test_a_context_too_detailed_for_a_map_is_refused(bundle, monkeypatch):
    monkeypatch.setattr(file, "MAX_COST", 100)
    read_under.cache_clear()
    assert "too detailed for a map" in refused(bundle)


def test_a_file_that_the_manifest_does_not_expect_is_refused(bundle):
    def without(document: dict) -> None:
        del document["files"][CONTEXT]

    rewrite(bundle, without)
    assert CONTEXT in refused(bundle)
    (bundle / CONTEXT).unlink()
    assert "manifest" in refused(bundle)


HOSTILE = "</text></svg><script>alert(1)</script><img src=//evil.example>"


def test_the_report_file_has_the_context_under_its_maps_and_every_name_stays_a_text(release):
    context = release.context
    places = [replace(place, name=HOSTILE) for place in context.places]
    hostile = replace(release, context=Context.of(context.layers, places, HOSTILE))
    for shown in (release, hostile):
        page = report_html(shown, static=True)
        parts = {name for name in ("under", "over", "names") if page.count(f'<g id="{name}"') == 1}
        assert parts == {"under", "over", "names"}
        assert page.count('<use href="#under"/>') == page.count('<use href="#over"/>') > 0
        assert "<img" not in page
        assert "<script" not in page
    assert "&lt;/text&gt;" in page
    assert 'id="under"' not in report_html(replace(release, context=None), static=True)
