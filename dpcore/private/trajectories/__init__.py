"""Prepared trips become trajectories: sequences of tile numbers that a noisy tree counts. They never leave the wall.

**How a trajectory is made.** A *position* is a tile and a time. A complete trip has its start, the tiles on its way and
its end; of an incomplete one the end alone is known. The times of the tiles on the way are not kept when trips are
prepared: they count as spread evenly between start and end.

* Source *trip*: the positions of one trip.
* Source *day*: the positions of all trips of a person that belong to one day, in order of time; at one instant in order
  of the trips. A trip belongs to the day of the city's clock on which it starts, also with what comes after midnight;
  an incomplete one to the day of its end. With a period, trips that belong to other days are left out.

Positions become *entries* (``entries``): each position is one, or, at an interval of N minutes, entry k is the last
position at or before ``t + k N``, where t is the time of the first position, for k = 0, 1, .. up to the first such
instant that is not before the last position. So staying is seen, the end is always seen, and what is passed between two
instants is not. Then entries outside every tile (or at a place that is not known) are left out, or are one more place,
or the trajectory ends before the first of them. Without an interval, entries that repeat the tile before are taken away
at last. Trajectories without an entry are left out after everybody was bounded; of longer ones than the tree is high, it
reads that they go on.

**What one unit can change.** Protecting trips, nothing is bounded, and a trajectory is made of one trip alone: a trip
more adds one trajectory at most. Protecting people, each trajectory of a person, also one without an entry, has a
*slot* with a rank. The M slots of lowest rank are kept; then those without an entry are left out.

* Source trip: the rank is the keyed hash of the trip and its person that bounds tables too (``private.bounding``). Of
  equal trips the second, the third, .. is hashed again with its number, so that each has a slot of its own.
* Source day: the rank is a keyed hash of the day and the smallest of those hashes of its trips. Ids of people are not
  kept, and their numbers depend on who else is there; but those hashes cover the id. Hashed again, it does not favour
  days with many trips.

*A person more changes at most M trajectories.* Positions, entries and rank of a trajectory are functions of the rows of
one person and of the key, which is independent of the data. So is what is kept of a person: the others keep theirs, and
M trajectories at most are added. So the epsilon of a record, times M, holds for everyone, whoever knows the key. QED

*A trip more takes at most one trajectory away and brings at most one.* It belongs to one trajectory c, by its own
values, and the others keep their entries and ranks. Let S be the candidates of its person besides c, at most M of
which are kept. Those that S would keep without c are kept with it too, but for the last of M if c has a lower rank. So
with c as it was, and with c as it is now, one keeps all of S's but one at most, and it is the same one. Either c was
kept and is kept: it is exchanged. Or it was kept and is not: it goes and that one comes. Or the other way round. Or it
is not kept either time, and nothing changes. A new c was not kept. Of the kept slots those without an entry are left
out, which changes nothing about the others. QED
So in an account that hides single trips, a tree that hides people costs 2/M of what it costs them.

**What the epsilon of a level speaks of.** The key is secret: take the hash for a random function, and probabilities over
key and noise. One world holds the data D, the other D', in which something of one person is not so. Let that person have
n trajectories in D.

*The kept slots are M of n, each set of M equally likely, whatever the trajectories are* (all, if n is at most M). What is
hashed differs from slot to slot: trips by their content, equal trips by their number, days of a person by the day. So,
but for collisions (a chance of 2**-64 a pair), the ranks of a person are independent of one law, and independent of
entries, noise, and what is kept of others. QED

*A trajectory that ends earlier, but stays in the data, shows B(level), as theorem A says, also of people with more than
M.* Let c be cut to c' just before its first visit to l; if it begins there, c' has no entry, but the trip or the day is
there. D' then has n slots, too. Couple both worlds: c' has the rank of c, every other trajectory its own. By the last
paragraph the ranks have their law in either world. Both worlds keep the same slots, c' for c, so what the tree counts is
the same, or differs by one trajectory that is cut before l: in each pair of coupled keys (K, K') theorem A holds, and
``P(o | D) = E P(o | D, K) <= exp(B(level(l))) E P(o | D', K') = exp(B(level(l))) P(o | D')``; and the other way round.
If more trajectories of the person end earlier, at most M of them are kept: M times as much. In the same way a visit
that is taken out of c, or an emptied c under record-PLDP (theorem B). QED

*A trajectory that is missing shows B(level) + B(lowest) at most where n is more than M*, with the level of its first
tile (record-PLDP: the highest on it), and the lowest level that a tile has. D' has n - 1 slots; keep the ranks of the
others. If c is not among the M lowest, nothing changes. Otherwise c goes, and the slot that was the next, d, comes. To
take c out costs B(level) by theorem A (B) and to put d in costs B of its own first tile (highest level), so B(lowest) at
most; 0 if it has no entry. The losses of two steps add up. Where n is at most M nobody comes: B(level). If several are
missing, at most M go and at most M come: M times as much. This holds for every key; on average over keys it is a little
less, as c is kept in M of n cases. QED

So a release must not say that the epsilon of a level holds for *missing* trajectories of people with more than M. And
whoever knows the key knows ranks: to them even c', which has another rank than c, may be out and d in, which shows
B(first tile of c) + B(lowest) at most.

``positions`` reads, ``entries`` makes, ``sequences`` bounds and puts them together. ``growth`` counts them into a noisy tree
(``dpcore.synthesis.tree``); its noise is handed in.
"""
