"""Questions about the places of trajectories, as people choose or type them.

==============================  ========================================================================
typed                           asks how many trajectories
==============================  ========================================================================
``A, B``                        visit A and B, in any order
``A > B``                       visit A and later B, possibly with others between them
``A B``, ``A * B``, ``A ** B``  visit A and next B; with one tile between; with any number between, also none
``^ A B``                       begin with A and next B
``^ A ?``                       begin so and go on to each place in turn: ``?`` stands for one place after
                                another, at the end only (``typed_questions``)
==============================  ========================================================================

A tile id with a space, a comma or another of these signs needs double quotes: ``"Old town", B``. Questions and tile ids
are public.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from dpcore.errors import InputError
from dpcore.kinds.tree.levels import shortened_name
from dpcore.kinds.tree.queries import ANY_ONE, ANY_RUN, MAX_PATTERN

ONE: Final = "*"
"""In ``Question.places``: any one tile. No tile has this id."""
RUN: Final = "**"
"""In ``Question.places``: any number of tiles, also none."""
MAX_PLACES: Final = MAX_PATTERN // 2  # an order has a run before each tile
_WILD: Final = {ONE: ANY_ONE, RUN: ANY_RUN}
_PART: Final = re.compile(r'\s*(?:"([^"]*)"|(\*\*|[,>^*])|([^\s,>^*"]+))')
_EXAMPLES: Final = (
    'Write such as A, B or A > B or A * B or ^ A B; put an id with spaces or signs in "quotes".'
)


class Kind(Enum):
    """How the places of a question relate to each other."""

    SET = "set"
    """All of them, in any order."""
    ORDER = "order"
    """One after the other, others between them or not."""
    EXACT = "exact"
    """One directly after the other; wildcards stand for tiles between."""
    PREFIX = "prefix"
    """As ``EXACT``, from the first tile on."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; raises InputError for no places, too many places, or misplaced wildcards."""

    kind: Kind
    places: tuple[str, ...]
    """Tile ids; with ``EXACT`` and ``PREFIX`` also ``ONE`` and ``RUN``."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.places) <= MAX_PLACES:
            raise InputError(
                "a question needs places", "question", f"Name 1 to {MAX_PLACES} tiles. {_EXAMPLES}"
            )
        wild = any(place in _WILD for place in self.places)
        if wild and self.kind in {Kind.SET, Kind.ORDER}:
            raise InputError(
                "* and ** are only allowed between neighbours",
                "question",
                f"Leave out the commas and >. {_EXAMPLES}",
            )

    @property
    def text(self) -> str:
        """The question as it may be typed; what needs quotation marks has them.

        >>> Question(Kind.ORDER, ("Old town", "B")).text, Question(Kind.PREFIX, ("A", ONE)).text
        ('"Old town" > B', '^ A *')
        """
        before, between = _SIGNS[self.kind]
        typed = (place if place in _WILD or _BARE.fullmatch(place) else f'"{place}"' for place in self.places)
        return before + between.join(typed)

    def numbers(self, tiles: Sequence[str]) -> list[int]:
        """The places as the symbols of ``queries``; InputError, naming the tile, if one is not in ``tiles``."""
        wanted = set(self.places)
        number = {tile: at for at, tile in enumerate(tiles) if tile in wanted}
        for place in self.places:
            if place not in number and place not in _WILD:
                raise _unknown(place, tiles)
        return [_WILD[place] if place in _WILD else number[place] for place in self.places]


_BARE: Final = re.compile(r'[^\s,>^*"?]+')
_SIGNS: Final = {
    Kind.SET: ("", ", "),
    Kind.ORDER: ("", " > "),
    Kind.EXACT: ("", " "),
    Kind.PREFIX: ("^ ", " "),
}
_EACH: Final = re.compile(r"(?:^|[\s,>^*\"])\?\s*$")


def typed_questions(
    text: str, tiles: Sequence[str], names: Mapping[str, str] | None = None
) -> tuple[Question, ...]:
    """The questions that a text asks: one, or one for each tile where it ends with ``?``; raises as ``typed_question``.

    >>> [one.text for one in typed_questions("^ A ?", ("A", "B"))]
    ['^ A A', '^ A B']
    """
    if not _EACH.search(text):
        return (typed_question(text, tiles, names),)
    first = typed_question(f'{text.rstrip()[:-1]}"{tiles[0]}"', tiles, names)
    return tuple(Question(first.kind, (*first.places[:-1], tile)) for tile in tiles)


def typed_question(text: str, tiles: Sequence[str], names: Mapping[str, str] | None = None) -> Question:
    """The question in a text, written as in the table of this module.

    ``names`` maps tile ids to names; the name of exactly one tile may be typed in place of its id. Raises InputError for an
    empty question, for signs of two kinds, or for an unknown tile.
    """
    words, signs = _places_and_signs(text)
    if "^" in signs[1:]:
        raise InputError("^ is only allowed before the first place", "question", _EXAMPLES)
    anchored = signs[:1] == ["^"]
    kinds = {{",": Kind.SET, ">": Kind.ORDER}.get(sign, Kind.EXACT) for sign in signs[1:]}
    if anchored:
        kinds.add(Kind.PREFIX)
        kinds.discard(Kind.EXACT)
    if len(kinds) > 1:
        raise InputError(
            "a question mixes signs of different kinds", "question", f"Ask one thing at a time. {_EXAMPLES}"
        )
    alone = Kind.EXACT if words[:1] in ([(ONE, False)], [(RUN, False)]) else Kind.SET
    kind = kinds.pop() if kinds else alone
    known = _by_name(tiles, names or {})
    return Question(kind, tuple(_place(place, known, tiles, quoted=quoted) for place, quoted in words))


def _places_and_signs(text: str) -> tuple[list[tuple[str, bool]], list[str]]:
    """The places, each with whether it was quoted, and the sign before each: ``,``, ``>``, ``^`` or nothing."""
    words: list[tuple[str, bool]] = []
    signs: list[str] = []
    at, sign, end = 0, "", len(text.rstrip())
    while at < end:
        part = _PART.match(text, at)
        if not part:
            raise InputError("a quotation mark is missing", "question", _EXAMPLES)
        at = part.end()
        quoted, mark, bare = part.groups()
        if mark in {",", ">", "^"}:
            if sign or (mark != "^" and not words):
                raise InputError(f"there is no place before {mark}", "question", _EXAMPLES)
            sign = mark
        else:
            words.append((quoted if quoted is not None else mark or bare, quoted is not None))
            signs.append(sign)
            sign = ""
    if sign:
        raise InputError(f"there is no place after {sign}", "question", _EXAMPLES)
    return words, signs


def _by_name(tiles: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Tile ids by what people may type: the ids, and names that exactly one tile has. Ids take precedence."""
    named: dict[str, list[str]] = {}
    for tile in tiles:
        named.setdefault(names.get(tile, tile), []).append(tile)
    known = {name: those[0] for name, those in named.items() if len(those) == 1}
    return known | {tile: tile for tile in tiles}


def _place(place: str, known: Mapping[str, str], tiles: Sequence[str], *, quoted: bool) -> str:
    if place in _WILD and not quoted:
        return place
    if place not in known:
        raise _unknown(place, tiles)
    return known[place]


def _unknown(place: str, tiles: Sequence[str]) -> InputError:
    near = [tile for tile in tiles if tile.casefold() == place.casefold()][:1] or list(tiles[:3])
    return InputError(
        "a question names a tile that does not exist",
        f"tile {shortened_name(place)}",
        f'Use a tile id, such as {" or ".join(near)}. Put an id with spaces or signs in "quotes".',
    )
