"""Function words of scripts that are indexed by pairs of characters, for questions.

Texts in scripts without spaces, and in Korean, are indexed as overlapping pairs of characters, so
that a function word cannot be left out like a word between spaces. Of a question it can: what is
left between function words has its pairs in the index all the same.
"""

from __future__ import annotations

import re

from .korean import HANGUL, is_korean_asking
from .tokenizing import HAS_SPACELESS, SPACELESS

__all__ = [
    "asks_for_more",
    "has_function_character",
    "has_lone_character",
    "without_function_words",
]

_CHINESE = """
什么时候 什么 甚么 哪里 哪儿 哪天 哪个 哪些 哪年 哪位 哪种 谁 怎么样 怎么 怎样 为什么 为何 多少
多大 多久 几点 几号 几个 几次 何时 吗 呢 吧 啊 呀 嘛 请问 一下 我们 你们 他们 她们 咱们
"""
_JAPANESE = """
何時 何人 何曜日 何 誰 だれ どこ いつ どうして どうやって どう どの どんな どれ どちら なぜ なに
なん いくら いくつ でしょうか でしょう でしたか でした ですか です ましたか ました ませんか
ません ますか ます ください っけ
"""
_THAI = """
คืออะไร คือ อะไร ที่ไหน ไหน เท่าไหร่ เท่าไร ใคร เมื่อไหร่ เมื่อไร ไหม มั้ย ยังไง อย่างไร ทำไม
กี่ ครับ ค่ะ คะ หรือ และ ของ ที่ เป็น อยู่ เกี่ยวกับ กับ ว่า ไม่ นี้ นั้น ฉัน คุณ เรา
"""

# One of these makes a pair of characters likely to be chance: it is not held against a question.
_CHARACTERS = frozenset(
    "的了是在有和与跟对把被我你他她您请还也都就要会能去着过吃到说得地不没这那个哪几"
    "はがをにでとものへやかねよてたしいるれっさ"
    "은는을를에의와과요까습니었았겠했"
)

_WORDS = sorted({*_CHINESE.split(), *_JAPANESE.split(), *_THAI.split()}, key=len, reverse=True)
_FUNCTION = re.compile("|".join(_WORDS))
_RUN = re.compile(rf"[{SPACELESS}]+")


# Cut out, or taken for chance, and yet the matter of "今天几点？" and "今天吃什么？".
_MATTER = re.compile(
    "几[点點号號时個个次年]|星期几|[周週]几|幾|多[少大久]|吃|去哪|何[時曜日人]|いくら|いくつ"
)


_LONE = re.compile(rf"(?<![{SPACELESS}])[{SPACELESS}](?![{SPACELESS}])")


def has_lone_character(text: str) -> bool:
    """Tell whether a character that is no function word stands alone in *text*.

    It is in no pair, and may be the matter all the same ("今天 做").
    """
    if text.isascii():
        return False
    alone = _LONE.findall(text)
    return any(not has_function_character(one) and one not in _WORDS for one in alone)


def asks_for_more(question: str) -> bool:
    """Tell whether a question of Chinese or Japanese asks for more than its words seem to say."""
    return not question.isascii() and _MATTER.search(question) is not None


def without_function_words(question: str) -> str:
    """Return *question* with a space for each function word of Chinese, Japanese, Thai or Korean.

    Single characters that are left go too; a run that has nothing else stays as it is.

    Example:
        >>> without_function_words("奶奶对什么过敏？")
        '奶奶对 过敏？'
    """
    if question.isascii():
        return question
    if HANGUL.search(question):
        question = HANGUL.sub(lambda m: " " if is_korean_asking(m.group()) else m.group(), question)
    if not HAS_SPACELESS.search(question):
        return question
    return _RUN.sub(_cut, question)


def _cut(match: re.Match[str]) -> str:
    run = match.group()
    pieces = [piece for piece in _FUNCTION.split(run) if len(piece) > 1]
    return " ".join(pieces) if pieces else run


def has_function_character(token: str) -> bool:
    """Tell whether a pair of characters holds one that is mostly a function word or an ending."""
    return not _CHARACTERS.isdisjoint(token)
