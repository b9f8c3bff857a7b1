"""Quantiles of histograms: read off released counts for nothing, or bought. Public rules; one module draws.

=====================  ==========================================================================
``grids``              the public points that a bought quantile can be, and round bins over a range
``rank_scores``        how well a point answers, and how much of that one person or one trip changes
``mechanism``          the draw itself, from exact counts: behind the wall, the curator alone uses it
``bought``             what a plan buys, and what was bought: values, prices, the bins that follow
``rank_noise``         how far the noise of counts moves a rank
``histogram_ranks``    where a quantile lies, as noisy counts tell it
``five_numbers``       five-number summaries of released histograms, free or bought, with intervals
=====================  ==========================================================================

A release with its summaries: ``dpcore.release.five_numbers``.
"""
