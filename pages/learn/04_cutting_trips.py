"""Lesson 4."""

from pages.learn.parts import frame

mine = frame.opening("04_cutting_trips")
