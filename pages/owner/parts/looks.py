"""What an owner has seen of the trips that a plan is made for. Whoever looked cannot say that nobody had."""

from __future__ import annotations

from enum import Enum


class Look(Enum):
    """One way of looking at the loaded trips; its value says in words what was seen."""

    PREVIEW = "You looked at a preview of these trips on Explore."
    NUMBERS = "The numbers of trips and people were read off the data, so this plan depends on them."
    BOUND = "What each M leaves out was counted on these trips."
    PERIOD = "The first and last day were read off these trips: a choice made after looking."
    COMPARED = "You compared these trips with noisy tables."
    LENGTHS = "You looked at how long the trajectories of these trips are."
    EXTENT = "The extent of these trips was read off them."


def in_words(looked: set[Look]) -> str:
    """Everything that was looked at, in one text; empty if nothing was."""
    return " ".join(look.value for look in Look if look in looked)
