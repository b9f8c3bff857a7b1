"""Stories of releases: a good first one as the text of its file, and whether a story can be played. Public, as ``public`` is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpcore.api.offered import offered
from dpcore.errors import InputError, StoryError
from dpcore.limits import MAX_STORY_BYTES
from dpcore.release import Release, read_tables, verify_bundle
from dpcore.views.story.default import default_story, must_tell_a_change
from dpcore.views.story.file import story_of, story_text
from dpcore.views.story.scene import Find, must_be_meant, scene
from dpcore.views.story.story import NamedRelease, Story

Bundle = str | Path | bytes
"""A folder, a .zip, or the bytes of one."""


@offered
def story(release: Bundle, earlier: Bundle | None = None) -> str:
    """A good first story of a release, as the text of its JSON file: promise, map, flows, rhythm, and what is sure.

    It holds ids, digests, links and sentences, and no table. Sentences are made of what was released, numbers with their ranges.

    Args:
        release: a bundle of tables.
        earlier: another one. The story then begins with what changed from it to ``release``.

    Raises:
        BundleError: something in a bundle was changed.
        InputError: a release of another kind than tables, or two of which no change can be told.

    """
    shown, digest = _read(release)
    if earlier is None:
        return story_text(default_story(shown, digest))
    before = _read(earlier)
    must_tell_a_change(before[0], shown)
    return story_text(default_story(shown, digest, before))


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
        InputError: the file cannot be read, or a release is of another kind than tables.

    """
    read, find = told(story), found_in(releases)
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


def told(story: str | Path) -> Story:
    """The story of a text or of the file at a path."""
    return story_of(_text(story) if isinstance(story, Path) else story)


def found_in(bundles: Iterable[Bundle]) -> Find:
    """What opens the releases of a story that lie in some bundles, and refuses others under their ids."""
    there = {NamedRelease(release.id, digest): release for release, digest in map(_read, bundles)}

    def find(shown: NamedRelease) -> Release:
        if shown not in there:
            for other in there:
                if other.id == shown.id:
                    must_be_meant(shown, other.digest)
            raise StoryError("its release is not here", "releases of the story", "Give its bundle too.")
        return there[shown]

    return find


def _read(place: Bundle) -> tuple[Release, str]:
    """The release of a bundle, and the digest of the bundle."""
    found = place if isinstance(place, bytes) else Path(place)
    return read_tables(found), verify_bundle(found).digest


def _text(place: Path) -> bytes:
    try:
        with place.open("rb") as file:
            return file.read(MAX_STORY_BYTES + 1)
    except OSError:
        raise InputError("the story cannot be read", str(place), "Name the file of a story.") from None
