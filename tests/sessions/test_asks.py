"""Errors of the lower layers say which slice they are about."""

from __future__ import annotations

import pytest

from pytest_vdg.errors import BenchmarkError, VdgError, VideoNotConsumed
from pytest_vdg.sessions.asks import about_slice


@pytest.mark.parametrize("kind", [BenchmarkError, VideoNotConsumed])
def test_the_slice_is_named_before_files_and_questions(kind: type[VdgError]) -> None:
    """A CI summary shows the first line only, and its reader knows slices."""
    with pytest.raises(kind) as caught, about_slice("nightly"):
        raise kind("data/questions.jsonl:3: no answer")
    assert str(caught.value) == "slice 'nightly': data/questions.jsonl:3: no answer"


def test_a_slice_that_is_named_is_not_named_twice() -> None:
    """Those who know it say it in their own words."""
    error = BenchmarkError("slice 'nightly': 1 of 3 videos cannot be read")
    with pytest.raises(BenchmarkError) as caught, about_slice("nightly"):
        raise error
    assert caught.value is error
