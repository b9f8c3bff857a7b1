"""The code that does what a page does, in Python: as text to copy and as a notebook to download.

It gives the same kind of result as the page, with fresh noise. It has placeholders for names of files, because the paths of an
owner are private. Everything else in it is a choice that the page shows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import kind_of
from dpcore.release.python_text import Raw, call, literal
from dpcore.release.release import IsAsked

TILES: Final = "TILES.geojson"
TRIPS: Final = "TRIPS.csv"
BUNDLE: Final = "BUNDLE"
"""Placeholders of files."""
_IMPORTS: Final = {"date(": "from datetime import date", "Fraction(": "from fractions import Fraction"}


@dataclass(frozen=True)
class Code:
    """Cells of Python in their order, each with a sentence that says what it does."""

    title: str
    cells: tuple[tuple[str, str], ...]

    def python(self) -> str:
        """One program, with the sentences as comments."""
        return "\n\n".join(f"# {said}\n{code}" for said, code in self._all()) + "\n"

    def notebook(self) -> str:
        """The same as a Jupyter notebook (nbformat 4.5), without any output."""
        cells = [_cell(0, "markdown", f"# {self.title}")]
        for said, code in self._all():
            cells.append(_cell(len(cells), "markdown", said))
            cells.append(_cell(len(cells), "code", code))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def _all(self) -> list[tuple[str, str]]:
        """The cells, the imports that they need first."""
        whole = "\n".join(code for _, code in self.cells)
        wanted = [
            line
            for sign, line in _IMPORTS.items()
            if f" {sign}" in f" {whole}".replace("(", "( ").replace("[", "[ ")
        ]
        return [
            ("The library of Epsilon Atlas.", "\n".join([*wanted, "", "import dpcore"]).strip()),
            *self.cells,
        ]


def load_code(*, demo: bool, timezone: str) -> tuple[str, str]:
    """The cell that loads trips and tiles: the built-in city, or files of one's own."""
    if demo:
        return "The built-in city: nobody lives in it.", "trips, tiles = dpcore.demo_city()"
    tiles = call("dpcore.load_tiles", TILES)
    trips = call("dpcore.load_trips", TRIPS, Raw("tiles"), timezone=timezone)
    return "Public tiles, and trips that stay on this computer.", f"tiles = {tiles}\ntrips = {trips}"


def preview_code(loading: tuple[str, str], plan: IsAsked, epsilon: Fraction, shown: Sequence[str]) -> Code:
    """What Explore and Report show: noise beside the truth, for the owner alone; ``shown``: measures that are looked at."""
    looks = [f"dpcore.table(looked, {literal(name)}, {literal(decimal_text(epsilon))})" for name in shown]
    return Code(
        "Noise beside the truth",
        (
            loading,
            ("What is counted, and how epsilon is shared.", f"plan = {kind_of(plan).python(plan)}"),
            (
                "Noise for looking, beside the truth. It is private: keep it to yourself.",
                "looked = dpcore.preview(trips, plan)",
            ),
            *(("One measure as a data frame.", look) for look in looks),
        ),
    )


def publish_code(
    loading: tuple[str, str], plan: IsAsked, *, dataset: str, unit: PrivacyUnit, total: str, title: str
) -> Code:
    """The code that publishes what a page publishes: plan, price, account, release, and a first look at the release."""
    kind = kind_of(plan)
    account = call("dpcore.register", Raw("ledger"), dataset, unit=unit.value, total_budget=total)
    names = {
        "ledger": Raw("ledger"),
        "dataset": dataset,
        "nonce": f"{title}, first time",
        "out": BUNDLE,
        "title": title,
    }
    published = call("dpcore.publish", Raw("trips"), Raw("tiles"), Raw("plan"), **names)
    return Code(
        title,
        (
            loading,
            ("What is published.", f"plan = {kind.python(plan)}"),
            ("What it costs. Nothing is charged yet.", f"dpcore.price(plan, {literal(unit.value)})"),
            (
                "Who pays. An account is opened once; its total stands for good.",
                f"ledger = dpcore.open_ledger()\n{account}",
            ),
            (
                "This charges the account, draws the noise once and writes the bundle. Run again, it costs nothing more.",
                f"receipt = {published}",
            ),
            (
                "The bundle as anybody reads it.",
                f"release = {call('dpcore.read_bundle', BUNDLE)}\n{kind.look(plan)}",
            ),
        ),
    )


def read_code(digest: str, look: str) -> Code:
    """The code of the Viewer: a bundle, checked against the digest of its manifest, and a first look at it."""
    return Code(
        "A release",
        (
            (
                "The bundle, checked file by file.",
                f"release = {call('dpcore.read_bundle', BUNDLE, digest=digest)}",
            ),
            ("A first look at it.", look),
        ),
    )


def compare_code() -> Code:
    """The code that compares two releases, each at its highest epsilon."""
    return Code(
        "Two releases side by side",
        (
            (
                "One row for each metric of each measure.",
                call("dpcore.compare", "BUNDLE-A", "BUNDLE-B"),
            ),
        ),
    )


def _cell(number: int, kind: str, text: str) -> dict[str, object]:
    found: dict[str, object] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return found | ({"execution_count": None, "outputs": []} if kind == "code" else {})
