"""Memories in languages beyond English and Turkish: the right one is found, off topic nothing."""

from __future__ import annotations

import pytest

from memory_injection.stores import InMemoryStore
from memory_injection.text import guess_language

# Six memories, a question for each in other forms of their words, three questions off topic.
SETS = {
    "da": (
        """Min søster arbejder som sygeplejerske i Odense.
Vores hund hedder Rex.
Mødet er flyttet til fredag klokken tre.
Jeg kan ikke tåle jordnødder.
Bilens forsikring udløber i november.
Kodeordet til netværket ligger i skuffen.""",
        """Hvor arbejder søsteren?
Hvad hedder hunden?
Hvornår er møderne?
Er der jordnødder jeg ikke kan tåle?
Hvornår udløber forsikringen på bilen?
Hvor ligger kodeordene?""",
        """Hvem vandt verdensmesterskabet i 1998?
Hvad er hovedstaden i Mongoliet?
Hvordan sorterer man en liste i Python?""",
    ),
    "no": (
        """Søsteren min jobber som sykepleier i Bergen.
Hunden vår heter Rex.
Møtet er flyttet til fredag klokken tre.
Jeg tåler ikke peanøtter.
Bilforsikringen går ut i november.
Passordet til nettverket ligger i skuffen.""",
        """Hvor jobber søster?
Hva heter hunden?
Når er møtene?
Hvilke peanøtter tåler jeg ikke?
Når går forsikring på bil ut?
Hvor ligger passordene?""",
        """Hvem vant verdensmesterskapet i 1998?
Hva er hovedstaden i Mongolia?
Hvordan sorterer man en liste i Python?""",
    ),
    "fi": (
        """Sisareni työskentelee sairaanhoitajana Turussa.
Koiramme nimi on Rex.
Kokous siirrettiin perjantaille kello kolmeksi.
Olen allerginen maapähkinöille.
Auton vakuutus päättyy marraskuussa.
Verkon salasana on laatikossa.""",
        """Missä sisar työskentelee?
Mikä on koiran nimi?
Milloin kokoukset ovat?
Olenko allerginen maapähkinälle?
Milloin auton vakuutukset päättyvät?
Missä verkon salasanat ovat?""",
        """Kuka voitti maailmanmestaruuden vuonna 1998?
Mikä on Mongolian pääkaupunki?
Miten lista järjestetään Pythonissa?""",
    ),
    "hu": (
        """A nővérem ápolónőként dolgozik Szegeden.
A kutyánk neve Rex.
A megbeszélést péntekre tették át.
Allergiás vagyok a földimogyoróra.
Az autó biztosítása novemberben jár le.
A hálózat jelszava a fiókban van.""",
        """Hol dolgozik a nővér?
Mi a kutya neve?
Mikor lesz a megbeszélés?
Mire vagyok allergiás, a mogyoróra vagy a földimogyoróra?
Mikor jár le az autók biztosítása?
Hol van a hálózati jelszó?""",
        """Ki nyerte az 1998-as világbajnokságot?
Mi Mongólia fővárosa?
Hogyan kell listát rendezni Pythonban?""",
    ),
    "ro": (
        """Sora mea lucrează ca asistentă medicală la Cluj.
Câinele nostru se numește Rex.
Ședința a fost mutată vineri la ora trei.
Sunt alergic la arahide.
Asigurarea mașinii expiră în noiembrie.
Parola rețelei este în sertar.""",
        """Unde lucrează surorile?
Cum se numesc câinii?
Când sunt ședințele?
La ce arahidă sunt alergic?
Când expiră asigurările mașinilor?
Unde sunt parolele rețelelor?""",
        """Cine a câștigat campionatul mondial din 1998?
Care este capitala Mongoliei?
Cum se sortează o listă în Python?""",
    ),
    "el": (
        """Η αδερφή μου δουλεύει ως νοσοκόμα στην Πάτρα.
Ο σκύλος μας λέγεται Ρεξ.
Η συνάντηση μεταφέρθηκε στην Παρασκευή.
Είμαι αλλεργικός στα φιστίκια.
Η ασφάλεια του αυτοκινήτου λήγει τον Νοέμβριο.
Ο κωδικός του δικτύου είναι στο συρτάρι.""",
        """Πού δουλεύουν οι αδερφές;
Πώς λέγονται οι σκύλοι;
Πότε είναι οι συναντήσεις;
Σε ποιο φιστίκι είμαι αλλεργικός;
Πότε λήγουν οι ασφάλειες των αυτοκινήτων;
Πού είναι οι κωδικοί των δικτύων;""",
        """Ποιος κέρδισε το παγκόσμιο κύπελλο το 1998;
Ποια είναι η πρωτεύουσα της Μογγολίας;
Πώς ταξινομείται μια λίστα στην Python;""",
    ),
    "pl": (
        """Moja siostra pracuje jako pielęgniarka w Krakowie.
Nasz pies ma na imię Rex.
Spotkanie przeniesiono na piątek o trzeciej.
Jestem uczulony na orzeszki ziemne.
Ubezpieczenie samochodu wygasa w listopadzie.
Hasło do sieci jest w szufladzie.""",
        """Gdzie pracują siostry?
Jak ma na imię mój pies?
Kiedy są spotkania?
Na jakie orzeszki jestem uczulony?
Kiedy wygasają ubezpieczenia samochodów?
Gdzie są hasła do sieci?""",
        """Kto wygrał mistrzostwa świata w 1998 roku?
Jaka jest stolica Mongolii?
Jak posortować listę w Pythonie?""",
    ),
    "cs": (
        """Moje sestra pracuje jako zdravotní sestřička v Brně.
Náš pes se jmenuje Rex.
Schůzka byla přesunuta na pátek ve tři.
Jsem alergický na arašídy.
Pojištění auta končí v listopadu.
Heslo k síti je v zásuvce.""",
        """Kde pracují sestry?
Jak se jmenuje můj pes?
Kdy jsou schůzky?
Na jaký arašíd jsem alergický?
Kdy končí pojištění aut?
Kde jsou hesla k síti?""",
        """Kdo vyhrál mistrovství světa v roce 1998?
Jaké je hlavní město Mongolska?
Jak seřadit seznam v Pythonu?""",
    ),
    "uk": (
        """Моя сестра працює медсестрою у Львові.
Нашого собаку звати Рекс.
Зустріч перенесли на п'ятницю о третій.
У мене алергія на арахіс.
Страховка автомобіля закінчується в листопаді.
Пароль від мережі лежить у шухляді.""",
        """Де працює сестра?
Як звати собаку?
Коли зустріч?
На що в мене алергія, на арахіс?
Коли закінчується страховка автомобіля?
Де лежить пароль?""",
        """Хто виграв чемпіонат світу 1998 року?
Яка столиця Монголії?
Як відсортувати список у Python?""",
    ),
    "id": (
        """Kakak saya bekerja sebagai perawat di Bandung.
Anjing kami bernama Rex.
Rapat dipindahkan ke hari Jumat jam tiga.
Saya alergi terhadap kacang tanah.
Asuransi mobil berakhir pada bulan November.
Kata sandi jaringan ada di laci.""",
        """Di mana kakak saya bekerja?
Siapa nama anjing kami?
Kapan rapatnya?
Kacang apa yang membuat saya alergi?
Kapan asuransi mobilnya berakhir?
Di mana kata sandi jaringannya?""",
        """Siapa yang memenangkan piala dunia 1998?
Apa ibu kota Mongolia?
Bagaimana cara mengurutkan daftar di Python?""",
    ),
    "vi": (
        """Chị gái tôi làm y tá ở Đà Nẵng.
Con chó của chúng tôi tên là Rex.
Cuộc họp được dời sang thứ sáu lúc ba giờ.
Tôi bị dị ứng với đậu phộng.
Bảo hiểm xe hơi hết hạn vào tháng mười một.
Mật khẩu mạng nằm trong ngăn kéo.""",
        """Chị gái tôi làm nghề gì?
Con chó tên là gì?
Cuộc họp vào lúc nào?
Tôi dị ứng với cái gì?
Khi nào bảo hiểm xe hết hạn?
Mật khẩu để ở đâu?""",
        """Ai đã vô địch World Cup 1998?
Thủ đô của Mông Cổ là gì?
Làm thế nào để sắp xếp danh sách trong Python?""",
    ),
    "fa": (
        """خواهرم در شیراز پرستار است.
اسم سگ ما رکس است.
جلسه به روز جمعه ساعت سه منتقل شد.
من به بادام زمینی حساسیت دارم.
بیمه ماشین در آبان تمام می‌شود.
رمز شبکه در کشو است.""",
        """خواهر من کجا پرستار است؟
اسم سگمان چیست؟
جلسه‌ها چه روزی هستند؟
به چه چیزی حساسیت داشتم، بادام؟
بیمه ماشین‌ها کی تمام می‌شود؟
رمزهای شبکه کجا هستند؟""",
        """چه کسی جام جهانی ۱۹۹۸ را برد؟
پایتخت مغولستان کجاست؟
چطور در پایتون فهرست را مرتب کنم؟""",
    ),
    "he": (
        """אחותי עובדת כאחות בבית חולים בחיפה.
לכלב שלנו קוראים רקס.
הפגישה הועברה ליום שישי בשעה שלוש.
אני אלרגי לבוטנים.
ביטוח הרכב נגמר בנובמבר.
הסיסמה לרשת נמצאת במגירה.""",
        """איפה אחותי עובדת?
איך קוראים לכלב?
מתי הפגישה?
למה אני אלרגי?
מתי נגמר ביטוח הרכב?
איפה הסיסמה?""",
        """מי ניצח בגביע העולם ב-1998?
מהי בירת מונגוליה?
איך ממיינים רשימה בפייתון?""",
    ),
}

# Questions that need more than stems: a compound taken apart, notes whose language nothing tells.
MISSES = {"fi": 1, "hu": 2}
# Vietnamese words without their marks are many words: two of the off-topic questions find one.
INJECTED = {"vi": 2}

KOREAN = """
내 여동생은 부산에서 간호사로 일해요.
우리 집 개 이름은 초코예요.
회의는 금요일 오후 세 시로 옮겼습니다.
나는 땅콩 알레르기가 있어요.
엄마 생신은 8월 5일입니다.
와이파이 비밀번호는 현관 서랍에 적어 두었어요.
자동차 보험은 11월에 만료됩니다.
민수가 빨간 자전거를 샀어요.
서버가 어젯밤에 다운됐어요.
6월 첫째 주에 로마로 여행을 가요.
치과 예약은 다음 주 화요일입니다.
아버지는 은행에서 은퇴하셨어요.
월세는 팔십만 원이고 매달 말일에 냅니다.
여권은 책상 왼쪽 서랍에 있어요.
커피는 설탕 없이 마셔요.
지은이는 한양대학교에서 수학을 가르쳐요.
고양이가 소파를 긁어서 새로 샀어요.
할머니는 페니실린에 알레르기가 있어요.
매주 목요일 저녁에 수영을 해요.
노트북 수리비로 이십만 원을 냈어요.
차를 지하 3층에 주차했어요.
책은 도서관에 반납했습니다.
형은 캐나다에 살아요.
김 대리가 계약서를 보냈어요.
""".strip().split("\n")

KOREAN_QUESTIONS = """
0 여동생이 무슨 일을 해요?
0 동생은 어디에서 일하지?
1 개 이름이 뭐야?
1 우리 개는 이름이 뭐였지?
2 회의 언제예요?
2 금요일에 무슨 회의가 있어?
3 땅콩을 먹어도 돼?
4 엄마 생일이 언제지?
5 비밀번호 어디에 적었어?
6 보험이 언제 만료돼?
7 누가 자전거를 샀어?
7 민수는 무엇을 샀나요?
8 서버에 무슨 문제가 있었어?
9 로마 여행은 언제 가나요?
10 치과는 언제 가야 해?
11 아버지께서는 무슨 일을 하셨나요?
12 월세가 얼마예요?
13 여권을 어디에 뒀지?
14 커피를 어떻게 마시지?
15 한양대에서 가르치는 사람은 누구야?
16 고양이는 뭘 긁었어?
17 할머니가 무슨 약에 알레르기가 있지?
18 수영은 언제 해?
19 노트북 수리에 얼마 들었어?
20 내 차 어디에 주차했어?
21 책을 반납했나?
22 형이 어디 살아?
23 계약서는 누가 보냈어?
""".strip().split("\n")

KOREAN_OFF_TOPIC = """
몽골의 수도는 어디예요?
1998년 월드컵 우승국은?
파이썬에서 리스트를 정렬하는 방법은?
오늘 날씨 어때?
안녕하세요!
피타고라스 정리를 설명해줘
김치찌개 만드는 법 알려줘
고마워요
""".strip().split("\n")


def shown(store: InMemoryStore, question: str) -> list[str]:
    """Return what is above the floor, best first."""
    found = store.search(question)
    return [entry.content for entry in found if (entry.score or 0) >= store.relevance_floor]


@pytest.mark.parametrize("language", SETS)
def test_forms_find_their_memory_and_nothing_else_is_found(language: str) -> None:
    """Stop words and stems of the language: forms are found, little words are no evidence."""
    notes, questions, off_topic = (block.split("\n") for block in SETS[language])
    with InMemoryStore() as store:
        store.add_many(notes)
        missed = [q for q, n in zip(questions, notes, strict=True) if shown(store, q)[:1] != [n]]
        injected = [q for q in off_topic if shown(store, q)]
    assert len(missed) <= MISSES.get(language, 0), missed
    assert len(injected) <= INJECTED.get(language, 0), injected


def test_korean_memories_are_found_through_particles_and_endings() -> None:
    """Nouns with other particles, verbs with other endings, compounds."""
    with InMemoryStore() as store:
        store.add_many(KOREAN)
        for line in KOREAN_QUESTIONS:
            number, question = line.split(" ", 1)
            assert shown(store, question)[:1] == [KOREAN[int(number)]], question


def test_korean_questions_about_other_things_find_nothing() -> None:
    """Asking words and endings are no evidence."""
    with InMemoryStore() as store:
        store.add_many(KOREAN)
        assert not [question for question in KOREAN_OFF_TOPIC if shown(store, question)]


@pytest.mark.parametrize(
    "text",
    [
        "Tom called Jim", "Dan and Ada", "Sit and dine at the end", "Take care of Son",
        "I go swimming on Tuesdays", "Hans is on sale", "Meet Ana mai 5", "A far tie",
    ],
)  # fmt: skip
def test_english_is_taken_for_no_other_language(text: str) -> None:
    """Names and words that are function words elsewhere do not outvote English."""
    assert guess_language(text) in {"en", None}
