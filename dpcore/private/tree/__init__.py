"""The counting room of trajectory trees (``dpcore.trajectory_tree``): exact counts go in, a noisy tree comes out.

``sequences`` holds the trajectories, ``walkers`` follows them down, ``growth`` grows the tree depth by depth with
``frontier`` (its open ends) and ``empty_children`` (what nobody visited). The noise is handed in.
"""
