"""Stability histograms: which keys are counted, from which noisy count on they are shown, what that costs. Public.

``choices`` are the owner's, ``plan`` says what is counted and what comes out, ``thresholds`` from when on it is shown,
``totals`` what it costs, beside the numbers of a known release.
"""
