"""Forgetting what Spark holds, in this process and from those that were killed."""

from __future__ import annotations

from dpcore.private.spark import places, session


def forget_on_spark() -> None:
    """End Spark where it runs in this process, and remove what killed processes left of theirs.

    Raises:
        InputError: it does not end; what others left is removed all the same.

    """
    try:
        session.forget()
    finally:
        places.sweep()
