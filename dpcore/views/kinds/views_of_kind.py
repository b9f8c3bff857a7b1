"""The views of each kind, by name, and the slide of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from dpcore import wings
from dpcore.errors import InputError
from dpcore.release import AnyRelease, all_kinds, kind_of
from dpcore.views.kinds.words import slide_of_promise
from dpcore.views.pictures.slide import Slide

PROMISE: Final = "promise"

View = tuple[str, Callable[[AnyRelease], Slide]]
_OF_ALL: Final[Mapping[str, View]] = MappingProxyType({PROMISE: ("What is promised", slide_of_promise)})


def kind_views(release: AnyRelease) -> dict[str, str]:
    """The views of a release and their titles, in reading order; empty for a kind that has none here, such as tables."""
    return {name: title for name, (title, _) in _views_by_name(release).items()}


def kind_slide(release: AnyRelease, view: str) -> Slide:
    """One view of a release; InputError for one that it does not have."""
    views = _views_by_name(release)
    if view not in views:
        raise InputError.unknown("view of this release", view, tuple(views))
    return views[view][1](release)


def kind_slides(release: AnyRelease) -> tuple[Slide, ...]:
    """All views of a release."""
    return tuple(draw(release) for _, draw in _views_by_name(release).values())


def has_views(kind: str) -> bool:
    """Whether releases of a kind have views here, by its name."""
    return wings.views_of(all_kinds()[kind]) is not None


def read_rows(release: AnyRelease, bundle: Path | bytes) -> None:
    """Read what the views of a release need from the rows of its bundle, which is quicker than to draw them again.

    Raises:
        BundleError: the bundle was changed meanwhile.

    """
    module = _module(release)
    if module is not None and hasattr(module, "count_file"):
        module.count_file(release, bundle)


def kind_report_html(release: AnyRelease) -> str:
    """All views of a release as one HTML page that needs no network."""
    from dpcore.views.pictures.html import html  # noqa: PLC0415 - imports matplotlib, which only drawing needs

    return html(kind_slides(release), release.title or release.id)


def _views_by_name(release: AnyRelease) -> Mapping[str, View]:
    module = _module(release)
    return {} if module is None else {**module.views(release), **_OF_ALL}


def _module(release: AnyRelease) -> ModuleType | None:
    return wings.views_of(kind_of(release.plan))
