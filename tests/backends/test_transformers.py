"""Tests of `TransformersBackend` on a tiny checkpoint that really runs."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_vdg.backends import (
    Backend,
    Prompt,
    TransformersBackend,
    TransformersSettings,
    _hf_load,
    _hf_machine,
    _hf_place,
)
from pytest_vdg.backends import transformers as under_test
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.errors import (
    BackendError,
    BackendUnavailable,
    ConfigError,
    VideoNotConsumed,
)
from tests.backends.conftest import MakeBackend, make_clip
from tests.backends.test_hf_files import Bomb
from tests.backends.tinymodel import (
    NASTY_GENERATION,
    VIDEO_PART,
    VOCABULARY,
    edit_json,
    rewrite_weights,
)

FAMILIES = ["qwen2_vl", "qwen2_5_vl", "qwen3_vl", "llava_onevision", "internvl"]


def only_labels(tensors: dict[str, Any]) -> dict[str, Any]:
    """Make the labels A, B and C the likeliest tokens after any prompt."""
    head = tensors["lm_head.weight"].clone()
    labels = [VOCABULARY[label] for label in "ABC"]
    head[:] = head[labels].mean(dim=0)
    head[labels] = tensors["lm_head.weight"][labels]
    return {**tensors, "lm_head.weight": head}


def with_nan(tensors: dict[str, Any]) -> dict[str, Any]:
    """Break one number of the weights."""
    head = tensors["lm_head.weight"].clone()
    head[0, 0] = float("nan")
    return {**tensors, "lm_head.weight": head}


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
def test_frames_reach_the_model(
    family: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Other pixels give other probabilities; equal ones the same to the bit."""
    model = backend(family)
    first, other, again = (
        model.ask(prompt, make_clip(seed=seed)) for seed in (1, 2, 1)
    )
    assert first.probabilities != other.probabilities
    assert first == again


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
def test_order_reaches_the_model(
    family: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The same frames last to first are another input, of the same size."""
    clip = make_clip()
    backwards = dataclasses.replace(clip, frames=clip.frames[::-1].copy())
    model = backend(family)
    original, reverse = model.ask(prompt, clip), model.ask(prompt, backwards)
    assert original.probabilities != reverse.probabilities
    assert original.input_digest != reverse.input_digest
    assert original.visual_tokens == reverse.visual_tokens


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
def test_black_costs_as_many_tokens_as_the_original(
    family: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Black takes away what can be seen, and not one token."""
    model = backend(family)
    original, black, nothing = (
        model.ask(prompt, clip) for clip in (make_clip(), make_clip(black=True), None)
    )
    assert original.visual_tokens == black.visual_tokens > 0
    assert original.prompt_tokens == black.prompt_tokens
    assert original.input_digest != black.input_digest
    assert (nothing.visual_tokens, nothing.frames_seen) == (0, 0)


@pytest.mark.parametrize("family", FAMILIES, indirect=True)
@pytest.mark.parametrize("frames", [1, 3])
def test_odd_clips_are_answered(
    family: Path, backend: MakeBackend, prompt: Prompt, frames: int
) -> None:
    """One frame, or three, work in every family and are counted unpadded."""
    assert backend(family).ask(prompt, make_clip(frames)).frames_seen == frames


def test_probabilities_are_over_the_labels_asked(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The reply is the likeliest label, and the mass of all of them is kept."""
    reply = backend(checkpoint).ask(prompt, make_clip())
    assert reply.probabilities is not None
    assert tuple(reply.probabilities) == prompt.labels
    assert sum(reply.probabilities.values()) == pytest.approx(1)
    assert reply.text == max(reply.probabilities, key=reply.probabilities.__getitem__)
    assert reply.label_mass is not None
    assert 0 < reply.label_mass < 1


def test_both_scorings_agree_on_the_first_label(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Where only labels are likely, greedy text begins with the best choice."""
    rewrite_weights(own, only_labels)
    choice = backend(own)
    text = backend(own, scoring="generate", max_new_tokens=1)
    clips = [make_clip(seed=seed) for seed in range(8)]
    chosen = [choice.ask(prompt, clip) for clip in clips]
    written = [text.ask(prompt, clip) for clip in clips]
    assert [reply.text for reply in written] == [reply.text for reply in chosen]
    assert len({reply.text for reply in chosen}) > 1
    assert [r.input_digest for r in written] == [r.input_digest for r in chosen]


def test_generation_is_greedy_whatever_the_checkpoint_says(
    checkpoint: Path, own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Sampling, beams and penalties saved with a checkpoint change no reply."""
    edit_json(own / "generation_config.json", **NASTY_GENERATION)
    plain = backend(checkpoint, scoring="generate").ask(prompt, make_clip())
    model = backend(own, scoring="generate")
    assert model.ask(prompt, make_clip()).text == plain.text
    assert model.ask(prompt, make_clip()).text == plain.text
    assert model.identity.environment["decoding"] == "greedy"


def test_replies_are_no_longer_than_asked(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The limit counts new tokens; the prompt is not part of the reply."""
    reply = backend(checkpoint, scoring="generate", max_new_tokens=3).ask(prompt, None)
    assert 1 <= len(reply.text.split(" ")) <= 3
    assert reply.probabilities is None


def test_right_padding_in_the_checkpoint_does_not_matter(
    checkpoint: Path, own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Trainers save tokenizers that pad on the right; answers stay the same."""
    edit_json(own / "tokenizer_config.json", padding_side="right")
    for scoring in ("choice", "generate"):
        padded, plain = (backend(f, scoring=scoring) for f in (own, checkpoint))
        assert padded.ask(prompt, make_clip()) == plain.ask(prompt, make_clip())
        assert padded.identity == plain.identity


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_attention_is_used_and_recorded(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt, attention: str
) -> None:
    """The implementation asked for is the one that runs."""
    model = backend(checkpoint, attention=attention)
    model.ask(prompt, make_clip())
    assert model.identity.environment["attention"] == attention
    assert model._asking is not None
    assert model._asking.loaded.model.config._attn_implementation == attention


def test_attention_of_the_checkpoint_is_recorded_or_refused(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """A config that names one decides; an order that it overrules is an error."""
    edit_json(own / "config.json", _attn_implementation="eager")
    model = backend(own)
    model.ask(prompt, make_clip())
    assert model.identity.environment["attention"] == "eager"
    assert model._asking is not None
    assert model._asking.loaded.model.config._attn_implementation == "eager"
    with pytest.raises(ConfigError, match=r"'sdpa' was asked for.* with 'eager'"):
        backend(own, attention="sdpa").ask(prompt, make_clip())


@pytest.mark.parametrize("dtype", ["auto", "bfloat16", "float32"])
def test_the_dtype_announced_is_the_dtype_loaded(
    own: Path, backend: MakeBackend, prompt: Prompt, dtype: str
) -> None:
    """``auto`` is resolved from the files to what the weights then have."""
    edit_json(own / "config.json", dtype="bfloat16")
    model = backend(own, dtype=dtype)
    model.ask(prompt, make_clip())
    assert model._asking is not None
    announced = model.identity.environment["dtype"]
    assert str(model._asking.loaded.model.dtype) == f"torch.{announced}"


@pytest.mark.parametrize("scoring", ["choice", "generate"])
def test_nan_weights_give_no_answer(
    own: Path, backend: MakeBackend, prompt: Prompt, scoring: str
) -> None:
    """A diverged checkpoint fails; it does not answer the first label."""
    rewrite_weights(own, with_nan)
    with pytest.raises(BackendError, match="not finite"):
        backend(own, scoring=scoring).ask(prompt, make_clip())


def test_missing_vision_weights_are_refused(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """A model that would see through random weights is never asked."""
    rewrite_weights(own, lambda t: {k: v for k, v in t.items() if "visual" not in k})
    with pytest.raises(BackendError, match=r"missing and would be random: .*visual"):
        backend(own).ask(prompt, make_clip())


def test_tied_weights_are_not_missing(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """A head that is the embedding is saved once, and is complete."""
    text = json.loads((own / "config.json").read_text())["text_config"]
    tied = {"tie_word_embeddings": True}
    edit_json(own / "config.json", text_config={**text, **tied}, **tied)
    rewrite_weights(own, lambda t: {k: v for k, v in t.items() if "lm_head" not in k})
    assert backend(own).ask(prompt, make_clip()).probabilities


def test_weights_of_no_part_are_refused(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Leftover weights show that another model was saved than is loaded."""
    rewrite_weights(own, lambda t: {**t, "extra.weight": t["lm_head.weight"].clone()})
    with pytest.raises(BackendError, match=r"no part of the model: extra\.weight"):
        backend(own).ask(prompt, make_clip())


def test_weights_of_another_shape_are_refused(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """A head that does not fit its config is no reason to make one up."""
    rewrite_weights(
        own, lambda t: {**t, "lm_head.weight": t["lm_head.weight"][:-1].clone()}
    )
    with pytest.raises(BackendError, match=r"lm_head|size|shape"):
        backend(own).ask(prompt, make_clip())


def test_a_pickle_never_runs(own: Path, backend: MakeBackend, prompt: Prompt) -> None:
    """Not even where pickles are allowed does one of them run code."""
    marker = own / "ran"
    (own / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(marker)))
    backend(own, allow_pickle=True).ask(prompt, make_clip())
    (own / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match="allow_pickle"):
        backend(own)
    with pytest.raises(BackendError, match="do not load"):
        backend(own, allow_pickle=True).ask(prompt, make_clip())
    assert not marker.exists()


def test_honest_pickles_load_where_allowed(
    checkpoint: Path, own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The option does what it says, and the answers are those of the weights."""
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(own / "model.safetensors"), own / "pytorch_model.bin")
    (own / "model.safetensors").unlink()
    pickled = backend(own, allow_pickle=True).ask(prompt, make_clip())
    plain = backend(checkpoint).ask(prompt, make_clip())
    assert pickled.input_digest == plain.input_digest
    # Not to the bit: tensors that lie elsewhere in memory are added up otherwise.
    assert pickled.probabilities == pytest.approx(plain.probabilities, abs=1e-5)


def test_remote_code_is_refused_and_its_choice_recorded(
    own: Path, backend: MakeBackend
) -> None:
    """Trust is a choice that two compared runs must share."""
    marker = own / "ran"
    (own / "modeling_x.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    edit_json(own / "config.json", auto_map={"AutoConfig": "modeling_x.X"})
    with pytest.raises(ConfigError, match="trust_remote_code: true"):
        backend(own)
    trusting = backend(own, trust_remote_code=True)
    assert trusting.identity.environment["trust_remote_code"] == "true"
    assert not marker.exists()


def test_a_dropped_video_is_no_reply(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The product's worst mistake would be to call this model blind."""
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace(VIDEO_PART, ""))
    with pytest.raises(VideoNotConsumed, match="chat template"):
        backend(own).ask(prompt, make_clip())


def test_running_out_of_memory_is_a_short_reason(
    checkpoint: Path,
    backend: MakeBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One cell fails with the kind of error, and the next one is answered."""
    import torch

    model = backend(checkpoint)
    model.load()
    assert model._asking is not None

    def fail(**inputs: object) -> None:
        raise torch.OutOfMemoryError("tried to allocate 9 GiB\n" + "x" * 5000)

    with monkeypatch.context() as patch:
        patch.setattr(model._asking.loaded.model, "forward", fail)
        with pytest.raises(BackendError, match="OutOfMemoryError: tried") as raised:
            model.ask(prompt, make_clip())
    assert len(str(raised.value)) < 400
    model.ask(prompt, make_clip())


def test_an_interrupt_passes(
    checkpoint: Path,
    backend: MakeBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C is not a failed cell."""
    model = backend(checkpoint)
    model.load()
    assert model._asking is not None

    def interrupt(**inputs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(model._asking.loaded.model, "forward", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.ask(prompt, make_clip())


def test_weights_are_loaded_once(
    checkpoint: Path,
    backend: MakeBackend,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Making a backend and naming it load nothing; two questions load once."""
    loads = []
    real = _hf_load.load_checkpoint

    def counted(files: CheckpointFiles, *more: Any, **how: Any) -> _hf_load.Loaded:  # noqa: ANN401
        loads.append(files)
        return real(files, *more, **how)

    monkeypatch.setattr(_hf_load, "load_checkpoint", counted)
    model = backend(checkpoint)
    assert model.identity
    assert not loads
    model.ask(prompt, make_clip())
    model.ask(prompt, None)
    assert len(loads) == 1
    model.close()
    model.close()
    model.ask(prompt, None)
    assert len(loads) == 2


def test_what_does_not_load_is_not_tried_for_each_question(
    own: Path, backend: MakeBackend, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint that fails after minutes fails once, with one reason."""
    rewrite_weights(own, lambda t: {k: v for k, v in t.items() if "visual" not in k})
    model = backend(own)
    with pytest.raises(BackendError, match="visual"):
        model.ask(prompt, None)
    monkeypatch.setattr(_hf_load, "load_checkpoint", None)
    with pytest.raises(BackendError, match="visual"):
        model.ask(prompt, None)


def test_a_checkpoint_written_to_in_mid_run_is_refused(
    own: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Answers are never filed under the digest of other weights."""
    model = backend(own)
    assert model.identity
    rewrite_weights(own, only_labels)
    with pytest.raises(BackendError, match="changed after this run began"):
        model.ask(prompt, make_clip())


def test_weights_in_place_are_another_subject(own: Path, backend: MakeBackend) -> None:
    """The same path with other weights is another model, all else equal."""
    before = backend(own).identity
    rewrite_weights(own, only_labels)
    after = backend(own).identity
    assert before.subject["weights"] != after.subject["weights"]
    assert before.environment == after.environment


def test_a_changed_template_is_another_environment(
    own: Path, backend: MakeBackend
) -> None:
    """Another way to ask cannot be compared, whatever the weights."""
    before = backend(own).identity
    path = own / "chat_template.jinja"
    path.write_text(path.read_text().replace("assistant", "user"))
    after = backend(own).identity
    assert before.environment["processor"] != after.environment["processor"]
    assert before.subject == after.subject


def test_identity_needs_no_torch(checkpoint: Path) -> None:
    """A run is planned, and refused, without the seconds that torch takes."""
    code = (
        "import sys\n"
        "from pytest_vdg.backends import make_backend\n"
        f"b = make_backend('transformers', {{'checkpoint': {str(checkpoint)!r}}})\n"
        "assert b.identity.versions['torch'] and b.frames_per_token == 2\n"
        "assert b.identity.environment['device'] == 'cpu'\n"
        "print(sorted({'torch', 'transformers', 'av', 'decord'} & set(sys.modules)))"
    )
    env = {"CUDA_VISIBLE_DEVICES": "", "PATH": ""}
    out = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=env,
        cwd=Path(__file__).parents[2],
    )
    assert out.stdout == "[]\n"


def test_settings_that_change_answers_are_in_the_environment(
    checkpoint: Path, backend: MakeBackend
) -> None:
    """Scoring and reply length separate runs; threads and places do not."""
    choice, text, longer = (
        backend(checkpoint, **settings).identity.environment
        for settings in (
            {"threads": 1},
            {"scoring": "generate"},
            {"scoring": "generate", "max_new_tokens": 99},
        )
    )
    assert "max_new_tokens" not in choice
    assert text["max_new_tokens"] == "16"
    assert text != longer
    assert choice == backend(checkpoint).identity.environment


def test_threads_are_given_back(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """The process keeps its own number of threads."""
    import torch

    backend(checkpoint, threads=2).ask(prompt, None)
    assert torch.get_num_threads() == 1


def test_it_is_a_backend(checkpoint: Path, backend: MakeBackend) -> None:
    """It has all that the protocol asks for, and the folder's name."""
    model = backend(checkpoint)
    assert isinstance(model, Backend)
    assert model.name == checkpoint.name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scoring": "choise"}, "Did you mean 'choice'"),
        ({"dtype": "fp8"}, "dtype cannot be 'fp8'"),
        ({"device": "gpu"}, "device must be"),
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1"),
        ({"max_new_tokens": "9"}, "max_new_tokens must be at least 1"),
        ({"threads": True}, "threads must be at least 1"),
        ({"trust_remote_code": "false"}, "trust_remote_code must be true or false"),
        ({"attention": 2}, "attention must be text"),
        ({"checkpoint": None}, "checkpoint must be a path"),
        ({"checkpoint": ""}, "checkpoint must be a path"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    """A value of the wrong kind is refused before a folder is looked at."""
    with pytest.raises(ConfigError, match=message):
        TransformersSettings(**{"checkpoint": "x", **settings})


@pytest.mark.parametrize(
    ("checkpoint_name", "message"),
    [
        ("no_such_folder", "does not exist"),
        ("/no/such/folder", "does not exist"),
        (__file__, "is a file"),
        ("no-owner/no-such-model", "neither a folder here nor in the Hub cache"),
    ],
)
def test_a_checkpoint_that_is_not_here_is_refused(
    checkpoint_name: str, message: str, backend: MakeBackend
) -> None:
    """A slip of the path is found when the backend is made, without network."""
    with pytest.raises(ConfigError, match=message):
        backend(checkpoint_name)


def test_a_hub_id_is_fetched_only_when_asked(
    checkpoint: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making the backend downloads nothing; naming it may, if allowed."""
    import huggingface_hub

    fetched: list[dict[str, Any]] = []

    def snapshot(hub_id: str, **options: object) -> str:
        fetched.append({"id": hub_id, **options})
        return str(checkpoint)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    model = backend("owner/model", revision="v1", local_files_only=False)
    assert not fetched
    assert model.identity
    assert model.frames_per_token == 2
    assert model.name == "owner/model"
    [asked] = fetched
    assert (asked["id"], asked["revision"]) == ("owner/model", "v1")
    assert not {"*.py", "*.bin"} & set(asked["allow_patterns"])


@pytest.mark.parametrize(
    "package", ["torch", "transformers", "torchvision", "accelerate"]
)
def test_a_missing_package_says_what_to_type(
    checkpoint: Path,
    backend: MakeBackend,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
) -> None:
    """Without the model extra the error is a command, not a traceback."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == package else real(name),
    )
    with pytest.raises(BackendUnavailable, match=r"pytest-vdg\[model\]"):
        backend(checkpoint)


def test_auto_is_the_gpu_where_there_is_one(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``auto`` means is in the identity, not the word."""
    for there, kind in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(under_test, "has_cuda", lambda there=there: there)
        model = TransformersBackend(TransformersSettings(checkpoint=checkpoint))
        assert model.identity.environment["device"] == kind


def test_hidden_gpus_are_found_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch is asked only on a machine that may have a GPU."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(_hf_machine, "torch_has_cuda", lambda: True)
    monkeypatch.setattr(_hf_machine, "_GPU_NODES", ("/",))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert _hf_machine.has_cuda()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert not _hf_machine.has_cuda()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setattr(_hf_machine, "_GPU_NODES", ("/no/such/node",))
    assert not _hf_machine.has_cuda()


def test_a_gpu_that_is_not_there_is_said(
    checkpoint: Path, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device that was asked for is never replaced by another."""
    monkeypatch.setattr(under_test, "torch_has_cuda", lambda: False)
    settings = TransformersSettings(checkpoint=checkpoint, device="cuda:1")
    with pytest.raises(BackendError, match="'cuda:1' was asked for"):
        TransformersBackend(settings).ask(prompt, None)


class Unmovable:
    """A model that refuses to be moved, as dispatched and quantised ones do."""

    def __init__(self, **marks: object) -> None:
        self.__dict__.update(marks)

    def to(self, device: str) -> object:
        """Raise what bitsandbytes and accelerate raise."""
        raise ValueError(".to is not supported")


@pytest.mark.parametrize(
    "marks",
    [
        {"hf_device_map": {"": 0}},
        {"is_quantized": True},
        {"config": type("Config", (), {"quantization_config": {"bits": 4}})},
    ],
    ids=["dispatched", "quantised", "quantised-config"],
)
def test_models_that_sit_where_they_must_are_not_moved(marks: dict[str, Any]) -> None:
    """Minutes of loading do not end in ``.to``."""
    model = Unmovable(**marks)
    assert _hf_place.place_model(model, "cuda") is model


def test_inputs_go_to_the_first_device(one_thread: None) -> None:
    """A model spread over devices is fed where its first part sits."""
    spread = Unmovable(device="meta", hf_device_map={"visual": "disk", "head": "cpu"})
    assert str(_hf_place.first_device(spread)) == "cpu"
    assert str(_hf_place.first_device(Unmovable(device="cpu"))) == "cpu"


def test_clips_are_left_as_they_were(
    checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Asking changes no pixel of the clip, which stays read-only."""
    clip = make_clip(3)
    before = clip.frames.copy()
    backend(checkpoint).ask(prompt, clip)
    assert np.array_equal(clip.frames, before)
    assert not clip.frames.flags.writeable
