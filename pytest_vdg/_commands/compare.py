"""``vdg compare``: stored runs side by side, without a claim.

Apart from the assertions' commands because nothing is held against a bound:
it shows in what two checkpoints differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from pytest_vdg._commands._arguments import Condition, File, Flag, Task, Variadic, names
from pytest_vdg._commands._counts import written
from pytest_vdg._commands._stored import stored
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.reports.comparison import Comparison, ConditionTest


def compare(
    runs: list[File],
    /,
    *,
    conditions: Annotated[list[Condition] | None, Variadic] = None,
    tasks: Annotated[list[Task] | None, Variadic] = None,
    method: Literal["exact", "mid-p", "vdg-paper"] = "exact",
    confidence: float = 0.95,
    json: Flag = False,
) -> Sequence[str]:
    """Show runs on the same questions side by side: who is right where.

    Each pair of runs under each condition: accuracies, their difference with
    its interval, McNemar's test with Holm over all of them, and the questions
    that flipped; then whether two runs differ in accuracy, or in the use of the
    video. Nothing is judged: exit code 0, and 1 where runs do not compare.

    example:
      vdg compare vdg_baselines/mvbench-300.jsonl runs/step-2000.jsonl

    Parameters
    ----------
    runs
        Baselines, or files of save_run; two at least.
    conditions
        Names of conditions (default: those that all runs hold).
    tasks
        Only these tasks.
    method
        Of McNemar's test; vdg-paper to reproduce, not to judge.
    confidence
        Of the intervals.
    json
        Write JSON, not tables.

    Raises
    ------
    ConfigError
        For a run that is not there, and options out of range.
    NotComparable
        When the runs do not measure the same thing.
    """
    from pytest_vdg.assertions.check import confidence_level
    from pytest_vdg.reports.compare import compare_runs

    if len(runs) < 2:
        raise ConfigError(
            "a comparison needs two runs at least. Type: vdg compare RUN RUN"
        )
    found = [stored(path) for path in runs]
    try:
        comparison = compare_runs(
            found,
            conditions=names(conditions) or None,
            task=names(tasks) or None,
            method=method,
            confidence=confidence_level(confidence),
        )
    except ValueError as error:  # a number out of range, an unknown task
        raise ConfigError(str(error)) from error
    return [written(_values(comparison))] if json else comparison.lines()


def _values(comparison: Comparison) -> dict[str, object]:
    return {
        "slice": comparison.slice_name,
        "runs": list(comparison.names),
        "method": comparison.method,
        "missing": comparison.missing,
        "confidence": comparison.confidence,
        "tests": [_test(test) for test in comparison.tests],
        "dissociations": [
            {
                "first": first,
                "second": second,
                "dissociated": found.dissociated,
                **asdict(found),
            }
            for first, second, found in comparison.dissociations
        ],
    }


def _test(test: ConditionTest) -> dict[str, object]:
    """Return the numbers of *test*; the difference is second minus first."""
    known = asdict(test)
    own = known.pop("difference")
    counts = {"first_only": own["control_only"], "second_only": own["treated_only"]}
    numbers = {name: own[name] for name in ("estimate", "low", "high")}
    return {**known, "difference": {**numbers, **counts}}
