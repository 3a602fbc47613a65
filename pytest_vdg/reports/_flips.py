"""Questions that a failing claim lost or gained, a row of Markdown each.

Apart from the claim's own message, which names as many as a line holds: here
they come with what they ask, so that a reader need not open another file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_vdg.reports._budget import Section
from pytest_vdg.reports._markdown import code, folded, heads, row
from pytest_vdg.reports.results import QuestionText, Results, RunResult
from pytest_vdg.runs import AskedQuestion, Outcome, Run
from pytest_vdg.verdicts import Finding, Verdict

_ARMS = ("original", "black")


def sections(results: Results) -> Iterator[Section]:
    """Yield the flipped questions of each run that a failing claim compared.

    A question is there once, however many claims failed over it.
    """
    for result in results.runs:
        baseline, failing = result.baseline, _failing(results, result.run)
        if baseline is None or not failing:
            continue
        conditions = _conditions(result.run, baseline, failing)
        asked = _asked(result.run, baseline, failing)
        moved = [q for q in asked if _moved(q, result.run, baseline, conditions)]
        moved.sort(key=lambda q: _change(q.id, result.run, baseline, conditions))
        rows = [_row(question, result, baseline, conditions) for question in moved]
        if not rows:
            continue
        of = f"{code(result.run.checkpoint)} on {code(result.run.slice_name)}"
        title = f"Flipped questions of {of}: {len(rows)} of {len(asked)}, "
        title += f"baseline {code(baseline.checkpoint)} -&gt; now"
        names = [code(condition, 30) for condition in conditions]
        columns = ["question", "task", "asks", "key", *names, "grounding"]
        opening, closing = folded(title)
        yield Section(
            opening=[*opening, *heads(columns, "l" * len(columns))],
            rows=rows,
            closing=closing,
            what="flipped questions",
        )


def _failing(results: Results, run: Run) -> list[Finding]:
    return [
        found
        for test in results.tests
        if test.outcome in ("failed", "error")
        for found in test.findings
        if found.verdict is not Verdict.PASS
        and found.baseline is not None
        and (found.checkpoint, found.slice_name) == (run.checkpoint, run.slice_name)
    ]


def _conditions(run: Run, baseline: Run, failing: Sequence[Finding]) -> list[str]:
    """Return the conditions of the claims that both runs hold, originals first."""
    named = {name for found in failing for name, _ in found.accuracies}
    both = [c for c in run.conditions if c in baseline.conditions and c in named]
    return sorted(both, key=lambda c: _ARMS.index(c) if c in _ARMS else len(_ARMS))


def _asked(run: Run, baseline: Run, failing: Sequence[Finding]) -> list[AskedQuestion]:
    held = {q.id for q in baseline.questions}
    about = [found.task for found in failing]
    return [q for q in run.questions if q.id in held and _is_about(about, q.task)]


def _is_about(tasks: Sequence[str | None], task: str) -> bool:
    """Return whether *task* is one of *tasks*, each None for all or some in a list.

    A list is searched and not split, as a name may hold a comma.
    """
    return any(each is None or f", {task}, " in f", {each}, " for each in tasks)


def _moved(
    question: AskedQuestion, run: Run, baseline: Run, conditions: Sequence[str]
) -> bool:
    return any(
        _right(run, question.id, c) is not _right(baseline, question.id, c)
        for c in conditions
    )


def _right(run: Run, question: str, condition: str) -> bool:
    return run.cells[question, condition].outcome is Outcome.CORRECT


def _row(
    question: AskedQuestion,
    result: RunResult,
    baseline: Run,
    conditions: Sequence[str],
) -> str:
    text = result.texts.get(question.id)
    options = dict(text.options) if text is not None else {}
    moves = []
    for condition in conditions:
        sides = (baseline, result.run)
        chosen = [_choice(run, question.id, condition, options) for run in sides]
        moves.append(" -&gt; ".join(dict.fromkeys(chosen)))
    return row(
        [
            code(question.id),
            code(question.task, 40),
            _asks(text),
            _labelled(question.answer, options),
            *moves,
            _grounding(question.id, result.run, baseline, conditions),
        ]
    )


def _asks(text: QuestionText | None) -> str:
    return "" if text is None else code(text.text, 160)


def _choice(run: Run, question: str, condition: str, options: Mapping[str, str]) -> str:
    """Return what was chosen, or what the reply was that chose nothing."""
    cell = run.cells[question, condition]
    if cell.choice is not None:
        return _labelled(cell.choice, options)
    if cell.outcome is Outcome.UNPARSED and cell.reply:
        return f"unparsed {code(cell.reply, 60)}"
    return cell.outcome.value.replace("_", " ")


def _labelled(label: str, options: Mapping[str, str]) -> str:
    said = options.get(label, "")
    return code(f"{label} {said}", 60) if said else code(label, 40)


def _grounding(
    question: str, run: Run, baseline: Run, conditions: Sequence[str]
) -> str:
    """Return what became of the gap of a question; empty where it has none."""
    change = _change(question, run, baseline, conditions)
    if len(conditions) < 2:
        return ""
    return "lost" if change < 0 else "gained" if change > 0 else "same gap"


def _change(question: str, run: Run, baseline: Run, conditions: Sequence[str]) -> int:
    """Return by how much a question's gap grew, right counted as one."""
    if len(conditions) < 2:
        return 0
    now, then = (
        _right(each, question, conditions[0]) - _right(each, question, conditions[1])
        for each in (run, baseline)
    )
    return now - then
