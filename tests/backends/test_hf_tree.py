"""The prefix tree: what prompts share, what is held, what is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._hf_tree import Element, Node, PrefixTree, parts

PROMPTS = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=12
)


@dataclass
class Read:
    """The memory of a model that remembers the tokens themselves."""

    tokens: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """One byte a token."""
        return len(self.tokens)

    def split(self, tokens: int) -> tuple[Read, Read]:
        """Divide as a model's memory is divided."""
        return Read(self.tokens[:tokens]), Read(self.tokens[tokens:])


def elements(tokens: Sequence[int]) -> list[Element]:
    """Return a prompt of *tokens*."""
    return [Element((t, i), (t,), (i,)) for i, t in enumerate(tokens)]


def read(tree: PrefixTree, prompts: Sequence[Sequence[int]]) -> tuple[list[Node], int]:
    """Read *prompts* as the model does; return their ends and the tokens read."""
    ends = [tree.add(elements(prompt)) for prompt in prompts]
    count = 0
    while todo := tree.unread(ends):
        for node in todo:
            assert all(above.memory for above in node.path()[:-1])
            node.memory = Read(tuple(t for e in node.elements for t in e.tokens))
            node.ending = True if node in ends else None
            count += node.length
    for end in ends:
        end.ending = None
    return ends, count


def remembered(end: Node) -> list[int]:
    """Return all that is remembered at *end*."""
    return [t for node in end.path() for t in node.memory.tokens]


@given(PROMPTS)
def test_each_prompt_is_remembered_whole(prompts: list[list[int]]) -> None:
    """The memories on the way to a prompt's end are that prompt."""
    ends, _ = read(PrefixTree(1000), prompts)
    assert [remembered(end) for end in ends] == prompts
    assert [end.start + end.length for end in ends] == [len(p) for p in prompts]


@given(PROMPTS)
def test_each_prefix_is_read_once(prompts: list[list[int]]) -> None:
    """As many tokens are read as there are different beginnings."""
    _, count = read(PrefixTree(1000), prompts)
    beginnings = {tuple(p[: i + 1]) for p in prompts for i in range(len(p))}
    assert count == len(beginnings)


@given(PROMPTS, PROMPTS)
def test_a_second_call_reads_what_is_new(
    first: list[list[int]], second: list[list[int]]
) -> None:
    """What was read is not read again, but for the last token of a prompt.

    Its output is not held, and a prompt that is known has to be asked again.
    """
    tree = PrefixTree(1000)
    read(tree, first)
    ends, count = read(tree, second)
    assert [remembered(end) for end in ends] == second
    before = {tuple(p[: i + 1]) for p in first for i in range(len(p))}
    after = {tuple(p[: i + 1]) for p in second for i in range(len(p))}
    known = {tuple(p) for p in second} & before
    assert count == len(after - before) + len(known)


@given(PROMPTS, st.integers(0, 20))
def test_no_more_is_held_than_the_budget(prompts: list[list[int]], budget: int) -> None:
    """After a trim the memory fits, and nothing hangs in the air."""
    tree = PrefixTree(budget)
    read(tree, prompts)
    tree.trim()
    held = list(tree.nodes())
    assert sum(node.memory.nbytes for node in held) <= budget
    assert all(node.parent is tree.root or node.parent in held for node in held)
    ends, _ = read(tree, prompts)
    assert [remembered(end) for end in ends] == prompts


def test_the_longest_unused_is_forgotten_first() -> None:
    """What a later prompt shares stays, though it was read first."""
    tree = PrefixTree(4)
    read(tree, [[1, 1, 1], [2, 2, 2]])
    read(tree, [[1, 1, 0]])
    tree.trim()
    assert tree.add(elements([1, 1])).memory is not None


def test_what_was_asked_for_last_stays() -> None:
    """However long ago it was read; a beginning goes before what came after it."""
    tree = PrefixTree(4)
    read(tree, [[1, 1], [2, 2], [3, 3]])
    read(tree, [[1, 1]])
    tree.trim()
    assert set(tree.root.children) == {(1, 0), (3, 0)}
    tree = PrefixTree(2)
    read(tree, [[1, 1, 1], [1, 1, 2]])
    read(tree, [[3, 3]])
    tree.trim()
    assert set(tree.root.children) == {(3, 0)}


@given(PROMPTS, st.integers(0, 20))
def test_parts_are_all_prompts_and_no_more_than_there_is_room_for(
    prompts: list[list[int]], room: int
) -> None:
    """Groups keep the order, and a tree of one holds no more than *room* tokens."""
    given_ = [elements(prompt) for prompt in prompts]
    groups = list(parts(given_, room))
    assert [prompt for group in groups for prompt in group] == given_
    for group in groups:
        distinct = {
            tuple(prompt[: i + 1]) for prompt in group for i in range(len(prompt))
        }
        assert len(group) == 1 or len(distinct) <= room


@given(PROMPTS)
def test_what_there_is_room_for_is_not_divided(prompts: list[list[int]]) -> None:
    """With room for every token of every prompt, all stand together."""
    room = sum(len(prompt) for prompt in prompts)
    assert len(list(parts([elements(prompt) for prompt in prompts], room))) == 1
