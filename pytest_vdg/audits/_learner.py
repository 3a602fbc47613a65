"""The bag-of-words classifiers: which of two options of a question is the answer?

Apart from the rules because they need scikit-learn, and because learning from
the questions that one judges is a mistake that must be made impossible once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from pytest_vdg.audits._features import FAMILIES, Table
from pytest_vdg.audits._items import Item
from pytest_vdg.audits._picks import NONE
from pytest_vdg.errors import ConfigError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_LEAST = 10
"""Questions to learn from at least."""


def require_learner() -> None:
    """Raise `ConfigError` unless scikit-learn is installed."""
    try:
        import sklearn  # type: ignore[import-untyped]  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "what a benchmark's text gives away is found with scikit-learn, which is "
            "not installed.\nInstall it with: pip install 'pytest-vdg[audit]'"
        ) from error


class Learner:
    """One classifier over some items, taught again for each fold."""

    def __init__(self, table: Table, items: Sequence[Item], name: str) -> None:
        """Prepare the classifier *name* of `FAMILIES`."""
        wanted = FAMILIES[name]
        self.families = table.families[np.isin(table.families, wanted)]
        self._matrix = table.of(wanted)
        self._starts = table.starts
        self._answers: Ints = np.array([item.answer for item in items])
        self._folds: Ints = np.array([item.fold for item in items])

    def forward(self) -> list[int]:
        """Return the option picked by what the folds before a question teach.

        `NONE` in the first fold, which has none before it, and where those before
        hold too little to learn from.
        """
        picks = [NONE] * self._answers.size
        for fold in range(1, int(self._folds.max()) + 1):
            weights = self._learn(self._folds < fold)
            if weights is None:
                continue
            scores = self._matrix @ weights
            for i in np.flatnonzero(self._folds == fold).tolist():
                own = scores[self._starts[i] : self._starts[i + 1]]
                if own.max() > own.min():
                    picks[i] = int(own.argmax())
        return picks

    def across(self) -> list[Floats]:
        """Return the probabilities of each question's options, by all other folds.

        One array of shape ``(K,)`` a question; empty where nothing could be learnt.
        """
        shares: list[Floats] = [np.zeros(0)] * self._answers.size
        for fold, weights in self._of_others.items():
            scores = self._matrix @ weights
            for i in np.flatnonzero(self._folds == fold).tolist():
                own = scores[self._starts[i] : self._starts[i + 1]]
                raised = np.exp(own - own.max())
                shares[i] = raised / raised.sum()
        return shares

    def reasons(self, i: int) -> dict[str, float]:
        """Return what speaks for the answer to question *i*, by all other folds.

        Family to what its features add to the answer's score over the mean of the
        other options. Only of a question that `across` has probabilities of.
        """
        weights = self._of_others[int(self._folds[i])]
        rows = self._matrix[self._starts[i] : self._starts[i + 1]].toarray()
        answer = self._answers[i]
        others = np.delete(rows, answer, axis=0).mean(axis=0)
        parts = (rows[answer] - others) * weights
        return {
            str(family): float(parts[self.families == family].sum())
            for family in np.unique(self.families)
        }

    @cached_property
    def _of_others(self) -> dict[int, Floats]:
        """Fold to the weights that all others teach, where they teach any."""
        folds = range(int(self._folds.max()) + 1)
        learnt = {fold: self._learn(self._folds != fold) for fold in folds}
        return {fold: found for fold, found in learnt.items() if found is not None}

    def _learn(self, among: npt.NDArray[np.bool_]) -> Floats | None:
        """Return the weights that tell answers from other options best."""
        from sklearn.linear_model import (  # type: ignore[import-untyped]
            LogisticRegression,
        )

        if among.sum() < _LEAST or not self._matrix.shape[1]:
            return None
        right, wrong = self._pairs(np.flatnonzero(among))
        # Every other pair the other way round: two classes, and no intercept.
        turned = np.arange(right.size) % 2 == 1
        first, second = np.where(turned, wrong, right), np.where(turned, right, wrong)
        apart = sparse.csr_matrix(self._matrix[first] - self._matrix[second])
        model = LogisticRegression(
            C=1.0, fit_intercept=False, solver="liblinear", tol=1e-3, random_state=0
        )
        model.fit(apart, np.where(turned, -1, 1))
        return np.asarray(model.coef_, dtype=np.float64).ravel()

    def _pairs(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return each wrong option of the items *rows*, beside its right one."""
        right, wrong = [], []
        for i in rows.tolist():
            start, end = int(self._starts[i]), int(self._starts[i + 1])
            answer = start + int(self._answers[i])
            others = [option for option in range(start, end) if option != answer]
            right += [answer] * len(others)
            wrong += others
        return np.array(right), np.array(wrong)
