"""Lesson 1."""

from pages.learn.parts import frame

mine = frame.opening("01_why_counting_is_not_enough")
