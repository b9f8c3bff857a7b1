"""Personalised trajectory trees (PLDP-TD): noisy counts of prefixes, with more noise where places are more delicate.

A trajectory is a sequence of tiles. The tree has a node for each kept prefix ``l_1 .. l_d``, with the noisy number of
trajectories that begin with it. Every tile has a public *descriptor*, from Public-ish to Critical. Its level says how much a
visit to the tile may reveal. The mechanism is named after Deldar and Abadi (PLDP-TD, Pervasive and Mobile Computing
49, 2018). Their full text is not open: definitions, allocations and proofs are our own. Two obvious readings of it fail and are
changed here. A node is the sum of its children only if trajectories that *end* there are a child too (``$``, and ``+`` for those
that are cut at the height). And a budget by the level of the single node does not protect the record: a path low, low, low,
Critical would also spend three low budgets.

**Definitions.** Levels are ``1 .. K`` (K is Critical), budgets ``B(k) = epsilon / weight(k)`` with ``B(1) >= .. >= B(K) = epsilon``.
A trajectory is cut to ``h`` tiles and gets an end marker: ``h + 1 = H`` positions. ``level(T)`` is the highest level in T. Empty
trajectories are left out, one by one, because they are not records.

* *record-PLDP* (Jorgensen, Yu, Cormode, ICDE 2015): adding or removing a trajectory T changes the probability of every
  output by a factor within ``exp(+-B(level(T)))``.
* *location-PLDP*: let one trajectory end just before its first visit to ``l`` (leave it out if it begins there). The
  factor is within ``exp(+-B(level(l)))``. This hides *whether somebody went on to l*.

**What location-PLDP implies.** A release must say it (``plan.implied_losses``):

=============================================  =======================================================
change                                         loss at most
=============================================  =======================================================
a whole trajectory                             B of its first tile; in the worst case **B(1)**, not epsilon
another one in its place                       B of both first tiles; in the worst case **2 B(1)**
the same, of a person with more than M         B of its first tile and **B(lowest)**: another one takes its place
a visit to l taken out, the rest kept          ``B(level(l)) + B(level(next tile))``: cut, then extend again
a Critical visit replaced by a low one         ``B(K) + B(low)``
anything, if all tiles are Critical            epsilon: plain differential privacy of trajectories
a person with at most M trajectories           M times as much
=============================================  =======================================================

**Exclusion attack.** Precise counts of public places say who is *not* at a delicate one. If nearly all of ten people are seen at
the park, precisely, few were elsewhere. Every definition that protects some values less has this weakness (One-sided
privacy, Kotsogiannis and others 2020). So the levels must come from what places are, never from data, and the owner must be
able to defend each low budget by itself.

**Common step of both proofs.** Expanded candidates, thresholds and empty children depend on the data only through noisy
counts. Rates depend only on the public path. Fix one output tree. Under two databases its probability differs only at nodes
whose count differs, by one each, under expanded parents. Each such factor is within ``exp(+-e(v))``, whether the node is
kept with its value or dropped. So the loss is at most the sum of ``e`` over the nodes that change. Rates are rounded down when
they are drawn, which only lowers the loss; accounts use the unrounded ones.

**Theorem A.** *Non-adaptive and adaptive allocation are location-PLDP.* T is cut before position j, its first visit to
l; ``v_i`` is its prefix of length i. These nodes change: ``v_j .. v_n``, T's marker and, if j > 1, the ``$`` below ``v_(j-1)``.

Non-adaptive: ``level(v_i) >= level(l)`` for i >= j. So each ``e(v_i) <= B(level(l)) / H``, and a marker's ``epsilon / H`` is not more.
With j = 1 these are at most h nodes and a marker, with j > 1 at most h - 1 nodes and two markers: H terms.

Adaptive: let ``s_d = r(v_d) - epsilon / H``, which the node and its locations below share. Then ``e(v_d) = s_d / (h - d + 1)`` and
``s_(d+1) <= s_d - e(v_d)``. So rates never rise along a path, and the at most ``h - j + 1`` nodes from ``v_j`` on spend ``s_j`` at
most. With T's marker that is ``r(v_j) <= B(level(l)) - [j > 1] epsilon / H``. The ``$`` of the cut record takes the rest. All rates
are positive: ``s_1 >= epsilon - epsilon / H``, and a later bound leaves ``epsilon (1 - 2 / H) > 0``, as h >= 2 there.

If the first visit lies beyond position h, only ``+`` becomes ``$`` below one node: ``2 epsilon / H <= epsilon``, or nothing changes.
QED. If all is Critical, ``r(v_d) = epsilon (H - d + 1) / H`` and ``e = epsilon / H`` by induction: the uniform allocation.

**Theorem B.** *The record allocation is record-PLDP.* T changes its prefixes and one marker. Prefixes spend at most
``epsilon / 2`` in all, the ``$`` the rest up to ``B(level(T))``: together at most ``B(level(T))``. A cut T spends epsilon, and no
budget is lower; its unseen tail may be Critical. QED.

The uniform allocation spends epsilon on a whole trajectory and so satisfies both definitions. ``allocation`` holds the rates.
``tree.must_keep_its_promise`` checks the sums of both proofs on every grown tree.

**Modules.** ``choices`` with ``levels`` (also as a file, ``levels_file``) is what an owner chooses. They make a ``plan`` with its price, and
``allocation`` gives the rates. Trips are counted in ``dpcore.kinds.tree.private.growth``, which takes its noise from a
``tree.NoiseSource``. The result is a ``tree`` with consistent estimates. It is released as ``noisy_tree`` with synthetic
trajectories. ``paths``, ``queries`` and ``question`` ask it, and ``answers`` holds the answers.
"""
