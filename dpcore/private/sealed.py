"""Objects that must not leave: without a text form, without pickle, without copy."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex

from dpcore.errors import PrivacyError


class Sealed:
    """Base of every private type.

    Its text is the name of its class, so that a log line or an exception shows nothing. Pickling raises. So do ``copy`` and
    ``st.cache_data``, which use pickle; the latter would give private data to every visitor of the app.
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
