"""Runs and findings as plain values for ``--json``.

Apart from the commands so that counts have the same names in all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Finding

Counts = dict[str, dict[str, float | None]]


def counts_of(run: Run, task: str | None = None) -> Counts:
    """Return the counts and the accuracy of each condition of *run*."""
    counted = {name: run.counts(name, task) for name in run.conditions}
    return {n: {**vars(c), "accuracy": c.accuracy} for n, c in counted.items()}


def fingerprint_of(run: Run) -> dict[str, dict[str, str]]:
    """Return what *run* was made of."""
    kinds = ("subject", "comparable", "informative")
    return {k: dict(sorted(getattr(run.fingerprint, k).items())) for k in kinds}


def finding_of(finding: Finding) -> dict[str, object]:
    """Return the numbers of *finding*."""
    names = ("claim", "measure", "estimate", "low", "high", "confidence", "bound")
    numbers = {name: getattr(finding, name) for name in (*names, "n", "n_videos")}
    return {"verdict": str(finding.verdict), **numbers, "summary": finding.summary}


def written(values: Mapping[str, object]) -> str:
    """Return *values* as JSON; a number that JSON does not have is an error."""
    return json.dumps(values, indent=2, allow_nan=False)
