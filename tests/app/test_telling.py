"""What a visitor's story takes, loses and brings back, without a page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpcore import limits
from dpcore.errors import StoryError
from dpcore.stories.file import story_of
from pages.released.parts.telling import Telling
from tests.app.test_story_page import story_file


def test_a_step_without_room_does_not_come_back_and_nothing_is_lost():
    mine = Telling()
    story = story_of(story_file({"new": "0a" * 32, "old": "0b" * 32}))
    mine.tell(story)
    mine.drop(0)
    mine.tell(replace(mine.story, steps=story.steps[1:2] * limits.MAX_STORY_STEPS))
    with pytest.raises(StoryError, match="full"):
        mine.undo()
    assert mine.lost[-1].story == story
    assert len(mine.story.steps) == limits.MAX_STORY_STEPS


def test_what_can_be_brought_back_is_bounded():
    mine = Telling()
    story = story_of(story_file({"new": "0a" * 32, "old": "0b" * 32}))
    for at in range(100):
        mine.begin(replace(story, title=f"{at}"))
    assert [one.story.title for one in mine.lost] == [f"{at}" for at in range(89, 99)]


def test_a_full_story_takes_no_step_more():
    mine = Telling()
    story = story_of(story_file({"new": "0a" * 32, "old": "0b" * 32}))
    mine.tell(replace(story, steps=story.steps[1:2] * limits.MAX_STORY_STEPS))
    with pytest.raises(StoryError, match="full"):
        mine.add(story.steps[1], story.releases[:1], "x")
