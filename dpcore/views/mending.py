"""Which control of a page mends a refusal: messages name the option of a command, and a page shows the control of that option."""

from __future__ import annotations

import re

from dpcore.errors import AtlasError

_OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def options_named(error: AtlasError) -> frozenset[str]:
    """The options of commands that a refusal names, such as ``--overlaps``, in its text and in its notes.

    >>> sorted(options_named(AtlasError("tiles overlap", "t", "Say --overlaps first. Or --tile-id NAME.")))
    ['--overlaps', '--tile-id']
    """
    texts = (str(error), *getattr(error, "__notes__", ()))
    return frozenset(option for text in texts for option in _OPTION.findall(text))
