"""Lesson 7."""

from pages.learn.parts import frame

mine = frame.opening("07_ghost_flows")
