"""Noise, and what it does: counts and a share of epsilon become a measurement, and how far off that may be.

==================  =================================================================================
``samplers``        exact discrete Laplace noise, and the ladder that gives it at several epsilons
``sparse``          the same for huge tables, without touching empty cells one by one
``mechanisms``      exact counts become a measurement; for the curator and the owner's preview alone
``exponential``     one bought quantile is drawn; for the curator alone
``accuracy``        what error to expect of a cell, a sum, a rank
``five_numbers``    five-number summaries of released histograms, free or bought
``forecast``        what a plan will give, before anything is spent
``weights``         weights that make the tables of a plan about equally sharp
``bound_choice``    which bound on trips per person to choose
==================  =================================================================================

Names are taken from the files and not from here, so that the source says who may draw.
"""
