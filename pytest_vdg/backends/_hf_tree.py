"""`PrefixTree`: prompts by what they begin with, each common part kept once.

Apart from the model that fills it because what is shared, kept and forgotten
is decided on keys alone, and can be tested without a tensor.

A prompt is a sequence of elements, one a text token and one a whole video. Two
prompts share a node as far as their elements are equal::

    <system> ── <black> ── what colour ── ...
            │          └── which way ── ...
            └── <clip 7> ── what colour ── ...
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


class Memory(Protocol):
    """What a model remembers of a run of tokens."""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""

    def split(self, tokens: int) -> tuple[Any, Any]:
        """Return what belongs to the first *tokens*, and to the rest."""


class Element(NamedTuple):
    """One text token, or all tokens of one video, and what makes it itself."""

    key: Hashable
    """Equal where content and positions are."""
    tokens: tuple[int, ...]
    """Token ids; one unless it is a video."""
    positions: Any
    """Position of the token on all axes; for a video, ``(axes, n)`` of them."""
    visual: Mapping[str, Any] | None = None
    """What the model takes for a video; None for text, and once it was read."""
    targets: Sequence[Sequence[int]] | None = None
    """After each of `tokens`, those whose probability is asked for; None where the
    output after the last one is. Only the last element of a prompt has any."""

    @property
    def is_word(self) -> bool:
        """Whether it is one text token; a video of one token has a table of places."""
        return len(self.tokens) == 1 and isinstance(self.positions, tuple)


@dataclass(eq=False, kw_only=True)
class Node:
    """A run of elements that all prompts below it have in common."""

    elements: tuple[Element, ...]
    parent: Node | None
    children: dict[Hashable, Node] = field(default_factory=dict)
    memory: Memory | None = None
    """What the model remembers of `elements`; None until it read them."""
    ending: Any = None
    """The model's output at the last token, where it was asked for."""
    used: int = 0
    """When it was last asked for, as a counter."""
    start: int = 0
    """Tokens before this node."""
    length: int = 0
    """Tokens of this node alone."""

    def __post_init__(self) -> None:
        """Count the tokens, here and above."""
        self.count()

    def count(self) -> None:
        """Count anew, after `elements` or `parent` changed."""
        above = self.parent
        self.start = 0 if above is None else above.start + above.length
        self.length = sum(len(element.tokens) for element in self.elements)

    @property
    def asked(self) -> range:
        """Places of the tokens after which the model's output is of use."""
        targets = self.elements[-1].targets
        return range(self.length - len(targets or (1,)), self.length)

    def path(self) -> list[Node]:
        """Return the nodes from below the root to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


class PrefixTree:
    """Prompts of one model, with what it remembers of their parts."""

    def __init__(self, budget: int) -> None:
        """Keep at most *budget* bytes of memory between two uses."""
        self.root = Node(elements=(), parent=None)
        self.budget = budget
        self._clock = 0

    def add(self, elements: Sequence[Element]) -> Node:
        """Return the node that *elements* end at; parts that are known are kept."""
        self._clock += 1
        node, place = self.root, 0
        while place < len(elements):
            child = node.children.get(elements[place].key)
            if child is None:
                child = Node(elements=tuple(elements[place:]), parent=node)
                node.children[elements[place].key] = child
                place = len(elements)
            else:
                common = _common(child.elements, elements, place)
                if common < len(child.elements):
                    child = self._split(child, common)
                place += common
            node = child
        for each in node.path():
            each.used = self._clock
        return node

    def unread(self, ends: Sequence[Node]) -> list[Node]:
        """Return the nodes to be read next for *ends*: those whose parents were.

        An end that was read without its ending is read again from its last
        element.
        """
        # First of all: what one end forgets may lie on the way to another.
        for end in ends:
            if end.memory is not None and end.ending is None:
                self._forget_last(end)
        found: dict[int, Node] = {}
        for end in ends:
            for node in end.path():
                if node.memory is None:
                    found[id(node)] = node
                    break
        return list(found.values())

    def trim(self) -> None:
        """Forget what was used longest ago, until the rest is within the budget.

        And what could not be read, with the pixels that it holds.
        """
        for node in [node for node in self.nodes() if node.memory is None]:
            assert node.parent is not None
            node.parent.children.pop(node.elements[0].key, None)
        held = sum(node.memory.nbytes for node in self.nodes() if node.memory)
        leaves = [node for node in self.nodes() if not node.children]
        leaves.sort(key=lambda node: node.used, reverse=True)
        while held > self.budget and leaves:
            node = leaves.pop()
            held -= 0 if node.memory is None else node.memory.nbytes
            parent = node.parent
            assert parent is not None
            del parent.children[node.elements[0].key]
            if not parent.children and parent.parent is not None:
                leaves.append(parent)
                leaves.sort(key=lambda each: each.used, reverse=True)

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes but the root."""
        stack = list(self.root.children.values())
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())

    def _split(self, node: Node, count: int) -> Node:
        """Put the first *count* elements of *node* into a parent of its own."""
        parent = node.parent
        assert parent is not None
        upper = Node(elements=node.elements[:count], parent=parent, used=node.used)
        parent.children[upper.elements[0].key] = upper
        node.elements, node.parent = node.elements[count:], upper
        node.count()
        upper.children[node.elements[0].key] = node
        if node.memory is not None:
            upper.memory, node.memory = node.memory.split(upper.length)
        return upper

    def _forget_last(self, end: Node) -> None:
        """Leave *end* with its last element alone, as if it was never read."""
        if len(end.elements) > 1:
            self._split(end, len(end.elements) - 1)
        end.memory = None


def parts(
    prompts: Sequence[Sequence[Element]], room: int
) -> Iterator[Sequence[Sequence[Element]]]:
    """Yield *prompts* in groups, in their order, of at most *room* tokens to remember.

    Beginnings count once for prompts that follow one another; one prompt may
    be larger than that.
    """
    group: list[Sequence[Element]] = []
    held = 0
    for prompt in prompts:
        common = _common(group[-1], prompt, 0) if group else 0
        new = sum(len(element.tokens) for element in prompt[common:])
        if group and held + new > room:
            yield group
            group, held = [], 0
            new = sum(len(element.tokens) for element in prompt)
        group.append(prompt)
        held += new
    if group:
        yield group


def _common(known: Sequence[Element], given: Sequence[Element], place: int) -> int:
    """Return how many elements of *known* stand in *given* from *place* on."""
    count = 0
    for one, other in zip(known, given[place:], strict=False):
        if one.key != other.key:
            break
        count += 1
    return count
