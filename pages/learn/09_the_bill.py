"""Lesson 9."""

from pages.learn.parts import frame

mine = frame.opening("09_the_bill")
