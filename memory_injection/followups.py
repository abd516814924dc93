"""Recognise an ask that cannot be searched for on its own.

"Ok, what do you recommend?" or "Yes, B1" say what is wanted only together with the turns before.
No model is asked: a short ask, or one led by pronouns with little else in it, leans on context.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["leans_on_context"]

_WORD = re.compile(r"\w+(?:['’]\w+)?")
# Words that point back or carry no topic, folded (Turkish ı is i here). Not stop words in general:
# only what an ask can be made of without naming anything.
_POINTING = frozenset(
    """
    it its that this those these they them their he him his she her hers one ones there then so
    same other another else more again both either neither which any some such
    bu su o bunu sunu onu buna ona bunun onun bunlar onlar onlari bunlari orada burada oyle boyle
    ayni baska digeri hangisi hangi ya peki daha yine
    """.split()
)
_EMPTY = frozenset(
    """
    ok okay yes no yeah yep nope sure please thanks thank well and or but also just now i you we me
    my your our us is are was were be been am do does did done have has had can could would should
    will shall may might what when where who whom whose why how about of for to in on at from with
    by as if than the a an not tell say said think know mean explain recommend suggest go give show
    let make need want like get got really exactly too up out over into
    tamam evet hayir olur lutfen tesekkurler ve veya ama de da mi mu ne neden nasil nerede kim
    kimin zaman icin ile gibi kadar ben sen biz siz bana sana bize size benim senin bizim sizin var
    yok olan olarak soyle anlat goster ver istiyorum onerirsin oneriyorsun dusunuyorsun
    """.split()
)
_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def leans_on_context(text: str) -> bool:
    """Tell whether *text* should be searched together with the turns before it.

    True for asks without a topic word of their own, for asks of at most two topic words that
    point back ("how old is he?", "peki ya kedisi?"), and for very short answers ("Yes, B1").
    """
    folded = text.lower() if text.isascii() else _fold(text)
    if _SPACELESS.search(folded):
        return len(_SPACELESS.findall(folded)) <= 5
    words = _WORD.findall(folded)
    pointing = sum(word in _POINTING for word in words)
    topics = [word for word in words if word not in _POINTING and word not in _EMPTY]
    if not topics:
        return bool(words)
    if pointing and len(topics) <= 2 and len(words) <= 10:
        return True
    return len(words) <= 2 and len("".join(topics)) <= 12


def _fold(text: str) -> str:
    lowered = unicodedata.normalize("NFKC", text).replace("İ", "i").casefold().replace("ı", "i")
    letters = unicodedata.normalize("NFD", lowered)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
