"""`choose_forward`: whether a model may share prefixes, found out by trying.

Apart from the sharing itself because it is the reason to trust it: on the first
real prompts, what comes out of shared passes is held against plain ones. A
model that fails runs plain, and says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_vdg.backends._hf_families import why_unshared
from pytest_vdg.backends._hf_inputs import ModelInputs
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_memory import Indivisible, indivisible
from pytest_vdg.backends._hf_prepare import elements_of
from pytest_vdg.backends._hf_quantise import why_alone
from pytest_vdg.backends._hf_said import short_reason
from pytest_vdg.backends._hf_scoring import plain_pass
from pytest_vdg.backends._hf_shared import Prompt, SharedForward
from pytest_vdg.backends._hf_vision import VisionFeatures, grid_of
from pytest_vdg.backends.work import Work

TOLERANCE = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}
"""Largest difference of a log-probability, among those above 1 in 1,000, by the
type of the weights: what the order of additions may cost, and no more."""
IGNORED = "other pixels do not change one bit of the output"
MOST_TRIED = 4
"""Prompts that are asked both ways."""
MOST_FAILURES = 3
"""Trials that may fail, as by memory that was short, before there is none more."""
MOST_KINDS = 8
"""Shapes of videos on the first prompt of which that is done."""
LEAST_LOG_P = -6.9
"""Natural logarithm of 1 in 1,000: smaller ones decide no answer, but where none is
larger."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Forward:
    """Result of `choose_forward`."""

    shared: SharedForward | None
    """None where the model runs plain."""
    why: str
    """What was found, in words."""
    kinds: frozenset[Hashable] = frozenset()
    """Shapes of videos that were tried."""
    failures: int = 0
    """Trials that came to nothing because a plain pass failed."""

    def covers(self, inputs: Sequence[ModelInputs]) -> bool:
        """Whether what was tried tells of *inputs*: without a video, of none with.

        A trial whose plain passes failed tells of nothing; the next may not fail.
        """
        if 0 < self.failures < MOST_FAILURES:
            return False
        blind = self.shared is not None and not self.kinds
        return not blind or not any(each.visual_tokens for each in inputs)


def choose_forward(
    loaded: Loaded,
    work: Work,
    inputs: Sequence[ModelInputs],
    *,
    budget: int,
    batch_tokens: int,
    failures: int = 0,
) -> Forward:
    """Try to share on some of *inputs*, real prompts of this run.

    *work* counts what was tried, too. *budget* and *batch_tokens* are those of
    `SharedForward`; *failures* counts trials before this one.
    """
    alone = why_alone(loaded.model)
    if alone:
        return Forward(shared=None, why=f"shares nothing: {alone}")
    never = why_unshared(loaded.family, loaded.model.config, _dtype(loaded))
    if never and any(each.visual_tokens for each in inputs):
        return Forward(shared=None, why=f"shares nothing: {never}")
    tried = _samples(inputs)
    try:
        plain = [plain_ending(loaded, each, work) for each in tried]
        prompts = [elements_of(loaded, each) for each in tried]
    except Exception as error:  # noqa: BLE001 - the plain road will tell it
        return _untried(error, failures + 1)
    if tried and _ignores_pictures(loaded, tried[0], plain[0], work):
        return Forward(shared=None, why=f"shares nothing: {IGNORED}")
    found = "no prompt to try"
    for reuse in _ways(loaded, prompts):
        shared = SharedForward(
            loaded,
            work,
            budget=budget,
            batch_tokens=batch_tokens,
            reuse_features=reuse,
        )
        found = _difference(loaded, shared, prompts, plain)
        if not found:
            how = "prefixes and frames" if reuse else "prefixes"
            kinds = frozenset(_kind(each) for each in tried if each.visual_tokens)
            return Forward(shared=shared, why=f"shares {how}", kinds=kinds)
    return Forward(shared=None, why=f"shares nothing: {found}")


def _untried(error: Exception, failures: int) -> Forward:
    why = f"not tried: {short_reason(error)}"
    if failures >= MOST_FAILURES:
        last = short_reason(error)
        why = f"shares nothing: the trial failed {failures} times, at last by {last}"
    return Forward(shared=None, why=why, failures=failures)


def tried_further(
    loaded: Loaded, work: Work, forward: Forward, inputs: Sequence[ModelInputs]
) -> Forward:
    """Return *forward* after a trial on videos of new shapes among *inputs*.

    The first prompts of a run may be too much alike to show a fault.
    """
    shared, room = forward.shared, MOST_KINDS - len(forward.kinds)
    new: dict[Hashable, ModelInputs] = {}
    for each in inputs:
        if each.visual_tokens and _kind(each) not in forward.kinds and len(new) < room:
            new.setdefault(_kind(each), each)
    if shared is None or not new:
        return forward
    try:
        plain = [plain_ending(loaded, each, work) for each in new.values()]
        prompts = [elements_of(loaded, each) for each in new.values()]
    except Exception:  # noqa: BLE001 - the prompt's own fault, told as its answer
        return forward
    found = _difference(loaded, shared, prompts, plain)
    if found:
        return Forward(shared=None, why=f"shares nothing: {found}")
    return replace(forward, kinds=forward.kinds | new.keys())


def _kind(inputs: ModelInputs) -> Hashable:
    """Return what of a video may change how a model goes about it."""
    grid = grid_of(inputs.tensors)
    shapes = (
        (name, tuple(value.shape))
        for name, value in inputs.tensors.items()
        if name.startswith("pixel_values")
    )
    return tuple(shapes), None if grid is None else tuple(map(tuple, grid.tolist()))


def _ignores_pictures(
    loaded: Loaded, inputs: ModelInputs, ending: Tensor, work: Work
) -> bool:
    """Whether other pixels leave *ending* as it is, to the last bit.

    Such a model drops its video, which is found out at the end of the run by
    answers that are bit-equal everywhere. Answers of shared passes never are:
    each is rounded as its own batch has it.
    """
    import torch

    pixels = {
        name: torch.linspace(-1, 1, value.numel()).to(value).reshape(value.shape)
        for name, value in inputs.tensors.items()
        if name.startswith("pixel_values")
    }
    if not pixels:
        return False
    other = replace(inputs, tensors={**inputs.tensors, **pixels})
    try:
        return bool(plain_ending(loaded, other, work).equal(ending))
    except Exception:  # noqa: BLE001 - a picture that no video makes
        return False


def plain_ending(loaded: Loaded, inputs: ModelInputs, work: Work) -> Tensor:
    """Return what `plain_pass` does, counted as *work*."""
    logits = plain_pass(loaded, inputs)
    work.passes += 1
    work.lm_tokens += inputs.prompt_tokens
    work.vision_tokens += inputs.visual_tokens
    return logits


def _samples(inputs: Sequence[ModelInputs]) -> list[ModelInputs]:
    """Return some of *inputs*, different in kind, as many as can be had."""
    different = {each.digest: each for each in inputs}
    blind = [each for each in different.values() if not each.visual_tokens]
    sighted = [each for each in different.values() if each.visual_tokens]
    ends = [*sighted[:2], *sighted[2:][-1:], *blind[:1]]
    return ends[:MOST_TRIED]


def _dtype(loaded: Loaded) -> str:
    return str(loaded.model.dtype).removeprefix("torch.")


def _ways(loaded: Loaded, tried: Sequence[Prompt]) -> Iterator[bool]:
    """Yield whether to reuse features: first if it can be, then without."""
    visuals = [e.visual for prompt in tried for e in prompt if e.visual]
    if visuals and all(VisionFeatures.possible(loaded, v) for v in visuals):
        yield True
    if tried:
        yield False


def _difference(
    loaded: Loaded,
    shared: SharedForward,
    prompts: Sequence[Prompt],
    plain: Sequence[Tensor],
) -> str:
    """Return how shared passes differ from *plain* ones; empty if they do not."""
    import torch

    limit = TOLERANCE.get(_dtype(loaded), TOLERANCE["bfloat16"])
    for one in (prompts, prompts[:1]):  # together, and again from what is held
        for ending, expected in zip(shared.endings(one), plain, strict=False):
            if isinstance(ending, Indivisible):
                return str(ending)
            if isinstance(ending, Exception):
                return str(indivisible(loaded.model.config) or short_reason(ending))
            mine, theirs = (torch.log_softmax(x, 0) for x in (ending, expected))
            least = min(LEAST_LOG_P, float(theirs.max()))  # the likeliest one does
            matters = ~(torch.maximum(mine, theirs) < least)  # NaN does, too
            apart = float((mine - theirs).abs()[matters].max())
            if not apart <= limit:
                return f"log-probabilities differ by {apart:.2g}, more than {limit:g}"
    return ""
