"""Measurements become pictures, tables and sentences; nothing here can reach a private count.

A picture may be given true counts to lay beside the noisy ones. Only an owner page has them.
"""
