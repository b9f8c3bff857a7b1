"""How a refusal of trips is mended, in the words of the library: arguments in place of the options of commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from dpcore.errors import AtlasError

_ONE: Final = r"--column (?:'[a-z_]+=[^']*'|[a-z_]+=[^\s,;)]*[^\s,;).])"
_COLUMNS: Final = re.compile(rf"{_ONE}(?: {_ONE})*")
_COLUMN: Final = re.compile(r"--column (?:'([a-z_]+)=([^']*)'|([a-z_]+)=([^\s,;)]*[^\s,;).]))")
_IN_A_NOTEBOOK: Final = re.compile(r" \(in a notebook:? [^)]*\)")
_OPTION: Final = re.compile(r"--(times|header|trip-gap|stays) ([^\s;)]*[^\s,:;).])")


def in_python(text: str) -> str:
    """The text with arguments in place of options."""
    return reworded(
        text,
        lambda roles: "columns={" + ", ".join(f'"{role}": "{column}"' for role, column in roles) + "}",
        lambda option, value: f'{option.replace("-", "_")}="{value}"',
        "drop_bad=True",
    )


def reworded(
    text: str,
    columns: Callable[[Sequence[tuple[str, str]]], str],
    option: Callable[[str, str], str],
    leave_out: str,
) -> str:
    """The text of a refusal in other words than the options of commands.

    Args:
        text: with options, as commands have them.
        columns: words for some roles, each with its column.
        option: words for the option ``times``, ``header``, ``trip-gap`` or ``stays`` and its value.
        leave_out: words for leaving out bad records.

    """
    text = _COLUMNS.sub(
        lambda found: columns([(a or c, b or d) for a, b, c, d in _COLUMN.findall(found[0])]),
        without_notebook(text),
    )
    text = _OPTION.sub(lambda found: option(found[1], found[2]), text)
    return text.replace("--drop-bad", leave_out)


def without_notebook(text: str) -> str:
    """The text of a refusal without what is said to somebody in a notebook."""
    return _IN_A_NOTEBOOK.sub("", text)


@contextmanager
def said_in_python() -> Iterator[None]:
    """Let the refusals of a block name arguments."""
    try:
        yield
    except AtlasError as error:
        error.reword(in_python)
        raise
