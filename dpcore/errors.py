"""Every error a person can meet, in one family: what is wrong, where, and how to mend it.

The text never holds a cell of a private file: rows are named by line and column only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final, Self

_MOST_TOLD: Final = 20
"""Faults of a file that are listed one by one."""


class AtlasError(Exception):
    """Something was refused. What was loaded before stays loaded; only ``UnfinishedError`` comes after a charge.

    Printed as ``what: where. how to mend``. The command line puts ``error: `` before it.
    """

    options: frozenset[str]
    """Options of commands that mend it, such as ``--overlaps``: public names, by which a page finds its control."""
    faults: tuple[str, ...] = ()
    """All faults of a file, where they are told at once; they are its notes too."""

    def __init__(self, what: str, where: str, mend: str, *, options: Collection[str] = ()) -> None:
        self.what = what
        self.where = where
        self.mend = mend
        self.options = frozenset(options)
        super().__init__(f"{what}: {where}. {mend}")

    def reword(self, words: Callable[[str], str]) -> None:
        """Say how to mend it in the words of where one is. Those of here are the options of commands."""
        self.mend = words(self.mend)
        self.args = (f"{self.what}: {self.where}. {self.mend}",)
        self.faults = (*map(words, self.faults),)
        if notes := getattr(self, "__notes__", None):
            self.__notes__ = [*map(words, notes)]

    @classmethod
    def of_faults(cls, faults: Sequence[tuple[str, str]], mend: str) -> Self:
        """All faults of one file, each with what and where: the first in the text, and the first few as notes."""
        many = len(faults)
        found = cls(*faults[0], f"{mend}{f' And {many - 1:,} more.' * (many > 1)}")
        rest = [f"And {many - _MOST_TOLD:,} more."] if many > _MOST_TOLD else []
        found.faults = (*(f"{what}: {where}." for what, where in faults[:_MOST_TOLD]), *rest)
        for fault in found.faults:
            found.add_note(fault)
        return found


class InputError(AtlasError):
    """A trips file, a column choice or an option cannot be used."""

    @classmethod
    def several(cls, problems: Sequence[AtlasError], total: int, *, at_least: bool = False) -> InputError:
        """The first of several problems and how many more there are. ``at_least``: reading stopped before the end."""
        first = problems[0]
        more = f" And {'at least ' if at_least else ''}{total - 1:,} more." if total > 1 else ""
        options = frozenset[str]().union(*(problem.options for problem in problems))
        return cls(first.what, first.where, first.mend + more, options=options)

    @classmethod
    def together(cls, refusals: Sequence[AtlasError]) -> InputError:
        """Refusals of different files at once, each with how to mend it: the first in the text, all as faults."""
        first = refusals[0]
        found = cls(
            first.what,
            first.where,
            first.mend,
            options=frozenset[str]().union(*(one.options for one in refusals)),
        )
        told = [text for one in refusals for text in (str(one), *one.faults[1:])]
        rest = [f"And {len(told) - _MOST_TOLD:,} more."] if len(told) > _MOST_TOLD else []
        found.faults = (*told[:_MOST_TOLD], *rest)
        for text in found.faults:
            found.add_note(text)
        return found

    @classmethod
    def unknown(cls, kind: str, name: str, known: Sequence[str]) -> InputError:
        """An unknown name, with the names that exist. Pass public names only: they are printed."""
        return cls(f"unknown {kind}", repr(name), f"Choose one of: {', '.join(known)}.")


class TessellationError(AtlasError):
    """A tessellation cannot be used. Tile names are public, so the text may quote them."""


class ContextError(AtlasError):
    """A file of what lies under a map cannot be used. It is public, so the text may quote it."""


class PrivacyError(AtlasError):
    """A privacy parameter is missing, impossible or would break the promise."""


class LedgerError(AtlasError):
    """The ledger cannot be used or does not add up. Nothing can be spent until that is mended."""


class BudgetExceededError(AtlasError):
    """A spend was refused because the account does not hold enough. Nothing was charged."""


class UnfinishedError(AtlasError):
    """Something failed after a release was paid for. Publishing again with the same nonce finishes it without a charge."""


class BundleError(AtlasError):
    """A release bundle cannot be used: it is incomplete, it was changed, or it is not a bundle."""


class StoryError(AtlasError):
    """A story cannot be played: its file is faulty, or it is not about the releases that are here."""


class InternalError(AtlasError):
    """A fault of this program, not of the file. The text asks for a report."""

    @classmethod
    def at(cls, place: str) -> InternalError:
        """The fault with its place in the program, without any value."""
        return cls(
            "something went wrong in this program, not in your file",
            place,
            "Please report this place.",
        )
