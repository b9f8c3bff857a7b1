"""Stories: steps that somebody chose from releases, each a view with a sentence; played, and taken along as files."""

from dpcore.views.story.story import CHANGE, PROMISE, NamedRelease, Step, Story

__all__ = ["CHANGE", "PROMISE", "NamedRelease", "Step", "Story"]
