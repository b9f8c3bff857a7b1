"""A story that is played: one step as large as the screen, its sentence, ranges and promise, and the keys that go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.comparison.change import changes
from dpcore.errors import AtlasError
from dpcore.release import AnyRelease, Release, statements
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.stories.default import by_author
from dpcore.stories.scene import Scene
from dpcore.stories.story import CHANGE, PROMISE, Step, Story
from dpcore.views.ground.plain import plain
from dpcore.views.maps.address import address
from dpcore.views.numbers.guarantee import not_exact, promise_of, whose_numbers, you_in_this_data
from dpcore.views.numbers.hundred import hundred_svg, mark_svg, marks_said
from dpcore.views.numbers.sentences import hides
from dpcore.views.pictures.slide import BY_AUTHOR
from pages.parts.held import Ear, answer, hear
from pages.parts.messages import noted, refusals, show_refusal
from pages.parts.roles import Role, require
from pages.parts.scripts import module
from pages.released.parts import words
from pages.released.parts.change_view import draw_change
from pages.released.parts.kind_view import slide_seen
from pages.released.parts.slide_view import STYLE, draw_slide
from pages.released.parts.telling import name_of, scene_played, story_of_shelf, telling
from pages.released.parts.viewing import Viewing, viewing
from pages.released.parts.views import PRESENTED, STEPS, TOLD, draw_view

_mount_keys = st.components.v2.component(
    "story_keys", html='<div class="keys"></div>', js=module("story_keys.js")
)


_KEYS: Final = "story keys"


def story_and_step() -> tuple[str, int] | None:
    """Which story the address plays (empty: the visitor's own) and at which step, from 1; None if it plays none."""
    query = st.query_params
    if "step" not in query and "story" not in query:
        return None
    step = query.get("step", "1")
    return query.get("story", ""), int(step) if step.isascii() and step.isdigit() and len(step) < 5 else 1


@st.fragment
def play() -> None:
    """The step that the address named, or that was gone to since. A step that is not there is the first or the last one."""
    require(Role.VIEWER)  # in every rerun: it does not pass the router
    wanted = telling().at
    if wanted is None:
        st.rerun()
    name, number = wanted
    try:
        story = story_of_shelf(name) if name else telling().story
    except AtlasError as error:
        show_refusal(error)
        _leave(name)
        return
    if not story.steps:
        st.title("Story")
        st.info(words.NO_STORY, icon=":material/auto_stories:")
        _leave(name, words.TO_STORY)
        return
    at = min(max(number, 1), len(story.steps)) - 1
    step = story.steps[at]
    st.html(PRESENTED)
    with st.container(key=TOLD):
        st.caption(f"{plain(story.title)}, {words.STEP_OF.format(step=at + 1, steps=len(story.steps))}")
        st.markdown(f"## {lines(step.sentence)}" if step.sentence else "## \N{EM DASH}")
        elsewhere = st.empty()
        found = scene_played(name, story, at)
        if by_author(found):
            st.caption(BY_AUTHOR)
        if found.fault or found.release is None:
            st.warning(plain(found.fault), icon=":material/block:")
        else:
            noted(found.notes)
            with refusals():
                _draw(story, at, found, found.release)
                if found.is_of_tables:
                    if _moved(step, found.release):
                        elsewhere.caption(words.MOVED)
                    st.caption(plain(f"{whose_numbers(found.release)} {not_exact(found.release)}"))
    _buttons(name, at, len(story.steps))


def _moved(step: Step, release: Release) -> bool:
    """Whether the slider stands at another stop than the one of which the sentence tells."""
    if step.view in {PROMISE, CHANGE}:
        return False
    told = address({**step.link, "view": step.view}, release)[0]
    return viewing().at.rung != told.rung


def lines(text: str) -> str:
    """A sentence of anybody as Markdown that shows it as it is, line by line."""
    return "  \n".join(plain(line) for line in text.splitlines() if line.strip())


def _draw(story: Story, at: int, found: Scene, release: AnyRelease) -> None:
    step = found.step
    if not found.is_of_tables:
        st.html(STYLE)
        draw_slide(slide_seen(release, step.view), spoken=False)
    elif step.view == PROMISE:
        _promise(release)
    elif step.view == CHANGE and found.before is not None:
        draw_change(found.before, release, changes(found.before, release), step.sentence)
    else:
        mine = viewing()
        _open(mine, story, at, step)
        mine.go(present=True)
        try:
            draw_view(mine, release)
        finally:
            mine.go(present=False)  # the Viewer goes on from here, with its controls


def _open(mine: Viewing, story: Story, at: int, step: Step) -> None:
    """Look where the step says, once: then its slider and its map are the reader's."""
    shown = next(one for one in story.releases if one.id == step.release)
    if mine.played == (shown, at, step):
        return
    mine.look_at(name_of(shown), {**step.link, "view": step.view})
    mine.steered += 1
    mine.played = shown, at, step


def _promise(release: Release) -> None:
    """What the whole release promises, as guesses of 100."""
    promised, dark = promise_of(release), st.context.theme.type == "dark"
    losses = promised.presence, promised.doings
    with st.container(key="hundreds"):
        for number, (column, question, loss) in enumerate(
            zip(st.columns(2, gap="large"), promised.questions, losses, strict=True)
        ):
            with column:
                st.markdown(f"**{plain(question)}**")
                st.markdown(words.RIGHT_OF.format(times=loss.right_of))
                right = loss.right_of_100
                with st.container(horizontal=True, vertical_alignment="center", key=f"hundred {number}"):
                    st.image(hundred_svg(right, dark=dark), alt=f"{question}: {loss.right_of}")
                    with st.container(key=f"marks {number}"):
                        for which, said in enumerate(marks_said(right)):
                            with st.container(horizontal=True, vertical_alignment="center"):
                                st.image(mark_svg(which, dark=dark), alt=("dot", "square", "ring")[which])
                                st.markdown(said)
    estimated = are_computed(estimates_to_show(release, of=()))
    st.markdown("  \n".join(map(plain, you_in_this_data(promised, estimated=estimated))))
    st.caption(f"{hides(release.plan.bound)}. {plain(statements.protects(release.plan.bound))}")


def _buttons(name: str, at: int, many: int) -> None:
    """The buttons that go on; the keys press them."""
    with st.container(key=STEPS, horizontal=True, vertical_alignment="center"):
        _go("first", words.FIRST, "first_page", 0, at, disabled=at == 0)
        _go("back", words.BACK, "arrow_back", at - 1, at, disabled=at == 0)
        st.markdown(f"{at + 1} / {many}")
        _go("next", words.NEXT, "arrow_forward", at + 1, at, disabled=at == many - 1)
        _go("last", words.LAST, "last_page", many - 1, at, disabled=at == many - 1)
        _leave(name)
        _listen(at, many)


def _listen(at: int, many: int) -> None:
    """The keys. Each tells the step that it leads to, so that none is lost while a step is still being drawn."""

    def take(step: object) -> None:
        if isinstance(step, int) and 0 <= step < limits.MAX_STORY_STEPS:
            _go_to(step)

    ear = Ear("step", "story", take, lambda: at)
    _mount_keys(
        key=_KEYS,
        data={"at": at, "many": many},
        default={"step": None},
        on_step_change=lambda: hear(_KEYS, ear),
    )
    answer(ear)


def _go(key: str, label: str, icon: str, to: int, at: int, *, disabled: bool) -> None:
    st.button(
        "",
        icon=f":material/{icon}:",
        key=f"story-{key}",
        help=label,
        disabled=disabled,
        on_click=_step_to(to) if to != at else None,
    )


def _step_to(to: int) -> Callable[[], None]:
    return lambda: _go_to(to)


def _go_to(step: int) -> None:
    """Play a step. A browser tells its address with each run, and an older one until it has heard of this: none of them is asked."""
    mine = telling()
    mine.at = (mine.at[0] if mine.at else "", step + 1)
    st.query_params["step"] = str(step + 1)


def _leave(name: str, label: str = words.END_STORY) -> None:
    """The button that ends it: back to the steps, or to the shelf where the story lies."""
    if st.button(label, icon=":material/close:", key="story-exit"):
        telling().at = telling().played = viewing().played = None
        if name:
            st.switch_page("pages/released/library.py")
        st.query_params.clear()
        st.rerun()
