r"""Phrases that replies are made of, with ``{0}`` and ``{1}`` for labels.

Apart from ``replies`` because here it is said what people and models write,
and there how it is put together.
"""

from __future__ import annotations

from collections.abc import Callable

CHOOSING = [
    "The answer is {0}.", "The answer is: {0}", "Answer: {0}", "ANSWER: {0}",
    "Final answer: {0}", "The correct answer is {0}.", "So the answer is {0}.",
    "The best answer is {0}.", "My answer is {0}.", "The correct option is {0}.",
    "Therefore, the answer is {0}.", "Correct answer: {0}", "The right choice is {0}.",
    "**Answer:** {0}", "**Answer: {0}**", "### Answer: {0}", "- Answer: {0}",
    "The answer should be {0}.", "The answer must be {0}.",
    "I think the answer is {0}.", "Based on the video, the answer is {0}.",
    "Answer:\n{0}", "The answer is **{0}**.", "\\boxed{{{0}}}", "So $\\boxed{{{0}}}$.",
    "$$\\boxed{{\\text{{{0}}}}}$$", "\\fbox{{{0}}}", "<answer>{0}</answer>",
    "<answer>\n{0}\n</answer>", "The answer is ({0}).", "Answer: [{0}]",
    'Answer: "{0}"', "Answer: `{0}`", "\u7b54\u6848\u662f {0}\u3002",
    "\u7b54\u6848\uff1a{0}", "\u6b63\u786e\u7b54\u6848\u4e3a\uff08{0}\uff09",
    "\uc815\ub2f5: {0}", "Antwort: {0}", "La respuesta es {0}.", "R\xe9ponse : {0}",
    "\u041e\u0442\u0432\u0435\u0442: {0}", "\u7b54\u3048\uff1a{0}",
]  # fmt: skip
"""Announce what is put in, be it a label, a text or both."""
LABELLING = [
    "I choose {0}.", "I would say ({0}).", "I'd go with {0}.", "{0} is correct.",
    "Option {0} is the correct answer.", "({0}) is the best option.", "It is ({0}).",
    "It must be option {0}.", "Definitely option {0}.", "I pick option {0}.",
    "By elimination: {0}", "So option {0}.", "The answer is option {0}.",
    "It is not {1} but the answer is {0}.", "Not {1}. The answer is {0}.",
    "{1} is wrong; the answer is {0}.", "The answer is {0}, not {1}.",
    "While {1} is tempting, the answer is {0}.", "The answer is {0} rather than {1}.",
    "Answer: {0} (not {1})", "The answer is {1}? No, the answer is {0}.",
    "{0}, not {1}", "Answer: {1}. Wait, no. Answer: {0}",
    "ANSWER: {1} ... actually ANSWER: {0}", "I would say {1}, but the answer is {0}.",
    "Answer: ~~{1}~~ {0}", "The answer is {0}, because {1} is not shown.",
    "If it were {1}, I would see it. The answer is {0}.",
    "Neither {1} nor the others fit, so the answer is {0}.",
    "Answer: {0}\n\n{1} is wrong.", "Some say {1}. The answer is {0}.",
    "\u4e0d\u662f{1}\uff0c\u7b54\u6848\u662f{0}", "\u9009 {0}", "{0}", "({0})", "{0}.",
    "{0})", "[{0}]", "**{0}**", "({0}).", "Option {0}", "`{0}`", "> {0}", "***{0}***",
    "<b>{0}</b>", "\u3010{0}\u3011", "{0}\ufe0f\u200b", "~~{1}~~ {0}",
]  # fmt: skip
"""Choose the label {0}, whatever they say of {1}."""
RECORDS = [
    {"answer": "{0}"}, {"Answer": "{0}"}, {"answer": "({0})"}, {"choice": "{0}"},
    {"reason": "the answer is {1}", "answer": "{0}"},
    {"answer": "{0}", "reason": "some say the answer is {1}"},
    {"answer": "{0}", "confidence": 0.9}, {"final_answer": "{0}"},
    {"options": {"{1}": "yes", "{0}": "no"}, "answer": "{0}"},
    {"wrong_answer": "{1}", "answer": "{0}"}, {"answer": "Option {0}"},
]  # fmt: skip
NOT_CHOOSING = [
    "The answer is not {0}.", "It is not {0}.", "Not {0}.", "not {0}, {1}",
    "Option {0} is wrong.", "({0}) is incorrect.", "The answer isn't {0}.",
    "I don't think the answer is {0}.", "I would not choose {0}.", "{0}?", "({0})?",
    "Is the answer {0}?", "Could it be {0}?", "The answer is {0}?", "{0} or {1}",
    "{0} and {1}", "{0}/{1}", "{0}, {1}", "Answer: {0}, {1}", "Answer: {0} or {1}",
    "Answer: {0} and {1}", "Either {0} or {1}.", "Either ({0}) or ({1}).", "{0}\n{1}",
    "The answer is {0} or {1}.", "The answer is {0}, or maybe {1}.", "{0} & {1}",
    "The answer is either {0}, or it is {1}.", "Both {0} and {1} are correct.",
    "The answer is {0} or the answer is {1}.", "It's {0} or it's {1}.",
    "Neither {0} nor {1} is correct.", "Neither {0} nor {1} fits the video, I fear.",
    "\\boxed{{{0}}} or \\boxed{{{1}}}", "\\boxed{{{0}, {1}}}", "Answer: {0}/{1}",
    "If the answer is {0}, I would see it.", "Suppose the answer is {0}.",
    "One might think the answer is {0}.", "Some people say the answer is {0}.",
    'The man says "the answer is {0}".', "The sign reads 'Answer: {0}'",
    "I refuse to choose {0}.", "I cannot choose between {0} and {1}.",
    "Choosing {0} would be wrong.", "~~{0}~~", "{0} \u274c", "Answer: not {0}",
    "I am torn between {0} and {1}.", "maybe {0}, maybe {1}", "{0} then {1}",
    "Answer: {0}. Wait.", "Answer: {0}. No, wait.", "Answer: {0}. Scratch that.",
    "<think>The answer is {0}.", "<think>{1}</think><think>The answer is {0}.",
    "[THINK]The answer is {0}.", "<|channel|>analysis<|message|>The answer is {0}.",
    "Person {0} waves to person {1}.", "Scene {0} comes before scene {1}.",
    "The cars {0} and {1} are seen.", "Car {0} is the best.", "Rating: {0}+",
    "\u7b54\u6848\u4e0d\u662f{0}\u3002", "\u4e0d\u9009{0}", "{0}\u8fd8\u662f{1}\uff1f",
    "\u9009{0}\u6216{1}", "{0}\u3001{1}", "Die Antwort ist nicht {0}.",
    '{{"answer": ["{0}", "{1}"]}}', '{{"answer": "{0} or {1}"}}',
    '{{"answer": "{0}", "choice": "{1}"}}', '{{"answer": null}}',
    '{{"wrong_answer": "{0}"}}', "I'll go with {0}... no, wait.",
    "It can be {0}, {1} or neither.", "The answer lies between {0} and {1}.",
    "Answer: {0} ({1})", "Answer: {0}. Or {1}.", "({0}) ({1})", "{0}. {1}.", "{0}{1}",
]  # fmt: skip
TAKING_BACK = [
    "Answer: {1}. On second thought, {0}.", "The answer is {1}... no, {0}.",
    "Answer: {1}. Wait, {0} fits better.", "The answer is {1}. No, {0}.",
    "Answer: {1}. Hmm, let me check. It is not seen, so {0}.", "I choose {1}. No, {0}.",
    "Answer: {1}. Oops, I meant {0}.", "{1}. Actually, {0}.", "{1}\n\nWait, no. {0}",
    "The answer is {1}. Sorry, I mean ({0}).", "Answer: {1}. Correction: {0}.",
    "{1}, no, {0}", "{1} - no, {0}", "The answer is {1}. Actually, it is {0}.",
    "I was thinking {1}, but it is {0}.", "First I thought {1}. Now I think ({0}).",
    "Answer: {1}. I was wrong, the answer is {0}.", "Answer: {1}? No. Answer: {0}",
]  # fmt: skip
"""Name {1} first and choose {0} in the end."""
REFUSING = [
    "", "I cannot see the video.", "The video is completely black.", "N/A",
    "I'm sorry, I can't tell.", "A video is needed to answer this.", "Answer:",
    "As an AI, I cannot watch videos.", "I see a man, a dog and a cat.", "Hmm.",
    "The answer is not shown.", "Answer: unclear", "The answer is unclear.", "null",
    "There is no way to tell.", "Please answer with the letter only.", "...", "{}",
    "Answer: cannot be determined", "A man walks. A dog runs. I see them both.",
    "I would need more information to choose an option.", "\\boxed{}",
    "<answer></answer>",
]  # fmt: skip
BEFORE = [
    "A man walks in.", "I see a man; I see a dog.", "A car passes by, as it rained.",
    "Let me think step by step.", "Person {1} waves to person {2}.", "It is not {1}.",
    "Option {1} is wrong.", "Could it be {1}?", "Some would say the answer is {1}.",
    "If the answer were {1}, I would see it.", "The answer is not {1}.",
    "I don't think the answer is {1}.",
    "\u89c6\u9891\u4e2d\u6709\u4e00\u4e2a\u4eba\u3002", "First, the scene opens.",
    "In scene {1} it rains.", "Sure!", "Vitamin C helps.", "Plan B failed.",
    "The options are {1}, {2} and others.", "{1} or {2}?", "Which one is correct?",
    "{1} cannot be right.", "Neither {1} nor {2} fits.",
]  # fmt: skip
"""Sentences before the core that choose nothing."""
AFTER = [
    "The man walks in.", "I looked twice.", "Confidence: high", "Nothing else fits.",
    "{1} is wrong.", "Option {1} does not fit.", "It is not {1}.", "Not {1}.",
    "The others, {1} and {2}, are wrong.", "I don't think the answer is {1}.",
    "I hope this helps!", "This can be seen at the start.", "In scene {1} it rains.",
    "Person {1} waves to person {2}.", "It would be wrong to say that {1} is correct.",
    "{1} is right of the tree.", "Grade {1}", "If {1} is correct, I am wrong.",
]  # fmt: skip
"""Sentences after an announced core that take nothing back."""
THOUGHTS = [
    "<think>{0}</think>", "<thinking>{0}</thinking>\n", "{0}</think>\n\n",
    "<think><think>{0}</think>{0}</think>", "[THINK]{0}[/THINK]",
    (
        "<|channel|>analysis<|message|>{0}<|end|><|start|>assistant<|"
        "channel|>final<|message|>"
    ),
    "<reasoning>{0}</reasoning>\n", "\u25c1think\u25b7{0}\u25c1/think\u25b7",
    "<|begin_of_thought|>{0}<|end_of_thought|>",
]  # fmt: skip
WRAPS: list[Callable[[str], str]] = [
    *[str] * 6,
    lambda r: f"```\n{r}\n```",
    lambda r: f"~~~\n{r}\n~~~",
    lambda r: f"  {r} \n",
    lambda r: f"{r}<|im_end|>",
    lambda r: f"{r}</s>",
    lambda r: f"<think>\n\n</think>\n\n{r}",
    lambda r: f"\ufeff{r}",
    lambda r: f"\u200b{r}\u200b",
    lambda r: f"assistant\n{r}",
    lambda r: r.replace("\n", "\r\n"),
    lambda r: r.replace(" ", "\u00a0"),
]
_WIDE = {i: i + 0xFEE0 for i in range(0x21, 0x7F) if chr(i) not in "`~<>"}
SPELLINGS: list[Callable[[str], str]] = [
    str.upper,
    str.lower,
    lambda r: r.translate(_WIDE),
    lambda r: r.replace("\n", "\n\n"),
]
