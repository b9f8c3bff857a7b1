"""The reference is complete and no longer than the code: both ways, from the code to the page and from the page to the code."""

from __future__ import annotations

import inspect
import json
import re
from datetime import date

import pytest

import dpcore
from dpcore import demo, errors, limits
from dpcore.ledger.account import EntryKind
from dpcore.measures import BINS, MEASURES
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.source.forms import FORMS
from dpcore.private.source.vocabulary import NAMES, ROLE_OF, normal_name
from tests.conftest import ROOT
from tests.docs import glossary
from tests.docs.options import PARSERS, options_of
from tests.docs.texts import DOCUMENTS, REFERENCE, codes, rows, section, text_of

COMMANDS = REFERENCE / "commands.md"
LIBRARY = REFERENCE / "library.md"
MEASURES_PAGE = REFERENCE / "measures.md"
BUNDLES = REFERENCE / "bundles.md"


def documented(title: str) -> set[str]:
    """The options of the table below a heading, and of the shared tables that the text names."""
    text = section(COMMANDS, title)
    own = {codes(row[0])[0].split()[0] for row in rows(text)}
    line = re.search(r"^Shares:.+?\n\n", text, re.MULTILINE | re.DOTALL)
    shared = re.findall(r"\[(.+?)\]\(#", line[0]) if line else []
    return own.union(*(documented(name.capitalize()) for name in shared))


@pytest.mark.parametrize("name", PARSERS)
def test_every_option_of_a_command_is_in_its_section_and_no_other(name):
    assert documented(name) == options_of(PARSERS[name])


def test_every_command_has_a_section_and_a_line_of_the_list():
    titles = set(re.findall(r"^##+ (.+)$", text_of(COMMANDS), re.MULTILINE))
    groups = {"Exit codes", "Options that several commands share", "make", "ledger"}
    shared = {"Trips and tiles", "Dates", "Keys", "Promise", "Bundle and account"}
    assert titles - groups - shared == set(PARSERS)
    listed = {codes(row[0])[0] for row in rows(text_of(COMMANDS).split("\n## ")[0])}
    assert listed == {name if not name.startswith("ledger ") else "ledger" for name in PARSERS}


def test_defaults_that_are_told_are_those_of_the_command():
    for name, parser in PARSERS.items():
        for row in rows(section(COMMANDS, name)):
            word = codes(row[0])[0].split()[0]
            action = next(one for one in parser._actions if word in {*one.option_strings, one.metavar})
            if row[2] == "needed" and word.startswith("--") and not word.startswith("--max-days"):
                assert action.required, (name, word)
            if isinstance(action.default, (int, float)) and not isinstance(action.default, bool):
                assert row[2].startswith(f"{action.default:g}"), (name, word)


def sensitivity_of(text: str, most: int) -> int:
    """The number that such a text as ``4 M + 1`` says."""
    factor, _, rest = text.partition("M")
    return int(text) if "M" not in text else int(factor or 1) * most + int(rest.replace("+", "") or 0)


def test_every_measure_is_listed_with_its_facts_and_no_other():
    table = rows(text_of(MEASURES_PAGE).split("\n## ")[0])
    assert [codes(row[0])[0] for row in table] == list(MEASURES)
    for name, counts, columns, trip, user, *weights in table:
        measure = MEASURES[codes(name)[0]]
        assert counts == measure.counts
        assert tuple(codes(columns)) == measure.layout.columns
        assert int(trip) == measure.sensitivity(ContributionBound.per_trip())
        for most in (1, 5, 100):
            assert sensitivity_of(user, most) == measure.sensitivity(ContributionBound.per_user(most)), name
        for unit, said in zip((PrivacyUnit.TRIP, PrivacyUnit.USER), weights, strict=True):
            weight = str(measure.weight_at(unit))
            assert said == (weight if unit in measure.usual_at else f"({weight})"), name


def test_every_measure_has_a_section_and_its_usual_bins():
    for name in MEASURES:
        text = " ".join(section(MEASURES_PAGE, f"`{name}`").split())
        if name in BINS:
            assert f"Usual edges: {', '.join(BINS[name].edges)}." in text, name
        assert ("Needs coordinates" in text) is MEASURES[name].needs_points, name


def test_every_name_of_the_library_has_a_section_and_no_other():
    titles = re.findall(r"^### (.+)$", text_of(LIBRARY), re.MULTILINE)
    assert sorted(titles) == sorted(dpcore.__all__)
    listed = codes(" ".join(row[1] for row in rows(text_of(LIBRARY).split("\n## ")[0])))
    assert sorted([*listed, "AtlasError"]) == sorted(dpcore.__all__)


@pytest.mark.parametrize("name", dpcore.__all__)
def test_every_parameter_of_a_name_of_the_library_is_explained(name):
    offered = getattr(dpcore, name)
    told = {code for row in rows(section(LIBRARY, name)) for code in codes(row[0])}
    if inspect.isclass(offered) and issubclass(offered, Exception):
        assert told == {kind.__name__ for kind in kinds_of(offered)}
    elif name == "Step":
        assert {f"Step.{step.name}" for step in offered} == set(codes(section(LIBRARY, name)))
    else:
        assert told == set(inspect.signature(offered).parameters)


def kinds_of(error: type[Exception]) -> set[type[Exception]]:
    """All errors below one."""
    return {kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, error)} - {
        error
    }


def test_every_environment_variable_is_listed_and_no_other():
    files = [
        *(ROOT / "dpcore").rglob("*.py"),
        *(ROOT / "pages").rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ]
    source = "".join(
        path.read_text(encoding="utf-8") for path in [*files, ROOT / "app.py", ROOT / "Makefile"]
    )
    used = set(re.findall(r"EPSILON_ATLAS_[A-Z]+(?:_[A-Z]+)*", source))
    tables = text_of(REFERENCE / "environment.md").split("\n## ")[0]
    assert {codes(row[0])[0] for row in rows(tables)} == used
    named = {name for path in DOCUMENTS for name in re.findall(r"EPSILON_ATLAS_[A-Z_]+", text_of(path))}
    assert named <= used


def limit_text(name: str, value: object) -> str:
    """A limit as people read it."""
    if name.endswith("_BYTES"):
        if value < 2**20:
            return f"{value // 2**10} kB"
        return f"{value // 2**30} GB" if value % 2**30 == 0 else f"{value // 2**20} MB"
    if isinstance(value, float):
        return f"{value:f}".rstrip("0")
    return str(value) if isinstance(value, str) or name.endswith("_YEAR") else f"{value:,}"


def test_every_limit_is_listed_as_it_is_and_no_other():
    told = {codes(name)[0]: value for _, value, name in rows(text_of(REFERENCE / "limits.md"))}
    assert told == {name: limit_text(name, value) for name, value in vars(limits).items() if name.isupper()}


def test_every_form_of_trips_is_listed_with_its_columns():
    table = {row[0]: set(codes(row[1])) for row in rows(section(REFERENCE / "files.md", "Trips"))}
    assert {name: {*map(normal_name, columns)} for name, columns in table.items()} == {
        form.name: {*map(normal_name, form.headers.values()), *form.signs} for form in FORMS
    }
    people = {row[0]: row[2] == "yes" for row in rows(section(REFERENCE / "files.md", "Trips"))}
    assert people == {form.name: "uid" in form.headers for form in FORMS}


def test_every_role_is_listed_with_names_that_have_it():
    table = rows(section(REFERENCE / "files.md", "Columns"))
    assert [codes(role)[0] for role, *_ in table] == [*NAMES]
    for role, _, names in table:
        assert {ROLE_OF[normal_name(name)] for name in codes(names)} == {codes(role)[0]}


def test_every_kind_of_entry_is_listed():
    assert {codes(row[0])[0] for row in rows(section(REFERENCE / "ledger.md", "Entries"))} == set(
        EntryKind.__args__
    )


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A ledger, and the folder of a release of each kind that was published from it."""
    place = tmp_path_factory.mktemp("reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(place / "home"))
        demo.write_city(place / "city", 500, 20, 7)
        tiles = dpcore.load_tiles(place / "city" / "tiles.geojson")
        trips = dpcore.load_trips(place / "city" / "trips.parquet", tiles, timezone="Europe/Berlin")
        bound = dpcore.ContributionBound.per_user(3)
        month = dpcore.Period(date(2024, 3, 4), date(2024, 3, 31))
        plans = {
            "tables": dpcore.Plan.up_to(bound, {"visits_per_tile": 1, "od_flows": 1}, "1"),
            "roy": dpcore.model_plan(bound, "1", month),
            "stability": dpcore.stability_plan(bound, "6"),
            "tree": dpcore.tree_plan(bound, "1", height=3),
        }
        ledger = dpcore.open_ledger(place / "ledger.db")
        dpcore.register(ledger, "city", unit="user", total_budget="20")
        for kind, plan in plans.items():
            dpcore.publish(
                trips, tiles, plan, ledger=ledger, dataset="city", nonce=kind, out=place / "bundles" / kind
            )
    return ledger, place / "bundles"


def test_the_bodies_of_entries_are_those_that_are_written(published):
    table = rows(section(REFERENCE / "ledger.md", "Entries"))
    told = {codes(row[0])[0]: set(codes(row[2])) for row in table}
    seen = {entry.kind: set(entry.body) for entry in published[0].entries()}
    assert set(seen) == {"genesis", "register", "reserve", "commit"}
    assert {kind: told[kind] for kind in seen} == seen


def of_kind(kind: str, title: str) -> list[str]:
    """The names in the first column of a table of the page on bundles, for one kind."""
    table = rows(section(BUNDLES, title))
    return [
        name
        for row in table
        for name in codes(row[0])
        if row[1] == "all" or re.search(rf"\b{kind}\b", row[1])
    ]


def matches(pattern: str, name: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace("NAME", "[^/]+"), name) is not None


kinds = pytest.mark.parametrize("kind", ["tables", "roy", "stability", "tree"])


@kinds
def test_the_files_of_a_bundle_are_listed(kind, published):
    mine, place = of_kind(kind, "Files"), published[1] / kind
    files = [str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()]
    assert [name for name in files if not any(matches(pattern, name) for pattern in mine)] == []
    assert [pattern for pattern in mine if not any(matches(pattern, name) for name in files)] == []


@kinds
def test_the_members_of_a_manifest_are_listed(kind, published):
    manifest = json.loads((published[1] / kind / "manifest.json").read_text(encoding="utf-8"))
    assert set(of_kind(kind, "Manifest")) == set(manifest)


def test_the_glossary_is_that_of_the_app():
    assert text_of(glossary.PLACE) == glossary.written(), "write it anew: python -m tests.docs.glossary"
