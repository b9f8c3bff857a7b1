"""Views as pictures to take along. Public, as ``public`` is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from dpcore.api.offered import offered
from dpcore.api.plans import rung_asked
from dpcore.api.public import Released, released
from dpcore.disk import write_whole
from dpcore.errors import InputError
from dpcore.privacy import decimal_text, rung_number
from dpcore.release import AnyRelease, kind_of
from dpcore.release.kinds import must_be_tables
from dpcore.views.kinds import has_views, kind_slide
from dpcore.views.maps.address import address
from dpcore.views.pictures import Slide, slide_of, view_titles
from dpcore.views.pictures.taken import PICTURES, picture_of

_MOST_FIELDS: Final = 50  # of a link


@offered
def picture(
    source: Released,
    out: str | Path,
    view: str = "map",
    epsilon: Fraction | str | None = None,
    *,
    link: str = "",
    sentence: str = "",
) -> Path:
    """Draw one view of a release into a file: its title, a sentence, the colours and units, the ranges, and the source.

    A PNG has 2,560 x 1,440 pixels. In an SVG letters are outlines; it holds no script and asks nobody for anything. Equal releases and
    choices give equal bytes. No browser is needed; matplotlib comes with ``pip install 'epsilon-atlas[app]'``.

    Args:
        source: a release, its receipt or the place of its bundle.
        out: the file; it ends with ``.png`` or ``.svg``.
        view: of tables ``map``, ``flows``, ``rhythm``, ``rankings``, ``measures``, ``accuracy`` or ``promise``; of synthetic trips ``map``,
            ``flows``, ``rhythm`` or ``promise``; of large counts ``map-on``, ``map-off``, ``rhythm``, ``rankings`` or ``promise``; of a tree
            ``ways``, ``levels`` or ``promise``.
        epsilon: total epsilon of a rung that was released, a fraction or decimal text; None for the finest.
        link: more of the view, as the part of a Viewer's link after the question mark, such as ``tile=A1&numbers=released``. What the release
            does not have is noted in the picture.
        sentence: what is said of it, which the picture marks as the author's words; empty for a sentence that follows from the release.

    Returns:
        The path of the file.

    Raises:
        BundleError: something in the bundle was changed.
        InputError: a view that this release does not have, or a file that cannot be written.
        PrivacyError: that rung was not released.

    """
    place = Path(out)
    if place.suffix.lower() not in PICTURES:
        raise InputError.unknown("form of a picture", place.suffix, PICTURES)
    found = released(source)
    if has_views(kind_of(found.plan).name):
        write_whole(
            place, picture_of(_slide_of_kind(found, view, epsilon, link, sentence), place.suffix.lower())
        )
        return place
    release = must_be_tables(found)
    if view not in view_titles():
        raise InputError.unknown("view", view, tuple(view_titles()))
    asked = _fields(link)
    if epsilon is not None:
        rungs = release.plan.rungs
        asked["rung"] = decimal_text(rungs[rung_number(rungs, rung_asked(epsilon), release.id)])
    at, notes = address({**asked, "view": "guarantee" if view == "promise" else view}, release)
    slide = slide_of(release, at, sentence or None, notes)
    write_whole(place, picture_of(slide.by_author(notes) if sentence else slide, place.suffix.lower()))
    return place


def _slide_of_kind(
    release: AnyRelease, view: str, epsilon: Fraction | str | None, link: str, sentence: str
) -> Slide:
    """A view of a release of another kind than tables, at its one epsilon."""
    rung_number((release.plan.epsilon,), rung_asked(epsilon), release.id)
    if link:
        raise InputError(
            "only views of tables have more to choose", "link", "Leave it out: the view is drawn as it is."
        )
    slide = kind_slide(release, view)
    return replace(slide, sentence=sentence).by_author(()) if sentence else slide


def _fields(link: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(link, max_num_fields=_MOST_FIELDS))
    except ValueError:
        most = f"A link of the Viewer names at most {_MOST_FIELDS}."
        raise InputError("the link names too many things", "link", most) from None
