"""Tell small talk (greetings, thanks, goodbyes, laughter) from an ask with content.

A message is small talk when *all* of it can be read as set phrases; one word more and it is an
ask. So the check errs on the side of searching: a missed "hiya" costs one search, a question
taken for chatter would cost the answer. "yes", "no" and "continue" are not small talk: they carry
the meaning of the turn before.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["is_small_talk"]

_LONGEST = 120  # characters; chatter beyond this holds something else

_PHRASES = """
hi; hello; hey; hiya; heya; yo; howdy; hallo; greetings; hi there; hello there; hey there
good morning; good afternoon; good evening; good day; good night; morning; evening; gm; gn
how are you; how are you doing; how is it going; hows it going; how are things; how do you do
how have you been; whats up; what is up; sup; wassup; how are u; hru; how was your day
nice to meet you; pleased to meet you; good to see you; nice to see you; long time no see
im fine; i am fine; im good; i am good; im great; i am great; doing well; all good; and you
thanks; thank you; thank u; thx; ty; tysm; tnx; cheers; much appreciated; i appreciate it
many thanks; thanks a lot; thanks a million; thank you so much; thank you very much
thanks so much; thanks very much; that helped; that helps; that was helpful; very helpful
you are welcome; youre welcome; no problem; np; no worries; my pleasure; dont mention it
ok; okay; okey; k; kk; okie; alright; all right; got it; i see; understood; noted; roger
sounds good; sounds great; great; good; nice; cool; awesome; perfect; excellent; wonderful
amazing; fantastic; lovely; brilliant; fine; neat; sweet; wow; oh; ah; aha; hm; hmm; mhm; huh
good to know; makes sense; fair enough; never mind; nevermind; no thanks; no thank you
well done; good job; great job; nice job; good work; nice work; good one; congrats
congratulations; happy birthday; merry christmas; happy new year; good luck; have fun
bye; goodbye; good bye; bye bye; byebye; cya; see you; see ya; see you later; see you soon
see you tomorrow; later; ttyl; take care; have a good day; have a nice day; have a great day
have a good one; have a good night; have a good evening; have a nice weekend; talk to you later
sorry; my bad; oops; welcome; welcome back; lol; lmao; rofl; xd; omg; haha; hehe; test; testing
merhaba; merhabalar; selam; selamlar; slm; mrb; gunaydin; iyi gunler; iyi aksamlar; iyi geceler
tunaydin; nasilsin; nasilsiniz; naber; ne haber; nbr; nasil gidiyor; ne var ne yok; iyiyim
ben de iyiyim; sen nasilsin; siz nasilsiniz; memnun oldum; tanistigimiza memnun oldum
tesekkurler; tesekkur ederim; tesekkur ederiz; cok tesekkurler; cok tesekkur ederim; sagol
sag ol; sagolun; sag olun; cok sagol; cok sag ol; eyvallah; eyv; tsk; tskler; rica ederim
bir sey degil; onemli degil; tamam; tamamdir; tmm; tm; peki; anladim; anlasildi; oldu; olur
harika; super; guzel; cok guzel; mukemmel; muhtesem; sahane; aynen; eline saglik; ellerine saglik
gorusuruz; gorusmek uzere; hosca kal; hoscakal; hoscakalin; gule gule; kendine iyi bak; bay bay
kolay gelsin; hayirli isler; iyi calismalar; iyi haftalar; iyi hafta sonlari; iyi bayramlar
hos geldin; hos geldiniz; hos bulduk; kusura bakma; pardon; ozur dilerim; aferin; bravo
guten morgen; guten tag; guten abend; gute nacht; moin; servus; gruss gott; wie geht es dir
wie gehts; wie geht es ihnen; danke; danke schon; danke schoen; vielen dank; danke sehr; bitte
bitte schon; gern geschehen; alles klar; verstanden; super danke; tschuss; tschuess; ciao
auf wiedersehen; bis bald; bis spater; bis morgen; schonen tag; schonen tag noch; prima; gut
bonjour; bonsoir; bonne nuit; salut; coucou; ca va; comment ca va; comment allez vous
comment vas tu; merci; merci beaucoup; merci bien; de rien; je vous en prie; daccord; compris
au revoir; a bientot; a plus; a demain; bonne journee; bonne soiree; super merci; genial; parfait
hola; buenos dias; buenas tardes; buenas noches; buenas; que tal; como estas; como esta
gracias; muchas gracias; mil gracias; de nada; vale; entendido; perfecto; adios; hasta luego
hasta manana; hasta pronto; chao; genial gracias; muy bien; bien; todo bien
ola; oi; bom dia; boa tarde; boa noite; tudo bem; como vai; como voce esta; obrigado; obrigada
muito obrigado; muito obrigada; valeu; ate logo; ate mais; tchau; beleza; entendi; perfeito
buongiorno; buonasera; buonanotte; come stai; come va; grazie; grazie mille; molte grazie; prego
va bene; capito; perfetto; arrivederci; a presto; hallo daar; goedemorgen; goedemiddag
goedenavond; hoe gaat het; dank je; dank je wel; dank u; bedankt; tot ziens; doei; oke
czesc; dzien dobry; dobry wieczor; dobranoc; jak sie masz; dziekuje; dzieki; do widzenia; pa
hej; hejsan; god morgon; tack; tack sa mycket; tak; mange tak; takk; hei; moi; kiitos; hei hei
привет; здравствуйте; здравствуй; добрый день; доброе утро; добрый вечер; спокойной ночи
как дела; как ты; спасибо; большое спасибо; спасибо большое; пожалуйста; понятно; хорошо; ладно
ок; пока; до свидания; до встречи; отлично; супер; привіт; дякую; до побачення
مرحبا; اهلا; السلام عليكم; وعليكم السلام; صباح الخير; مساء الخير; كيف حالك; شكرا; شكرا جزيلا
عفوا; حسنا; تمام; مع السلامة; سلام; ممنون; خداحافظ; מה שלומך; שלום; תודה; תודה רבה; להתראות
नमस्ते; नमस्कार; धन्यवाद; शुक्रिया; आप कैसे हैं; ठीक है; अलविदा; xin chao; cam on; tam biet
halo; apa kabar; terima kasih; makasih; selamat pagi; selamat malam; sampai jumpa; baik; oke
γεια; γεια σου; γεια σας; καλημερα; καλησπερα; ευχαριστω; τι κανεις; αντιο; ενταξει
"""

_FILLER_WORDS = """
so very much again all everyone everybody guys folks team friend buddy bro dude mate sir
maam man then just really too today for now a lot the help your that please im oh well
hocam abi abla kanka kardesim canim dostum cok herkese simdilik yine o zaman
"""
_FILLERS = frozenset(_FILLER_WORDS.split())

# Scripts without spaces (and Korean, whose spaces are often left out): one after the other.
_UNSPACED = """
你好 您好 早上好 早安 晚上好 晚安 下午好 嗨 哈喽 你好吗 最近怎么样 谢谢 谢谢你 多谢 感谢 非常感谢
不客气 没关系 好的 好 好吧 行 明白 明白了 知道了 了解 再见 拜拜 回头见 太好了 太棒了 嗯 哦 哈 呵
こんにちは こんばんは おはよう おはようございます おやすみ おやすみなさい お元気ですか 元気 どうも
ありがとう ありがとうございます ありがとうございました どういたしまして はい わかりました 了解です
了解しました さようなら またね じゃあね すごい なるほど 笑 ww www
안녕 안녕하세요 안녕히가세요 안녕히계세요 잘지내 잘지내요 잘지내세요 감사합니다 고마워 고마워요
고맙습니다 네 알겠습니다 좋아 좋아요 잘가 잘가요 ㅋ ㅎ
สวัสดี สวัสดีครับ สวัสดีค่ะ สวัสดีคะ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ ขอบคุณมาก ขอบคุณมากครับ ขอบคุณมากค่ะ
โอเค ลาก่อน สบายดีไหม
"""
_LAUGHTER = re.compile(
    r"a?(?:ha|he|hi|ho){2,}h?|(?:ja|je){2,}|k{3,}|(?:ah){2,}a?|x+d+|lo+l|aa+h*|he|ha"
)
_APOSTROPHE = re.compile(r"(?<=\w)['’‘`´](?=\w)")
_PLAIN_WORDS = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_STRETCHED = re.compile(r"(.)\1{2,}")


def is_small_talk(text: str) -> bool:
    """Tell whether *text* is chatter that no memory could help with.

    Greetings, thanks, acknowledgements, goodbyes, laughter, emoji and bare punctuation count, in
    English, Turkish and some twenty other languages, also stretched ("hiiii") and combined ("ok,
    thanks! bye"). A text with any word beyond them is not small talk; neither are blank text,
    numbers, "yes" and "no".
    """
    if not text or len(text) > _LONGEST or not text.strip():
        return False
    if text.isascii() and not all(map(_may_belong, _PLAIN_WORDS.findall(text.lower()))):
        return False
    words = _words(_fold(text))
    if not words:
        return "?" not in text and any(not ch.isspace() for ch in text)
    if _runs_together("".join(words)):
        return True
    return _all_phrases(tuple(words))


def _fold(text: str) -> str:
    """Lower-case with I, İ and ı as one letter, marks of Latin and Greek letters dropped."""
    one_i = text.replace("İ", "i").replace("I", "i").replace("ı", "i").replace("ß", "ss")
    plain = unicodedata.normalize("NFKC", _APOSTROPHE.sub("", one_i)).casefold()
    kept: list[str] = []
    base = ""
    for ch in unicodedata.normalize("NFD", plain):
        if not unicodedata.combining(ch):
            base = ch
        elif base < "\u0400":
            continue
        kept.append(ch)
    return unicodedata.normalize("NFC", "".join(kept))


def _words(folded: str) -> list[str]:
    """Split at everything but letters, digits and marks (a plain word pattern breaks Thai)."""
    kept = (ch if unicodedata.category(ch)[0] in "LMN" else " " for ch in folded)
    return "".join(kept).split()


@lru_cache(maxsize=1)
def _phrases() -> frozenset[tuple[str, ...]]:
    parts = (part.strip() for line in _PHRASES.splitlines() for part in line.split(";"))
    return frozenset(tuple(_words(_fold(part))) for part in parts if part)


@lru_cache(maxsize=1)
def _unspaced() -> tuple[str, ...]:
    return tuple(map(_fold, _UNSPACED.split()))


@lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    return _FILLERS | {word for phrase in _phrases() for word in phrase}


def _may_belong(word: str) -> bool:
    """Tell whether a word can be part of small talk at all: most asks end the search here."""
    word = word.replace("'", "")
    return word in _vocabulary() or _STRETCHED.search(word) is not None or _is_sound(word)


def _runs_together(text: str) -> bool:
    """Tell whether *text* is phrases of unspaced scripts and nothing else.

    Position by position: a pattern that repeats a choice takes exponential time on "哈哈哈...".
    """
    phrases = _unspaced()
    reached = {0}
    for at in range(len(text)):
        if at in reached and text.startswith(phrases, at):
            reached.update(at + len(one) for one in phrases if text.startswith(one, at))
    return len(text) in reached


def _all_phrases(words: tuple[str, ...]) -> bool:
    """Tell whether *words* split into phrases and fillers, at least one of them a phrase."""
    phrases = _phrases()
    longest = max(map(len, phrases))
    reached = {0: False}  # words read so far -> whether a phrase was among them
    for start in range(len(words)):
        if start not in reached:
            continue
        seen = reached[start]
        if words[start] in _FILLERS:
            reached[start + 1] = reached.get(start + 1, False) or seen
        if _is_sound(words[start]):
            reached[start + 1] = True
        for size in range(1, min(longest, len(words) - start) + 1):
            if _matches(words[start : start + size], phrases):
                reached[start + size] = True
    return reached.get(len(words), False)


def _matches(part: tuple[str, ...], phrases: frozenset[tuple[str, ...]]) -> bool:
    if part in phrases:
        return True
    shrunk = tuple(_STRETCHED.sub(r"\1", word) for word in part)
    return shrunk != part and shrunk in phrases


def _is_sound(word: str) -> bool:
    return _LAUGHTER.fullmatch(word) is not None
