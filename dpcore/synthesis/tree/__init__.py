"""Personalised trajectory trees (PLDP-TD): how often each way begins so, with more noise where it is more delicate.

A trajectory is a sequence of tiles. The tree has a node for each kept prefix ``l_1 .. l_d`` with a noisy number of
the trajectories that begin so. Every tile has a public *descriptor*, from Public-ish to Critical; its level says how
much a visit to it may show. The mechanism is named after Deldar and Abadi (PLDP-TD, Pervasive and Mobile Computing
49, 2018), whose full text is not open: definitions, allocations and proofs are our own. Two readings that suggest
themselves fail, so they are changed here: a node is the sum of its children only if trajectories that *end* there are
a child too (``$``; and ``+`` for those cut at the height), and a budget by the level of the single node does not
protect the record (a path low, low, low, Critical would spend three low budgets besides).

**Definitions.** Levels ``1 .. K`` (K is Critical), budgets ``B(1) >= .. >= B(K) = epsilon``, ``B(k) = epsilon /
weight(k)``. A trajectory is cut to ``h`` tiles and gets an end marker: ``h + 1 = H`` positions. ``level(T)`` is the
highest level in T. Empty trajectories are left out, one by one: they are no records.

* *record-PLDP* (Jorgensen, Yu, Cormode, ICDE 2015): adding or removing a trajectory T changes the probability of every
  output by a factor within ``exp(+-B(level(T)))``.
* *location-PLDP*: let one trajectory end just before its first visit to ``l`` (leave it out if it begins there). The
  factor is within ``exp(+-B(level(l)))``. It hides *whether somebody went on to l*.

**What location-PLDP implies**, and a release must say (``plan.implied_losses``):

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

**Exclusion attack.** Precise counts of public places say who is *not* at a delicate one: if nearly all of ten people
are seen, sharply, at the park, the others were elsewhere. Every definition that protects some values less has this
weakness (One-sided privacy, Kotsogiannis and others 2020). The levels must come from what places are, never from
data, and the low budgets must be ones that the owner would defend alone.

**Common step of both proofs.** Which candidates are expanded, thresholds and empty children depend on the data
through noisy counts only, rates on the public path only. Given one output tree, two databases differ in the
probability of nodes whose count differs, by one each, under expanded parents; each such factor is within
``exp(+-e(v))``, be the node kept with its value or dropped. So the loss is at most the sum of ``e`` over the nodes
that change. Rates are rounded down when drawn, which only lowers it; accounts use the unrounded ones.

**Theorem A.** *Non-adaptive and adaptive allocation are location-PLDP.* T is cut before position j, its first visit to
l; ``v_i`` is its prefix of length i. What changes: ``v_j .. v_n``, T's marker and, if j > 1, the ``$`` below
``v_(j-1)``. Non-adaptive: ``level(v_i) >= level(l)`` for i >= j, so each ``e(v_i) <= B(level(l)) / H``, and a marker's
``epsilon / H`` is no more. With j = 1 these are at most h nodes and a marker, with j > 1 at most h - 1 nodes and two
markers: H terms. Adaptive: with ``s_d = r(v_d) - epsilon / H`` (what the node and its locations below share),
``e(v_d) = s_d / (h - d + 1)`` and ``s_(d+1) <= s_d - e(v_d)``, so rates never rise along a path and the at most
``h - j + 1`` nodes from ``v_j`` on spend ``s_j`` at most. T's marker brings it to ``r(v_j) <= B(level(l)) - [j > 1]
epsilon / H``; the ``$`` of the cut record takes the rest. All rates are positive: ``s_1 >= epsilon - epsilon / H``,
and a later bound leaves ``epsilon (1 - 2 / H) > 0`` as h >= 2 there. If the first visit lies beyond position h, only
``+`` becomes ``$`` below one node: ``2 epsilon / H <= epsilon``, or nothing changes. QED. All Critical: by induction
``r(v_d) = epsilon (H - d + 1) / H`` and ``e = epsilon / H``, the uniform allocation.

**Theorem B.** *The record allocation is record-PLDP.* T changes its prefixes and one marker. Prefixes spend
``epsilon / 2`` at most in all, the ``$`` the rest up to ``B(level(T))``: together at most that. A cut T has spent
epsilon, which no level undercuts; its unseen tail may be Critical. QED.

The uniform allocation spends epsilon on a whole trajectory and so satisfies both. ``allocation`` holds the rates;
``tree.must_keep_its_promise`` checks the sums of both proofs on every grown tree.

An owner chooses ``choices`` with ``levels`` (also as a file, ``levels_file``). They make a ``plan`` with its price, and
``allocation`` gives its rates. The counting is behind the wall (``dpcore.private.trajectories.growth``) and is handed its
draws (``tree.NoiseSource``). What comes out is a ``tree`` with estimates that agree, released as ``noisy_tree`` with
synthetic trajectories. It is read as ``paths``, asked ``queries`` or a typed ``question``, and gives ``answers``.
"""
