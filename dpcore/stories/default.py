"""A good first story of a release. Its sentences are made of what was released, each number with its range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from dpcore import limits
from dpcore.comparison.change import changes, must_be_comparable
from dpcore.errors import AtlasError, InputError
from dpcore.measures.attribute import MISSING, OTHER
from dpcore.measures.keys import Period
from dpcore.measures.split import parts_of
from dpcore.release import AnyRelease, Card, Release, kind_of
from dpcore.release.kinds import must_be_tables
from dpcore.release.one_part import split_tables, tables_of
from dpcore.release.texts import one_line
from dpcore.stories.scene import Scene
from dpcore.stories.story import CHANGE, PROMISE, NamedRelease, Step, Story
from dpcore.views.comparison.changes import sentence
from dpcore.views.ground.part_choice import text_of_choice
from dpcore.views.ground.plain import day
from dpcore.views.kinds import kind_slide, kind_views
from dpcore.views.maps.address import Address, address
from dpcore.views.numbers.guarantee import can_be_found, promise_of
from dpcore.views.pictures.sentences import sentence_of, shortened, views_with_sentences

_MOST_PARTS: Final = 4  # of split tables


def default_story(release: AnyRelease, digest: str, earlier: tuple[Release, str] | None = None) -> Story:
    """The story of a release: what changed, the promise, the map, the flows, the rhythm and what is sure.

    Args:
        release: of any kind that has views. Of tables that are split each of the largest parts is shown by itself.
        digest: SHA-256 of its manifest, as ``verify`` tells it.
        earlier: a release with its digest, from which the change is told first. Nothing is told of one that must not be compared.

    """
    shown, steps = [NamedRelease(release.id, digest)], []
    title = one_line(release.title or release.id, limits.MAX_TITLE_CHARACTERS)
    if not kind_of(release.plan).in_viewer:
        return Story(title, (*shown,), _pictures(release))
    if earlier is not None and (said := _change(earlier[0], release)):
        shown.append(NamedRelease(earlier[0].id, earlier[1]))
        steps.append(Step(CHANGE, release.id, shortened(said), before=earlier[0].id))
    steps.append(Step(PROMISE, release.id, shortened(can_be_found(promise_of(release)))))
    steps += _steps_of_parts(release) if release.plan.choices.splits else _views(release)
    return Story(title, tuple(shown), tuple(steps))


def sentence_of_change(earlier: Release, release: Release) -> str:
    """The first sentence of a step that shows what changed; empty where nothing may be told."""
    return shortened(_change(earlier, release))


def must_tell_a_change(earlier: Release, release: Release) -> None:
    """Refuse, with an InputError, releases that must not be compared, and those of which no change can be told."""
    must_be_comparable(earlier, release)
    if not sentence_of_change(earlier, release):
        raise InputError(
            "nothing can be told of what changed between these releases",
            f"{earlier.id}, {release.id}",
            f"Choose others. {changes(earlier, release).why_no_cells}".strip(),
        )


def by_author(found: Scene) -> bool:
    """Whether the author of a story wrote the sentence of a step: it is not the one that is made of what the step shows.

    This is worked out from the releases, so no file can say otherwise. Where nothing can be shown, every sentence is the author's.
    """
    step, release, made = found.step, found.release, ""
    if not step.sentence:
        return False
    try:
        if release is not None and not found.is_of_tables:
            made = shortened(kind_slide(release, step.view).sentence)
        elif step.view == CHANGE and release is not None and found.before is not None:
            made = sentence_of_change(found.before, release)
        elif release is not None and step.view != CHANGE:
            view = "guarantee" if step.view == PROMISE else step.view
            made = sentence_of(release, address({**step.link, "view": view}, release)[0])
    except AtlasError:  # the view says itself why it cannot be shown
        pass
    return step.sentence != made


def earlier_of(
    name: str, known: Mapping[str, Card], opened: Callable[[str], Release]
) -> tuple[str, Release] | None:
    """The latest earlier release of the same data set that may be compared and shares no day; None where there is none.

    Only those that fit by what is known of them are opened, the latest first, until one may be compared. One that cannot be opened is
    left out.

    Args:
        name: of the later one.
        known: what is known of all of them without opening them, by name.
        opened: opens one of them; it may refuse with an AtlasError.

    """
    own = known[name]
    before = {other: card.begins for other, card in known.items() if _fits_before(card, own)}
    for other in sorted(before, key=before.__getitem__, reverse=True):
        with suppress(AtlasError):  # another one may fit
            found = opened(other)
            must_be_comparable(found, opened(name))
            return other, found
    return None


def _fits_before(card: Card, own: Card) -> bool:
    """Whether a release is an earlier one of the same data set, and no day is of both, as far as they name their days."""
    apart = card.period is None or own.period is None or card.period.last < own.period.first
    return card.dataset == own.dataset and card.begins < own.begins and apart


def _change(earlier: Release, release: Release) -> str:
    """What changed, in words for people who do not know which side is A; empty where nothing may be told."""
    try:
        found = changes(earlier, release)
    except AtlasError:
        return ""
    said = sentence(replace(found, why_no_cells="") if found.cells is None else found).strip()
    data = "" if earlier.dataset == release.dataset else f"of the data set {earlier.dataset}"
    before = ", ".join(filter(None, (earlier.title, data, _days(earlier.plan.choices.period))))
    return f"{said} Compared with {before}." if said and before else said


def _days(period: Period | None) -> str:
    return "" if period is None else f"{day(period.first)} to {day(period.last)}"


def _views(release: Release) -> list[Step]:
    finest = len(release.plan.rungs) - 1
    found = [(view, sentence_of(release, Address(view, finest))) for view in views_with_sentences()]
    return [Step(view, release.id, said) for view, said in found if said]


def _pictures(release: AnyRelease) -> tuple[Step, ...]:
    """The views of a release of another kind of which something is said, the promise first."""
    said = {view: shortened(kind_slide(release, view).sentence) for view in kind_views(release)}
    views = sorted(said, key=lambda view: view != PROMISE)
    steps = tuple(Step(view, release.id, said[view]) for view in views if said[view])
    if not steps:
        must_be_tables(release)
    return steps


def _steps_of_parts(release: Release) -> list[Step]:
    """Of each of the largest parts the first view that has a sentence, the map if there is one."""
    splits = release.plan.choices.splits
    names = ["visits_per_tile", *split_tables(release)]
    tables = next((release.measurements[name] for name in names if name in split_tables(release)), None)
    if tables is None:
        return []
    named = [
        (at, part) for at, part in enumerate(parts_of(splits)) if not {OTHER, MISSING} & {*part.values()}
    ]
    sizes = {
        at: int(found.values[-1].sum())
        for at, found in tables_of(release, tables.measure, [at for at, _ in named]).items()
    }
    largest = {*sorted(sizes, key=lambda at: -sizes[at])[:_MOST_PARTS]}
    found = []
    for part in (part for at, part in named if at in largest):
        chosen = tuple(part.items())
        views = (Address(view, len(release.plan.rungs) - 1, part=chosen) for view in views_with_sentences())
        said = next(((at.view, text) for at in views if (text := sentence_of(release, at))), None)
        if said is not None:
            found.append(Step(said[0], release.id, said[1], {"part": text_of_choice(chosen)}))
    return found
