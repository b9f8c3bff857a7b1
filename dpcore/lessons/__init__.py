"""What lessons compute: the demo city, honest draws, attacks, and mechanisms that are broken on purpose.

A lesson is its page in ``pages/learn`` and one file here: what it computes, and the charts of it. ``pictures`` holds what
these charts share.

Everything here runs on the built-in city, whose every trip is public: lessons count its rows themselves, and tests
compare what they count with what its owner counts. ``city`` reads the rows. It alone knows the owner's side, and of that
only how to open this city and to count it, so no lesson has a way to another data set. ``dice`` draws: honestly by
``dpcore.noise``, or in a classroom from a seed that everybody may know. ``attacks`` tries to break what is released,
``broken`` holds the mechanisms that let it. Nothing but lessons may know this package: whatever is drawn or broken here
can reach no release.
"""
