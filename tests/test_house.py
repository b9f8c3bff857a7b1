"""The house as data: which room imports which, and how long a file may be.

A room is a folder or a loose module of ``dpcore``, ``pages`` or the router. The table is exact. An import that it does not
allow fails, and so does a line of it that no import needs: so the table is a drawing of the house as it stands.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.conftest import ROOT
from tests.wall.source import CODE, Source, below, module

GROUND = {"errors", "limits", "privacy"}

# From the ground to the roof: a room imports rooms of lines above its own.
MAY_IMPORT = {
    "errors": set(),
    "limits": set(),
    "privacy": {"errors", "limits"},
    "exact_json": {"errors", "limits"},
    "version": set(),
    "wings": set(),
    "places": {"errors"},
    "disk": {"errors"},
    "parquet": {"limits"},
    "measures": {"exact_json", "wings", *GROUND},
    "loops": {"disk", "errors"},
    "tiles": {"errors", "exact_json", "limits", "loops", "measures"},
    "noise": {"measures", *GROUND},
    "planning": {"limits", "measures", "noise", "privacy", "tiles"},
    "ledger": {"disk", "exact_json", "places", *GROUND},
    "context": {"errors", "exact_json", "limits", "tiles"},
    "demo": {"context", "disk", "errors", "limits", "measures"},
    "estimates": {"limits", "measures", "noise", "privacy", "tiles"},
    "release": {
        "context",
        "disk",
        "estimates",
        "exact_json",
        "measures",
        "noise",
        "parquet",
        "places",
        "planning",
        "tiles",
        "version",
        "wings",
        *GROUND,
    },
    "comparison": {"estimates", "measures", "noise", "release", "tiles", "wings", *GROUND},
    "private": {
        "comparison",
        "disk",
        "exact_json",
        "loops",
        "measures",
        "noise",
        "parquet",
        "places",
        "tiles",
        "version",
        "wings",
        *GROUND,
    },
    "curator": {
        "context",
        "disk",
        "exact_json",
        "ledger",
        "measures",
        "noise",
        "places",
        "private",
        "release",
        "tiles",
        "version",
        "wings",
        *GROUND,
    },
    "views": {
        "comparison",
        "context",
        "estimates",
        "measures",
        "noise",
        "planning",
        "release",
        "tiles",
        "wings",
        *GROUND,
    },
    "api": {
        "comparison",
        "context",
        "curator",
        "demo",
        "disk",
        "estimates",
        "exact_json",
        "ledger",
        "measures",
        "noise",
        "planning",
        "private",
        "release",
        "tiles",
        "views",
        "wings",
        *GROUND,
    },
    "compat": {"api"},
    "command_line": {
        "api",
        "comparison",
        "curator",
        "demo",
        "disk",
        "ledger",
        "measures",
        "noise",
        "planning",
        "release",
        "tiles",
        "views",
        "wings",
        *GROUND,
    },
    "kinds": {
        "api",
        "command_line",
        "comparison",
        "curator",
        "estimates",
        "exact_json",
        "ledger",
        "measures",
        "noise",
        "planning",
        "private",
        "release",
        "tiles",
        "views",
        *GROUND,
    },
    "engines": {"api", "command_line", "errors", "limits", "measures", "private", "tiles", "version"},
    "stories": {
        "api",
        "command_line",
        "comparison",
        "disk",
        "errors",
        "exact_json",
        "limits",
        "measures",
        "release",
        "views",
    },
    "dpcore": {"api", "errors", "kinds", "measures", "privacy", "stories", "version", "wings"},
    "lessons": {"api", "demo", "estimates", "kinds", "measures", "noise", "privacy", "tiles", "views"},
    "__main__": {"command_line"},
    "pages": {
        "api",
        "comparison",
        "context",
        "curator",
        "demo",
        "engines",
        "estimates",
        "exact_json",
        "kinds",
        "ledger",
        "lessons",
        "measures",
        "noise",
        "places",
        "planning",
        "release",
        "stories",
        "tiles",
        "views",
        "wings",
        *GROUND,
    },
    "app": {"pages", "wings"},
}

# The package's face names what the library offers to others. It stands above all rooms: none of ours takes anything from it.
FACE = "dpcore"

LONGEST_FILE = 600

# Lines of each room, with its scripts and styles. Whoever needs more raises the number in the same change, and says why there;
# whoever needs less lowers it. So a room grows on purpose only.
BUDGET = {
    "views": 15_404,
    "private": 14_915,
    "release": 6_927,
    "kinds/tree": 5_582,
    "kinds/roy": 4_714,
    "tiles": 5_360,
    "measures": 4_037,
    "lessons": 3_948,
    "estimates": 3_648,
    "api": 3_084,
    "kinds/stability": 2_847,
    "noise": 2_804,
    "comparison": 2_709,
    "ledger": 2_060,
    "engines": 1_909,
    "command_line": 1_924,
    "curator": 1_464,
    "demo": 1_362,
    "stories": 864,
    "context": 806,
    "privacy": 484,
    "planning": 805,
    "exact_json": 386,
    "loops": 326,
    "parquet": 329,
    "__init__": 197,
    "limits": 154,
    "disk": 142,
    "wings": 126,
    "errors": 129,
    "places": 89,
    "__main__": 47,
    "version": 10,
    "compat": 5,
    "kinds": 1,
    "pages/owner": 11_237,
    "pages/assets": 4_164,
    "pages/released": 4_137,
    "pages/parts": 2_573,
    "pages/learn": 2_509,
}
CORE = (
    "measures",
    "noise",
    "tiles",
    "estimates",
    "ledger",
    "private",
    "curator",
    "release",
    "api",
    "command_line",
)
CORE_BUDGET = 46_223
SLACK = 0.02
"""By so much of its budget a room may be smaller before the budget is lowered."""


def room(name: str) -> str:
    """The room of a module: that of ``dpcore.private.source.times`` is ``private``."""
    first, *rest = name.split(".")
    return rest[0] if first == "dpcore" and rest else first


def rooms_imported(name: str, text: str) -> set[str]:
    """The other rooms that a module imports from."""
    source = Source(name, text)
    ours = {one for one in source.imports if below(one, "dpcore", "pages", "app")}
    whole = {alias.name for node in source.nodes if isinstance(node, ast.Import) for alias in node.names}
    # `from dpcore import limits` names the face on its way to a room, `import dpcore` takes the face itself
    return ({room(one) for one in ours} - {FACE, room(name)}) | (whole & {FACE})


def imported() -> dict[str, set[str]]:
    """Which rooms each room imports."""
    found: dict[str, set[str]] = {}
    for path in CODE:
        name = module(path)
        found.setdefault(room(name), set()).update(rooms_imported(name, path.read_text(encoding="utf-8")))
    return found


def test_the_rooms_import_each_other_as_drawn():
    assert imported() == MAY_IMPORT


def test_every_room_stands_above_all_that_it_imports():
    lower: set[str] = set()
    for name, below_it in MAY_IMPORT.items():
        assert below_it <= lower, name
        lower.add(name)


# The same inside two large rooms: which folder of a room imports which other one, again from the ground to the roof.
INSIDE = {
    "dpcore.views": {
        "ground": set(),
        "charts": {"ground"},
        "numbers": {"charts", "ground"},
        "maps": {"charts", "ground", "numbers"},
        "planning": {"charts", "ground", "numbers"},
        "comparison": {"charts", "ground", "maps", "numbers"},
        "pictures": {"charts", "comparison", "ground", "maps", "numbers"},
        "tables": {"ground", "maps", "numbers", "pictures"},
        "report": {"charts", "comparison", "ground", "maps", "numbers", "planning"},
        "kinds": {"ground", "maps", "numbers", "pictures"},
    },
    "pages.owner.parts": {
        "state": set(),
        "start": {"state"},
        "data": {"state"},
        "release": {"state"},
        "report": {"state"},
        "compare": {"state"},
        "explore": {"release", "state"},
        "synthesize": {"compare", "explore", "release", "state"},
        "trajectories": {"explore", "state", "synthesize"},
    },
}


@pytest.mark.parametrize("place", INSIDE)
def test_the_folders_inside_a_room_import_each_other_as_drawn(place):
    found: dict[str, set[str]] = {}
    for path in CODE:
        name = module(path)
        if not below(name, place) or name == place:
            continue
        folder = name.removeprefix(f"{place}.").split(".")[0]
        ours = {
            one
            for one in Source(name, path.read_text(encoding="utf-8")).imports
            if one.startswith(f"{place}.")
        }
        found.setdefault(folder, set()).update(
            {one.removeprefix(f"{place}.").split(".")[0] for one in ours} - {folder}
        )
    assert found == INSIDE[place]


def test_no_file_of_the_product_is_longer_than_a_reader_can_hold():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in [*CODE, *(ROOT / "pages").rglob("*.js"), *(ROOT / "pages").rglob("*.css")]
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def lines_of_rooms() -> dict[str, int]:
    """Lines of each room; folders of pages and of wings are rooms of their own here."""
    found: dict[str, int] = {}
    for place in ("dpcore", "pages"):
        for path in (ROOT / place).rglob("*"):
            if path.suffix in {".py", ".js", ".css"}:
                inside = path.relative_to(ROOT / place).parts
                name = inside[0] if len(inside) > 1 else path.stem
                name = "/".join(inside[:2]) if name == "kinds" and len(inside) > 2 else name
                name = f"pages/{name}" if place == "pages" else name
                lines = len(path.read_text(encoding="utf-8").splitlines())
                found[name] = found.get(name, 0) + lines
    return found


def test_every_room_keeps_to_its_budget_of_lines():
    lines = lines_of_rooms()
    assert lines.keys() == BUDGET.keys()
    off = {
        name: (count, BUDGET[name])
        for name, count in lines.items()
        if not (1 - SLACK) * BUDGET[name] - 10 <= count <= BUDGET[name]
    }
    assert off == {}, "lines and budget of rooms"
    assert sum(lines[name] for name in CORE) <= CORE_BUDGET


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("dpcore.release.x", "from dpcore.private.trips import PrivateTrips", {"private"}),
        ("dpcore.views.x", "import dpcore.curator", {"curator"}),
        ("dpcore.noise.x", "from dpcore import synthesis, limits", {"synthesis", "limits"}),
        ("dpcore.private.x", "from dpcore import __version__", {"__version__"}),
        ("dpcore.private.x", "import dpcore", {"dpcore"}),
        ("pages.owner.x", "from pages.parts import figures", set()),
    ],
)
def test_an_import_is_seen_however_it_is_written(name, text, found):
    assert rooms_imported(name, text) == found


KINDS_ASKED = ("Plan", "RoyChoices", "StabilityChoices", "TreeChoices")
KINDS_DRAWN = ("Tables", "Trips", "NoisyTables", "StabilityHistogram", "NoisyTree")


def asks_for_a_kind(text: str) -> list[str]:
    """Where a text asks of which kind a release is: `isinstance` of what kinds ask or draw, or the name of a kind."""
    names, kinds = "|".join(KINDS_ASKED + KINDS_DRAWN), "tables|roy|stability|trajectory-tree"
    asked = rf"isinstance\([^()]*(?:\([^()]*\))?[^()]*\b({names})\b|\bkind(\.name)? (==|!=) \"({kinds})\""
    return [found.group(0) for found in re.finditer(asked, text)]


@pytest.mark.parametrize("path", [path for path in CODE if "kinds" not in path.parts], ids=module)
def test_only_a_kind_knows_of_which_kind_a_release_is(path):
    assert asks_for_a_kind(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    ["isinstance(release.tables, NoisyTree)", "isinstance(of(x), Plan | Other)", 'if kind.name == "roy":'],
)
def test_asking_for_a_kind_is_noticed(text):
    assert asks_for_a_kind(text)
