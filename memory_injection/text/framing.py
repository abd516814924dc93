"""Words of asking: what a question is wrapped in ("do you remember ...", "söyler misin ...").

They say that something is asked, not what. Unlike stop words they can be the matter ("When did I
remind Tom?"), so only whole phrases are taken away; the words elsewhere are searched like any
other, and a memory that lacks them does not hold that against the question.
"""

from __future__ import annotations

import re
from functools import cache

from .folding import fold
from .tokenizing import tokenize

__all__ = ["asked_attributes", "unwrapped", "words_of_asking"]

# Without words for help: "Can you help me today?" asks for no memory of today.
_WORDS = {
    "en": """
hey hi hello okay ok please thanks thank sorry btw actually maybe perhaps again quick quickly
question ask asking asked wonder wondering wondered curious interested remember remembering
remembered remind reminding reminder recall forget forgot forgotten know knew known knows tell
telling told say says said mention mentioned talk talked speak spoke look lookup find check
idea clue able possible mind sure think believe guess exactly roughly kindly figure happen happens
happened happening discuss discussed write wrote written""",
    "tr": """
selam merhaba hey tamam lütfen sağol teşekkürler teşekkür rica pardon hatırla hatırlat
hatırlatır hatırlatsana hatırlatabilir hatırlıyor hatırlıyorum hatırlamıyorum hatırlayamadım
hatırladın hatırlar hatırında söyle söyler söylesene söyleyin söyleyebilir söylemiştim söylemiştik
biliyor biliyorum bilmiyorum bilir bilen bilebilir merak ediyorum ediyordum unuttum unutmuşum
demiştim demiştik anlatmıştım anlatır bahsetmiştim sorabilir soracaktım sorsam sorum bakar bakabilir
bulur galiba tam mümkün dedi dedim dedin dedik dediler demiş söyledi söyledim söylemiş
anlattı anlatmış bahsetti bahsetmiş konuştu konuştuk konuşmuştuk yaptı yaptık yazdı oldu olmuş""",
    "de": """
hey hallo hi bitte danke entschuldigung erinnerst erinnere erinnern erinnert weißt weiß wissen
wisst wusste sag sage sagen sagst sagt gesagt erzähl erzählen erzählt frage fragen gefragt vergessen
könntest könnten würdest mal nochmal eigentlich genau vielleicht ahnung schau schauen suche
finden überlege gespannt neugierig möglich passiert geschehen geschah los
besprochen gesprochen geredet geschrieben gemacht""",
    "fr": """
salut bonjour merci stp svp plaît rappelle rappelles rappeler rappelez souviens souvenir souvenez
sais savoir savez dis dire dites dit demande demander demandais oublié idée possible
pourrais pourriez peut-être exactement déjà curieux passé passe arrivé arriver parlé parler parlions
parlait raconté raconter mentionné évoqué discuté écrit""",
    "es": """
hola gracias favor perdón recuerdas recuerda recordar recuérdame acuerdas acuerdo sabes sabe saber
dime decir decirme dices dije dicho pregunto preguntaba olvidé olvidado idea podrías
podría quizás exactamente pasó pasar ocurrió ocurrir sucedió hablar hablamos hablábamos hablado
habló contó contar contaste mencionó mencionar escribió""",
    "it": """
ciao grazie favore scusa ricordi ricorda ricordare ricordami ricordo sai sapere sa dimmi dire dirmi
detto chiedo chiedevo dimenticato idea potresti puoi forse esattamente""",
    "pt": """
oi olá obrigado obrigada favor desculpa lembra lembras lembrar lembre lembro sabe sabes saber diz
dizer diga disse pergunto perguntar esqueci ideia poderia pode talvez exatamente""",
    "nl": """
hoi hallo hey bedankt alsjeblieft alstublieft sorry herinner herinneren herinnert weet weten zeg
zeggen gezegd vertel vertellen vraag vragen vergeten idee zou misschien precies even""",
    "sv": """
hej hallå tack snälla ursäkta minns minnas påminn påminna ihåg kommer vet veta säg säga sa sagt
berätta undrar undrade fråga glömt aning kanske exakt""",
    "ru": """
привет здравствуйте спасибо пожалуйста извини помнишь помните помню помнить напомни напомните
напомнить знаешь знаете знать скажи скажите сказать подскажи подскажите расскажи интересно забыл
забыла забыли можешь можете спросить точно""",
    "zh": """
发生 發生 生了 聊了 聊过 谈了 谈过 谈到 談到 提到 提过 说过 讲过 讲了 告诉 事情
怎么 怎麼 怎样 么了 麼了 如何 有何""",
    "ja": """
あり あっ 起き きた 話し 話題 出来 来事 言っ 何が どう""",
}


@cache
def words_of_asking(language: str | None) -> frozenset[str]:
    """Return the folded words of asking of *language* (ISO 639-1); empty where there is no list."""
    return frozenset(fold(word) for word in _WORDS.get(language or "", "").split())


_SOFTLY = r"(?: please| kindly| maybe| just| still| also| happen to| quickly| perhaps)*"
_FRAMES = re.compile(
    "|".join(
        (
            rf"\b(?:do|did|can|could|would|will) you{_SOFTLY} (?:remember|recall|know|say"
            rf"|(?:remind|tell) (?:me|us)|let (?:me|us) know|help (?:me|us) remember)\b",
            r"\bI(?: (?:was|am|have been)|['’]m)(?: just)? wondering\b|\bI(?: just)? wonder\b",
            r"\bI(?:['’]d| would) (?:like|love) to know\b|\bI want to know\b",
            r"\b(?:going to|gonna)(?= (?:be|become|cost|do|get|give|happen|have|last|like|look|make"
            r"|need|say|start|take|tell|want|work)\b)",
            r"\bI (?:forgot|forget|(?:can['’]?t|cannot|don['’]?t|do not) (?:remember|recall))\b",
            r"^(?:please |so |now )*(?:remind|tell) (?:me|us)\b",
            r"\b(?:hatırl[ıi]yor|biliyor) mu(?:sun|sunuz)\b|\bmerak edi?yord?um\b",
            r"\b(?:söyle(?:r|yebilir)|hatırlat(?:[ıi]r|abilir)) m[ıi]s[ıi]n(?:[ıi]z)?\b",
            r"\bwei(?:ß|ss)t du(?: noch)?\b|\berinnerst du dich(?: noch)?(?: daran)?\b",
            r"\b(?:kannst|könntest) du (?:mir|uns)(?: bitte)?(?: noch)?(?: mal| einmal)? sagen\b",
            r"\btu te (?:souviens|rappelles)\b|\b(?:peux|pourrais)-tu me (?:dire|rappeler)\b",
            r"\bte acuerdas\b|\b(?:puedes|podrías) (?:decirme|recordarme)\b",
            r"\bti ricordi\b|\b(?:puoi|potresti) (?:dirmi|ricordarmi)\b",
            r"\bты (?:не )?помнишь\b|\b(?:не )?подскажешь\b|\bможешь (?:сказать|напомнить)\b",
            r"请问|(?:你|您)?(?:还)?记得|(?:请)?(?:你)?告诉我|(?:你|您)知道",
            r"教えて(?:ください|くれる|もらえますか)?|覚えて(?:います|いる|る)か?|(?:でし|だ)ったっけ"
            r"|でしたっけ|だっけ",
        )
    ),
    re.IGNORECASE,
)


_NAMED = re.compile(
    "|".join(
        (
            r"\b(?:what|which)\b[^.?!]*?\b(?P<en>names?|named|called)\b",
            r"\b(?P<tr>soyad[ıi]\w*|ad[ıi]\w*|isim\w*|ismi\w*)(?= (?:ne(?:y?di|ymi[şs]|dir|ler)?\b"
            r"|hat[ıi]rl|s[öo]yle|bili?y|unut))",
            r"\b(?:wie|was|welche\w*)\b[^.?!]*?\b(?P<de>namen?|hei(?:ß|ss)(?:t|en))\b",
            r"\bquels?\b[^.?!]*?\b(?P<fr>noms?)\b|\bcomment\b[^.?!]*?\b(?P<fra>appell\w+)\b",
            r"\bcu[áa]l\b[^.?!]*?\b(?P<es>nombres?)\b|\bc[óo]mo se (?P<esp>llama\w*)\b",
            r"\bqual\b[^.?!]*?\b(?P<it>nom[ei])\b|\bcom[eo] s[ie] (?P<ita>chiama\w*|chama\w*)\b",
            r"\b(?:hoe|wat)\b[^.?!]*?\b(?P<nl>naam|namen|heet|heten)\b",
            r"\bvad\b[^.?!]*?\b(?P<sv>namn\w*|heter)\b",
            r"\bкак(?:ое|ая)?\b[^.?!]*?\b(?P<ru>имя|имена|зовут|звали|фамилия)\b",
        )
    ),
    re.IGNORECASE,
)


def asked_attributes(question: str) -> frozenset[str]:
    """Return the folded words of *question* that ask for an attribute: the "name" of something.

    What is said of that thing seldom has the word: "We adopted a dog, Biscuit."

    Example:
        >>> sorted(asked_attributes("What is the name of our dog?")), asked_attributes("My name")
        (['name'], frozenset())
    """
    found = (match[match.lastgroup or 0] for match in _NAMED.finditer(question))
    return frozenset(token for word in found for token in tokenize(word))


def unwrapped(question: str) -> str:
    """Return *question* without the phrases that only say that something is asked.

    Example:
        >>> unwrapped("Do you remember how much Hendricks charged?").strip()
        'how much Hendricks charged?'
    """
    return _FRAMES.sub(" ", question)
