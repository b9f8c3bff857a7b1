"""Lesson 10."""

from pages.learn.parts import frame

mine = frame.opening("10_tiny_bits")
