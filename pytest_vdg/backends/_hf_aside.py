"""`aside`: a model in training is asked, and nothing of it is seen afterwards.

Apart from the backend that asks because this is a promise about the training:
with and without a question in between, it comes to the same weights, bit by bit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_vdg.backends._hf_load import Model, Tensor

MOST_BUFFER_BYTES = 16 << 20
"""Buffers up to this size are copied; larger ones are weights of quantised models,
which no forward pass writes to."""


@contextmanager
def aside(model: Model) -> Iterator[None]:
    """Let *model* be asked inside, in evaluation mode and without gradients.

    Afterwards each submodule has its own mode again, all of its attributes and
    buffers, and every generator of random numbers stands where it stood.
    Parameters, their gradients and the optimizer are never touched.
    """
    import torch

    kept = [_Kept.of(module) for module in model.modules()]
    put_back = _randomness()
    try:
        model.eval()
        with torch.no_grad():
            yield
    finally:
        for each in kept:
            each.restore()
        put_back()


@dataclass(frozen=True, eq=False, kw_only=True)
class _Kept:
    """One module as it was."""

    module: Any
    attributes: dict[str, Any]
    """Its mode among them, and what models note of the last prompt they read."""
    buffers: dict[str, Any]
    content: dict[str, Tensor]
    """Copies of the small buffers."""

    @classmethod
    def of(cls, module: Any) -> _Kept:  # noqa: ANN401 - torch is not imported here
        buffers = dict(vars(module).get("_buffers", {}))
        return cls(
            module=module,
            attributes=dict(vars(module)),
            buffers=buffers,
            content={
                name: buffer.detach().clone()
                for name, buffer in buffers.items()
                if buffer is not None and buffer.nbytes <= MOST_BUFFER_BYTES
            },
        )

    def restore(self) -> None:
        """Put back what differs."""
        import torch

        held = vars(self.module)
        for name in held.keys() - self.attributes.keys():
            del held[name]
        held.update(self.attributes)
        if not self.buffers and not held.get("_buffers"):
            return
        # A model may make a buffer anew for a longer prompt. What is made in
        # inference mode cannot be trained through, so the old one comes back.
        held["_buffers"].clear()
        held["_buffers"].update(self.buffers)
        with torch.no_grad():
            for name, content in self.content.items():
                if not torch.equal(self.buffers[name], content):
                    self.buffers[name].copy_(content)


def _randomness() -> Callable[[], None]:
    """Return what puts all generators of random numbers back to where they are."""
    import numpy as np
    import torch

    python, array = random.getstate(), np.random.get_state()  # noqa: NPY002 - theirs
    cpu, devices = torch.get_rng_state(), _of_devices()

    def put_back() -> None:
        random.setstate(python)
        np.random.set_state(array)  # noqa: NPY002
        torch.set_rng_state(cpu)
        for restore, state in devices:
            restore(state)

    return put_back


def _of_devices() -> Sequence[tuple[Callable[[Any], None], Any]]:
    """Return, for each kind of device in use, its states and how to put them back."""
    import torch

    found: list[tuple[Callable[[Any], None], Any]] = []
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        found.append((torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all()))
    if torch.backends.mps.is_available():
        found.append((torch.mps.set_rng_state, torch.mps.get_rng_state()))
    return found
