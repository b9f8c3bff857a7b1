"""Everything that is wrong with a module, by all rules of the wall."""

from __future__ import annotations

from tests.wall.chance import randomness
from tests.wall.doors import doors
from tests.wall.hidden_ways import hidden_ways
from tests.wall.hooks import hooks
from tests.wall.session_state import session_keys
from tests.wall.source import Source
from tests.wall.words import nowhere, releases


def findings(name: str, text: str, beside: dict[str, str] | None = None) -> list[str]:
    """What the rules find; ``beside``: texts of modules that stand for those on disk."""
    source = Source(name, text, beside)
    checks = (doors, session_keys, randomness, hidden_ways, hooks, releases, nowhere)
    return sorted({found for check in checks for found in check(source)})


def found_in(name: str, text: str, found: str, beside: dict[str, str] | None = None) -> bool:
    """Whether one of the findings begins so."""
    return any(finding.startswith(found) for finding in findings(name, text, beside))
