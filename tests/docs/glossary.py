"""Write docs/reference/glossary.md from the words of the app: ``python -m tests.docs.glossary``."""

from __future__ import annotations

from pages.parts.glossary import TERMS, explained
from tests.docs.texts import REFERENCE

PLACE = REFERENCE / "glossary.md"
HEAD = "# Glossary\n\nThe terms of this project, in the order in which they build on each other. The app shows the same on its page **Glossary**.\n\n"


def written() -> str:
    """The page as it must be."""
    return f"{HEAD}{explained(TERMS)}\n"


if __name__ == "__main__":
    PLACE.write_text(written(), encoding="utf-8")
