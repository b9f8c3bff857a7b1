"""Stories: steps that somebody chose from releases, each a view with a sentence; played, and taken along as files."""

from dpcore.views.story.story import CHANGE, PROMISE, Shown, Step, Story

__all__ = ["CHANGE", "PROMISE", "Shown", "Step", "Story"]
