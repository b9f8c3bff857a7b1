"""Stories of releases: a good first one as the text of its file, whether a story can be played, and a story as a file to take along."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpcore.api.offered import offered
from dpcore.disk import write_whole
from dpcore.errors import InputError, StoryError
from dpcore.limits import MAX_STORY_BYTES
from dpcore.release import AnyRelease, kind_of, read_bundle, verify_bundle
from dpcore.stories.default import default_story, must_tell_a_change
from dpcore.stories.file import story_of, story_text
from dpcore.stories.scene import Find, must_be_meant, scene
from dpcore.stories.slides import slides
from dpcore.stories.story import NamedRelease, Story
from dpcore.stories.taken import FORMS, slides_file
from dpcore.views.kinds import read_rows

Bundle = str | Path | bytes
"""A folder, a .zip, or the bytes of one."""


@offered
def story(release: Bundle, earlier: Bundle | None = None) -> str:
    """A good first story of a release, as the text of its JSON file: promise, map, flows, rhythm, and what is sure.

    It holds ids, digests, links and sentences, and no table. Sentences are made of what was released, numbers with their ranges.

    Args:
        release: a bundle; of another kind than tables the story shows its pictures.
        earlier: another one, both of tables. The story then begins with what changed from it to ``release``.

    Raises:
        BundleError: something in a bundle was changed.
        InputError: two of which no change can be told.

    """
    shown, digest = _of_bundle(release)
    if earlier is None:
        return story_text(default_story(shown, digest))
    before, digest_before = _of_bundle(earlier)
    if not (kind_of(before.plan).in_viewer and kind_of(shown.plan).in_viewer):
        raise InputError(
            "what changed is told of releases of tables alone",
            f"{before.id}, {shown.id}",
            "Leave the earlier one out.",
        )
    must_tell_a_change(before, shown)
    return story_text(default_story(shown, digest, (before, digest_before)))


@offered
def check_story(story: str | Path, *releases: Bundle) -> pd.DataFrame:
    """Whether each step of a story can be played with some releases: one row a step.

    Columns: ``step`` from 1, ``view``, ``release``, ``fault`` (why it cannot be shown; empty if it can), ``notes`` (what its link
    names and the release does not have).

    Args:
        story: the text of the file, or its path. It may be anybody's: it is read and never executed.
        releases: bundles of the releases that it names.

    Raises:
        StoryError: the file is no story; its notes tell all faults.
        BundleError: something in a bundle was changed.
        InputError: the file cannot be read.

    """
    read, find = _story(story), _found_in(releases)
    scenes = [scene(read, step, find) for step in read.steps]
    return pd.DataFrame(
        {
            "step": range(1, len(scenes) + 1),
            "view": [one.step.view for one in scenes],
            "release": [one.step.release for one in scenes],
            "fault": [one.fault for one in scenes],
            "notes": [" ".join(one.notes) for one in scenes],
        }
    )


@offered
def export_story(story: str | Path, *bundles: Bundle, out: str | Path) -> Path:
    """Write a story as one file to take along: PDF with a page for each step, PowerPoint, or an HTML page that needs no network.

    A step that cannot be shown keeps its sentence and says why. Equal stories and releases give equal bytes; the file carries the date of
    the newest release.

    Args:
        story: the text of the JSON file of a story, or its path.
        bundles: of the releases that it names.
        out: the file; it ends with ``.pdf``, ``.pptx`` or ``.html``.

    Returns:
        The path of the file.

    Raises:
        StoryError: the file is no story.
        BundleError: something in a bundle was changed.
        InputError: another form of file, or one that cannot be read or written.

    """
    place = Path(out)
    if place.suffix.lower() not in FORMS:
        raise InputError.unknown("form of a story", place.suffix, FORMS)
    read = _story(story)
    write_whole(place, slides_file(slides(read, _found_in(bundles)), read.title, place.suffix.lower()))
    return place


def _story(story: str | Path) -> Story:
    """The story of a text or of the file at a path."""
    return story_of(_text(story) if isinstance(story, Path) else story)


def _found_in(bundles: Iterable[Bundle]) -> Find:
    """What opens the releases of a story that lie in some bundles, and refuses others under their ids."""
    there = {NamedRelease(release.id, digest): release for release, digest in map(_of_bundle, bundles)}

    def find(shown: NamedRelease) -> AnyRelease:
        if shown not in there:
            for other in there:
                if other.id == shown.id:
                    must_be_meant(shown, other.digest)
            raise StoryError("its release is not here", "releases of the story", "Give its bundle too.")
        return there[shown]

    return find


def _of_bundle(place: Bundle) -> tuple[AnyRelease, str]:
    """The release of a bundle, and the digest of the bundle."""
    found = place if isinstance(place, bytes) else Path(place)
    release, digest = read_bundle(found), verify_bundle(found).digest
    read_rows(release, found)
    return release, digest


def _text(place: Path) -> bytes:
    try:
        with place.open("rb") as file:
            return file.read(MAX_STORY_BYTES + 1)
    except OSError:
        raise InputError("the story cannot be read", str(place), "Name the file of a story.") from None
