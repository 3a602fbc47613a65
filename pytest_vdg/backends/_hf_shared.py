"""`SharedForward`: the model's output for many prompts, common parts read once.

Apart from the tree because here is what it costs: which parts go through the
model together, with which memory before them, and what is counted.

Each pass reads one node for each row. What a row remembers lies before it,
padded on the left; its own tokens are padded on the right, where causal
attention never looks::

    remembered        read now
    . . a a a a a a   b b b . .
    c c c c c c c c   d d d d d
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pytest_vdg.backends._hf_inputs import on_device
from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_memory import KeyValues, taken
from pytest_vdg.backends._hf_scoring import ending_of
from pytest_vdg.backends._hf_tree import Element, Node, PrefixTree, parts
from pytest_vdg.backends._hf_vision import VisionFeatures
from pytest_vdg.backends.work import Work

Prompt = Sequence[Element]
MOST_ROWS = 64
"""Rows of one pass; more gain nothing."""
LEAST_ROWS = 8
"""Rows up to which a pass is filled, whatever the padding costs."""
MOST_PADDING = 0.1
"""Padding in a pass of more rows, as a share of what is read."""


class SharedForward:
    """Reads prompts with a model, and remembers what they have in common."""

    def __init__(
        self,
        loaded: Loaded,
        work: Work,
        *,
        budget: int,
        batch_tokens: int,
        reuse_features: bool,
    ) -> None:
        """Hold *budget* bytes; read *batch_tokens* a pass, memory included."""
        self._loaded = loaded
        self._work = work
        self._budget = budget
        self.batch_tokens = batch_tokens
        taken = inspect.signature(loaded.model.forward).parameters
        self._cache_name = "cache" if "cache" in taken else "past_key_values"
        self._keeps_logits = "logits_to_keep" in taken
        self._reuses = reuse_features
        self._token_bytes = 0  # not known before the first pass
        self.forget()

    def forget(self) -> None:
        """Let go of all that was read."""
        self._tree = PrefixTree(self._budget)
        features = VisionFeatures(self._loaded, self._work, budget=self._budget // 4)
        self._features = features if self._reuses else None

    def endings(self, prompts: Sequence[Prompt]) -> list[Tensor | Exception]:
        """Return the logits after each of *prompts*, ``(vocabulary,)``, float32.

        Or log-probabilities of its targets, ``(n,)``. Those that begin alike should
        stand together. One that cannot be read has the exception in its place.
        """
        room = self._budget // max(1, self._token_bytes)
        some = parts(prompts, room) if self._token_bytes else [prompts]
        found = [ending for part in some for ending in self._together(part)]
        for i in [i for i, ending in enumerate(found) if _no_room(ending)]:
            self.forget()  # what is held may be what there was no room for
            found[i] = self._together([prompts[i]])[0]
            if not _no_room(found[i]):
                self._budget //= 2
        return found

    def _together(self, prompts: Sequence[Prompt]) -> list[Tensor | Exception]:
        import torch

        ends = [self._tree.add(prompt) for prompt in prompts]
        wanted = {id(end) for end in ends}
        failed: dict[int, Exception] = {}
        with torch.inference_mode():
            while todo := self._readable(ends, failed):
                for batch in self._batches(todo):
                    failed.update(self._read(batch, wanted))
        found = [self._result(end, failed) for end in ends]
        for end in ends:
            end.ending = None  # a vocabulary long; the answer is taken from it now
        self._tree.trim()
        return found

    def _readable(
        self, ends: Sequence[Node], failed: Mapping[int, Exception]
    ) -> list[Node]:
        alive = [e for e in ends if not any(id(n) in failed for n in e.path())]
        return self._tree.unread(alive)

    def _result(self, end: Node, failed: Mapping[int, Exception]) -> Tensor | Exception:
        for node in end.path():
            if id(node) in failed:
                return failed[id(node)]
        return end.ending

    def _batches(self, nodes: Sequence[Node]) -> Iterator[list[Node]]:
        """Yield *nodes* in groups of like length that fit into one pass."""
        batch: list[Node] = []
        kind = ""
        for node in sorted(nodes, key=lambda n: (_kind(n), n.length, n.start)):
            if batch and not self._fits(batch, node, same=_kind(node) == kind):
                yield batch
                batch = []
            batch.append(node)
            kind = _kind(node)
        if batch:
            yield batch

    def _fits(self, batch: Sequence[Node], node: Node, *, same: bool) -> bool:
        """Whether *node*, no shorter than those of *batch*, may go with them."""
        read = sum(each.length for each in batch)
        wasted = node.length * len(batch) - read
        few = len(batch) < LEAST_ROWS or wasted <= MOST_PADDING * read
        fits = _area([*batch, node]) <= self.batch_tokens and len(batch) < MOST_ROWS
        return same and few and fits

    def _read(self, nodes: list[Node], wanted: set[int]) -> dict[int, Exception]:
        """Read *nodes* in one pass, or in smaller ones where that fails."""
        try:
            self._pass(nodes, wanted)
        except Exception as error:  # noqa: BLE001 - the answer of whom it concerns
            error.__traceback__ = None  # it holds the tensors that did not fit
            if len(nodes) == 1:
                return {id(nodes[0]): error}
            if _no_room(error):
                self.batch_tokens = max(1, _area(nodes) // 2)
        else:
            return {}
        half = len(nodes) // 2
        return {
            **self._read(nodes[:half], wanted),
            **self._read(nodes[half:], wanted),
        }

    def _pass(self, nodes: Sequence[Node], wanted: set[int]) -> None:
        past = max(node.start for node in nodes)
        new = max(node.length for node in nodes)
        cache = self._remembered(nodes, past)
        options, kept = self._text(nodes, past, new), list(range(new))
        if self._keeps_logits:
            kept = sorted({place for node in nodes for place in node.asked})
            options["logits_to_keep"] = _index(kept, self._loaded.device)
        output = self._loaded.model(
            **options,
            **self._visual(nodes),
            **{self._cache_name: cache},
            use_cache=True,
        )
        held = [taken(cache, row, past, n.length) for row, n in enumerate(nodes)]
        endings = [
            ending_of(output.logits[row], node, kept) if id(node) in wanted else None
            for row, node in enumerate(nodes)
        ]
        # Nothing can fail any more: no node is left half read, its video gone.
        for node, memory, ending in zip(nodes, held, endings, strict=True):
            node.memory, node.ending = memory, ending
            self._token_bytes = memory.nbytes // node.length
            if any(element.visual for element in node.elements):
                node.elements = tuple(e._replace(visual=None) for e in node.elements)
        self._count(nodes, new)

    def _count(self, nodes: Sequence[Node], new: int) -> None:
        read = sum(node.length for node in nodes)
        self._work.passes += 1
        self._work.lm_tokens += read
        self._work.padded_tokens += new * len(nodes) - read

    def _text(self, nodes: Sequence[Node], past: int, new: int) -> dict[str, Any]:
        """Return ids, mask and positions of *nodes*, on the model's device."""
        import torch

        axes = _axes(nodes)
        ids = torch.zeros(len(nodes), new, dtype=torch.long)
        mask = torch.zeros(len(nodes), past + new, dtype=torch.long)
        places = torch.zeros(axes, len(nodes), new, dtype=torch.long)
        for row, node in enumerate(nodes):
            before, length = node.start, node.length
            ids[row, :length] = torch.tensor(
                [t for e in node.elements for t in e.tokens]
            )
            mask[row, past - before : past + length] = 1
            places[:, row, :length] = _places(node.elements, axes)
        if axes == 1:
            places = places[0]
        found = {"input_ids": ids, "attention_mask": mask, "position_ids": places}
        return {name: value.to(self._loaded.device) for name, value in found.items()}

    def _visual(self, nodes: Sequence[Node]) -> dict[str, Any]:
        """Return the model's arguments for the videos of *nodes*, in their order."""
        import torch

        visuals = [e.visual for node in nodes for e in node.elements if e.visual]
        if not visuals:
            return {}
        if self._features is not None:
            return self._features.arguments(visuals)
        self._work.vision_tokens += sum(
            len(e.tokens) for node in nodes for e in node.elements if e.visual
        )
        together = {n: torch.cat([visual[n] for visual in visuals]) for n in visuals[0]}
        return on_device(self._loaded, together)

    def _remembered(self, nodes: Sequence[Node], past: int) -> Any:  # noqa: ANN401
        """Return a cache of what lies before each of *nodes*, padded on the left."""
        import torch
        from transformers import DynamicCache

        cache: Any = DynamicCache()
        if not past:
            return cache
        above = [id(node.parent) for node in nodes]  # questions on one video share it
        paths = {id(n.parent): [_memory(m) for m in n.path()[:-1]] for n in nodes}
        known = next(memory for path in paths.values() for memory in path)
        for layer in range(len(known.layers)):
            pair = []
            for part in (0, 1):
                wholes = {
                    key: torch.cat([memory.layers[layer][part] for memory in path], 1)
                    for key, path in paths.items()
                    if path
                }
                like = known.layers[layer][part]
                filled = like.new_zeros(len(nodes), like.shape[0], past, like.shape[2])
                for row, key in enumerate(above):
                    if key in wholes:
                        filled[row, :, past - wholes[key].shape[1] :] = wholes[key]
                pair.append(filled)
            cache.update(*pair, layer)
        return cache


def _no_room(ending: Tensor | Exception) -> bool:
    return "outofmemory" in type(ending).__name__.lower()


def _memory(node: Node) -> KeyValues:
    assert isinstance(node.memory, KeyValues)
    return node.memory


def _area(nodes: Sequence[Node]) -> int:
    """Return the tokens of one pass over *nodes*, memory and padding included."""
    longest: int = max(n.start for n in nodes) + max(n.length for n in nodes)
    return len(nodes) * longest


def _kind(node: Node) -> str:
    """Return what must be equal for videos to go through the model together."""
    shapes = [
        f"{name}{tuple(tensor.shape[1:])}"
        for element in node.elements
        if element.visual
        for name, tensor in sorted(element.visual.items())
    ]
    return " ".join(sorted(set(shapes)))


def _axes(nodes: Sequence[Node]) -> int:
    axes: int = len(nodes[0].elements[0].positions)
    return axes


def _places(elements: Sequence[Element], axes: int) -> Tensor:
    import torch

    # Text in one go: a tensor for each of its tokens costs more than a layer.
    columns = []
    for is_text, run in groupby(elements, key=lambda e: e.is_word):
        if is_text:
            of_each = torch.tensor([e.positions for e in run])
            columns.append(of_each.reshape(-1, axes).T)
        else:
            columns.extend(torch.as_tensor(e.positions).reshape(axes, -1) for e in run)
    return torch.cat(columns, dim=1)


def _index(places: Sequence[int], device: Any) -> Tensor:  # noqa: ANN401
    import torch

    return torch.tensor(places, device=device)
