"""The fixed texts of the Release page."""

from __future__ import annotations

from types import MappingProxyType

INTRO = (
    "Decide what to publish, see what it costs and what it will give, then publish. Nothing is counted, drawn or "
    "charged before you confirm."
)

CHOSEN = MappingProxyType(
    {
        "before_data": "Before anyone looked at the data",
        "after_preview": "After looking at a preview or at the data",
        "paid": "With a noisy answer that was paid for from this budget",
    }
)

CHOSEN_HELP = (
    "ε, M, the tiles and the dates tell something by themselves if they were picked because the result looks good, and "
    "no accounting can see it. **The clean way**: decide here, with the forecast below, from what is known anyway, and "
    "look at previews of another city (the built-in one) to learn. The release says which way was taken."
)

LOOKED = (
    "So 'before anyone looked at the data' cannot be said any more; the release says which way was taken."
)

PARALLEL = (
    "Parts run side by side, because nobody is in two of them: the account pays for the dearest part, so this release "
    "adds ε {charge} to what is spent."
)

GIVE_BACK = (
    "Takes the charge back. Right only if nothing was drawn: once noise was drawn, somebody may have seen a number, and "
    "the charge has to stay. The ledger keeps your reason for good."
)

FACTS_HELP = (
    "About how many, from what is known anyway, such as a yearly report. Used for the forecast only; never read off "
    "the data silently, and not published."
)

TRUE_NUMBERS = (
    "Reads the exact numbers off the data. Good for learning; but then the plan depends on the data, which no "
    "accounting sees."
)

DATASET_HELP = (
    "Whose budget pays. All releases about the same people belong to one account, whatever the files are called: two "
    "accounts over the same people would be two budgets, and no program can notice."
)

TOTAL_HELP = (
    "What all releases about these people together may ever cost. Written into the ledger at the first release; "
    "nobody can raise it later."
)

CURRENCY_HELP = (
    "**People**: the budget counts what can be learnt about a person; only releases that hide a person are possible. "
    "**Trips**: it counts what can be learnt about one trip; both kinds are possible, and a person with many trips "
    "is protected less. Fixed at the first release."
)

EPSILON_HELP = (
    "What the release costs in total. Viewers will be able to slide over this and all smaller listed values: the "
    "noise of a smaller ε is the noise of the larger one made coarser."
)

WEIGHTS_HELP = "The pictures share ε by weight. Finer pictures need more, because their counts are smaller."

FIVE_NUMBERS_HELP = (
    "For every histogram: the values below which 5, 25, 50, 75 and 95 % lie. They can be read off the released bins "
    "**for free**, between the edges of a bin; with many trips that is all one needs. Bought with a share of ε they come "
    "from a finer public grid. Where the free one is surer it is the one that shows. They are drawn once: a later top-up pays for them too but leaves them as they are. "
    "Smallest and largest values are never published: each is one trip or one person."
)

FALSE_FLOWS_HELP = (
    "There are too many pairs of tiles to list all: those whose noisy count reaches a threshold are. So many empty pairs reach it by "
    "chance, about. More of them: a lower threshold, and more small true flows. It costs no ε, is public, and is chosen "
    "without looking at trips. Raising the release later keeps the list as it is."
)
RAISED_FLOWS = (
    "Flows: the pairs that are listed stay the same, with less noise. A pair that is missing does not come in, however many "
    "trips it has; nor does a false one go. To decide the list anew, publish a new release at its full price."
)

RANGED_HELP = (
    "Take out a histogram to leave it its usual bins: the share of ε is parted among those that stay. Bins that you changed on "
    "the **Data** page are never bought."
)
RANGES_HELP = (
    "Bins are public: chosen on the **Data** page, or the usual ones. Where you know too little of the city to choose, a "
    "share of ε can buy a noisy range (up to the value that 95 % stay below), and ten or more equal bins follow from it. "
    "With few trips, or a small share, the range may come out far too wide."
)

NO_PERIOD = "Trips over time need a public period: choose its first and last day on the **Data** page."

KNOWN_INTRO = (
    "The same ε protects very different things. Here every number is turned into one unit, **one person over four "
    "weeks**, in the worst case. It says what was done, not what is right: there is no usual range to aim at."
)

AGAIN = (
    "A release with the very same plan was published before. Publishing again draws new noise and is charged anew; "
    "together the two tell more than one."
)

FINISH = "Paid for, but not handed over yet: it was cut short, or is still under way elsewhere. Finishing costs nothing."

UNDER_WAY = "A release that was begun before is being made. Its receipt will stand here."

NOTHING_YET = "Nothing was published about this data set yet."

LEDGER_HELP = "Every line carries the hash of the line before it, so that nothing can be changed quietly."
