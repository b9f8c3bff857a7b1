"""Prepared trips become trajectories: sequences of tile numbers that a noisy tree counts. They never leave the wall.

**How a trajectory is made.** A *position* is a tile and a time. A complete trip has its start, the tiles on its way and its
end. Of an incomplete one only the end is known. The times of the tiles on the way are not stored when trips are prepared:
they count as spread evenly between start and end.

* Source *trip*: the positions of one trip.
* Source *day*: the positions of all trips of a person that belong to one day, in order of time; at one instant in order of
  the trips. A trip belongs to the day of the city's clock on which it starts, even if it continues after midnight. An
  incomplete one belongs to the day of its end. With a period, trips that belong to other days are left out.

Positions become *entries* (``entries``). Without an interval each position is one entry. With an interval of N minutes,
entry k is the last position at or before ``t + k N``, where t is the time of the first position, for k = 0, 1, .. up to the
first such instant that is not before the last position. So staying is seen, the end is always seen, and places passed
between two instants are not seen. Then entries outside every tile (or at an unknown place) are left out, or are one more
place, or the trajectory ends before the first of them. Finally, without an interval, entries that repeat the tile before
are removed. Trajectories without an entry are left out after everybody was bounded. Of those longer than the height of the
tree, the tree reads that they continue.

**What one unit can change.** If trips are protected, nothing is bounded, and a trajectory is made of one trip alone. So one
trip more adds at most one trajectory. If people are protected, each trajectory of a person, even one without an entry, has
a *slot* with a rank. The M slots of lowest rank are kept. Then those without an entry are left out.

* Source trip: the rank is the keyed hash of the trip and its person that also bounds tables (``private.bounding``). Of
  equal trips the second, the third, .. is hashed again with its number, so that each has its own slot.
* Source day: the rank is a keyed hash of the day and the smallest of those hashes of its trips. Ids of people are not
  stored, and their numbers depend on who else is there; but those hashes cover the id. Hashing again prevents a preference
  for days with many trips.

*A person more changes at most M trajectories.* Positions, entries and rank of a trajectory are functions of the rows of one
person and of the key, which is independent of the data. So is the choice of what is kept of a person. So the others keep
theirs, and at most M trajectories are added. Therefore the epsilon of a record, times M, holds for everyone, even against
somebody who knows the key. QED

*A trip more takes at most one trajectory away and brings at most one.* It belongs to one trajectory c, by its own values,
and the others keep their entries and ranks. Let S be the candidates of its person other than c, at most M of which are
kept. Those of S that would be kept without c are kept with it too, except the last of M if c has a lower rank. So with c as
it was, and with c as it is now, all of these are kept except at most one, which is the same one in both cases. There are
four cases. If c was kept and is kept, it is exchanged. If it was kept and is not kept now, it goes and that one comes. If
it was not kept and is kept now, the reverse happens. If it is not kept either time, nothing changes. A c that is new was
not kept before. Leaving out kept slots without an entry changes nothing for the others. QED
So in an account that protects single trips, a tree that protects people costs 2/M of what it costs them.

**What the epsilon of a level says.** The key is secret. Take the hash for a random function, and take probabilities over
key and noise. One world holds the data D, the other D', in which something about one person is different. Let that person
have n trajectories in D.

*The kept slots are M of n, each set of M equally likely, whatever the trajectories are* (all, if n is at most M). What is
hashed differs from slot to slot: trips by their content, equal trips by their number, days of a person by the day. So,
except for collisions (a probability of 2**-64 for each pair), the ranks of a person are independent draws of one law. They
are independent of entries, noise, and what is kept of others. QED

*A trajectory that ends earlier, but stays in the data, shows B(level), as theorem A says, also for people with more than
M.* Let c be cut to c' just before its first visit to l. If it begins there, c' has no entry, but the trip or the day is
still there. So D' also has n slots. Couple both worlds: c' has the rank of c, and every other trajectory its own. By the
last paragraph the ranks have their law in either world. Both worlds keep the same slots, with c' for c. So what the tree
counts is the same, or differs by one trajectory that is cut before l. For each pair of coupled keys (K, K') theorem A
holds, and ``P(o | D) = E P(o | D, K) <= exp(B(level(l))) E P(o | D', K') = exp(B(level(l))) P(o | D')``; and the same with
D and D' exchanged. If more trajectories of the person end earlier, at most M of them are kept: M times as much. The same
argument covers a visit that is removed from c, and an emptied c under record-PLDP (theorem B). QED

*A trajectory that is missing shows at most B(level) + B(lowest) if n is more than M*, with the level of its first tile
(record-PLDP: the highest on it), and the lowest level that a tile has. D' has n - 1 slots; keep the ranks of the others. If
c is not among the M lowest, nothing changes. Otherwise c goes, and the next slot, d, comes. Removing c costs B(level) by
theorem A (B). Adding d costs B of its own first tile (highest level), so at most B(lowest); 0 if it has no entry. The losses
of two steps add up. If n is at most M, nothing comes: B(level). If several are missing, at most M go and at most M come: M
times as much. This holds for every key. On average over keys it is a little less, because c is kept in M of n cases. QED

So a release must not say that the epsilon of a level holds for *missing* trajectories of people with more than M. Somebody
who knows the key knows the ranks. To them even c', which has another rank than c, may be out and d in, which shows at most
B(first tile of c) + B(lowest).

``positions`` reads, ``entries`` makes the entries, ``sequences`` bounds and assembles. ``growth`` counts them into a noisy
tree (``dpcore.kinds.tree``), with noise that is passed in.
"""
