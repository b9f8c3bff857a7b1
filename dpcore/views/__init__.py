"""Pictures, tables and sentences made from measurements. Nothing here can reach a private count.

An owner page may hand in true counts, to be shown beside the noisy ones.
"""
