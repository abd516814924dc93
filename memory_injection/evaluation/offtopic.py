"""Questions that a memory cannot answer: other people's questions, and everyday asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .datasets import Corpus

__all__ = ["EVERYDAY", "foreign_questions", "speakers"]

_EVERYDAY = """
Write a haiku about autumn leaves.
Convert 26 miles to kilometres.
What is the capital of Mongolia?
Explain how a hash table works.
Translate "good luck with the exam" into Portuguese.
Write a regular expression that matches an IPv4 address.
How many moons does Jupiter have?
Summarise the plot of Hamlet in three sentences.
What is the boiling point of ethanol?
Give me a SQL query that counts rows per month.
Who painted the Girl with a Pearl Earring?
How do I centre a div in CSS?
What is the derivative of x squared times sine x?
Draft a polite out-of-office reply.
What does the HTTP status 418 mean?
List five synonyms for stubborn.
How do vaccines work?
What is the difference between TCP and UDP?
Write a limerick about a lighthouse keeper.
Which element has the atomic number 79?
How long should I boil an egg for a soft yolk?
What year did the Berlin Wall fall?
Fix the grammar: they was going too the store.
What is the square root of 1764?
How do I undo the last git commit?
Name three novels by Orhan Pamuk.
What causes the northern lights?
Turn this list into a JSON array: red, green, blue.
How does compound interest work?
What is a good title for an essay about bees?
Sonbahar hakkında bir haiku yaz.
26 mil kaç kilometre eder?
Moğolistan'ın başkenti neresi?
Karma tablo nasıl çalışır, açıklar mısın?
"Sınavda bol şans" cümlesini Portekizceye çevir.
Jüpiter'in kaç uydusu var?
Hamlet'in konusunu üç cümleyle özetle.
Etanolün kaynama noktası kaç derecedir?
Aylara göre satır sayan bir SQL sorgusu ver.
İnci Küpeli Kız tablosunu kim yaptı?
CSS ile bir div nasıl ortalanır?
x kare çarpı sinüs x'in türevi nedir?
Kibar bir izin yanıtı taslağı hazırla.
HTTP 418 durum kodu ne anlama geliyor?
İnatçı kelimesinin beş eş anlamlısını söyle.
Aşılar nasıl çalışır?
TCP ile UDP arasındaki fark nedir?
Atom numarası 79 olan element hangisidir?
Rafadan yumurta kaç dakika haşlanır?
Berlin Duvarı hangi yıl yıkıldı?
1764'ün karekökü kaçtır?
Son git commit'ini nasıl geri alırım?
Kuzey ışıklarının nedeni nedir?
Bileşik faiz nasıl hesaplanır?
Arılar üzerine bir deneme için güzel bir başlık öner.
"""
EVERYDAY: tuple[str, ...] = tuple(_EVERYDAY.strip().splitlines())
"""Asks that no personal memory helps with, in English and Turkish; written for this project."""


def speakers(corpus: Corpus) -> list[str]:
    """Return who speaks in *corpus*, in order of appearance."""
    return list(dict.fromkeys(str(item.metadata["speaker"]) for item in corpus.items
                              if item.metadata.get("speaker")))  # fmt: skip


def foreign_questions(corpora: Sequence[Corpus], corpus: Corpus, *, renamed: bool) -> list[str]:
    """Return the other corpora's headline questions.

    Args:
        corpora: all of them.
        corpus: whose memory will be asked.
        renamed: put the names of this corpus's speakers in place of the others' own, so that an
            unknown name gives nothing away; the harder test.
    """
    own = speakers(corpus)
    found: list[str] = []
    for other in corpora:
        if other is corpus:
            continue
        names = dict(zip(speakers(other), own, strict=False)) if renamed else {}
        found.extend(
            _rename(question.text, names) for question in other.questions if question.headline
        )
    return found


def _rename(text: str, names: dict[str, str]) -> str:
    # All at once: one after the other, a name put in would be taken for one to replace.
    olds = "|".join(map(re.escape, names))
    return re.sub(rf"\b(?:{olds})\b", lambda found: names[found.group()], text) if names else text
