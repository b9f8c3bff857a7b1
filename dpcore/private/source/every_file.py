"""Files that are one data set: all that cannot be used are told at once, each with what mends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from dpcore.errors import InputError

_NAMED: Final = 10
"""Files that one refusal names."""
_APART: Final = (
    "The other files can be used. All files of a data set are read with the same columns: give these columns the names that the others have. "
    "Apart they would be two data sets, and a person in both would spend the budget of both."
)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


File = TypeVar("File", bound=_Named)
Found = TypeVar("Found")


def every_file(files: Sequence[File], look: Callable[[File], Found]) -> list[Found]:
    """What ``look`` finds of each file. Raises InputError: one error for all files that it refuses."""
    found, faults = found_and_refusals(files, look)
    raise_together(faults)
    return found


def found_and_refusals(
    files: Sequence[File], look: Callable[[File], Found]
) -> tuple[list[Found], list[InputError]]:
    """What ``look`` finds of each file that it does not refuse, and the refusals; those that say the same are one.

    Where other files can be used, no refusal advises ``--column``: a column that is named is sought in every file.
    """
    found: list[Found] = []
    refused: dict[tuple[str, str, str], list[tuple[str, InputError]]] = {}
    for file in files:
        try:
            found.append(look(file))
        except InputError as error:
            same = error.what, error.where.removeprefix(file.name), error.mend
            refused.setdefault(same, []).append((file.name, error))
    return found, [_one_refusal(told, apart=bool(found)) for told in refused.values()]


def _one_refusal(told: Sequence[tuple[str, InputError]], *, apart: bool) -> InputError:
    """One error for files that are refused alike. ``apart``: whether others can be used as they are."""
    name, first = told[0]
    names = [one for one, _ in told]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    where = first.where
    if len(names) > 1 and where.startswith(name):
        where = f"{', '.join(names[:_NAMED])}{more}{where.removeprefix(name)}"
    if apart and "--column" in first.options:
        return InputError(first.what, where, _APART)
    return InputError(first.what, where, first.mend, options=first.options)


def raise_together(faults: Sequence[InputError]) -> None:
    """Raise one error for all faults, if there are any."""
    if faults:
        raise faults[0] if len(faults) == 1 else InputError.together(faults)
