"""Turkish: the forms of a word meet, different words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.stores import InMemoryStore
from memory_injection.text import fold, stems
from memory_injection.text.turkish import known_root, short_root

# One root a line, each with forms of another suffix or change.
FORMS = """
araba arabam araban arabası arabamız arabanız arabaları arabalar arabayı arabaya arabada arabadan
kapı kapım kapısı kapımız kapılar kapıyı kapıya kapıda kapıdan kapının kapıyla kapıları kapılarımız
baba babam babası babamız babalar babamın babama babamdan babamla babanın babayı babaya babamlar
anne annem annesi annemiz anneler annemin anneme annemden annemle annenin anneyi anneye annemler
kira kiram kirası kiramız kiralar kirayı kiraya kiradan kiranın kirayla kirasını kirasına
çay çayım çayı çayımız çaylar çayın çaya çayda çaydan çayla çayını çayını
su suyu suyum suyun sular suya suda sudan suyla suyunu susuz sulu
iş işi işim işin işler işe işten işimiz işinden işimden işini işleri işsiz
ev evi evim evimiz evler eve evde evden evin evinde evlerinde evdeki evimizde evinizden
kitap kitabı kitabım kitaplar kitaba kitapta kitaptan kitabın kitabımız kitapları kitabında
ağaç ağacı ağaçlar ağaca ağaçta ağaçtan ağacın ağaçları ağacında
renk rengi rengim renkler renge renkte renkten rengin renkli renksiz rengini
köpek köpeği köpeğim köpekler köpeğe köpekte köpekten köpeğin köpeğimiz köpeğini köpeğimle
kalp kalbi kalbim kalpler kalbe kalpte kalpten kalbin kalbimden
damat damadı damadım damatlar damada damatta damadın damadımız
şehir şehri şehrim şehirler şehre şehirde şehirden şehrin şehrimiz şehirleri
isim ismi ismim isimler isme isimde ismin ismini isimleri ismini
oğul oğlu oğlum oğullar oğla oğlun oğlumuz oğlumun oğluma oğlundan
ağız ağzı ağzım ağızlar ağza ağızda ağzın ağzından
burun burnu burnum burunlar burna burunda burnun burnumdan
vakit vakti vaktim vakitler vakte vaktin vaktimiz vaktinde
hak hakkı hakkım haklar hakka hakkın hakkımız
dayı dayım dayısı dayımız dayılar dayımın dayıya dayıdan dayımla
hala halam halası halamız halalar halamın halaya halamla halamdan
gece geceler geceyi geceye gecede geceden gecenin geceleyin
git gidiyor gidiyoruz gitti gittik gidecek gideceğiz gitmek gitmedi gidince gider gitmiş
gel geliyor geldi geldim gelecek gelmek gelmedi gelmiş gelirse gelince gelebilir gelen
bekle bekliyor bekledi bekliyorum bekleyecek beklemek beklemedi bekleyen beklerken
oku okuyor okudu okudum okuyacak okumak okumuş okuyan okuduğum
müdür müdürüm müdürümün müdürümüz müdürler müdüre müdürden müdürü
yedim yedik yedin yediler yiyor yiyorum yiyecek yiyen yemedi yemedim yiyip yediğim
öde ödedi ödedim ödüyor ödüyorum ödeyecek ödeme ödemesi ödemedi ödenmiş
yüzme yüzmeye yüzüyor yüzdüm yüzecek yüzmek yüzmedi yüzen
doğdu doğdum doğum doğumu doğumlu doğmuş doğacak doğuyor
ölüm ölümü öldü öldüler ölmüş ölecek ölen
yaşa yaşıyor yaşıyorum yaşadı yaşamış yaşayan yaşamak
ara arıyor arıyorum aradı aramadı aramak arayan
anla anlamadı anlamadım anlıyor anladık anlamamış anlayacak
özle özlemedi özlüyor özledim özlemiş
tanı tanımadı tanımadım tanıyor tanıdık tanıyan
iç içiyor içti içecek içecekler içeceğim içmedi
uyu uyku uykum uykusu uyuyor uyudum uyumadı uyuyan
yıka yıkıyor yıkadım yıkadı yıkamadı
seç seçim seçimi seçti seçtik seçiyor
sor soru sorum sorusu sordum soruyor
gez gezi gezisi gezdik geziyor
plan planım planı planla planladık planlıyoruz
ağrı ağrım ağrısı ağrıyor ağrıyordu
kur kurdu kurdum kurduk kurmuş kuracak
"""

APART = """
kar:kara kara:karar kar:karar at:ata ata:atlas at:atlas baş:başka su:suç suç:suçlu ay:ayı ayı:ayna
ay:ayak ayak:ayakkabı kap:kapı kapı:kaplan kira:kiraz kiraz:kir ada:adam ad:ada ad:adam adam:adres
al:alan ana:anahtar an:ana an:anı ara:araba arı:ara arap:araba bal:balık balık:balkon bal:balta
bar:bardak bar:barış baba:babaanne badem:baden bel:bela bela:belge ben:benzin bir:bira bil:bilet
bilet:bilgi bin:bina boy:boya boya:boyun boyut:boyun çay:çayır çam:çamur çamur:çamaşır çan:çanta
çak:çakı dal:dalga dal:dalakt damat:damar dana:dans dede:dere dere:dergi dere:ders deri:derin
din:dinle diz:dizi dol:dolap dolap:dolar dolma:dolar düğün:düğme düş:düşman eş:eşya eşek:eşik
et:etek el:elma elma:elmas ek:ekmek göl:gölge göz:gözde gün:güneş güneş:güney hal:hala hala:halı
halı:halk han:hanım hat:hata hata:hatta hava:havlu havuz:havuç iç:içki iğne:iğde ip:ipek kal:kale
kale:kalem kalem:kalıp kal:kalp kan:kanal kan:kanat kanat:kanal kart:kartal kasa:kase kas:kasa
kaş:kaşık kaşık:kaşar kaz:kaza kaza:kazak kazak:kazan kedi:keçi kek:kekik kır:kırk kol:kolay
kolay:kola kola:koli kot:kötü koy:koyun köy:köpek kum:kuma kur:kurt kurt:kuru kurs:kurt kuş:kuşak
mal:mala mas:masa masa:masal maske:masa oda:odun ok:okul oy:oyun para:parça pas:pasta pil:pilav
saç:saçma salı:salon sarı:saray sel:selam sev:seviye sol:soluk son:soru soru:sorun şef:şeftali
tab:tabak tabak:taban tak:takım tar:tarak tarak:tarla tat:tatil tavuk:tavan tuz:tuzak ut:utan
un:unvan var:varis yağ:yağmur yan:yanak yaka:yakın yara:yarı yaz:yazı yer:yeni yol:yolcu
yumurta:yumruk yün:yüz yat:yatak yüz:yüzme öldü:olacak yedi:yedim doğu:doğum kart:kardı
"""


@pytest.mark.parametrize("line", FORMS.strip().splitlines())
def test_forms_of_a_word_meet(line: str) -> None:
    """Possessive, plural, case, copula, tense and person; buffers, softening, dropped vowels."""
    root, *forms = line.split()
    wanted = stems(root, "tr")
    assert len(wanted) == 1
    assert {form: stems(form, "tr") for form in forms} == dict.fromkeys(forms, wanted)


@pytest.mark.parametrize("pair", APART.split())
def test_different_words_stay_apart(pair: str) -> None:
    """A word is no form of another only because its ending looks like a suffix."""
    one, other = pair.split(":")
    assert stems(one, "tr") != stems(other, "tr")


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("arabalarimizdaydi", "araba"),
        ("evdekiler", "ev"),
        ("soguktan", "soguk"),
        ("gelmeyecekler", "gel"),
        ("yapilabilir", "yap"),
        ("konuşmuştuk", "konus"),
        ("tanisinca", "tanis"),
        ("qwerty", None),
        ("karşı", "karsi"),
        ("sehrler", None),
        ("işim", "is"),
        ("isim", "isim"),
    ],
)
def test_a_chain_of_endings_is_cut(word: str, root: str | None) -> None:
    """The longest known root that leaves a well-formed chain; no chain, no root."""
    assert known_root(word) == root


@pytest.mark.parametrize(
    ("word", "root"),
    [("bozayi", "boza"), ("bozasini", "boza"), ("boza", "boza"), ("lavas", None), ("goleti", None)],
)
def test_unknown_short_words_keep_their_vowel(word: str, root: str | None) -> None:
    """An ending that only follows a vowel tells where an unknown short word ends."""
    assert short_root(word) == root


def test_a_dot_or_a_tail_makes_another_word() -> None:
    """Stop words are compared as spelled: water is no pointer, "to work" is no "if"."""
    assert stems("su", "tr") == ["su"]
    assert stems("şu ise", "tr") == []
    assert stems("işe", "tr") == ["is"]
    assert stems("İÇİN", "tr") == []


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=64))
def test_a_root_has_two_letters_or_more(word: str) -> None:
    """Never raises, and never cuts a word to nothing."""
    assert all(len(stem) >= min(2, len(word)) for stem in stems(word, "tr"))
    root = known_root(word)
    assert root is None or (len(root) >= 2 and fold(root) == root)


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("Ev kirası on iki bin lira.", "Kira ne kadar?"),
        ("Arabayı Can tamir etti.", "Araba kimde?"),
        ("Çayı şekersiz içerim.", "Çay nasıl?"),
        ("Kapıyı yeşile boyadık.", "Kapı ne renk?"),
        ("Müdür geldi.", "Müdürümün haberi var mı?"),
        ("Kedim hasta", "Kedimin nesi var?"),
        ("Patronum Ali", "Patronumun adı neydi?"),
    ],
)
def test_a_note_is_found_by_another_form(note: str, question: str) -> None:
    """From either side, above the floor."""
    with InMemoryStore() as store:
        store.add_many(["Toplantı uzun sürdü ve çok sıkıcıydı.", note])
        found = store.search(question)
    assert [entry.content for entry in found] == [note]
    assert (found[0].score or 0) > store.relevance_floor
