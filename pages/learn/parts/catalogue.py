"""The lessons in the order in which they build on each other: what each asks and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Lesson:
    """One page of a few minutes."""

    file: str
    """Its file under ``pages/learn``, without ``.py``; with a number first."""
    title: str
    question: str
    """What somebody may ask who has never heard of privacy mathematics."""
    minutes: int
    icon: str

    @property
    def number(self) -> int:
        """Its place in the order."""
        return int(self.file[:2])

    @property
    def page(self) -> str:
        """Its path, as the router knows it."""
        return f"pages/learn/{self.file}.py"


LESSONS: Final = (
    Lesson(
        "01_why_counting_is_not_enough",
        "Why counting is not enough",
        "The table hides every count below ten. Is that not private?",
        4,
        ":material/visibility_off:",
    ),
    Lesson(
        "02_the_slider_that_leaks",
        "The slider that leaks",
        "What happens if somebody asks the same question again and again?",
        5,
        ":material/tune:",
    ),
    Lesson(
        "03_whom_do_we_hide",
        "Whom do we hide?",
        "A trip is hidden. Is the person who made forty of them?",
        5,
        ":material/person_search:",
    ),
    Lesson(
        "04_cutting_trips",
        "Cutting trips",
        "How many trips of each person should count?",
        4,
        ":material/content_cut:",
    ),
    Lesson(
        "05_what_one_person_can_do",
        "What one person can do to a number",
        "How far can one person move a count?",
        4,
        ":material/person_add:",
    ),
    Lesson(
        "06_shapes_of_noise",
        "Laplace, geometric, Gaussian",
        "What does the noise look like, and what can be told through it?",
        5,
        ":material/show_chart:",
    ),
    Lesson(
        "07_ghost_flows",
        "Ghost flows",
        "Most pairs of places have no trip at all. What does noise make of them?",
        5,
        ":material/blur_on:",
    ),
    Lesson(
        "08_median_without_looking",
        "A median without touching values",
        "How can one publish the middle of a list of secrets?",
        4,
        ":material/vertical_align_center:",
    ),
    Lesson(
        "09_the_bill",
        "The bill",
        "What do many answers cost together?",
        6,
        ":material/receipt_long:",
    ),
    Lesson(
        "10_tiny_bits",
        "Tiny bits",
        "Can the last digits of a number tell a secret?",
        4,
        ":material/memory:",
    ),
    Lesson(
        "11_after_the_noise",
        "After the noise",
        "May one tidy up noisy numbers, and what does it do to them?",
        4,
        ":material/cleaning_services:",
    ),
    Lesson(
        "12_places_that_matter_more",
        "Places that matter more",
        "Can a clinic be hidden better than a station square?",
        5,
        ":material/local_hospital:",
    ),
    Lesson(
        "13_synthetic_trips",
        "Synthetic trips",
        "What survives in trips that nobody made?",
        4,
        ":material/auto_awesome:",
    ),
    Lesson(
        "14_find_the_broken_mechanism",
        "Find the broken mechanism",
        "Six machines say that they protect you. Which of them lie?",
        6,
        ":material/troubleshoot:",
    ),
)


def lesson(file: str) -> Lesson:
    """The lesson of a file; KeyError if there is none."""
    return {one.file: one for one in LESSONS}[file]
