"""The trial of shared passes: which outputs are the same, and which are not.

No model is loaded here; what is held against each other is written by hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.backends._hf_shared import SharedForward
from pytest_vdg.backends._hf_sharing import _difference

torch = pytest.importorskip("torch")


def difference(
    shared: Sequence[float] | Exception, plain: Sequence[float], dtype: str = "float32"
) -> str:
    """Return how the logits of a shared pass differ from those of a plain one."""
    model = SimpleNamespace(dtype=getattr(torch, dtype), config=SimpleNamespace())
    loaded = SimpleNamespace(model=model)
    ending = shared if isinstance(shared, Exception) else torch.tensor(shared)
    given = SimpleNamespace(endings=lambda prompts: [ending])
    return _difference(
        cast("Loaded", loaded),
        cast("SharedForward", given),
        [[]],
        [torch.tensor(plain)],
    )


def logits(*odds: float) -> list[float]:
    """Return the logits of tokens with such *odds*."""
    return [math.log(each) if each else -math.inf for each in odds]


def test_a_model_that_prefers_nothing_can_be_tried() -> None:
    """One whose output layer is zero gives each of many tokens less than 1 in 1,000."""
    nothing = [0.0] * 5000
    assert difference(nothing, nothing) == ""
    assert difference([1.0, *nothing[1:]], nothing).startswith("log-probabilities")


def test_only_what_may_decide_an_answer_is_compared() -> None:
    """Half as much of 1 in 2,000 is no fault; of 1 in 2 it is, and of a NaN."""
    plain = logits(0.5, 0.4995, 0.0005)
    assert difference(logits(0.5, 0.49975, 0.00025), plain) == ""
    assert difference(logits(0.5, 0.4995, 0), plain) == ""
    found = difference(logits(0.25, 0.7495, 0.0005), plain)
    # The natural logarithm of 1/2 is -0.69.
    assert found == "log-probabilities differ by 0.69, more than 0.001"
    assert "nan" in difference([math.nan] * 3, plain)


def test_a_shared_pass_that_fails_is_a_difference() -> None:
    """Whatever it says: silence would pass for agreement."""
    plain = logits(0.5, 0.5)
    assert difference(ValueError("no such shape"), plain) == "ValueError: no such shape"
    assert difference(RuntimeError(), plain) == "RuntimeError"


def test_what_becomes_likely_in_shared_passes_is_compared() -> None:
    """Though the plain pass rules it out."""
    assert difference(logits(0.5, 0.4, 0.1), logits(0.5, 0.5, 0)) != ""


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float32", 1e-3), ("float16", 0.1), ("bfloat16", 0.5)]
)
def test_rounding_may_cost_what_the_dtype_has(dtype: str, limit: float) -> None:
    """Coarser numbers may differ by more; what is more than that is a fault."""
    odds = math.exp(0.9 * limit), math.exp(1.1 * limit)
    tail = [1e6]  # so that all of the difference is in the first token
    plain = logits(5e3, *tail)
    assert difference(logits(5e3 * odds[0], *tail), plain, dtype) == ""
    assert difference(logits(5e3 * odds[1], *tail), plain, dtype) != ""
