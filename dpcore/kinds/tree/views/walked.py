"""A released tree that is walked and asked many times: everything that is made from it is made once. Public.

All texts of questions and answers are Markdown in which names are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.kinds.tree.answers import Answer, AskableTree
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.paths import Lengths, Paths, Pattern, frequent_patterns, paths_of
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.question import ONE, RUN, Kind, Question
from dpcore.kinds.tree.statements import PARAMETERS
from dpcore.kinds.tree.tree import exact_weights, integer_weights
from dpcore.kinds.tree.views.boxes import Icicle, icicle
from dpcore.release import AnyRelease, kind_of, statements
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import number, plain

TOP: Final = 12
"""Patterns of the list."""
BY_LEVEL: Final = (
    "**Whom the ε of a level is about.** It holds for a trajectory that ends earlier but stays in the data, and for people with "
    "at most M trajectories. A person with more than M is different: if a whole trajectory that counted is missing, another one "
    "takes its place. This may show the sum of two ε, that of its level and that of the lowest level. The ε of the whole record "
    "holds for everyone."
)
"""Pages show this where trajectories are bounded (Markdown)."""
HOW_TO_ASK: Final = (
    "`A, B`: pass both · `A > B`: A and later B · `A B`: B directly after A · `A * B`: one tile between · `A ** B`: any number "
    'of tiles between · `^ A B`: begin so. Write ids or names; put a name with spaces or signs in "quotes".'
)
"""How a question is typed (Markdown)."""


@dataclass(frozen=True, eq=False)
class WalkedTree:
    """A released tree with what is asked of it; ``WalkedTree.of`` makes it. Visitors may share one."""

    title: str
    choices: TreeChoices
    plan: TreePlan
    tessellation: Tessellation
    chosen: str
    """When levels and the other parameters were chosen, as its owner declared."""
    askable: AskableTree

    @classmethod
    def of(cls, release: AnyRelease) -> WalkedTree:
        """Ready a released tree; InputError if it is none, or too large to be walked in a browser's time."""
        if "walk" not in kind_of(release.plan).views:
            raise InputError("there is no such tree", "the library", "Choose one that it lists.")
        choices: TreeChoices = release.plan
        noisy: NoisyTree = release.drawn.tables
        if len(noisy.tree) * noisy.tree.height > limits.MAX_WALKED_VISITS:
            raise InputError(
                "this tree is too large to be walked here",
                f"{len(noisy.tree):,} nodes of up to {noisy.tree.height} tiles",
                f"Download the bundle, which is verified, and work with it; {limits.MAX_WALKED_VISITS:,} nodes times tiles fit.",
            )
        return cls(
            release.title or release.id,
            choices,
            noisy.plan,
            release.tessellation,
            statements.choice_sentence(release.parameters_chosen, PARAMETERS),
            AskableTree.of(noisy.tree, noisy.plan.levels.tiles, choices.consistency),
        )

    @cached_property
    def names(self) -> dict[str, str]:
        """What people call a tile, by its id."""
        return dict(zip(self.tessellation.tile_ids, self.tessellation.called, strict=True))

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The most frequent patterns, of two tiles or more where there are such."""
        paths = paths_of(self.askable.tree, integer_weights(self.askable.tree))
        return frequent_patterns(paths, TOP, least_length=min(2, self.plan.height))

    @cached_property
    def lengths(self) -> Lengths:
        """How long trajectories are, with weights as they are: sums stay unbiased."""
        return Lengths.of(self._unrounded())

    @cached_property
    def icicle(self) -> Icicle:
        """The largest boxes."""
        return icicle(self.askable, self.names)

    def _unrounded(self) -> Paths:
        return paths_of(self.askable.tree, exact_weights(self.askable.tree))


HOW_TO_READ: Final = (
    "**About**: the estimate. **From, to**: how few and how many there may be, because of noise and because rare "
    "ways are not in the tree. *From* leaves out places that only noise may have put there. *To* counts everybody "
    "whose further way is not known as if it matched. On trees of one invented population, 95 or more of 100 true "
    "numbers lay in this range, for every kind of question; other people may go other ways. **Noise alone**: the "
    "95 % interval of the noise. It holds the truth that often only where nothing rare was left out, as for the "
    "first one or two tiles. All of it is about the trajectories that *count*: if at most M of each person count, "
    "the others are in no number and in no range. Only the first tiles of a trajectory count, up to the height. "
    "Trajectories whose first tile is too rare to be kept are missing everywhere."
)
"""How to read an answer, with its limits; the figures are those of the tests of coverage."""

_JOINED: Final = {Kind.SET: " and ", Kind.ORDER: ", then ", Kind.EXACT: ", next ", Kind.PREFIX: ", next "}
_WILD: Final = {ONE: "any one tile", RUN: "any number of tiles or none"}
_BEFORE: Final = {Kind.PREFIX: "begin with "}


def asked_for(question: Question, names: Mapping[str, str]) -> str:
    """What a question asks, such as ``Trajectories that pass Old town, then Harbour, others between them or not``."""
    places = [_WILD.get(place) or plain(names.get(place, place)) for place in question.places]
    several = len(places) > 1
    after = {
        Kind.SET: ", in whatever order" if several else "",
        Kind.ORDER: ", others between them or not" if several else "",
    }.get(question.kind, "")
    before = _BEFORE.get(question.kind, "pass ")
    return f"Trajectories that {before}{_JOINED[question.kind].join(places)}{after}"


def reply(answer: Answer) -> str:
    """An answer as a sentence, with no more digits than it bears; nothing is shown below 0.

    >>> print(reply(Answer(1312.4, 1262, 1363, 1156, 3732)))
    **about 1,310** trajectories: 1,160 to 3,730. The noise alone would leave 1,260 to 1,360.
    >>> print(reply(Answer(7.2, 5, 9, 5, 9)))
    **about 7** trajectories: 5 to 9.
    >>> print(reply(Answer(0.0, 0, 0, 0, 27_709)))
    **not kept**. Trajectories: 0 to 27,709. What is asked for was too rare to be kept, so nothing was counted.
    """
    if answer.is_unknown:
        return f"**{about(answer)}**. Trajectories: {between(answer)}"
    return f"**{about(answer)}** trajectories: {between(answer)}"


def about(answer: Answer) -> str:
    """The estimate of an answer alone, such as ``about 1,310``; ``not kept`` where there is none."""
    if answer.is_unknown:
        return "not kept"
    return f"about {number(_rounded(answer.count, _step(answer)))}"


def between(answer: Answer) -> str:
    """How few and how many there may be, as a sentence, and what the noise alone would leave where that differs."""
    low, high, least, most = (
        _rounded(value, _step(answer)) for value in (answer.low, answer.high, answer.at_least, answer.at_most)
    )
    sentence = f"{number(least)} to {number(most)}."
    if answer.is_unknown:
        return f"{sentence} What is asked for was too rare to be kept, so nothing was counted."
    if (least, most) == (low, high):
        return sentence
    return f"{sentence} The noise alone would leave {number(low)} to {number(high)}."


def _step(answer: Answer) -> int:
    """The unit to which an answer is rounded: a third of its noise or less, a power of ten."""
    half = (answer.high - answer.low) / 2
    return 10 ** floor(log10(half / 3)) if half > 3 else 1


def _rounded(value: float, step: int) -> int:
    return max(0, floor(value / step + 0.5) * step)
