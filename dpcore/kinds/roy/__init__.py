"""Synthetic trips, histograms of large counts and trajectory trees. This is the public side: it never sees a true count.

A ``TripDomain`` holds what is known beforehand. A ``SynthesisPlan`` says which tables are measured, and at what price.
``consistency`` and ``model`` turn the noisy tables into a ``TripModel``, and ``sampling`` draws trips from it. ``figure`` and
``closeness`` compare them with other trips. ``stability`` publishes large counts of keys that nobody listed beforehand, ``tree``
counts of the prefixes of trajectories.
"""
