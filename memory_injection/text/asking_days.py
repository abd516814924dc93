"""Words that days are asked about with: "Anything last week?", "Summarise May", "Dün ne yaptım?".

Beside a day they are no topic, so that the entries of the day are what is asked for. Elsewhere they
are words like any other: "write" is the matter of "Who wrote the letter?".
"""

from __future__ import annotations

import re
from functools import cache

from .folding import fold
from .stopwords import stop_words
from .tokenizing import tokenize

__all__ = ["words_about_days"]

_WORDS = {
    "en": """
anything something everything nothing thing things stuff event events occur occurs occurred
occurring note notes noted noting jot jotted record recorded records recording log logged logs entry
entries entered memory memories saved stored diary journal summary summaries summarise
summarised summarize summarized recap overview digest rundown highlight highlights list show give
briefly short interesting important notable special exciting throughout entire whole dated month
date everybody anybody somebody everyone anyone someone""",
    "tr": """
olay olaylar olayı olayları gelişme gelişmeler birşey birşeyler falan filan özet özeti özetle
özetler özetlesene özetleyin özetleyebilir özetini listele sırala göster gösterir çıkar not notu
notlar notları notlarım notlarımı kayıt kayıtlar kayıtları kaydı günlük günlüğü günlüğüm günlüğüme
ver verir kısaca bitti önemli ilginç günü günkü tarihinde tarihli tarihindeki içinde boyunca
süresince itibaren arasında sırasında zarfında anlat anlatsana anlatın hatırlat""",
    "de": """
irgendetwas irgendwas ereignis ereignisse ereignet zusammenfassung zusammenfassen zusammen fasse
fass überblick rückblick notiert notierte notizen notiz aufgeschrieben eingetragen einträge eintrag
festgehalten unternommen erlebt getan tat taten machte machten vorgefallen zeig zeige liste gib
sachen dinge kurz gelaufen lief wichtiges interessantes laufe verlauf""",
    "fr": """
résume résumer résumé résumez chose choses événement événements noté notée notais note notes
noter enregistré montre liste donne vécu récapitule récapitulatif passais faisais faisions""",
    "es": """
resume resumir resumen resúmeme cosa cosas evento eventos anoté anoto anotó anotado anotaste notas
nota apunté hice hiciste hicimos hicieron hecho haciendo hacía hacíamos muestra lista dame
acontecimientos recapitula""",
}

# Doing, happening, telling, writing, in any person of the past, and what somebody has done.
_ROOTS = (
    "yap|yapil|ol|e[td]|edil|yaz|yazil|konus|konusul|anlat|anlatil|soyle?|soylen|d[ei]|bahse[td]"
    "|kayde[td]|kaydedil|yasa?|yasan|gecir|ugras"
)
_PERSON = "(?:m|n|k|[iu]m|[iu]z|s[iu]n(?:[iu]z)?|n[iu]z|l[ae]r)?"
_OF = "(?:m|n|m[iu]z|n[iu]z)?(?:n?[iu])?"
_TURKISH_VERB = re.compile(
    rf"(?:{_ROOTS})(?:[dt][iu]{_PERSON}|m[iu]s(?:t[iu])?{_PERSON}|[iu]?yordu{_PERSON}"
    rf"|[dt][iu](?:g[iu]|kl[ae]r[iu]){_OF})"
)

_PHRASES = re.compile(
    r"\b(?:go|goes|going|gone|went) on\b|\btake[ns]? place\b|\btook place\b|\bup to speed\b"
    r"|\b(?:catch|bring|fill) (?:me|us) (?:up|in)\b|\bsum(?:med)? (?:up|it)\b"
    r"|\bsum\b(?=.{1,40} up\b)"
    r"|\bhow (?:did|was|were|has|have|is) (?:.{0,40} )?(?:go|gone|going|been)\b"
    r"|\b(?:how|what) (?:did|was|has|is) (?:my|our|your) (?:day|evening|night|morning)\b"
    r"|\b(?:made?|take|took)(?: any| some)? notes?\b"
    r"|\bspen[dt] (?:my|our|the) (?:day|time|evening|night|morning|weekend)\b"
    r"|\bwork(?:ed|ing)? on\b"
    r"(?= *(?:$|[?.!]|(?:on|in|over|during|last|this|the|yesterday|today)\b))"
    r"|\bgun(?:um|umuz|un)? nasil gec\w+|\b(?:nasil|neyle|nelerle) gec\w+|\bne(?:ler)? dedi\w*"
    r"|\bwie (?:war|lief) (?:mein|unser|der) tag\b"
)


@cache
def _in(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _WORDS.get(language, "").split())


def words_about_days(question: str, language: str | None) -> set[str]:
    """Return the folded words of *question* that ask of days and say no topic.

    Args:
        question: the question.
        language: its language (ISO 639-1); None for one of any.

    Example:
        >>> sorted(words_about_days("Summarise what went on in May", "en"))
        ['on', 'summarise', 'went']
    """
    said = set(tokenize(question))
    found: set[str] = set()
    for one in (language,) if language else _WORDS:
        asking = said & _in(one)
        if one == "tr":
            asking.update(filter(_TURKISH_VERB.fullmatch, said))
        if asking and language is None:  # these told the language, where "ne" alone does not
            asking |= said & stop_words(one)
        found |= asking
    found.update(tokenize(" ".join(match.group() for match in _PHRASES.finditer(fold(question)))))
    return found
