"""A checkpoint's model without its weights: which layers it has, and how large.

Apart from sizes that follow from the files alone because it needs torch and
transformers: whether a tensor is quantised hangs on the layer that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_quantise import fits_kernel, quantised_bytes
from pytest_vdg.backends._hf_said import hushed

# transformers builds its models by name at run time.
Model = Any

_HALF_BYTES, _WHOLE_BYTES = 0.6, 1.2
"""Most that a weight takes, with its scales, of four and of eight bits."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Skeleton:
    """A model whose tensors have shapes and no content."""

    model: Model
    """On torch's device ``meta``, in evaluation mode."""

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Layers that transformers does not quantise: output, tied, float32 ones."""
        from transformers.quantizers.base import HfQuantizer

        names: Any = HfQuantizer.get_modules_to_not_convert
        whole = getattr(self.model, "_keep_in_fp32_modules", None)
        return tuple(sorted(names(self.model, None, whole)))

    def layers(self) -> Iterator[tuple[str, int, int]]:
        """Yield name, inputs and outputs of all layers quantised on any device."""
        import torch
        from transformers.pytorch_utils import Conv1D
        from transformers.quantizers.quantizers_utils import should_convert_module

        chosen: Any = should_convert_module
        for name, module in self.model.named_modules():
            linear = type(module) is torch.nn.Linear
            if not (linear or isinstance(module, Conv1D)):
                continue
            if chosen(name, list(self.kept)):
                first, second = module.weight.shape
                yield (name, second, first) if linear else (name, first, second)

    def left(self, method: str, device: str) -> tuple[str, ...] | None:
        """Return the layers to leave as stored on *device*; None for the usual ones."""
        misfits = [
            name
            for name, inputs, outputs in self.layers()
            if not fits_kernel(method, device, inputs, outputs)
        ]
        return (*self.kept, *misfits) if misfits else None

    def weights(self, method: str, device: str) -> int:
        """Return the bytes of all weights on *device*, quantised by *method*."""
        small = dict(self._quantised(method, device))
        total = 0
        for name, tensor in self.model.named_parameters():
            layer = name.removesuffix(".weight")
            total += small[layer][0] if layer in small else tensor.nbytes
        return total

    def largest(self, method: str, device: str) -> int:
        """Return how many weights the largest quantised layer has."""
        sizes = (size for _, (_, size) in self._quantised(method, device))
        return max(sizes, default=0)

    def device_map(
        self,
        room: Mapping[int | str, int],
        method: str | None,
        device: str,
        *,
        stored: int | None = None,
    ) -> dict[str, int | str]:
        """Return which part goes where, for as many bytes as *room* says of each.

        What finds no place is on ``disk``. GPUs are filled evenly. *stored* are the
        bytes of weights that lie on disk quantised, whose layers look whole here.
        """
        from accelerate import infer_auto_device_map
        from accelerate.utils import get_balanced_memory

        if method is not None:
            layers = [name for name, _ in self._quantised(method, device)]
            kind = _kind(0.5 if method == "nf4" else 1)
        else:
            layers = [] if stored is None else [name for name, _, _ in self.layers()]
            kind = None if stored is None else _kind(self._each(stored))
        whole = getattr(self.model, "_no_split_modules", None) or ()
        how: Any = {
            "no_split_module_classes": list(whole),
            "special_dtypes": {f"{name}.weight": kind for name in layers if kind},
        }
        self.model.tie_weights()
        # It warns of ties that a skeleton lacks, and of parts that find no place.
        with hushed("accelerate.utils.modeling"):
            even: Any = get_balanced_memory(self.model, max_memory=dict(room), **how)
            found: Any = infer_auto_device_map(self.model, max_memory=even, **how)
        return dict(found)

    def _each(self, stored: int) -> float:
        """Return the bytes of each weight of a layer, of *stored* for all weights."""
        layers = {f"{name}.weight": n * m for name, n, m in self.layers()}
        named = self.model.named_parameters()
        rest: int = sum(tensor.nbytes for name, tensor in named if name not in layers)
        return max(0, stored - rest) / max(1, sum(layers.values()))

    def _quantised(
        self, method: str, device: str
    ) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield name, bytes and number of weights of each quantised layer."""
        for name, inputs, outputs in self.layers():
            if fits_kernel(method, device, inputs, outputs):
                small = quantised_bytes(method, inputs, outputs)
                yield name, (small, inputs * outputs)


def _kind(each: float) -> Any:  # noqa: ANN401 - accelerate's own, or torch's
    """Return the kind of numbers of *each* so many bytes; None for whole ones.

    Scales are a few hundredths of a byte for each.
    """
    import torch
    from accelerate.utils import CustomDtype

    if each <= _HALF_BYTES:
        return CustomDtype.INT4
    return torch.int8 if each <= _WHOLE_BYTES else None


def skeleton_of(files: CheckpointFiles, auto: str, dtype: str) -> Skeleton | None:
    """Return the skeleton of the model that *auto* makes of *files*, in *dtype*.

    None where transformers cannot make it: loading will say why.
    """
    import torch
    import transformers

    library: Any = transformers
    how: dict[str, Any] = {"trust_remote_code": files.remote_code}
    try:
        config = library.AutoConfig.from_pretrained(
            str(files.folder), local_files_only=True, **how
        )
        with torch.device("meta"):
            model = getattr(library, auto).from_config(
                config, dtype=getattr(torch, dtype), **how
            )
    except Exception:  # noqa: BLE001 - received by loading, which meets it again
        return None
    return Skeleton(model=model.eval())
