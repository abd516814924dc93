"""Korean: words between spaces that carry their particles, cut so that forms share terms.

A noun and its particle are one word in writing (``여동생은``, ``여동생이``), verbs change at their
end, and compounds may be spaced or not. Overlapping pairs of syllables find them about as well as
an analyser of morphemes does (Lee, Ahn: "Using n-grams for Korean text retrieval", SIGIR 1996),
once the particle is off.
"""

from __future__ import annotations

import re

__all__ = ["HANGUL", "hangul_terms", "is_korean_asking"]

HANGUL = re.compile("[\uac00-\ud7a3]+")

# Particles (josa) and the copula, the longer ones first: only one is taken off.
_PARTICLES = sorted(
    """
은 는 이 가 을 를 에 의 도 로 와 과 만 께 랑 나 야
으로 에서 에게 한테 까지 부터 마다 처럼 보다 하고 이랑 이나 라도 밖에 께서 에는 에도 에만 와는 과는
으로는 에서는 에서도 에게서 한테서 에게는 한테는 까지는 부터는 이라도 이라는 라는 라고 이라고
예요 이에요 입니다 이다 이었어 이었어요 였어 였어요 이야 인데 이랑은""".split(),
    key=len,
    reverse=True,
)
_PARTICLE = re.compile(f"(?<=.)(?:{'|'.join(_PARTICLES)})$")

# What a question is asked with, by how the word begins; and words that carry only grammar.
_ASKING = re.compile(
    "(?:언제|어디|누구|누가|뭐|뭘|무엇|무슨|얼마|왜|어떻|어떤|어느|혹시|기억나|기억하|기억해|알려|말해"
    "|궁금|몇)"
)
_LITTLE = frozenset(
    """
나 나는 난 나의 내 내가 나한테 나를 날 저 저는 전 제 제가 저의 저한테 우리 우리는 우리가 우리의
너 너는 넌 네 네가 당신 그 그는 그가 그녀 그녀는 그녀가 이 그것 이것 저것 그게 이게 좀 더 또 안
못 잘 다 꼭 있어 있어요 있나 있나요 있지 있었어 있었지 있니 있습니까 했어 했어요 했지 했나
했나요 했니 했더라 하나 하나요 하니 해 해요 하지 하는 할 한 된 돼 돼요 되나요 됐어 됐어요 됐지
되었나요 인가 인가요 이었지 였지 줘 주세요 줄래 알아 알아요 아세요 아니 네요 거야 거예요 건가요
것 거 수 때""".split()
)


def hangul_terms(run: str) -> tuple[str, ...]:
    """Return the terms of one run of Hangul syllables: pairs, without the particle at its end.

    A noun of one syllable is a term of its own, besides the pair it makes with its particle (which
    may be no particle).

    Example:
        >>> hangul_terms("여동생은"), hangul_terms("개를"), hangul_terms("집")
        (('여동', '동생'), ('개를', '개'), ('집',))
    """
    bare = _PARTICLE.sub("", run)
    if len(bare) > 1:
        return tuple(bare[at : at + 2] for at in range(len(bare) - 1))
    if len(run) == 1:
        return (run,)
    return (*(run[at : at + 2] for at in range(len(run) - 1)), bare)


def is_korean_asking(word: str) -> bool:
    """Tell whether a word of a question asks, or carries only grammar."""
    return word in _LITTLE or _ASKING.match(word) is not None
