"""A further kind of release for the time of a block: as if it were one of a wing. The product has no door for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dpcore import wings
from dpcore.curator.makers import AnyMaker
from dpcore.release import kinds
from dpcore.release.kind import AnyKind


@contextmanager
def added(kind: AnyKind, maker: AnyMaker | None = None) -> Iterator[None]:
    """The kind is known, and drawn by its maker if it has one."""
    of_wings, maker_of = kinds._of_wings(), wings.maker_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kinds, "_of_wings", lambda: {**of_wings, kind.name: kind})
        patch.setattr(wings, "maker_of", lambda one: maker if one is kind else maker_of(one))
        yield
