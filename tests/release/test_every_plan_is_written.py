"""Whatever was drawn for a plan is estimated, written, read back and verified: split or whole, listed or not, with sums or without."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import dpcore
from dpcore import limits
from dpcore.errors import AtlasError, InputError
from dpcore.estimates import by_part, words
from dpcore.estimates.by_part import MOST_PARTS
from dpcore.measures import MEASURES
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.measures.split import drawable_keys, parts_of
from dpcore.measures.sums import BY
from dpcore.release import estimates, read_bundle, verify_bundle, write_bundle
from dpcore.release.kinds.tables import TABLES
from dpcore.views.maps.address import Address
from dpcore.views.pictures.views import slide_of
from dpcore.views.report import report_html
from tests.cities import four_tiles
from tests.release.made_releases import WEEK, made_release

OF_TRIPS = [name for name, one in MEASURES.items() if one.terms]


def splits(*numbers: int) -> tuple[Categories, ...]:
    """Attributes with so many categories each; other and missing come on top."""
    return tuple(
        Categories(name, tuple(f"c{number}" for number in range(many)))
        for name, many in zip(("mode", "purpose"), numbers, strict=False)
    )


PARTS = [(), (1,), (2,), (3,), (4, 2)]
FEW = 4  # parts that are estimated one by one, so that both sides of the limit are quick


@st.composite
def asked(draw):
    """Fields of a release that a plan may ask for; a few are refused."""
    by = splits(*draw(st.sampled_from(PARTS)))
    names = draw(
        st.lists(st.sampled_from(OF_TRIPS if by else [*MEASURES]), min_size=1, max_size=3, unique=True)
    )
    if draw(st.booleans()):
        names = [*{"visits_per_tile": None, **dict.fromkeys(names)}]
    summed = draw(st.sampled_from([None, "sum_fare", "mean_fare"]))
    choices = KeyChoices(
        WEEK,
        visits_cap=draw(st.sampled_from([None, 5])),
        sums={"fare": "0:10:1"} if summed else (),
        by=draw(st.sampled_from([None, *BY])) if summed else None,
        splits=by,
    )
    weights = dict.fromkeys([*names, summed] if summed else names, 1)
    return {
        "unit": draw(st.sampled_from(["user", "trip"])),
        "weights": weights,
        "choices": choices,
        "epsilon": draw(st.sampled_from(["0.01", "2"])),
    }


def is_written(fields, folder) -> None:
    release = made_release(**fields)
    written = write_bundle(release, folder)
    assert verify_bundle(folder, digest=written.digest).estimates or not by_part.estimated_measures(
        release.plan
    )
    for name in TABLES.tables(written.release):
        dpcore.table(written.release, name)
    for name in by_part.estimated_measures(release.plan):
        dpcore.table(written.release, name, estimate="counted")


@settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(asked(), st.sampled_from([limits.MAX_DENSE_CELLS, 400, 120]))
def test_every_plan_is_estimated_written_read_and_verified(tmp_path_factory, fields, most):
    if "od_districts" in fields["weights"]:
        fields = {**fields, "choices": replace(fields["choices"], districts=districts())}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_part, "MOST_PARTS", FEW)
        patch.setattr(limits, "MAX_DENSE_CELLS", most)
        try:
            plan = made_release(**fields).plan
            TABLES.must_be_asked(plan)
            for measure in plan.measures:
                drawable_keys(measure, four_tiles().tile_ids)
        except AtlasError:
            assume(False)
        is_written(fields, tmp_path_factory.mktemp("plan") / "b")


def text_of(page: str) -> str:
    """What a reader of an HTML page can see, without the numbers of its script."""
    return " ".join(re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", unescape(page), flags=re.DOTALL).split())


def districts():
    return made_release(weights={"od_districts": 1}).plan.choices.districts


@pytest.mark.parametrize("unit", ["user", "trip"])
@pytest.mark.parametrize("numbers", [(MOST_PARTS - 1,), (14, 5)])
def test_visits_in_very_many_parts_are_released_without_flows_that_nothing_estimates(unit, numbers, tmp_path):
    choices = KeyChoices(WEEK, splits=splits(*numbers))
    assert len(parts_of(choices.splits)) > MOST_PARTS
    fields = {"unit": unit, "weights": {"visits_per_tile": 1}, "choices": choices}
    is_written(fields, tmp_path / "b")
    with pytest.raises(InputError, match="with estimates here"):
        dpcore.table(read_bundle(tmp_path / "b"), "od_flows", estimate="counted")
    one = dpcore.part(read_bundle(tmp_path / "b"), "visits_per_tile", parts_of(choices.splits)[3])
    assert len(one)


@pytest.mark.parametrize("error", [KeyError, MemoryError, RecursionError, InputError])
def test_estimates_that_fail_leave_a_bundle_with_its_tables_that_says_so(error, tmp_path, monkeypatch):
    release = made_release(weights={"visits_per_tile": 1, "od_flows": 1, "trips_per_hour": 1})

    def fails(*_, **__):
        raise error("where", "what", "mend")

    monkeypatch.setattr(estimates, "estimate", fails)
    written = write_bundle(release, tmp_path / "b")
    assert not (tmp_path / "b" / "estimates").exists()
    for file in ("README.md", "manifest.json", "registry.yaml"):
        said = re.sub(r"\s+", " ", (tmp_path / "b" / file).read_text("utf-8"))
        assert words.NOT_COMPUTED in said, file
        assert "estimate_" not in said, file
    verdict = verify_bundle(tmp_path / "b", digest=written.digest)
    assert not verdict.estimates
    assert "half widths and tables agree" in verdict.words
    assert TABLES.card(written.release).told == (words.NOT_COMPUTED,)
    assert len(dpcore.table(written.release, "od_flows")) == 25
    sheet, _, rest = report_html(written.release, static=True).partition("<header>")
    for said in (sheet, rest):
        assert text_of(said).count(words.NOT_COMPUTED) == 1
        assert "likely range" not in text_of(said)
    for view in ("map", "flows", "rhythm", "rankings", "accuracy"):
        shown = slide_of(written.release, Address(view, 0))
        assert f"{shown.told} {shown.sentence}".count(words.NOT_COMPUTED) == 1, view
        assert "estimate" not in f"{shown.title} {shown.sentence} {shown.alt}", view
    with pytest.raises((InputError, MemoryError), match=r"cannot be computed|where"):
        dpcore.table(written.release, "od_flows", estimate="counted")
    monkeypatch.undo()
    assert words.NOT_COMPUTED not in report_html(
        read_bundle(tmp_path / "b"), 0, static=True
    )  # where it can be computed, it is
    again = read_bundle(tmp_path / "b")
    assert len(dpcore.table(again, "visits_per_tile", estimate="counted")) == 5
    assert write_bundle(replace(again, drawn=replace(again.drawn, stated=None)), tmp_path / "c")
    assert verify_bundle(tmp_path / "c").estimates


def test_views_try_once_and_a_lack_of_memory_hides_no_estimates_that_a_bundle_has(tmp_path, monkeypatch):
    written = write_bundle(
        made_release(weights={"visits_per_tile": 1}, epsilon="1.5"), tmp_path / "b"
    ).release
    tried = []

    def fails(*_, **__):
        tried.append(1)
        raise error

    monkeypatch.setattr(estimates, "_REMEMBERED", estimates._Remembered())
    monkeypatch.setattr(estimates, "estimate", fails)
    error = MemoryError()
    with pytest.raises(MemoryError):
        estimates.estimates_to_show(written)
    error = KeyError()
    found = [estimates.estimates_to_show(written, rung, of=of) for rung, of in ((-1, ()), (0, None))]
    assert not any(map(estimates.are_computed, found))
    assert [one.rung for one in found] == [len(written.plan.rungs) - 1, 0]
    assert len(tried) == 2
