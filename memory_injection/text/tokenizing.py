"""Tokenising: words where a script has spaces, pairs of characters where it has none, or Hangul."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .folding import fold
from .korean import HANGUL, hangul_terms

__all__ = ["HAS_SPACELESS", "SPACELESS", "raw_words", "split_word", "tokenize"]

# Combining marks belong to the word they stand in; Python's \w leaves them out, which would cut
# Hindi, Thai and vocalised Arabic or Hebrew words in pieces.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0900-\u0963\u0971-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd"
    "\u0f71-\u0f84\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a"
)
_WORD = re.compile(rf"[\w{_MARKS}]+")

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana and Han.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
SPACELESS += "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(rf"[{SPACELESS}]+|[^{SPACELESS}]+")
HAS_SPACELESS = re.compile(rf"[{SPACELESS}]")


# ASCII letters in lower case, digits as they are, anything else a space.
_PLAIN = bytes(
    ord(c.lower()) if (c := chr(b)).isascii() and c.isalnum() else 32 for b in range(256)
)


def raw_words(text: str) -> list[str]:
    """Return the words of *text* as written, in order; those of a plain ASCII text in lower case.

    ``_`` separates like a space.
    """
    if text.isascii():  # twice as fast as the expression below
        return text.encode().translate(_PLAIN).decode().split()
    return _WORD.findall(text.replace("_", " ") if "_" in text else text)


def split_word(word: str) -> tuple[str, ...]:
    """Return the folded tokens of one raw *word*.

    One token, or for runs of a script without spaces and of Hangul overlapping pairs of characters.
    """
    folded = fold(word)
    if folded.isascii():
        return (folded,) if folded.isalnum() else tuple(raw_words(folded))
    tokens: list[str] = []
    for part in raw_words(folded):  # folding can bring spaces and brackets: ⑴ is (1)
        if not HAS_SPACELESS.search(part):
            tokens.extend(_with_hangul(part) if HANGUL.search(part) else (part,))
            continue
        for run in _RUN.findall(part):
            if len(run) > 1 and HAS_SPACELESS.match(run):
                tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
            else:
                tokens.append(run)
    return tuple(tokens)


def _with_hangul(part: str) -> Iterator[str]:
    at = 0
    for run in HANGUL.finditer(part):
        if run.start() > at:
            yield part[at : run.start()]
        yield from hangul_terms(run.group())
        at = run.end()
    if at < len(part):
        yield part[at:]


def tokenize(text: str) -> list[str]:
    """Return the folded words of *text*, in order, stop words included, not stemmed.

    Chinese, Japanese, Thai, Lao, Khmer, Burmese and Korean runs come as overlapping pairs of
    characters.
    Never raises: NUL, lone surrogates and punctuation separate words.

    Example:
        >>> tokenize("Don't call İPEK!"), tokenize("天气很好")
        (['don', 't', 'call', 'ipek'], ['天气', '气很', '很好'])
    """
    return [token for word in raw_words(text) for token in split_word(word)]
