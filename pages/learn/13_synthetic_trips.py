"""Lesson 13."""

from pages.learn.parts import frame

mine = frame.opening("13_synthetic_trips")
