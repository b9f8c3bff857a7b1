"""What to read after the lessons: names to search for, no links that this app would follow."""

from typing import Final

READING: Final = """
- Desfontaines, *A friendly, non-technical introduction to differential privacy*: a series of short articles.
- Near and Abuah, *Programming Differential Privacy*: the mathematics with code, free on the web.
- Dwork and Roth, *The Algorithmic Foundations of Differential Privacy* (2014): the textbook.
- OpenDP, *documentation and notebooks*: attacks and mechanisms step by step, with a library that proves what it adds.
- `opendp/privacy-attacks` (MIT licence): reconstruction and membership attacks as exercises.
- Vadhan and others, *Applied Privacy for Data Science* (Harvard cs208): a course with open slides and exercises.
- NIST SP 800-226, *Guidelines for Evaluating Differential Privacy Guarantees*: what to ask of somebody who claims it.
- Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice* (2022): trips against
  people, on a real release of flows.
"""
