"""Find the broken mechanism.

Six machines say that they protect you. Which of them lie?

6 minutes, :material/troubleshoot:

Six black boxes all promise epsilon 1. An auditor finds out which of them lie.
"""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import attacks, machines
from dpcore.privacy import decimal_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.catalogue import lesson
from pages.learn.parts.frame import one_of, picture

FEWEST, MOST = 3, 5
TRIALS = (100, 300, 1_000, 3_000, 10_000, 30_000)
NOTES = r"""
**What an audit shows.** If some event has probability $p$ with the person and $q$ without, then
$\varepsilon \ge \ln(p/q)$. From $k$ hits in $n$ trials Clopper and Pearson give $p \ge p_{\text{low}}$ and
$q \le q_{\text{high}}$, each wrong in 2.5 of 100 audits at most; so $\ln(p_{\text{low}}/q_{\text{high}})$ is too high in at most
5 of 100. The event is chosen on 30 % of the trials and judged on the others. Otherwise luck would count as proof.

**What it cannot show.** A low bound proves nothing. An event that nobody tried, or a flaw that one run in a million shows,
stays hidden. If an event never happens in one world, the bound grows like $\ln n$ without end.

*Ask the class:* which flaw could you have found by reading the label alone? What would you demand to see besides an audit?
"""
SOURCES = (
    "Clopper, Pearson: The use of confidence or fiducial limits, Biometrika 1934",
    "Jagielski, Ullman, Oprea: Auditing differentially private machine learning, 2020 (lower bounds by attacks)",
    "Ding, Wang, Wang, Zhang, Kifer: Detecting violations of differential privacy, CCS 2018",
)


def verdict(boxes: dict[str, machines.Machine], turn: int) -> None:
    """Three to five machines are marked, then all are opened. The question is asked anew for new machines."""
    accused = st.pills(
        "These machines lie (mark three to five)",
        list(boxes),
        selection_mode="multi",
        key=f"14-accused{turn or ''}",
        bind="query-params",
    )
    if not FEWEST <= len(accused) <= MOST:
        st.caption(f"{len(accused)} marked. The machines can be opened when three to five are.")
        return
    if not st.toggle("Open the machines", key=f"14-opened{turn or ''}"):
        return
    liars = {letter for letter, machine in boxes.items() if machine.lies}
    caught, wronged = len(liars & {*accused}), len({*accused} - liars)
    if wronged:
        st.warning(
            f"{caught} of {len(liars)} liars found, and an honest machine accused.", icon=":material/gavel:"
        )
    elif caught == len(liars):
        st.success(f"All {caught} liars found, and nobody wronged.", icon=":material/gavel:")
    else:
        st.info(f"{caught} of {len(liars)} liars found, and nobody wronged.", icon=":material/gavel:")
    for letter, machine in boxes.items():
        mark = ":material/check_circle:" if (letter in accused) == machine.lies else ":material/cancel:"
        word = "lies" if machine.lies else "is honest"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{mark} **{letter} {word}**: {machine.name}. {machine.truth}")
            if machine.lesson:
                shown = lesson(machine.lesson)
                st.page_link(shown.page, label=f"Lesson {shown.number}", icon=shown.icon)


def examine(boxes: dict[str, machines.Machine]) -> None:
    """Choose a machine and a number of trials, and read what the auditor found."""
    left, right = st.columns(2)
    letter = one_of(left, "Machine", list(boxes), "A", key="14-machine")
    trials = right.select_slider("Trials in each world", TRIALS, 300, format_func="{:,}".format, key="14-trials", bind="query-params")  # fmt: skip
    machine, turn = boxes[letter], classroom.turn("14-machines")
    found = classroom.kept_draw("14-audit", partial(machines.audited, machine, trials), letter, trials, turn)
    notebook: dict[str, str] = classroom.kept_draw("14-notebook", lambda _: {}, turn)
    notebook[letter] = f"**{letter}** {found.epsilon:.2f} ({trials:,})"
    st.markdown(f"Label: *{machine.asks} ε = {decimal_text(machines.CLAIMED)} for one person.*")
    one, two = st.columns(2)
    one.metric("It promises at most", f"ε {decimal_text(machines.CLAIMED)}", border=True)
    two.metric(
        "The auditor says: at least",
        f"ε {found.epsilon:.2f}",
        border=True,
        help="Right in 95 of 100 audits or more.",
    )
    event = found.event
    rows = {
        name: machines.interval_words(found.hits[name], found.trials, found.low[name], found.high[name])
        for name in found.hits
    }
    st.markdown(
        f"Most telling event: **{machines.event_words(event.look, event.sign, event.line)}**.\n"
        f"- With the person: {rows['with']}\n- Without: {rows['without']}"
    )
    st.caption(
        f"The auditor chose this event on the first {trials - found.trials:,} of the {trials:,} trials and judged it on the other {found.trials:,}. "
        "Judged on the trials on which it was chosen, luck would count as proof."
    )
    picture(machines.worlds_chart(found), "two-worlds")
    st.caption(
        "Last audit of each machine, ε at least (trials): "
        + " · ".join(notebook[key] for key in sorted(notebook))
    )
    with st.container(horizontal=True):
        st.button("Audit again", icon=":material/replay:", on_click=classroom.next_turn, args=("14-audit",))
        st.button(
            "New machines", icon=":material/casino:", on_click=classroom.next_turn, args=("14-machines",)
        )


mine = frame.opening(__file__)
made = classroom.kept_draw("14-machines", machines.shuffled)
boxes = dict(zip("ABCDEF", made, strict=True))
start, end = machines.ends_of_flow()
st.markdown(
    f"Ten people travel from {start} to {end}. Six machines answer questions about them. The auditor sees answers only: "
    "with all ten, and with one person less, the one whose absence shows most. One machine at least is honest."
)
examine(boxes)
with st.container():  # as long as it may be, what follows stays
    verdict(boxes, classroom.turn("14-machines"))
frame.what_happened(
    "With few trials the auditor often cannot tell. With more, the bound of a liar climbs over 1, and the bound of an honest machine "
    "comes close to 1 and stays below it, in 95 of 100 audits or more. Some liars are caught by how large their answers are, some "
    "by one exact value, some by their last digits, and some by two answers together."
)
frame.attack_code(getsource(attacks.audit), getsource(attacks.clopper_pearson))
frame.why(
    "ε = 1 says that no event may be more than 2.72 times as likely with a person as without, or without as with. One event that "
    "breaks this rule, seen often enough, proves the promise wrong. **The other way round it proves nothing:** to know that a "
    "machine is honest one must know how it works. "
    "The source of this app can be read: proofs stand beside the mechanisms, audits among the tests."
)
frame.verify(
    "ln(low end / high end) of the two intervals above, for the world where the event is likelier, gives the auditor's ε."
)
frame.check(
    "An audit of 30,000 trials finds ε of at least 0.4, where 1 was promised. What do you know?",
    ["The machine is honest", "The machine is not proved a liar", "The true ε is 0.4"],
    1,
    "The auditor gives a lower bound. There may be an event that nobody has tried.",
    key="14",
)
frame.closing(mine, NOTES, SOURCES)
