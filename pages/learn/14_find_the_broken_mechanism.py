"""Lesson 14."""

from pages.learn.parts import frame

mine = frame.opening("14_find_the_broken_mechanism")
