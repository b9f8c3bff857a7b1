"""Exact tables in, noisy tables out: the only road from private counts to synthetic trips and to histograms of keys.

``groups`` noises every cell of public tables; ``stability`` noises the keys that occur and keeps the large ones. All noise
is exact and discrete (``dpcore.noise``). Nothing here knows where the counts come from.
"""
