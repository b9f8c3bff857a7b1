"""The compiled engine: passes over one shard of whole people, in memory, for measures that have a rule.

It gives what the SQL gives, cell by cell; ``tests/private/engine`` compares them. Numbers of users that are computed in
floating point (radius, entropy) may differ in the last bit, as they do between any two engines.
"""
