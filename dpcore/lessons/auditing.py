"""Lesson 14's audit of a machine: its answers on neighbouring inputs, looked at by somebody who cannot see inside."""

from __future__ import annotations

from dpcore.lessons.attacks.audit import Finding, audit, views
from dpcore.lessons.dice import Dice
from dpcore.lessons.machines import STOPS, Machine, everybody


def audited(machine: Machine, trials: int, dice: Dice) -> Finding:
    """Run a machine so often with everybody, so often with one person less, and bound its epsilon from below."""
    people = everybody()
    fewer = people.without(machine.whose(people))
    low = len(fewer.trips) if machine.counts_people else None
    present, absent = (views(machine.answers(world, trials, dice), STOPS, low) for world in (people, fewer))
    return audit(present, absent)
