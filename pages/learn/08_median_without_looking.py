"""Lesson 8."""

from pages.learn.parts import frame

mine = frame.opening("08_median_without_looking")
