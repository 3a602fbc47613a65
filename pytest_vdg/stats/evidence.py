"""Option probabilities: how surely text gives an answer, how much video moves it.

Apart from paired answers because a score for a single question needs more than
right and wrong. The names T and V are those of the traffic paper; S is in
`filtering`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats._resampling import FloatArray

IntArray = npt.NDArray[np.int64]


def textual_evidence(
    probabilities: npt.ArrayLike, answers: npt.ArrayLike
) -> FloatArray:
    """Return T: how surely text alone gives the right answer to each question.

    T(q) is the mean over models of [correct] * (1 - H / ln K), with H the
    entropy of the option probabilities. A model is correct where the answer is
    more probable than every other option: a tie is no answer.

    Parameters
    ----------
    probabilities : array_like of float, shape (n_models, n, K)
        Of each option without the video; NaN where a question has fewer
        options. Sum to 1 over the options.
    answers : array_like of int, shape (n,)
        Place of the right option.

    Returns
    -------
    ndarray of float, shape (n,)
        In [0, 1].

    References
    ----------
    Traffic paper, equation 3.

    Examples
    --------
    >>> textual_evidence([[[1.0, 0.0], [0.5, 0.5]]], [0, 0]).tolist()
    [1.0, 0.0]
    """
    p, right, k = _panel(probabilities, answers, "probabilities")
    own = _of_answer(p, right)
    rivals = np.where(np.arange(p.shape[2]) == right[:, None], -np.inf, p)
    correct = own > np.nanmax(rivals, axis=2)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)  # 0 log 0 is 0
    surprise = -np.nansum(p * logs, axis=2) / np.log(k)
    evidence = np.where(correct, 1 - surprise, 0.0)
    return np.asarray(np.clip(evidence, 0.0, 1.0).mean(axis=0))


def visual_necessity(
    *, video: npt.ArrayLike, blind: npt.ArrayLike, answers: npt.ArrayLike
) -> FloatArray:
    """Return V: how much the video moves probability to the right answer.

    V(q) is the mean over models of (P(answer given video) - P(answer given text
    only)) / (1 - 1/K).

    Parameters
    ----------
    video, blind : array_like of float, shape (n_models, n, K)
        Option probabilities with the video and with text only, of the same
        models; NaN where a question has fewer options.
    answers : array_like of int, shape (n,)
        Place of the right option.

    Returns
    -------
    ndarray of float, shape (n,)
        1 where every model goes from guessing to certainty; negative where
        the video misleads; in [-1 / (1 - 1/K), 1 / (1 - 1/K)].

    References
    ----------
    Traffic paper, equations 4 and 5.

    Examples
    --------
    >>> seen, unseen = [[[1.0, 0.0]]], [[[0.5, 0.5]]]
    >>> visual_necessity(video=seen, blind=unseen, answers=[0]).tolist()
    [1.0]
    """
    sighted, right, k = _panel(video, answers, "video")
    unsighted, _, _ = _panel(blind, answers, "blind")
    if not np.array_equal(np.isnan(sighted), np.isnan(unsighted)):
        raise ValueError(
            "video and blind must have the same models, questions and options, got "
            f"shapes {sighted.shape} and {unsighted.shape}"
        )
    gain = _of_answer(sighted, right) - _of_answer(unsighted, right)
    return np.asarray((gain / (1 - 1 / k)).mean(axis=0))


def _panel(
    probabilities: npt.ArrayLike, answers: npt.ArrayLike, name: str
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return checked probabilities, places of answers, and numbers of options."""
    p, right = np.asarray(probabilities, dtype=np.float64), np.asarray(answers)
    if p.ndim != 3 or p.size == 0:
        raise ValueError(
            f"{name} must have shape (n_models, n, K), got shape {p.shape}"
        )
    if right.shape != p.shape[1:2] or right.dtype.kind not in "iu":
        raise ValueError(
            f"answers must be integers of shape ({p.shape[1]},), got {right.dtype} of "
            f"shape {right.shape}"
        )
    offered = ~np.isnan(p)
    if (offered != offered[0]).any():
        raise ValueError(f"all models of {name} must have the same options")
    k = offered[0].sum(axis=1)
    if k.min() < 2:
        raise ValueError(f"a question needs two options at least, got {k.min()}")
    if (right < 0).any() or (right >= p.shape[2]).any():
        raise ValueError(f"answers must lie in [0, {p.shape[2]}), got {right.tolist()}")
    if not offered[0, np.arange(right.size), right].all():
        raise ValueError("an answer must be among the options of its question")
    if (p[offered] < 0).any() or not np.allclose(np.nansum(p, axis=2), 1, atol=1e-6):
        raise ValueError(
            f"{name} must be at least 0 and sum to 1 over the options of a question"
        )
    return p, right.astype(np.int64), k.astype(np.int64)


def _of_answer(p: FloatArray, right: IntArray) -> FloatArray:
    """Return each model's probability of the right options, (n_models, n)."""
    return np.asarray(p[:, np.arange(right.size), right])
