"""Paired outcomes: two conditions, or two runs, joined by question id.

Apart from ``runs`` because joining is where pairing goes wrong: nothing here
relies on position, and what leaves a pair is listed, never dropped silently.

What to do with a question without a reply is a policy, and recorded:

=========  ==========================================================
missing    a ``failed`` cell
=========  ==========================================================
"drop"     takes its question out of the pair (the default)
"wrong"    counts as not correct, as if the model had answered wrongly
=========  ==========================================================

``unparsed`` counts as not correct under both; ``not_applicable`` leaves the
pair under both, as nothing is missing where a condition has no meaning.
"""

from __future__ import annotations

from pytest_vdg.outcomes.join import PairedRuns, pair, pair_answers, pair_runs
from pytest_vdg.outcomes.paired import Excluded, Missing, Paired, Unmatched

__all__ = [
    "Excluded",
    "Missing",
    "Paired",
    "PairedRuns",
    "Unmatched",
    "pair",
    "pair_answers",
    "pair_runs",
]
