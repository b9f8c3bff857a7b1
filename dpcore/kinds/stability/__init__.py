"""Stability histograms: large noisy counts of keys that nobody listed beforehand. Public, no data.

``choices`` holds what the owner chooses, ``plan`` what is counted and the result, ``thresholds`` the noisy count from which a key is
shown and its delta, ``totals`` the cost of a release, beside that of a published one.
"""
