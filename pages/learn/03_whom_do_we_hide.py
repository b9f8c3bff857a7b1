"""Lesson 3."""

from pages.learn.parts import frame

mine = frame.opening("03_whom_do_we_hide")
