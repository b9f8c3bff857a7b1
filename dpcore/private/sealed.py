"""Objects that may not leave: no text form, no pickle, no copy."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex

from dpcore.errors import PrivacyError


class Sealed:
    """Base of every private type.

    Its text is the name of its class, so a log line or an exception shows nothing. Pickling raises, and
    with it ``copy`` and ``st.cache_data``, which would hand private data to every visitor of the app.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """The name of the class, never a value."""
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse every way of serialising."""
        raise PrivacyError(
            "private data cannot be pickled, copied or cached",
            type(self).__name__,
            "Keep the object itself, for example in the session of its owner.",
        )
