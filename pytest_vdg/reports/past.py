"""From a judged run to the line that the history keeps of it.

Apart from the history's file, which knows no runs, and from the trend, which
knows nothing else: what is kept is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pytest_vdg.comparable import slice_digest
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.reports.measured import STEPS, View
from pytest_vdg.reports.results import Origin, Results
from pytest_vdg.runs import Run
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.store.history import DIGITS, Level, PastRun, comparable_digest
from pytest_vdg.verdicts import Finding, Verdict


def past_run(
    run: Run,
    *,
    origin: Origin,
    when: str,
    verdicts: Iterable[tuple[str, str]] = (),
    environment: str | None = None,
    step: int | None = None,
    asked: str = "",
    confidence: float = 0.95,
) -> PastRun:
    """Return what is kept of *run*.

    Parameters
    ----------
    run
        Holds at least one question. Any conditions: what was not run, or not
        judged, is left out.
    origin, when
        Who asked, and the moment, ISO 8601 with zone.
    verdicts
        (claim, what it came to in words).
    environment, step, asked
        As `PastRun` has them.
    confidence
        Of all intervals.
    """
    comparable = run.fingerprint.comparable
    extent = Extent.over(run.questions)
    view = View(run=run, confidence=confidence)
    return PastRun(
        when=when,
        origin=origin,
        checkpoint=run.checkpoint,
        weights=run.fingerprint.subject.get("weights", ""),
        step=step,
        slice_name=run.slice_name,
        slice_digest=comparable.get("slice") or slice_digest(run.questions),
        environment=environment,
        questions=extent.n,
        videos=extent.n_videos,
        accuracies=_accuracies(view),
        effects=_effects(view),
        confidence=confidence,
        verdicts=tuple(verdicts),
        comparable=comparable_digest(comparable),
        asked=asked,
    )


def past_of(
    results: Results,
    *,
    environment: str | None = None,
    step: int | None = None,
    asked: str = "",
    all_runs: bool = False,
) -> tuple[PastRun, ...]:
    """Return what is kept of *results*: each run that a claim was made about.

    With *all_runs* also those that were only measured.
    """
    return judged(
        [
            past_run(
                each.run,
                origin=results.origin,
                when=results.created,
                environment=environment,
                step=step,
                asked=asked,
            )
            for each in results.runs
            if each.run.questions
        ],
        {test.name: test.findings for test in results.tests},
        all_runs=all_runs,
    )


def lost_run(
    results: Results,
    *,
    checkpoint: str,
    slice_name: str,
    weights: str = "",
    environment: str | None = None,
    step: int | None = None,
    asked: str = "",
) -> Iterator[PastRun]:
    """Yield what is kept of tests that could not be judged; nothing without any.

    They have no run: what they were about is given.
    """
    words = str(Verdict.COULD_NOT_BE_JUDGED)
    lost = [(test.name, words) for test in results.tests if test.outcome == "error"]
    if lost:
        yield PastRun(
            when=results.created,
            origin=results.origin,
            checkpoint=checkpoint,
            weights=weights,
            step=step,
            slice_name=slice_name,
            environment=environment,
            questions=0,
            videos=0,
            verdicts=tuple(lost),
            asked=asked,
        )


def judged(
    runs: Iterable[PastRun],
    findings: Mapping[str, Iterable[Finding]],
    *,
    all_runs: bool = False,
) -> tuple[PastRun, ...]:
    """Return those of *runs* that a claim was made about, with what it came to.

    *findings* are those of each test, by its name. With *all_runs* the others,
    too.
    """
    words: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, found in findings.items():
        for finding in found:
            about = finding.checkpoint, finding.slice_name
            words.setdefault(about, []).append((name, str(finding.verdict)))
    made = [(run, words.get((run.checkpoint, run.slice_name), [])) for run in runs]
    return tuple(replace(run, verdicts=tuple(w)) for run, w in made if w or all_runs)


def merged(runs: Iterable[PastRun]) -> tuple[PastRun, ...]:
    """Return each run once, with the conditions of all processes that share it.

    They are of one session, and so of one moment, the last that a process noted.
    """
    given = tuple(runs)
    when = max((run.when for run in given), default="")
    found: dict[tuple[str, ...], PastRun] = {}
    for run in given:
        key = run.checkpoint, run.weights, run.slice_name, run.comparable
        found[key] = _joined(found[key], run) if key in found else run
    return tuple(replace(run, when=when) for run in found.values())


def _joined(one: PastRun, other: PastRun) -> PastRun:
    return replace(
        one,
        accuracies=_united(one.accuracies, other.accuracies),
        effects=_united(one.effects, other.effects),
    )


def _united(one: Iterable[Level], other: Iterable[Level]) -> tuple[Level, ...]:
    both = {level.name: level for level in (*other, *one)}
    names = dict.fromkeys(level.name for level in (*one, *other))
    return tuple(both[name] for name in names)


def _accuracies(view: View) -> tuple[Level, ...]:
    shares = ((name, view.accuracy(name)) for name in view.run.conditions)
    return tuple(_level(name, share) for name, share in shares if share is not None)


def _effects(view: View) -> tuple[Level, ...]:
    """Return VDG and the steps: over the questions of the whole ladder, if it ran."""
    found = [("VDG", _between(view, "original", "black"))]
    whole = view.ladder
    for place, (name, treated, control) in enumerate(STEPS):
        step = _between(view, treated, control) if whole is None else whole.steps[place]
        found.append((name, step))
    return tuple(_level(name, value) for name, value in found if value is not None)


def _between(view: View, treated: str, control: str) -> PairedDifference | None:
    first, second = view.present(treated), view.present(control)
    if first is None or second is None:
        return None
    return view.difference(first, second)


def _level(name: str, value: Proportion | PairedDifference) -> Level:
    # As the file has them, so that a run is equal to what is read back of it.
    low, estimate, high = (
        round(float(number), DIGITS)
        for number in (value.low, value.estimate, value.high)
    )
    return Level(  # rounding may put an end a hair inside
        name=name,
        estimate=estimate,
        low=min(low, estimate),
        high=max(high, estimate),
        n=int(value.questions),
    )
