"""Noise and its effect: counts and a share of epsilon become a measurement, with the error to expect.

======================  =================================================================================
``samplers``            exact discrete Laplace noise, and the ladder that gives it at several epsilons
``sparse``              the same for huge tables, without drawing for every empty cell
``mechanisms``          exact counts become a measurement; only for the curator and the owner's preview
``exponential``         draws one purchased quantile; only for the curator
``accuracy``            what error to expect of a cell, a sum, a rank
``five_numbers``        five-number summaries of released histograms, free or purchased
``forecast``            what a plan will give, before anything is spent
``expected_estimates``  how good the estimates of a plan will be, before anything is spent
``weights``             weights that make the tables of a plan about equally sharp
``bound_choice``        which bound on trips per person to choose
======================  =================================================================================

Import names from the files, not from here, so that the source shows which code may draw.
"""
