"""Synthetic trips of Roy, Kantarcioglu and Sweeney (2016). Public, but for ``private``: no module here sees a true count.

A ``TripDomain`` holds what is known beforehand. A ``SynthesisPlan`` says which tables are measured, and at what price.
``consistency`` and ``trip_model`` turn the noisy tables into a ``TripModel``, and ``sampling`` draws trips from it. ``figure`` and
``closeness`` compare them with other trips.
"""
