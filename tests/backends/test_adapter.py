"""Tests of adapters that are loaded and asked, held against PEFT's own loading."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_vdg.backends import Prompt, TransformersBackend
from pytest_vdg.backends._hf_adapter import add_adapter
from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_load import load_model
from pytest_vdg.backends._hf_place import Placing
from pytest_vdg.backends.protocol import Reply, Request
from pytest_vdg.backends.text_lm import TextLmBackend
from pytest_vdg.backends.transformers import TransformersSettings
from pytest_vdg.errors import BackendError, ConfigError
from tests.backends.adapters import (
    as_peft_loads,
    build_adapter,
    load_base,
    rewrite,
    save,
    with_lora,
)
from tests.backends.conftest import MakeBackend, make_clip
from tests.backends.test_hf_size import held
from tests.backends.tinymodel import edit_json, rewrite_weights
from tests.backends.tinytext import build_text_model

pytest.importorskip("peft")

GROUNDED = Path(__file__).parents[2] / "example_suite" / "checkpoints" / "grounded"
PROCESSOR = (
    *("processor_config.json", "tokenizer.json", "tokenizer_config.json"),
    "chat_template.jinja",
)
Change = Callable[[dict[str, Any]], dict[str, Any]]
IDS = [[3, 7, 9, 20, 21, 12]]
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"target_modules": ["q_proj", "v_proj"]},
    "everywhere": {"target_modules": "all-linear", "use_rslora": True},
    "whole-head": {"modules_to_save": ["lm_head"]},
    "whole-words": {"modules_to_save": ["embed_tokens", "lm_head"]},
    "on-words": {"target_modules": ["q_proj", "embed_tokens"]},
    "on-head": {"target_modules": ["q_proj", "lm_head"]},
    "new-words": {"trainable_token_indices": [3, 7]},
    "bias": {"target_modules": ["q_proj", "qkv"], "bias": "all"},
    "ranks": {
        "target_modules": ["q_proj", "v_proj"],
        "rank_pattern": {"q_proj": 2},
        "alpha_pattern": {"v_proj": 32},
    },
    "one-layer": {"layers_to_transform": [1], "layers_pattern": "layers"},
    "on-weights": {"target_parameters": ["lm_head.weight"]},
}
TIED: dict[str, dict[str, Any]] = {
    "plain": {},
    "whole-words": {"modules_to_save": ["embed_tokens"]},
    "whole-words-tied": {
        "modules_to_save": ["embed_tokens"],
        "ensure_weight_tying": True,
    },
    "new-words": {"trainable_token_indices": [3, 7]},
    "on-words": {"target_modules": ["q_proj", "embed_tokens"]},
}


def loaded(backend: TransformersBackend) -> Any:  # noqa: ANN401 - has no type
    """Return the model that *backend* asks."""
    backend.load()
    assert backend._asking is not None
    return backend._asking.loaded.model


def logits(model: Any) -> Any:  # noqa: ANN401 - tensors have no types here
    """Return what *model* makes of a few tokens."""
    import torch

    with torch.no_grad():
        return model(input_ids=torch.tensor(IDS)).logits


def apart(one: Any, other: Any) -> float:  # noqa: ANN401
    """Return the largest difference of two tensors."""
    return float((one - other).abs().max())


def tied(folder: Path) -> Path:
    """Make the words at the end of the checkpoint those at its beginning."""
    config = json.loads((folder / "config.json").read_text())
    text = {**config["text_config"], "tie_word_embeddings": True}
    edit_json(folder / "config.json", tie_word_embeddings=True, text_config=text)
    rewrite_weights(
        folder, lambda t: {n: v for n, v in t.items() if n[:7] != "lm_head"}
    )
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_an_adapter_is_what_peft_makes_of_it(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend, kind: str
) -> None:
    """Ours, PEFT's own and the merged model say the same, and the base another."""
    folder = build_adapter(checkpoint, tmp_path / "made", **KINDS[kind])
    peft = as_peft_loads(checkpoint, folder)
    ours = logits(loaded(backend(folder)))
    assert apart(ours, logits(peft)) < 1e-4
    assert apart(ours, logits(load_base(checkpoint))) > 1e-2
    assert apart(ours, logits(peft.merge_and_unload())) < 1e-4


@pytest.mark.parametrize("kind", TIED)
def test_tied_words_are_what_peft_makes_of_them(
    own: Path, tmp_path: Path, backend: MakeBackend, kind: str
) -> None:
    """One tensor with two names is read once, under either."""
    base = tied(own)
    whole = load_base(base)
    assert whole.get_input_embeddings().weight is whole.lm_head.weight
    folder = build_adapter(base, tmp_path / "made", **TIED[kind])
    ours = logits(loaded(backend(folder)))
    assert apart(ours, logits(as_peft_loads(base, folder))) < 1e-4
    assert apart(ours, logits(whole)) > 1e-2


def test_a_clip_is_seen_as_by_the_merged_model(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """An adapter in the eyes and in the language, asked with frames, shared or not."""
    folder = build_adapter(checkpoint, tmp_path / "made", **KINDS["everywhere"])
    merged = tmp_path / "merged"
    as_peft_loads(checkpoint, folder).merge_and_unload().save_pretrained(merged)
    for name in PROCESSOR:
        (merged / name).write_bytes((checkpoint / name).read_bytes())
    other = dataclasses.replace(prompt, text=f"is it red ?\n{prompt.text}")
    clips = (make_clip(seed=1), make_clip(seed=1, black=True), None)
    requests = [
        Request(prompt=each, clip=clip) for clip in clips for each in (prompt, other)
    ]
    models = backend(folder), backend(folder, share_prefixes=False), backend(merged)
    answers = [model.ask_many(requests) for model in models]
    assert models[0].sharing.startswith("shares prefixes")
    for one in zip(*answers, strict=True):
        told = [each.probabilities for each in one if isinstance(each, Reply)]
        assert len(told) == 3
        assert all(each == pytest.approx(told[2], abs=1e-4) for each in told)
    assert len({str(reply) for reply in answers[0]}) == len(requests)


def test_a_trained_adapter_changes_the_answer(
    tmp_path: Path, backend: MakeBackend
) -> None:
    """Trained for a few steps to say one label, it says that, and the base does not."""
    import torch

    asked = Prompt(
        text="What color is the shape?\nA. red\nB. blue\nC. green\n"
        "Answer with the letter of the correct option.",
        labels=("A", "B", "C"),
        option_texts=("red", "blue", "green"),
    )
    clip = make_clip(8)
    before = backend(GROUNDED)
    said = before.ask(asked, clip).probabilities
    assert said is not None
    wanted = min(said, key=said.__getitem__)
    asking = before._asking
    assert asking is not None
    inputs = dict(asking._builder.build(asked.text, clip).tensors)
    token = asking.loaded.tokenizer.convert_tokens_to_ids(wanted)
    model = with_lora(load_base(GROUNDED), target_modules=["q_proj", "v_proj"])
    steps = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 0.02)
    for _ in range(12):
        steps.zero_grad()
        last = model(**inputs).logits[:, -1]
        torch.nn.functional.cross_entropy(last, torch.tensor([token])).backward()
        steps.step()
    after = backend(save(model, tmp_path / "trained")).ask(asked, clip)
    assert after.text == wanted != before.ask(asked, clip).text


def test_in_half_precision_the_adapter_is_in_half_precision(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Its weights take the model's dtype, in which all is computed."""
    folder = build_adapter(checkpoint, tmp_path / "made")
    made = backend(folder, dtype="bfloat16")
    assert {str(p.dtype) for p in loaded(made).parameters()} == {"torch.bfloat16"}
    exact = backend(folder).ask(prompt, make_clip()).probabilities
    assert made.ask(prompt, make_clip()).probabilities == pytest.approx(exact, abs=0.05)


def test_a_language_model_has_adapters_too(tmp_path: Path) -> None:
    """Backend ``text-lm`` asks one by the same road, with the adapter's tokenizer."""
    base = build_text_model(tmp_path / "base")
    auto = "AutoModelForCausalLM"
    lora = {"target_modules": "all-linear"}
    folder = build_adapter(base, tmp_path / "made", auto=auto, **lora)
    (folder / "tokenizer.json").write_bytes((base / "tokenizer.json").read_bytes())
    config = "tokenizer_config.json"
    (folder / config).write_bytes((base / config).read_bytes())
    made = TextLmBackend(TransformersSettings(checkpoint=folder, device="cpu"))
    assert made.files.processor_folder == folder
    asked = Prompt(text="what color ?", labels=("A", "B"), option_texts=("red", "blue"))
    whole = TextLmBackend(TransformersSettings(checkpoint=base, device="cpu"))
    assert made.ask(asked, None).probabilities != whole.ask(asked, None).probabilities
    assert made.identity.subject["base"] == whole.identity.subject["weights"]


@pytest.mark.parametrize("method", ["nf4", "int8"])
def test_an_adapter_goes_on_a_quantised_base(
    tmp_path: Path, backend: MakeBackend, method: str
) -> None:
    """QLoRA: the base is quantised, the adapter is not, as PEFT does it."""
    pytest.importorskip("bitsandbytes")
    import peft

    folder = build_adapter(GROUNDED, tmp_path / "made", **KINDS["everywhere"])
    made = backend(folder, quantisation=method)
    model = loaded(made)
    assert made.memory.weights == pytest.approx(held(model), rel=0.05)
    kinds = {type(module).__name__ for module in model.modules()}
    assert kinds & {"Linear4bit", "Linear8bitLt"}
    added = [p for name, p in model.named_parameters() if "lora_" in name]
    assert {str(each.dtype) for each in added} == {"torch.float32"}
    base = loaded(backend(GROUNDED, quantisation=method))
    whole = apart(logits(model), logits(base))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peft_model = peft.PeftModel.from_pretrained(
            loaded(backend(GROUNDED, quantisation=method)), folder
        ).eval()
    assert apart(logits(model), logits(peft_model)) < 1e-4 < whole


def test_an_adapter_on_parts_that_wait_elsewhere_is_refused(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Its weights would hold no numbers; nothing is read before it is told."""
    files = backend(build_adapter(checkpoint, tmp_path / "made")).files
    places = {"model": "cpu", "lm_head": "disk"}
    placing = Placing(device="cpu", places=places)
    with pytest.raises(ConfigError, match=r"made is an adapter.*\nSet quantisation"):
        load_model(files, dtype="float32", placing=placing, attention=None)


def _lost(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: tensors[name] for name in sorted(tensors)[1:]}


def _stray(tensors: dict[str, Any]) -> dict[str, Any]:
    name = min(tensors)
    return {**tensors, name.replace("layers.0", "layers.7"): tensors[name].clone()}


def _narrow(tensors: dict[str, Any]) -> dict[str, Any]:
    return {
        name: tensor[:, :-1].contiguous() if "lora_A" in name else tensor
        for name, tensor in tensors.items()
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_lost, r"1 of its weights are missing, .*layers\.0.*lora_A"),
        (_stray, r"1 of its weights belong to no part .*layers\.7.*lora_A"),
        (_narrow, r"2 of its weights have another shape, .*layers\.0.*lora_A"),
        (
            lambda t: {**t, "x.weight": t[min(t)].clone()},
            "belong to no part .*: x.weight",
        ),
    ],
    ids=["lost", "stray", "narrow", "unknown"],
)
def test_half_an_adapter_is_refused(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend, change: Change, told: str
) -> None:
    """PEFT warns, and goes on with the base alone: it looks like no training."""
    folder = build_adapter(checkpoint, tmp_path / "made")
    rewrite(folder, change)
    with pytest.raises(BackendError, match=told) as raised:
        backend(folder).load()
    assert f"the adapter {folder} does not fit its base {checkpoint}" in str(
        raised.value
    )


@pytest.mark.parametrize("named", ["q_proj.lora_A.default.weight", "q_proj.weight"])
def test_an_adapter_that_changes_nothing_is_refused(tmp_path: Path, named: str) -> None:
    """Nothing is lost of it, nothing is too much, and the base alone would answer."""
    none = SimpleNamespace(missing_keys=[], mismatched_keys=[], unexpected_keys=[])
    model = SimpleNamespace(
        load_adapter=lambda *_, **options: none,
        named_parameters=lambda **options: [(named, object())],
    )
    adapter = AdapterFiles(folder=tmp_path / "made", weights=tmp_path / "weights")
    files = CheckpointFiles(tmp_path / "base", (), False, False)
    if "default" in named:
        add_adapter(model, files, adapter)
        return
    with pytest.raises(BackendError, match=r"made does not fit .*base: it changes no"):
        add_adapter(model, files, adapter)


def test_an_adapter_of_another_model_is_refused(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Modules that the base does not have, and a base of another width."""
    folder = build_adapter(checkpoint, tmp_path / "made")
    edit_json(folder / "adapter_config.json", target_modules=["query"])
    with pytest.raises(BackendError, match=r"'query'.*\nProbably .* base: FOLDER"):
        backend(folder).load()
    other = build_adapter(GROUNDED, tmp_path / "other")
    with pytest.raises(BackendError, match=r"does not fit its base"):
        backend(other, base=str(checkpoint)).load()


def test_an_adapter_of_old_names_is_loaded_whole(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Adapters of transformers 4 name the layers as that did."""
    folder = build_adapter(checkpoint, tmp_path / "made")
    before = logits(loaded(backend(folder)))
    old = "model.language_model.layers", "model.layers"
    rewrite(folder, lambda t: {name.replace(*old): v for name, v in t.items()})
    assert apart(logits(loaded(backend(folder))), before) == 0


def test_a_pickled_adapter_is_read_where_allowed(
    checkpoint: Path, tmp_path: Path, backend: MakeBackend
) -> None:
    """Its weights are those that safetensors would hold."""
    import torch
    from safetensors.torch import load_file

    folder = build_adapter(checkpoint, tmp_path / "made")
    before = logits(loaded(backend(folder)))
    path = folder / "adapter_model.safetensors"
    torch.save(load_file(path), folder / "adapter_model.bin")
    path.unlink()
    assert apart(logits(loaded(backend(folder, allow_pickle=True))), before) == 0
