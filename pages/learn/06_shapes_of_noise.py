"""Lesson 6."""

from pages.learn.parts import frame

mine = frame.opening("06_shapes_of_noise")
