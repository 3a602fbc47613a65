"""`Asked`: a checkpoint together with how it is to be loaded, before it is.

Apart from the backend, whose life it does not share: what a run is known by, and
what memory it will need, are told from these values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pytest_vdg.backends._hf_families import Family
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._hf_quantise import told
from pytest_vdg.backends._hf_settings import TransformersSettings
from pytest_vdg.backends._hf_size import ITEM, adapter_bytes, stored_bytes
from pytest_vdg.backends._hf_skeleton import Skeleton, skeleton_of

SEEING, WRITING = "AutoModelForImageTextToText", "AutoModelForCausalLM"
"""Auto classes under which models are registered."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One checkpoint, and how it is to be loaded."""

    kind: str
    """Name of the backend."""
    name: str
    files: CheckpointFiles
    settings: TransformersSettings
    family: Family
    device: str
    """``cpu``, ``mps``, ``cuda`` or ``cuda:1``."""
    auto: str
    """Auto class that makes its model."""

    @cached_property
    def dtype(self) -> str:
        """Dtype of the weights that are not quantised, and of what is computed."""
        asked, own = self.settings.dtype, self.files.dtype
        if asked != "auto":
            return asked
        if self.settings.quantisation is None or ITEM[own] == ITEM["float16"]:
            return own
        # Nobody quantises weights to compute in numbers of twice the usual size.
        return "bfloat16" if self.device.startswith("cuda") else "float32"

    @property
    def environment(self) -> dict[str, str]:
        """What must be equal for two runs to be compared."""
        settings, files, method = self.settings, self.files, self.settings.quantisation
        found = {
            "backend": self.kind,
            **settings.scored,
            "dtype": self.dtype,
            "device": self.device.partition(":")[0],
            "attention": settings.attention or files.attention or "default",
            "quantisation": told(method, self.dtype) if method else files.quantisation,
            "trust_remote_code": str(settings.trust_remote_code).lower(),
            "processor": files.processor_digest,
        }
        if self.family.departs:
            found["family"] = self.family.departs
        if settings.offload:
            found["offload"] = "true"
        return found

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages that answers depend on in this form of a checkpoint alone."""
        adapted = ("peft",) if self.files.adapter else ()
        plain = self.environment["quantisation"] == "none"
        return adapted if plain else (*adapted, "bitsandbytes")

    @cached_property
    def skeleton(self) -> Skeleton | None:
        """The model without its weights; imports torch and transformers."""
        return skeleton_of(self.files, self.auto, self.dtype)

    def weights(self, method: str | None, dtype: str | None = None) -> int | None:
        """Return what the weights take, quantised by *method* if one is named.

        Without *dtype*, in the one that they are loaded in.
        """
        if method is None:
            return stored_bytes(self.files, dtype or self.dtype)
        found = self.skeleton
        if found is None:
            return None
        added = adapter_bytes(self.files, self.dtype)
        return found.weights(method, self.device) + added


def auto_class(files: CheckpointFiles) -> str:
    """Return the Auto class under which a checkpoint that sees is registered.

    Code of a checkpoint's own often knows only that for language models.
    """
    own = files.config.get("auto_map") if files.remote_code else None
    return WRITING if own and WRITING in own and SEEING not in own else SEEING
