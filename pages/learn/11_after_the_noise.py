"""Lesson 11."""

from pages.learn.parts import frame

mine = frame.opening("11_after_the_noise")
