"""What tests came to, as a report shows it: words and numbers ready to be read.

Apart from the page so that the page's template holds no rule: which verdict is
bad, which measure is a share, and what a missing number looks like is here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_vdg.reports.pictures import Kind, Row
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.reports.terminal import bound_of, detectable_of, is_share, value_of
from pytest_vdg.spelling import count
from pytest_vdg.verdicts import GRAVITY, Finding, Verdict

KINDS: dict[Verdict, Kind] = {Verdict.PASS: "good", Verdict.INCONCLUSIVE: "open"}
"""Whether a verdict is good, or open; all others are bad."""
SIGNS: dict[Kind, str] = {"good": "\u2713", "bad": "\u2715", "open": "?"}
"""What stands beside a verdict, for whoever does not see its colour."""


@dataclass(frozen=True, kw_only=True)
class ClaimCard:
    """One finding of one test."""

    test: str
    claim: str
    verdict: str
    kind: Kind
    sign: str
    """Beside the word, for whoever does not see its colour."""
    about: str
    """Checkpoint, slice, task and baseline."""
    measure: str
    numbers: tuple[tuple[str, str], ...]
    """(what, value), in the order of reading."""
    message: str


def claim_cards(tests: Iterable[TestResult]) -> list[ClaimCard]:
    """Return a card for each finding of *tests*, the gravest verdicts first."""
    cards = [_card(t, finding) for t in tests for finding in t.findings]
    order = {verdict.value: place for place, verdict in enumerate(GRAVITY)}
    return sorted(cards, key=lambda card: order[card.verdict])


def _card(test: TestResult, found: Finding) -> ClaimCard:
    kind = KINDS.get(found.verdict, "bad")
    about = f"{found.checkpoint} on {found.slice_name}"
    about += f", {found.task}" if found.task else ""
    about += f", against baseline {found.baseline}" if found.baseline else ""
    return ClaimCard(
        test=test.name,
        claim=found.claim,
        verdict=found.verdict.value,
        kind=kind,
        sign=SIGNS[kind],
        about=about,
        measure=found.measure,
        numbers=tuple(_numbers(found)),
        message=found.message,
    )


def _numbers(found: Finding) -> Iterable[tuple[str, str]]:
    unit = "" if is_share(found) else " pp"
    value, interval = value_of(found)
    yield (
        f"{found.measure} [{100 * found.confidence:g}% CI]",
        f"{value}{unit} {interval}",
    )
    yield found.bound_is, f"{bound_of(found)}{unit}"
    of = f" of {found.n_planned}" if found.n_planned else ""
    yield "questions", f"{found.n}{of}"
    yield "videos", str(found.n_videos)
    yield "MDE", detectable_of(found, " pp")


def claim_rows(tests: Iterable[TestResult]) -> list[Row]:
    """Return a line of a figure for each finding of *tests*, in their order."""
    found = [finding for test in tests for finding in test.findings]
    several = len({finding.checkpoint for finding in found}) > 1
    return [
        Row(
            name=(f"{each.checkpoint}: " if several else "") + _name(each),
            estimate=each.estimate,
            low=each.low,
            high=each.high,
            note=each.verdict.value.lower(),
            kind=KINDS.get(each.verdict, "bad"),
            bound=each.bound,
        )
        for each in found
    ]


def _name(found: Finding) -> str:
    tasks = (found.task or "").split(", ")
    part = f"/{tasks[0]}" if found.task else ""
    part = f"/{len(tasks)} tasks" if len(tasks) > 1 else part
    measure = found.measure.replace("temporal delta", "temporal")
    return f"{measure}, {found.slice_name}{part}"


def unjudged(results: Results) -> list[TestResult]:
    """Return the tests that came to no verdict because they could not be judged."""
    return [test for test in results.tests if test.outcome == "error"]


def silent(results: Results) -> list[TestResult]:
    """Return the other tests that came to no verdict: skipped, or without a claim."""
    return [t for t in results.tests if t.outcome != "error" and not t.findings]


def headline(results: Results) -> tuple[Kind, str]:
    """Return how the session stands, and what its claims came to in a line."""
    kinds = [card.kind for card in claim_cards(results.tests)]
    lost = len(unjudged(results))
    if not kinds and not lost:
        return ("bad" if results.faults else "open"), "Nothing was judged"
    counts = (
        (kinds.count("bad"), "not met"),
        (kinds.count("open"), "undecided"),
        (lost, "could not be judged"),
    )
    told = [f"{kinds.count('good')} of {count(len(kinds), 'claim')} met"]
    told += [f"{number} {what}" for number, what in counts if number]
    return ("good" if results.green else "bad"), ", ".join(told)
