"""Stability histograms: which keys are counted, from which noisy count on they are shown, what that costs. Public.

``plan`` says what is counted, ``thresholds`` from when on it is shown, ``totals`` what it costs; ``opal`` is the plan of a
known release, ``large_counts`` what comes out.
"""
