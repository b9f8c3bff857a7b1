"""What to read after the lessons: names to search for, no links that this app would follow."""

from typing import Final

READING: Final = """
- Dwork and Roth, *The Algorithmic Foundations of Differential Privacy* (2014): the textbook.
- Near and Abuah, *Programming Differential Privacy*: the same with code, free on the web.
- Desfontaines, *A friendly, non-technical introduction to differential privacy*: a series of short articles.
- NIST SP 800-226, *Guidelines for Evaluating Differential Privacy Guarantees*: what to ask of somebody who claims it.
- Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice* (2022): trips against
  people, on a real release of flows.
"""
