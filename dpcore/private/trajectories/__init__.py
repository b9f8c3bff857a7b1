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
at last. Trajectories without an entry are left out before anybody is bounded; of longer ones than the tree is high, it
reads that they go on.

**What one unit can change.** Protecting trips, nothing is bounded, and a trajectory is made of one trip alone: a trip
more adds one trajectory at most. Protecting people, M trajectories of a person at most are kept, in the order of a rank.

* Source trip: the rank is the keyed hash of the trip and its person that bounds tables too (``private.bounding``).
* Source day: the rank is a keyed hash of the day and the smallest of those hashes of its trips. Ids of people are not
  kept, and their numbers depend on who else is there; but those hashes cover the id. Hashed again, it does not favour
  days with many trips.

*A person more changes at most M trajectories.* Positions, entries and rank of a trajectory are functions of the rows of
one person and of the key, which is independent of the data. So is what is kept of a person: the others keep theirs, and
M trajectories at most are added. QED

*A trip more takes at most one trajectory away and brings at most one.* It belongs to one trajectory c, by its own
values, and the others keep their entries and ranks. Let S be the candidates of its person besides c, at most M of
which are kept. Those that S would keep without c are kept with it too, but for the last of M if c has a lower rank. So
with c as it was, and with c as it is now, one keeps all of S's but one at most, and it is the same one. Either c was
kept and is kept: it is exchanged. Or it was kept and is not: it goes and that one comes. Or the other way round. Or it
is not kept either time, and nothing changes. A new c, or one without an entry left, was or is not kept. QED
So in an account that hides single trips, a tree that hides people costs 2/M of what it costs them.

*Promises below the whole trajectory* (location-PLDP) speak of the trajectories that count. Other rows of a person have
other ranks, so a person who had not gone on to a place might have other trajectories counted; with a secret key the
ranks of the two worlds have one law, and each of the kept ones is cut.

``positions`` reads, ``entries`` makes, ``keeping`` bounds, ``sequences`` puts them together. ``lengths``, ``preview``
and ``comparing`` are what the owner looks at.
"""
