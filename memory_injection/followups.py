"""Recognise an ask that cannot be searched for on its own.

"Ok, what do you recommend?" or "Yes, B1" say what is wanted only together with the turns before.
No model is asked: a short ask, or one led by pronouns with little else in it, leans on context.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["leans_on_context", "topic_words"]

_WORD = re.compile(r"\w+(?:['’]\w+)?")
# Words that point back, folded (Turkish ı is i here).
_POINTING = frozenset(
    """
    it its that this those these they them their he him his she her hers one ones there then so
    same other another else more again both either neither any some such instead
    it's that's he's she's they're
    bu su o bunu sunu onu buna ona bunun onun bunlar onlar onlari onlarin bunlari orada burada
    orasi oraya oradan oyle boyle onunla bununla onlarla onda bunda ondan bundan yerine ikincisi
    ikincisine ikincisini birincisi digerleri ayni baska digeri ya peki daha yine
    """.split()
)
# Words that carry no topic. Not stop words in general: only what an ask can be made of without
# naming anything.
_EMPTY = frozenset(
    """
    ok okay yes no yeah yep nope sure please thanks thank well and or but also just now i you we me
    my your our us is are was were be been am do does did done have has had can could would should
    will shall may might must what when where who whom whose why how which about of for to in on at
    from with by as if than the a an not tell say said think know mean explain recommend suggest go
    give show let make need want like get got really exactly too up out over into since until along
    what's where's who's how's when's why's i'm i've i'd
    anything something nothing anyone someone ever much many long often far happen happens happened
    come comes coming
    tamam evet hayir olur lutfen tesekkurler ve veya ama de da mi mu ne neden nasil nerede nereden
    nereye neresi neresini neye neyi nesi kim kimi kime kimler kimin hangi hangisi hangileri niye
    kac kacta kactan kacinda kacinci zaman icin ile gibi kadar sonra once beri en son iyi eskiden
    ben sen biz siz bana sana bize size benim senin bizim sizin var yok olan olarak oldu soyle
    anlat goster ver istiyorum onerirsin oneriyorsun dusunuyorsun yapiyor yapiyordu yapiyoruz
    """.split()
)
_LINKING = frozenset("and but or so also plus then ve ama peki ya ayrica".split())
_TURKISH_ASKING = frozenset(
    """
    ne neden nasil nerede nereden nereye neresi kim kimi kime kimler kimin hangi hangisi niye kac
    kacta kactan kacinda mi mu
    """.split()
)
_ASKING = _TURKISH_ASKING | frozenset("what when where who whose why how which".split())
_AUXILIARY = frozenset(
    """
    is are was were be been am do does did have has had can could would should will shall may might
    must
    """.split()
)
_OWN = frozenset(["my", "our"])  # "what about my garden?" says whose, and of what
_DEFINING = frozenset("nedir kimdir neydi kimdi demek demektir".split())
# A Turkish first person: "müdürüm kim?" is about the asker and stands on its own.
_MINE = re.compile(r"(?:im|um)(?:iz|uz)?$")
# "It" that points at nothing (weather, the clock), and turns to another topic.
_IMPERSONAL = re.compile(
    r"\bit (?:\w+ ){0,2}(?:rain|snow|hail|thunder|drizzl|pour)\w*"
    r"|\bit (?:\w+ ){0,2}(?:hot|cold|warm|cool|sunny|windy|cloudy|foggy|humid|wet|dark|late|nice)"
    r" (?:outside|out|today|tonight|tomorrow|now|already)\b"
    r"|^(?:\w+ )?(?:what time is it|what is the time|what's the time|saat kac)(?: now| simdi)?\W*$"
)
_TURNING = re.compile(
    r"\b(?:new|different|another|other|unrelated) (?:topic|subject|question)\b"
    r"|\b(?:change|changing|switch) (?:of |the |our )?(?:topic|subject)s?\b|\boff[- ]topic\b"
    r"|\bnow (?:for |to |on to )?something\b|\bsomething (?:completely|entirely|totally) \w+"
    r"|\bbaska (?:bir )?(?:konu|soru)|\bbaska (?:bir )?sey (?:sor|konus)"
    r"|\byeni (?:bir )?(?:konu|soru)"
    r"|\bkonuyu degis|\bkonu disi|换个话题|換個話題|別の話|話は変わ"
)
_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3040-\u30ff]")
_JAPANESE_POINTING = re.compile("彼|それ|その|これ|この|あれ|あの|そこ|ほか|他に")
_JAPANESE_SUBJECT = re.compile("[はがの]")
_CHINESE_POINTING = re.compile("[他她它这那這]")


def leans_on_context(text: str) -> bool:
    """Tell whether *text* should be searched together with the turns before it.

    True for

    - asks without a topic word of their own ("Why?", "tell me more");
    - asks of at most two topic words that point back ("how old is he?", "peki ya kedisi?");
    - short asks that carry on a sentence ("And the code?") or leave it out ("For how long?",
      "From what distance on?", "Kaç yaşından beri?");
    - very short answers ("Yes, B1");
    - in Chinese and Japanese, short asks that point back or name no subject ("她在哪里？",
      "何時で止まっていますか？").

    False where "it" is the weather or the clock, and for a turn to another topic ("New question:
    ...").
    """
    folded = text.lower() if text.isascii() else _fold(text)
    # The patterns are looked for last: nearly every ask stands on its own.
    return _leans(folded) and not (_IMPERSONAL.search(folded) or _TURNING.search(folded))


def _leans(folded: str) -> bool:
    spaceless = 0 if folded.isascii() else len(_SPACELESS.findall(folded))
    if spaceless and spaceless * 2 > sum(map(str.isalnum, folded)):
        return _leans_without_spaces(folded, spaceless)
    words = _WORD.findall(folded.replace("’", "'"))
    pointing = sum(word in _POINTING for word in words)
    topics = _topics(words)
    if not topics:
        return bool(words)
    if pointing and len(topics) <= 2 and len(words) <= 10:
        return True
    if words[0] in _LINKING and len(topics) <= 3 and len(words) <= 8:
        return True
    if len(topics) == 1 and _is_elliptic(words, topics[0]):
        return True
    return len(words) <= 2 and len("".join(topics)) <= 12 and not _is_whole(words, topics[-1])


def topic_words(text: str) -> int:
    """Return how many words of *text* name a topic of its own; 0 in scripts without spaces."""
    if _SPACELESS.search(text):
        return 0
    return len(_topics(_WORD.findall(_fold(text).replace("’", "'"))))


def _topics(words: list[str]) -> list[str]:
    return [word for word in words if word not in _POINTING and word not in _EMPTY]


def _is_whole(words: list[str], topic: str) -> bool:
    """Tell whether a Turkish ask is complete in two words: "X nedir?", "müdürüm kim?"."""
    if not _DEFINING.isdisjoint(words):
        return True
    return not _TURKISH_ASKING.isdisjoint(words) and bool(_MINE.search(topic))


def _is_elliptic(words: list[str], topic: str) -> bool:
    """Tell whether an ask with this one *topic* leaves out who or what it is about."""
    if len(words) > 5 or _ASKING.isdisjoint(words) or _is_whole(words, topic):
        return False
    return _AUXILIARY.isdisjoint(words) and _OWN.isdisjoint(words)


def _leans_without_spaces(text: str, length: int) -> bool:
    if length <= 5:
        return True
    if _KANA.search(text):
        if _JAPANESE_POINTING.search(text):
            return length <= 16
        return length <= 12 and not _JAPANESE_SUBJECT.search(text)
    return length <= 14 and bool(_CHINESE_POINTING.search(text))


def _fold(text: str) -> str:
    lowered = unicodedata.normalize("NFKC", text).replace("İ", "i").casefold().replace("ı", "i")
    letters = unicodedata.normalize("NFD", lowered)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
