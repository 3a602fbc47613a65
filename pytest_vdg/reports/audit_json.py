"""Audits and filters as plain JSON values: all effects are fractions.

Apart from the tables because a program wants every number, unrounded. Where
there is no number there is null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pytest_vdg.audits.audit import Audit
from pytest_vdg.audits.filters import Filtered, Sweep, TableRow
from pytest_vdg.audits.findings import Flaw
from pytest_vdg.audits.key import KeyBalance
from pytest_vdg.audits.measures import Measures
from pytest_vdg.audits.panel import Panel
from pytest_vdg.audits.shortcut import Scores
from pytest_vdg.stats.interval import Interval
from pytest_vdg.stats.ladder import Ladder
from pytest_vdg.stats.positions import Positions

FORMAT, VERSION = "pytest-vdg audit", 1
FILTER_FORMAT = "pytest-vdg filter"
Values = dict[str, Any]


class _Counted(Interval, Protocol):
    """An interval that says of how many rows it is."""

    @property
    def n(self) -> int:
        """Rows that it is of."""


def audit_values(audit: Audit) -> Values:
    """Return *audit* as plain values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "slice": audit.slice_name,
        "questions": audit.extent.n,
        "videos": audit.extent.n_videos,
        "confidence": audit.confidence,
        "found": audit.found,
        "flaws": [_flaw(flaw) for flaw in audit.flaws],
        "keys": [_key(key) for key in audit.keys],
        "models": [vars(each) for each in audit.models],
        "measures": [_measures(each) for each in audit.measures],
        "scores": None if audit.scores is None else scores_values(audit.scores),
        "no_scores": audit.unscored or None,
        "text": None if audit.text is None else audit.text.to_dict(),
        "notes": list(audit.notes),
    }


def filter_values(
    panel: Panel, found: Filtered, table: Sequence[TableRow], swept: Sequence[Sweep]
) -> Values:
    """Return a filter and what was made of it as plain values."""
    ids = [q.id for q, stays in zip(panel.questions, found.keep, strict=True) if stays]
    return {
        "format": FILTER_FORMAT,
        "version": VERSION,
        "slice": panel.slice_name,
        "by": found.by,
        "tau": found.tau,
        "used": list(found.used),
        "kept": ids,
        "removed": list(found.removed),
        "unknown": list(found.unknown),
        "scores": None if found.scores is None else scores_values(found.scores),
        "table": [
            {
                "filter": each.name,
                "judge": each.judge,
                "by": [] if each.filtered is None else list(each.filtered.used),
                "n": each.n,
                "why": each.why or None,
                "measures": None if each.measures is None else _measures(each.measures),
            }
            for each in table
        ],
        "sweeps": [
            {
                "score": each.score,
                "judge": each.judge,
                "full": vars(each.full) | {"threshold": None},
                "rows": [vars(row) for row in each.rows],
            }
            for each in swept
        ],
        "notes": list(panel.notes),
    }


def scores_values(scores: Scores) -> Values:
    """Return T, V and S of each question, each model's part too."""
    parts = {**scores.textual_parts, **scores.visual_parts}
    columns = {"T": scores.textual, "V": scores.visual, "S": scores.score}
    return {
        "text_models": list(scores.textual_parts),
        "video_models": list(scores.visual_parts),
        "silent": dict(scores.silent),
        "unscored": list(scores.unscored),
        "questions": [
            {
                "id": question,
                **{name: float(values[i]) for name, values in columns.items()},
                "parts": {name: float(values[i]) for name, values in parts.items()},
            }
            for i, question in enumerate(scores.ids)
        ],
    }


def _flaw(flaw: Flaw) -> Values:
    return {**vars(flaw), "questions": list(flaw.questions)}


def _key(key: KeyBalance) -> Values:
    spread = key.distribution
    return {
        "task": key.task,
        "n": key.n,
        "chance": key.chance,
        "floor": _interval(key.floor),
        "mode": spread.mode,
        "entropy_bits": spread.entropy,
        "evenness": spread.evenness,
        "pvalue": spread.fit.pvalue,
        "labels": [
            {
                "label": each.label,
                "right": each.right,
                "offered": each.offered,
                "expected": each.expected,
                **_interval(each.share),
            }
            for each in key.labels
        ],
    }


def _measures(m: Measures) -> Values:
    accuracies = {
        name: {
            "accuracy": value.accuracy,
            "chance": value.chance,
            "above_chance": _interval(value),
        }
        for name, value in m.above.items()
    }
    return {
        "who": m.who,
        "kind": m.kind,
        "members": m.members,
        "task": m.task,
        "n": m.n,
        "videos": m.n_videos,
        "chance": m.chance,
        "conditions": accuracies,
        "blind_gap": None if m.blind is None else _interval(m.blind),
        "gains": _intervals(m.gains),
        "ladder": None if m.ladder is None else _ladder(m.ladder),
        "agreement": _intervals(m.agreement),
        "positions": {name: _positions(found) for name, found in m.positions.items()},
    }


def _ladder(found: Ladder) -> Values:
    names = ("spatial", "diversity", "temporal", "vdg")
    return {name: _interval(getattr(found, name)) for name in names}


def _positions(found: Positions) -> Values:
    return {
        "key": dict(found.key.counts),
        "answers": None if found.answers is None else dict(found.answers.counts),
        "unanswered": found.unanswered,
        "excess": _intervals(found.excess),
        "pvalue": found.homogeneity.pvalue,
        "explained": found.explained,
    }


def _intervals(found: Mapping[str, _Counted]) -> Values:
    return {name: _interval(value) for name, value in found.items()}


def _interval(value: _Counted) -> Values:
    numbers = ("estimate", "low", "high", "lower_bound", "upper_bound")
    found: Values = {name: float(getattr(value, name)) for name in numbers}
    assert all(math.isfinite(number) for number in found.values())
    return {**found, "n": int(value.n)}
