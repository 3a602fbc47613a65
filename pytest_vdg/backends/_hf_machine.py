"""What the machine offers: packages and their versions, GPUs, threads.

Apart from the backend because each line here must work, and stay cheap, where
torch is not imported yet or not installed at all.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NEEDED = ("torch", "torchvision", "transformers", "accelerate")
"""Packages without which no checkpoint is asked."""

ANNOUNCED = (
    *NEEDED,
    "tokenizers",
    "safetensors",
    "flash-attn",
    "jinja2",
    "numpy",
    "pillow",
)
"""Packages whose versions go into the identity where they are installed."""

_GPU_NODES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/nvmap", "/dev/kfd", "/dev/dxg")


def versions(*also: str) -> dict[str, str]:
    """Return the versions of the `ANNOUNCED` packages, and *also* these.

    Those that are not installed are left out.
    """
    found = {}
    for package in (*ANNOUNCED, *also):
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def has_cuda() -> bool:
    """Tell whether torch would find CUDA, asking torch only where it may."""
    if "torch" not in sys.modules and sys.platform == "linux":
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
        if hidden or not any(Path(node).exists() for node in _GPU_NODES):
            return False
    return torch_has_cuda()


def torch_has_cuda() -> bool:
    """Ask torch, which is imported for it."""
    import torch

    return bool(torch.cuda.is_available())


def cuda_devices() -> int:
    """Return how many GPUs torch finds; it is imported only where it may find any."""
    if not has_cuda():
        return 0
    import torch

    return int(torch.cuda.device_count())


def spare_bytes(device: object) -> int:
    """Return how much memory may be held beside the weights on *device*, in bytes.

    A quarter of what is free on a GPU: the passes themselves need the rest.
    """
    if getattr(device, "type", None) != "cuda":
        return 1 << 30
    import torch

    free, _ = torch.cuda.mem_get_info(device)  # type: ignore[arg-type]
    return max(1 << 28, int(free) // 4)


def empty_cuda_cache() -> None:
    """Give freed GPU memory back, if there is any."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextlib.contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Use *count* CPU threads inside, and as many as before afterwards."""
    if count is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
