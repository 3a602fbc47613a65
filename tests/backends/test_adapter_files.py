"""Tests of what is read from an adapter's files, and of what is refused.

No weight is loaded here: the adapters are written by hand.
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import shutil
from pathlib import Path

import pytest

from pytest_vdg.backends import TransformersBackend, TransformersSettings
from pytest_vdg.errors import BackendError, BackendUnavailable, ConfigError
from tests.backends.conftest import MakeBackend
from tests.backends.test_hf_files import Bomb
from tests.backends.tinymodel import edit_json, rewrite_weights

PROCESSOR = ("processor_config.json", "tokenizer.json", "tokenizer_config.json")
TEMPLATE = "chat_template.jinja"


@pytest.fixture
def adapter(own: Path, tmp_path: Path) -> Path:
    """Return an adapter of the checkpoint *own*, with weights that fit nothing."""
    pytest.importorskip("peft")
    import torch
    from safetensors.torch import save_file

    folder = tmp_path / "step-200"
    folder.mkdir()
    save_file({"lora_A.weight": torch.ones(2, 2)}, folder / "adapter_model.safetensors")
    edit_json(
        folder / "adapter_config.json",
        peft_type="LORA",
        task_type="CAUSAL_LM",
        base_model_name_or_path=str(own),
        r=2,
        lora_alpha=4,
        target_modules=["q_proj", "v_proj"],
        init_lora_weights=True,
        use_dora=False,
    )
    return folder


def subject(folder: Path, **settings: object) -> dict[str, str]:
    """Return what a run of *folder* would be known by."""
    made = TransformersBackend(TransformersSettings(checkpoint=folder, **settings))  # type: ignore[arg-type]
    return dict(made.identity.subject)


def test_an_adapter_is_a_checkpoint(
    adapter: Path, own: Path, backend: MakeBackend
) -> None:
    """It is called by its folder; base and adapter are known by their content."""
    made, base = backend(adapter), backend(own)
    assert made.name == "step-200"
    assert made.frames_per_token == base.frames_per_token == 2
    told, whole = made.identity.subject, base.identity.subject
    assert set(whole) == {"weights", "config"}
    assert told["base"] == whole["weights"]
    assert told["config"] == whole["config"]
    assert len({*told.values()}) == len(told) == 4
    assert made.identity.environment == base.identity.environment
    assert "peft" in made.identity.versions
    assert "peft" not in base.identity.versions
    assert made.observed == {"base": "own"}


def test_either_of_the_two_makes_another_model(adapter: Path, own: Path) -> None:
    """Another base, other adapter weights or another scale: other answers."""
    seen = [subject(adapter)["weights"]]
    rewrite_weights(own, lambda t: {**t, "lm_head.weight": t["lm_head.weight"] * 2})
    seen.append(subject(adapter)["weights"])
    path = adapter / "adapter_model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    seen.append(subject(adapter)["weights"])
    edit_json(adapter / "adapter_config.json", lora_alpha=8)
    seen.append(subject(adapter)["weights"])
    assert len({*seen}) == len(seen)


@pytest.mark.parametrize(
    "changes",
    [
        {"peft_version": "9.9", "inference_mode": True, "auto_mapping": {"a": "b"}},
        {"target_modules": ["v_proj", "q_proj"]},
        {"task_type": None},
    ],
)
def test_saving_it_again_makes_no_other_model(
    adapter: Path, changes: dict[str, object]
) -> None:
    """PEFT writes sets in any order, and where it was made does not matter."""
    before = subject(adapter)
    edit_json(adapter / "adapter_config.json", **changes)
    assert subject(adapter) == before


def test_a_base_that_is_given_wins(adapter: Path, own: Path, tmp_path: Path) -> None:
    """The name in the adapter is where it was trained; weights have moved since."""
    other = tmp_path / "moved"
    own.rename(other)
    with pytest.raises(ConfigError, match=r"(?s)adapter of .*own, .*vdg.yaml: base: F"):
        subject(adapter)
    assert subject(adapter, base=str(other))["base"]


def test_an_adapter_without_a_base_asks_for_one(adapter: Path, own: Path) -> None:
    """Some trainers write none."""
    edit_json(adapter / "adapter_config.json", base_model_name_or_path=None)
    with pytest.raises(ConfigError, match=r"names no base model.\nSay .*base: FOLDER"):
        subject(adapter)
    assert subject(adapter, base=str(own))


def test_base_is_only_for_adapters(own: Path) -> None:
    """Who gives one with whole weights believes to ask something else."""
    with pytest.raises(ConfigError, match=r"base is only for adapters, and .*own"):
        subject(own, base=str(own))


def test_a_base_is_no_adapter(adapter: Path, own: Path, tmp_path: Path) -> None:
    """Of two adapters on each other, the lower one would be left out."""
    other = Path(shutil.copytree(adapter, tmp_path / "other"))
    shutil.copy(own / "config.json", other)
    with pytest.raises(ConfigError, match=r"other is an adapter itself .*\nMerge"):
        subject(adapter, base=str(other))
    (other / "config.json").unlink()
    with pytest.raises(ConfigError, match=r"other is an adapter itself .*\nMerge"):
        subject(adapter, base=str(other))


def test_two_models_in_a_folder_are_told_apart(adapter: Path, own: Path) -> None:
    """Whole weights beside an adapter: the message says which is which."""
    shutil.copy(own / "model.safetensors", adapter)
    with pytest.raises(ConfigError, match="two models") as raised:
        subject(adapter)
    told = str(raised.value)
    assert "whole weights (model.safetensors)" in told
    assert "an adapter (adapter_config.json)" in told
    assert f"base: {adapter}" in told


def test_weights_beside_the_adapter_are_not_left_out(adapter: Path) -> None:
    """LLaVA's trainer keeps its projector in a file that PEFT does not know."""
    (adapter / "non_lora_trainables.bin").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"non_lora_trainables\.bin.*\nMerge"):
        subject(adapter)


def test_the_folder_above_an_adapter_points_to_it(adapter: Path) -> None:
    """PEFT saves an adapter with a name of its own one folder further down."""
    with pytest.raises(ConfigError, match=f"There is an adapter in it: {adapter}"):
        subject(adapter.parent)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"peft_type": "IA3"}, "peft_type 'IA3', and only LORA"),
        ({"task_type": "SEQ_CLS"}, "task_type 'SEQ_CLS', which is not writing"),
        ({"use_dora": True}, "sets use_dora to true"),
        ({"layer_replication": [[0, 2]]}, r"sets layer_replication to \[\[0, 2\]\]"),
        ({"alora_invocation_tokens": [5]}, "sets alora_invocation_tokens"),
        ({"of_next_year": 1}, "sets of_next_year to 1"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights 'pissa', which takes"),
    ],
)
def test_what_was_never_held_against_peft_is_refused(
    adapter: Path, changes: dict[str, object], told: str
) -> None:
    """A kind of adapter that may be loaded by half is merged by who trained it."""
    edit_json(adapter / "adapter_config.json", **changes)
    with pytest.raises(ConfigError, match=told) as raised:
        subject(adapter)
    assert "adapter_config.json" in str(raised.value)


def test_an_adapter_needs_weights(adapter: Path, tmp_path: Path) -> None:
    """None, and a pickle that was not allowed, are refused; no pickle is opened."""
    weights, marker = adapter / "adapter_model.safetensors", tmp_path / "ran"
    weights.unlink()
    with pytest.raises(ConfigError, match=r"without weights: no adapter_model\.safe"):
        subject(adapter)
    (adapter / "adapter_model.bin").write_bytes(pickle.dumps(Bomb(marker)))
    with pytest.raises(ConfigError, match="allow_pickle: true"):
        subject(adapter)
    assert subject(adapter, allow_pickle=True)
    weights.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ConfigError, match="git lfs pull"):
        subject(adapter)
    assert not marker.exists()


def test_the_processor_is_the_adapters_own_where_it_has_one(
    adapter: Path, own: Path, backend: MakeBackend
) -> None:
    """Trainers save it beside the adapter; where they do not, the base's is used."""
    before = backend(adapter).identity.environment["processor"]
    for name in (*PROCESSOR, TEMPLATE):
        shutil.copy(own / name, adapter)
    after = backend(adapter)
    assert after.files.processor_folder == adapter
    assert (own / TEMPLATE).read_text()
    (adapter / TEMPLATE).write_text((own / TEMPLATE).read_text() + " ")
    assert backend(adapter).identity.environment["processor"] != before
    (own / TEMPLATE).unlink()
    assert backend(adapter).identity
    (adapter / TEMPLATE).unlink()
    with pytest.raises(ConfigError, match="step-200 has no chat template"):
        backend(adapter)


def test_half_a_processor_is_refused(adapter: Path, own: Path) -> None:
    """Settings of one and the words of another were never trained together."""
    shutil.copy(own / "processor_config.json", adapter)
    with pytest.raises(ConfigError, match="settings of a processor and no tokenizer"):
        subject(adapter)


def test_a_tokenizer_alone_must_be_that_of_the_base(adapter: Path, own: Path) -> None:
    """Many trainers save it; what batches left in it is not looked at."""
    for name in ("tokenizer.json", "tokenizer_config.json", TEMPLATE):
        shutil.copy(own / name, adapter)
    edit_json(adapter / "tokenizer.json", padding={"strategy": "BatchLongest"})
    assert subject(adapter)
    (adapter / TEMPLATE).write_text("{{ messages }}")
    with pytest.raises(ConfigError, match=r"its chat_template\.jinja is not that of"):
        subject(adapter)
    edit_json(adapter / "tokenizer.json", added_tokens=[])
    with pytest.raises(ConfigError, match=r"its tokenizer\.json is not that of"):
        subject(adapter)


def test_a_tokenizer_that_was_written_otherwise_is_the_same(
    adapter: Path, own: Path
) -> None:
    """Versions write pairs as texts or lists, and leave out what is not set."""
    shutil.copy(own / "tokenizer_config.json", adapter)
    known = json.loads((own / "tokenizer.json").read_text())
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    edit_json(own / "tokenizer.json", model=model)
    later = {**model, "merges": [["a", "b"]], "ignore_merges": False, "dropout": None}
    (adapter / "tokenizer.json").write_text(json.dumps({**known, "model": later}))
    assert subject(adapter)
    for other in ({"vocab": {"b": 0, "a": 1}}, {"vocab": {"b": 1}}, {"merges": []}):
        edit_json(adapter / "tokenizer.json", model={**later, **other})
        with pytest.raises(ConfigError, match=r"its tokenizer\.json is not that of"):
            subject(adapter)


@pytest.mark.parametrize("there", ["tokenizer_config.json", "chat_template.json"])
def test_a_template_may_lie_in_another_file_of_the_base(
    adapter: Path, own: Path, there: str
) -> None:
    """Published checkpoints have it where earlier versions wrote it."""
    for name in ("tokenizer.json", "tokenizer_config.json", TEMPLATE):
        shutil.copy(own / name, adapter)
    edit_json(own / there, chat_template=(own / TEMPLATE).read_text())
    (own / TEMPLATE).unlink()
    assert subject(adapter)
    edit_json(own / there, chat_template="{{ messages }}")
    with pytest.raises(ConfigError, match=r"its chat_template\.jinja is not that of"):
        subject(adapter)


def test_a_template_alone_must_be_that_of_the_base(adapter: Path, own: Path) -> None:
    """One of its own would be left out, and the question put in another form."""
    shutil.copy(own / TEMPLATE, adapter)
    assert subject(adapter)
    (adapter / TEMPLATE).write_text("{{ messages }}")
    with pytest.raises(ConfigError, match="delete the template there"):
        subject(adapter)
    edit_json(adapter / "tokenizer_config.json", chat_template="{{ messages }}")
    with pytest.raises(ConfigError, match="tokenizer"):
        subject(adapter)


def test_code_of_either_folder_needs_a_yes(adapter: Path) -> None:
    """A processor's code may lie beside the adapter."""
    for name in PROCESSOR:
        edit_json(adapter / name, auto_map={"AutoProcessor": "x.X"})
    with pytest.raises(ConfigError, match=r"(?s)step-200/.*trust_remote_code: true"):
        subject(adapter)


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.safetensors"])
def test_an_adapter_that_is_overwritten_is_refused(
    adapter: Path, backend: MakeBackend, name: str
) -> None:
    """A trainer goes on while the run waits: answers would be filed as another's."""
    made = backend(adapter)
    path = adapter / name
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(BackendError, match=r"step-200 \(an adapter\) .* was changed"):
        made.load()


def test_without_peft_the_extra_is_named(
    adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is needed for adapters alone, and told before anything is loaded."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "peft" else real(name),
    )
    with pytest.raises(BackendUnavailable, match=r"pytest-vdg\[adapters\]"):
        subject(adapter)


def test_making_the_backend_fetches_no_base(
    adapter: Path, backend: MakeBackend, monkeypatch: pytest.MonkeyPatch, own: Path
) -> None:
    """A base on the Hub is fetched when the run begins, at the adapter's revision."""
    import huggingface_hub

    fetched: list[tuple[str, object]] = []

    def snapshot(hub_id: str, **options: object) -> str:
        fetched.append((hub_id, options["revision"]))
        return str(own)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    named = {"base_model_name_or_path": "owner/base", "revision": "v2"}
    edit_json(adapter / "adapter_config.json", **named)
    made = backend(adapter, local_files_only=False)
    assert not fetched
    assert made.identity.subject["base"]
    assert made.observed == {"base": "owner/base"}
    assert fetched == [("owner/base", "v2")]
    config = json.loads((adapter / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == "owner/base"
    backend(adapter, base="owner/other@v3").identity  # noqa: B018 (it is looked up)
    assert fetched[1:] == [("owner/other", "v3")]
