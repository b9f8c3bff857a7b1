"""Lesson 12."""

from pages.learn.parts import frame

mine = frame.opening("12_places_that_matter_more")
