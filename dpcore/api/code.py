"""The code that does what a page does, in Python: as text to copy and as a notebook to download.

It gives the same kind of result as the page, with fresh noise. A cell that ends with an expression shows it: a notebook by
itself, and in the program by ``print``. It has placeholders for names of files and for the box of a grid,
because the paths of an owner are private and the box may be. Days that were read off the trips are read off them again. Everything
else in it is a choice that the page shows.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from dpcore.measures.attribute import Attribute
from dpcore.measures.keys import Period
from dpcore.measures.trip_rule import TripRule
from dpcore.planning.python_text import Raw, call, literal
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import kind_of
from dpcore.release.release import IsAsked

TILES: Final = "TILES.geojson"
TRIPS: Final = "TRIPS.csv"
SEVERAL: Final = "TRIPS"
BUNDLE: Final = "BUNDLE"
"""Placeholders: of files, of a folder with all files of the trips, and of a bundle."""
_IMPORTS: Final = {
    "date": "from datetime import date",
    "Fraction": "from fractions import Fraction",
    "nonce_of": "from dpcore.api.plans import nonce_of",
    "square_grid": "from dpcore.tiles import Box, square_grid",
    "halved": "from dpcore.tiles import halved",
    "own_districts": "from dpcore.tiles import own_districts",
    "hexagon_grid": "from dpcore.tiles import Box, hexagon_grid",
}
OBSERVED: Final = (
    "The first and last day were read off the trips and are private until a release names them, so they are not written "
    "here. A release makes them public. Days that you would choose without looking are better."
)
_READ_DAYS: Final = """\
days = dpcore.exact_table(trips, "trips_over_time").iloc[:, 0]
FIRST_DAY, LAST_DAY = date.fromisoformat(days.iloc[0]), date.fromisoformat(days.iloc[-1])"""


@dataclass(frozen=True)
class TilesLoading:
    """How tiles were made, without the name of their file and without the box of their grid."""

    options: Mapping[str, object] = field(default_factory=dict)
    """Arguments of ``load_tiles``, where they are not the usual ones."""
    grid: tuple[str, float] | None = None
    """The function of ``dpcore.tiles`` that made a grid, with its second argument."""

    def code(self) -> str:
        """The expression that makes them."""
        if self.grid is None:
            return call("dpcore.load_tiles", TILES, **self.options)
        return call(self.grid[0], Raw("Box(WEST, SOUTH, EAST, NORTH)"), self.grid[1])


@dataclass(frozen=True)
class Loading:
    """How trips and tiles were loaded, without names of files; the clock is that of the trips."""

    columns: Mapping[str, str] | None = None
    """Role -> column, where the owner chose them."""
    drop_bad: bool = False
    several: bool = False
    """Whether the trips lie in more files than one."""
    tiles: TilesLoading = TilesLoading()
    times: str | None = None
    """The order in which times are written, where the owner chose another than the columns tell."""
    header: str | None = None
    """The names of the columns, where the files have none and the owner gave them."""
    match: str | None = None
    """The rules for ids that are written differently, where the owner chose some."""


@dataclass(frozen=True)
class Code:
    """Cells of Python in their order, each with a sentence that says what it does."""

    title: str
    cells: tuple[tuple[str, str], ...]

    def python(self) -> str:
        """One program, with the sentences as comments."""
        return (
            "\n\n".join(
                f"# {said}\n{_printed(code)}" if said else _printed(code)
                for said, code in self._cells_with_imports()
            )
            + "\n"
        )

    def notebook(self) -> str:
        """The same as a Jupyter notebook (nbformat 4.5), without any output."""
        cells = [_cell(0, "markdown", f"# {self.title}")]
        for said, code in self._cells_with_imports():
            if said:
                cells.append(_cell(len(cells), "markdown", said))
            cells.append(_cell(len(cells), "code", code))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def _cells_with_imports(self) -> list[tuple[str, str]]:
        """The cells, the imports that they need first; what one says like the one before it is not said again."""
        whole = "\n".join(code for _, code in self.cells)
        wanted = [line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}[(.]", whole)]
        before = ["", *(said for said, _ in self.cells)]
        return [
            ("The library of Epsilon Atlas.", "\n".join([*wanted, "", "import dpcore"]).strip()),
            *(
                ("" if said == last else said, code)
                for last, (said, code) in zip(before, self.cells, strict=False)
            ),
        ]


def load_code(
    *,
    demo: bool,
    timezone: str,
    how: Loading | None = None,
    rule: TripRule | None = None,
    attributes: Sequence[Attribute] = (),
) -> tuple[str, str]:
    """The cell that loads trips and tiles: the built-in city, or files of one's own, loaded as ``how`` says.

    ``rule``: cuts points into trips. ``attributes``: those that are kept.
    """
    if demo:
        return "The built-in city: nobody lives in it.", "trips, tiles = dpcore.demo_city()"
    how = how or Loading()
    trips = call(
        "dpcore.load_trips",
        SEVERAL if how.several else TRIPS,
        Raw("tiles"),
        timezone=timezone,
        columns=how.columns,
        times=how.times,
        header=how.header,
        drop_bad=how.drop_bad or None,
        attributes={one.name: one.declared for one in attributes} or None,
        match_ids=how.match,
        **({} if rule is None else rule.keywords),
    )
    folder = " All files of the trips lie in one folder." if how.several else ""
    box = " WEST, SOUTH, EAST and NORTH stand for the box of the grid, in degrees." if how.tiles.grid else ""
    said = f"Public tiles, and trips that stay on this computer.{folder}{box}"
    return said, f"tiles = {how.tiles.code()}\ntrips = {trips}"


def load_only_code(loading: tuple[str, str]) -> Code:
    """The code of the Data page: trips and tiles, and what they are in a line that holds nothing private."""
    return Code("Trips and tiles", (loading, ("Both are ready to be counted.", "trips, tiles")))


def without_days(text: str, observed: Period | None) -> str:
    """Code or a command with FIRST_DAY and LAST_DAY in place of days that were read off the trips, and so are private."""
    if observed is None:
        return text
    # the pair before each day, because both may be the same day
    for days, placeholder in (
        (literal(observed), "dpcore.Period(FIRST_DAY, LAST_DAY)"),
        (f"{observed.first}/{observed.last}", "FIRST_DAY/LAST_DAY"),
    ):
        text = text.replace(days, placeholder)
    for day, placeholder in ((observed.first, "FIRST_DAY"), (observed.last, "LAST_DAY")):
        text = text.replace(literal(day), placeholder).replace(day.isoformat(), placeholder)
    return text


def _plan_cells(said: str, plan: IsAsked, observed: Period | None) -> list[tuple[str, str]]:
    """The cell that makes a plan; first the cell that reads its days off the trips, if the owner did so."""
    whole = f"plan = {kind_of(plan).python(plan)}"
    text = without_days(whole, observed)
    return [*([] if text == whole else [(OBSERVED, _READ_DAYS)]), (said, text)]


def preview_code(
    loading: tuple[str, str],
    plan: IsAsked,
    epsilon: Fraction,
    shown: Sequence[str],
    *,
    observed: Period | None = None,
) -> Code:
    """What Explore and Report show: noise beside the truth, for the owner alone.

    Args:
        loading: the cell that loads trips and tiles.
        plan: what is counted.
        epsilon: of the rung that is looked at.
        shown: measures that are looked at.
        observed: days that were read off the trips; they are private, and not written.

    """
    looks = [f"dpcore.table(looked, {literal(name)}, {literal(decimal_text(epsilon))})" for name in shown]
    return Code(
        "Noise beside the truth",
        (
            loading,
            *_plan_cells("What is counted, and how epsilon is shared.", plan, observed),
            (
                "Noise for looking, beside the truth. It is private: keep it to yourself.",
                "looked = dpcore.preview(trips, plan)",
            ),
            *(("A measure as a data frame.", look) for look in looks),
        ),
    )


@dataclass(frozen=True)
class Paying:
    """The account that pays for a release."""

    dataset: str
    unit: PrivacyUnit
    total: str
    population: str = ""
    registered: bool = False
    """Whether it is open already. Then the code does not open it: its terms stand for good."""

    def code(self) -> tuple[str, str]:
        """The cell that opens the ledger, and the account where it is new."""
        ledger = "ledger = dpcore.open_ledger()"
        if self.registered:
            return "Who pays. The account is open already.", ledger
        account = call(
            "dpcore.register",
            Raw("ledger"),
            self.dataset,
            unit=self.unit.value,
            total_budget=self.total,
            population=self.population or None,
        )
        return (
            "Who pays. An account is opened once; its total stands for good.",
            f"{ledger}\naccount = {account}",
        )


def publish_code(
    loading: tuple[str, str],
    plan: IsAsked,
    paying: Paying,
    *,
    title: str,
    note: str = "",
    publisher: str = "",
    parameters_chosen: str | None = None,
    part: str | None = None,
    observed: Period | None = None,
) -> Code:
    """The code that publishes what a page publishes: plan, price, account, release, and a first look at the release.

    ``observed``: days that were read off the trips; they are private until this release names them, and not written.
    """
    kind = kind_of(plan)
    names = {
        "ledger": Raw("ledger"),
        "dataset": paying.dataset,
        "nonce": Raw("nonce"),
        "title": title,
        "note": note or None,
        "parameters_chosen": parameters_chosen,
        "part": part,
        "publisher": publisher or None,
    }
    published = call("dpcore.publish", Raw("trips"), Raw("tiles"), Raw("plan"), **names)
    facts = (paying.dataset, title, note, publisher, part or "", parameters_chosen or "")
    nonce = call("nonce_of", Raw("plan"), *(one for one in facts if one), "first time")
    return Code(
        title,
        (
            loading,
            *_plan_cells("What is published.", plan, observed),
            (
                "What it costs, in exact fractions. Nothing is charged yet.",
                f"dpcore.price(plan, {literal(paying.unit.value)})",
            ),
            paying.code(),
            (
                "The name of this request. Another plan has another name. To publish the same again, change the last word.",
                f"nonce = {nonce}",
            ),
            (
                "This charges the account, draws the noise once and writes the bundle. Run again, it costs nothing more.",
                f"receipt = {published}\nreceipt",
            ),
            (
                "The folder of the bundle, which you may give to anybody.",
                "receipt.folder",
            ),
            (
                "The bundle as anybody reads it.",
                f"release = {call('dpcore.read_bundle', Raw('receipt.folder'))}\n{kind.look(plan)}",
            ),
        ),
    )


def read_code(digest: str, look: str, bundle: str = BUNDLE) -> Code:
    """The code of the Viewer: a bundle, checked against the digest of its manifest, and a first look at it.

    ``bundle``: the file as the page gives it.
    """
    return Code(
        "A release",
        (
            (
                "The bundle, checked file by file.",
                f"release = {call('dpcore.read_bundle', bundle, digest=digest)}",
            ),
            ("A first look at it.", look),
        ),
    )


def change_code(measure: str, one: Mapping[str, str], other: Mapping[str, str]) -> Code:
    """The code that says what changed from one release to another in a measure (empty: in all trips); ``one``, ``other``: their parts, if they are split."""
    said = ("In words.", "found.attrs['sentence']")
    sides = [
        Raw(call("dpcore.part_release", name, {**part})) if part else name
        for name, part in (("BUNDLE-A", one), ("BUNDLE-B", other))
    ]
    rows = (
        "One row for each cell, with its range.",
        f"found = {call('dpcore.change', *sides, *([measure] if measure else []))}",
    )
    return Code("What changed between two releases", (rows, said))


def compare_code() -> Code:
    """The code that compares two releases, each at its highest epsilon. Its argument ``epsilon`` takes both to another rung."""
    return Code(
        "Two releases side by side",
        (
            (
                "One row for each metric of each measure, at the highest epsilon of each. The argument epsilon takes both to another rung.",
                call("dpcore.compare", "BUNDLE-A", "BUNDLE-B"),
            ),
        ),
    )


def _printed(code: str) -> str:
    """The code; an expression at its end is printed, as a notebook would show it."""
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr):
        return code
    lines = code.splitlines()
    before, shown = lines[: last.lineno - 1], "\n".join(lines[last.lineno - 1 :])
    return "\n".join([*before, f"print({shown})"])


def _cell(number: int, kind: str, text: str) -> dict[str, object]:
    found: dict[str, object] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return found | ({"execution_count": None, "outputs": []} if kind == "code" else {})
