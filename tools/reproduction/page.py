"""The page: every check as a row of a Markdown table.

Apart from the checks because it is only words; it holds nothing of the machine
that it was made on.
"""

# ruff: noqa: E501 - the page's own lines are as wide as those of other pages.

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from tools.reproduction.check import Check, Verdict

_INTRODUCTION = """\
# What the VDG paper prints, and what our code gives

Written by `python -m tools.reproduce FOLDER`; do not edit. FOLDER is the paper repository's
`results` (github.com/JaeLee18/accuracy-without-grounding, commit aa927ef, MIT), or one with the
same `full_study` and `egoschema` in it. Paper: "Accuracy Without Grounding: Diagnosing Visual
Dependency Dissociation in Video LLM Benchmarks" (2026).

Answers are read by `pytest_vdg.store.paper_answers`, joined by question id, and go through the
functions of `pytest_vdg.stats` that the assertions use.

**How computed.** The paper treats missing answers in two ways, and the rows below say which:
*missing dropped* takes a question without an answer out of the pair (Tables 1 and 2, D:C),
*missing counted wrong* keeps it (Tables S4 and 3, section 4.3). *Corrected chi-square* is McNemar's
with continuity correction, (|b - c| - 1)^2 / (b + c): the paper's form, here to reproduce; our
verdicts use the exact test. *Percentile bootstrap* resamples questions 2,000 times, as the paper
does; our own intervals are Tango's, with videos as clusters.

**Verdict.** *equal*: ours rounds to what is printed. *within noise*: it does but for what was
resampled, which may differ by three standard errors between two resamplings of that many (for
Tables 6 and 7: by the rounding of two printed accuracies, .001). *differs*: neither; all of these
are in the last table, with the reason.
"""

_METHOD = """\
## Method against code

The paper's text and its code differ in places; ours follows the text.

| | paper's text | paper's code | ours |
|---|---|---|---|
| black clip | black frames of the same size | a clip of 320 x 240 | black frames of the same size, count and times |
| single frame | one randomly selected frame | the middle frame | one of the sampled frames, seeded by the question; `single_frame:middle` for the middle one |
| shuffled | the sampled frames in random order | all frames shuffled, then sampled | the sampled frames in another order, seeded by the question |
| reading a reply | the letter of the option | the first letter A to D anywhere | a label or an option's full text, else `unparsed` |
| missing answers | "scored as incorrect" (footnote 2) | dropped in Table 1 | `missing="drop"` or `"wrong"`, recorded |
"""

_NOT_COVERED = """\
## Not covered

Per-question answers on MVBench are not among these files (Tables S1, S2, S7 and most of Table 2).
Of the frame rates (Tables 5, S8 to S10) and of the other seventeen models (Tables 6 and 7) there
are aggregates only, so that nothing but their arithmetic can be checked.
"""


def write_page(sections: Mapping[str, Sequence[Check]], remarks: Sequence[str]) -> str:
    """Return the page for *sections*, by title, and *remarks* on the files."""
    checks = [check for section in sections.values() for check in section]
    parts = [
        _INTRODUCTION,
        "## In short\n\n" + "\n".join(_totals(sections)),
        "## What the files are like\n\n" + "\n".join(f"- {r}" for r in remarks),
    ]
    parts += [
        f"## {title}\n\n" + "\n".join(_holding(section))
        for title, section in sections.items()
        if any(check.verdict != "differs" for check in section)
    ]
    parts += [
        "## What does not hold, and why\n\n" + "\n".join(_failing(checks)),
        _METHOD,
        _NOT_COVERED,
    ]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _totals(sections: Mapping[str, Sequence[Check]]) -> Iterator[str]:
    verdicts = get_args(Verdict)
    yield _row(("rows", *verdicts))
    yield _row(("---",) * (1 + len(verdicts)))
    total: Counter[str] = Counter()
    for title, section in sections.items():
        found = Counter(check.verdict for check in section)
        total.update(found)
        yield _row((title, *(str(found[v]) for v in verdicts)))
    yield _row(("**all**", *(f"**{total[v]}**" for v in verdicts)))


def _holding(checks: Sequence[Check]) -> Iterator[str]:
    yield _row(("where", "value", "printed", "ours", "how computed", "verdict"))
    yield _row(("---",) * 6)
    for check in checks:
        if check.verdict != "differs":
            yield _row((*_values(check), check.how, check.verdict))


def _failing(checks: Sequence[Check]) -> Iterator[str]:
    yield _row(("where", "value", "printed", "ours", "how computed", "why"))
    yield _row(("---",) * 6)
    for check in checks:
        if check.verdict == "differs":
            yield _row((*_values(check), check.how, check.why or "**not expected**"))


def _values(check: Check) -> tuple[str, str, str, str]:
    return check.where, check.what, ", ".join(check.printed), ", ".join(check.shown)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
