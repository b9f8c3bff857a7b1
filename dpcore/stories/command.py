"""``story``: a first story of a release, whether a story can be played, and a story as a file to take along."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcore.command_line.output import tell_written, write, write_public
from dpcore.errors import InputError, StoryError


def add(story: argparse.ArgumentParser) -> None:
    """Add the options of ``story``."""
    story.add_argument(
        "bundles",
        type=Path,
        nargs="+",
        metavar="BUNDLE",
        help="the release that is told of; with --check or --from, all releases that the story names",
    )
    story.add_argument(
        "--with",
        dest="earlier",
        type=Path,
        metavar="OTHER",
        help="an earlier release, to begin with what changed",
    )
    story.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the story, such as story.json; its steps to take along, if it ends with .pdf, .pptx or .html",
    )
    story.add_argument(
        "--from", dest="told", type=Path, metavar="FILE", help="a story: write its steps to take along"
    )
    story.add_argument(
        "--check", type=Path, metavar="FILE", help="a story: say whether each step can be played"
    )
    story.set_defaults(run=_story)


def _story(options: argparse.Namespace) -> None:
    from dpcore.stories import public  # noqa: PLC0415 - it imports charts and maps, as the report
    from dpcore.stories.taken import FORMS  # noqa: PLC0415 - as above

    if options.told is not None:
        if options.out is None or options.earlier is not None or options.check is not None:
            raise InputError(
                "a story is taken along as one file",
                "--from",
                "Give --out FILE, and leave --with and --check out.",
            )
        tell_written(public.export_story(options.told, *options.bundles, out=options.out))
        return
    if options.check is not None:
        if options.out is not None or options.earlier is not None:
            raise InputError(
                "a story is checked or written, not both", "--check", "Leave --out and --with out."
            )
        found = public.check_story(options.check, *options.bundles)
        write(sys.stdout, {str(name): [str(one) for one in column] for name, column in found.items()})
        if unfit := int((found["fault"] != "").sum()):
            raise StoryError(
                f"{unfit:,} of {len(found):,} steps cannot be shown", str(options.check), "See the list."
            )
        return
    if options.out is None or len(options.bundles) != 1:
        raise InputError(
            "a story is written of one release", "command story", "Give one BUNDLE and --out FILE."
        )
    ending = options.out.suffix.lower()
    if ending not in {".json", *FORMS}:
        raise InputError.unknown("form of a story", ending, [".json", *FORMS])
    text = public.story(options.bundles[0], options.earlier)
    if ending in FORMS:
        bundles = [one for one in (options.bundles[0], options.earlier) if one is not None]
        tell_written(public.export_story(text, *bundles, out=options.out))
        return
    write_public(options.out, text.encode())
