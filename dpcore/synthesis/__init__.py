"""Synthetic trips and histograms of keys, the public side: nothing here sees a true count.

A ``TripDomain`` says what may be known beforehand and a ``SynthesisPlan`` what is measured for how much. The noisy tables
become a ``TripModel`` (``consistency``, ``model``), from which ``sampling`` draws trips. ``figure`` and ``closeness``
compare them with others. ``stability`` is about keys that nobody listed beforehand.
"""
