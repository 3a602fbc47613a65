"""Memory and time of one shape of model in several forms: estimated, and measured.

The checkpoint is made up: a Qwen2.5-VL of the published sizes (or a tiny one), its
weights random, with the tokenizer of this project's own. It is asked the sight
check's questions, which it fails, as anything random does; what counts is what it
takes. Each form is a process of its own, so that its peak is its own.

Apart from the tests because a machine's memory and speed are no claim about the code.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.benchmarks.sight import load_sight
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling

FORMS = ("bfloat16", "nf4", "int8", "float16", "float32")
OWN = Path(__file__).parents[1] / "example_suite" / "checkpoints" / "grounded"
SHARD = 1 << 31
"""Bytes of one weight file, about."""
SHAPES: dict[str, dict[str, dict[str, Any]]] = {
    "7b": {
        "text": {
            "hidden_size": 3584,
            "intermediate_size": 18944,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "vocab_size": 152064,
            "mrope_section": [16, 24, 24],
        },
        "vision": {
            "depth": 32,
            "hidden_size": 1280,
            "intermediate_size": 3420,
            "num_heads": 16,
            "patch_size": 14,
            "window_size": 112,
            "fullatt_block_indexes": [7, 15, 23, 31],
        },
    },
    "tiny": {
        "text": {
            "hidden_size": 256,
            "intermediate_size": 512,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "vocab_size": 2048,
            "mrope_section": [8, 12, 12],
        },
        "vision": {
            "depth": 2,
            "hidden_size": 128,
            "intermediate_size": 256,
            "num_heads": 4,
            "patch_size": 14,
            "window_size": 112,
            "fullatt_block_indexes": [1],
        },
    },
}


def make(folder: Path, shape: str, side: int) -> None:
    """Write a checkpoint of *shape* that sees frames of *side* pixels, in bfloat16."""
    import torch
    import transformers

    library: Any = transformers
    config = _config(shape)
    with torch.device("meta"):
        model = library.Qwen2_5_VLForConditionalGeneration._from_config(  # noqa: SLF001
            config, dtype=torch.bfloat16
        )
    folder.mkdir(parents=True)
    _write_weights(folder, model)
    config.save_pretrained(folder)
    for name in ("chat_template.jinja", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(OWN / name, folder)
    processor = json.loads((OWN / "processor_config.json").read_text())
    processor["processor_class"] = "Qwen2_5_VLProcessor"
    for part in ("image_processor", "video_processor"):
        area = side * side
        size = {"shortest_edge": area, "longest_edge": area}
        processor[part] |= {"patch_size": 14, "size": size}
    (folder / "processor_config.json").write_text(json.dumps(processor))


def _config(shape: str) -> Any:  # noqa: ANN401 - transformers' own
    """Return the config of *shape*, with the tokens of this project's tokenizer."""
    import transformers

    library: Any = transformers
    own = json.loads((OWN / "config.json").read_text())
    sizes = SHAPES[shape]
    text = dict(sizes["text"])
    sections = text.pop("mrope_section")
    tokens = {n: own["text_config"][n] for n in ("bos_token_id", "eos_token_id")}
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections}
    return library.Qwen2_5_VLConfig(
        text_config={**text, **tokens, "rope_parameters": rope, "pad_token_id": 0},
        vision_config={**sizes["vision"], "out_hidden_size": text["hidden_size"]},
        image_token_id=own["image_token_id"],
        video_token_id=own["video_token_id"],
        vision_start_token_id=own["vision_start_token_id"],
        vision_end_token_id=own["vision_end_token_id"],
        tie_word_embeddings=False,
        architectures=["Qwen2_5_VLForConditionalGeneration"],
        dtype="bfloat16",
    )


def _write_weights(folder: Path, model: Any) -> None:  # noqa: ANN401
    """Write random weights of the skeleton *model*, a file at a time."""
    import torch
    from safetensors.torch import save_file

    drawn = torch.Generator().manual_seed(0)
    files: list[dict[str, Any]] = [{}]
    for name, tensor in model.state_dict().items():
        if sum(each.nbytes for each in files[-1].values()) > SHARD:
            files.append({})
        files[-1][name] = tensor
    where = {}
    for number, tensors in enumerate(files, 1):
        file = f"model-{number:05}-of-{len(files):05}.safetensors"
        made = {name: _drawn(name, each, drawn) for name, each in tensors.items()}
        save_file(made, folder / file, metadata={"format": "pt"})
        where |= dict.fromkeys(made, file)
    index = {"metadata": {}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _drawn(name: str, like: Any, drawn: Any) -> Any:  # noqa: ANN401 - tensors
    """Return weights that keep numbers in bounds: norms of 1, the rest small."""
    import torch

    if like.ndim < 2:
        filled = float("norm" in name or "ln_q" in name)
        return torch.full(like.shape, filled, dtype=like.dtype)
    scale = 1 / math.sqrt(math.prod(like.shape[1:]))
    weights = torch.empty(like.shape, dtype=like.dtype)
    return weights.normal_(std=scale, generator=drawn)


def measure(folder: Path, form: str, device: str, questions: int) -> dict[str, Any]:
    """Return what the checkpoint takes in *form*, told before and found after."""
    how: dict[str, Any] = (
        {"quantisation": form, "dtype": "bfloat16"}
        if form in ("nf4", "int8")
        else {"dtype": form}
    )
    settings = TransformersSettings(checkpoint=folder, device=device, **how)
    backend = TransformersBackend(settings)
    told = backend.memory
    began = time.perf_counter()
    backend.load()
    loaded = time.perf_counter()
    weights = _held(device, backend)
    # Of a process, what its libraries take is in its peak, too.
    before = weights if device.startswith("cuda") else _peak(device)
    asked = take(load_sight(), questions=questions, name="sight")
    run = evaluate(
        asked, backend, ("original", "black"), RunSettings(sampling=Sampling(frames=8))
    )
    seconds = time.perf_counter() - loaded
    failed = sum(cell.reply is None for cell in run.cells.values())
    return {
        "form": form,
        "weights_estimated": told.weights,
        "weights_held": weights,
        "work_estimated": told.work,
        "work_peak": _peak(device) - before,
        "load_s": round(loaded - began, 2),
        "cells_a_second": round(len(run.cells) / seconds, 2),
        "failed": failed,
        "tokens_a_cell": max(cell.prompt_tokens for cell in run.cells.values()),
        "sharing": backend.sharing,
    }


def _held(device: str, backend: TransformersBackend) -> int:
    import torch

    if device.startswith("cuda"):
        return int(torch.cuda.memory_allocated())
    asking = backend._asking  # noqa: SLF001 - no other way to the model
    assert asking is not None
    return int(asking.loaded.model.get_memory_footprint())


def _peak(device: str) -> int:
    """Return the most memory that was held so far, in bytes."""
    import torch

    if device.startswith("cuda"):
        return int(torch.cuda.max_memory_allocated())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Make the checkpoint if it is not there, and measure each form of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the checkpoint is, or is made")
    parser.add_argument("--shape", choices=SHAPES, default="7b")
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--forms", nargs="+", choices=FORMS, default=["bfloat16", "nf4"]
    )
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--side", type=int, default=448, help="pixels of a frame")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        found = measure(given.folder, given.only, given.device, given.questions)
        sys.stdout.write(json.dumps(found) + "\n")
        return
    if not given.folder.exists():
        make(given.folder, given.shape, given.side)
    for form in given.forms:
        again = [sys.executable, "-m", "bench.sizes", str(given.folder), "--only", form]
        more = ["--device", given.device, "--questions", str(given.questions)]
        subprocess.run([*again, *more], check=True)  # noqa: S603 - this very file


if __name__ == "__main__":
    main()
