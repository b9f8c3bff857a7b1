"""Lesson 5."""

from pages.learn.parts import frame

mine = frame.opening("05_what_one_person_can_do")
