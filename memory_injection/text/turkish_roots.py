"""Common Turkish roots: what :mod:`~memory_injection.text.turkish` stops at when it cuts suffixes.

Mostly short ones: of a longer word its first letters are stem enough. Everyday words whose ending
looks like a suffix are there (``araba``, ``kapı``, ``ayı``), and the words that would be left of
them (``ay``). Written down for this project.
"""

from __future__ import annotations

__all__ = ["DOUBLED", "DROPPED", "HARD", "MADE", "NOUNS", "SOFTENED", "VERBS"]

NOUNS = """
abi abla acı acil aç açı açık ad ada adam aday adet adil adres aferin afet ağ ağa ağabey ağaç ağır
ağrı ahır aile ait ajan ak akciğer akran akraba akrep akşam aktör albüm alan alaca alçak alem
alerji alet alev alfabe alışveriş alkol alt altı altın altmış ama amaç amca ameliyat ampul an ana
anahtar anı ani anıt anket anlam anne anneanne antika apartman ara araba araç aralık araştırma arı
arka arkadaş armut arpa arsa art arzu asansör asker askı asma aslan astım aşağı aşçı aşı aşk at
ata ateş atkı atlas atlet atölye av avize avlu avukat ay ayak ayakkabı ayı aylık ayna ayrı ayva az
azı baba babaanne baca bacak badem bagaj bağ bahane bahar bahçe bahşiş bakan bakır bakkal bakla
bal balık balkon balo balon balta bamya bana banka bant banyo bar baraj bardak barış basit basın
baskı baston baş başka başkan başkent başarı batı battaniye bavul bayan bayat bayrak bayram bebek
bekar bel bela belediye belge belki belli ben benzin berber beş beşik beton bey beyaz bez bıçak
bıyık biber biçim bilek bilet bilezik bilgi bilgisayar bilim bilye bin bina bir bira birey birlik
bisiklet bit bitki biz bluz boğa boğaz bolluk bol boncuk borç boru borsa bot boş boşluk boy boya
boyut boz böbrek böcek bölge bölüm börek broşür buçuk budak buğday buhar buket bulut bulaşık buluş
bura burç burs burma buse but buz buzdolabı büro bütçe büyük büyü büyükanne büyükbaba cadde cam
cami can canavar candan ceket cep ceviz ceza cezve cılız ciddi ciğer cilt cin cins cip civciv cuma
cumartesi cüce cüzdan çaba çabuk çadır çağ çakı çakmak çalgı çalı çam çamaşır çamur çanta çap çapa
çare çark çarpı çarşaf çarşamba çarşı çatal çatı çay çaydanlık çayır çekirdek çekiç çelik çene
çengel çerçeve çeşit çeşme çevre çeyiz çeyrek çıban çığ çığlık çıkış çıplak çırak çiçek çift
çiftçi çiğ çikolata çilek çim çini çit çivi çizgi çizme çocuk çok çorap çorba çöl çöp çörek çözüm
çukur çuval çürük dağ daha dahil daire dakika daktilo dal dalga dam damar damat damga damla dana
dans dantel dar dava davul dayı dede defne defter değer değişik değnek deli delik demet demir
deneme deney deniz denk depo deprem derece dere dergi deri derin dernek ders dert destan deste
destek dev deva deve devir devlet dış diğer dik diken dikiş dikkat dil dilek dilekçe dilim din dip
direk direksiyon diş dişçi divan diyar diyet diz dizi doğa doğru doğu doğum doktor doksan dokuz
dolap dolar dolgu dolma dolu domates domuz don dondurma dost dosya döner dönem dört döviz dua
dudak dul duman durak durum duş dut duvar duygu düdük düğme düğün dükkan dün dünya düş düşman
düşük düz düzen düzine ebe eczane edebiyat efe efendi eğitim eğlence eğri ehliyet ek ekim ekip
ekmek eksi ekşi el elbise elçi eldiven elli elma elmas emanet emekli emin emlak enişte enkaz erik
erkek erken eser esir eski eş eşarp eşek eşit eşya et etek etki ev evcil evlat evli evrak evren
eylül fabrika fakir fal fare fark fasulye fatura fayda fazla fena fener fes fıkra fındık fırça
fırın fırsat fırtına fıstık fidan fide fil filtre fincan firma fiş fiyat fizik fok fon forma
fotoğraf fuar futbol gam gar garaj garson gaz gazete gazoz gece gelin gemi genç geniş gerçek gerek
gergin geri gezi gıda girdap giriş gitar giysi giyim göbek göç göl gök gölge gömlek göçmen gönüllü
görev görüş gövde göz gözlük gözlem gram grev gri grip grup gurur güç gül gümrük gümüş gün günah
gündüz güneş güneşli güney güreş güvercin güven güz güzel haber hafif hafta hak hakem hal hala
halı halk ham hamam hamile hamsi hamur han hanım hangar hap harç hareket harf harita has hasar
hasta hastane hata hava havlu havuç havuz hayal hayat hayvan hazır hazine hece hedef hedik hediye
hekim helva hemşire hesap heykel hırka hırsız hız hikaye hindi his hobi hoca horoz hoş huy huzur
hücre ılık ırk ırmak ısı ıspanak ışık iç içki içecek iddia ideal ifade iğne ihale ihracat ikaz iki
ikiz ikram il ilaç ilan ilçe ileri iletişim ilgi ilginç ilik ilk imam imar imza inat ince incir
indirim inek inci insan internet ip ipek iplik ipucu iri irmik is iskele iskemle ishal ispat istek
iş işçi işaret işlem it itfaiye iyi iz jandarma jilet kaba kabak kablo kabus kadar kadın kadro
kafa kafe kafes kahvaltı kahve kahverengi kaka kaktüs kalabalık kalça kaldırım kale kalem kalite
kalıp kalori kalp kamp kampanya kamu kamyon kan kanal kanape kanat kanepe kanser kanun kap kapak
kapalı kapı kaplan kaplumbağa kaptan kar kara karakol karanlık karar kardeş karga karı karınca
kariyer karne karpuz karşı kart kas kasa kasaba kasap kase kasım kasiyer kask kaş kaşar kaşık kat
kaval kavak kavga kavun kavram kaya kayak kayık kayınvalide kaynak kaynana kayısı kaz kaza kazak
kazan kazanç kazı kazma kebap keçi kedi kek kel kelebek kelime keman kemer kemik kenar kent kere
kereste kermes kertenkele keser kesin keskin kestane kıl kılıç kır kırk kırmızı kısa kısım kış
kışlık kıta kıyafet kıyma kız kızak kızgın kızıl kibar kibrit kil kilim kilise kilit kilo kimlik
kimya kir kira kiraz kiracı kirli kirpi kişi kişilik kitap kivi koca kod koku kol kola kolay kolej
koli kolonya koltuk kolye komşu komik kombi komedi konak konu konser konut konuk koridor kornea
koro koru korku koruma kot kova kovan koyu koyun koza köfte kök köle kömür köpek köprü köpük kör
körfez köşe köşk kötü köy közde kral kravat kriz kule kulak kulüp kum kuma kumanda kumar kumaş
kumbara kupa kur kura kurabiye kural kurban kurbağa kurs kurt kuru kurum kurul kuruş kuş kusur
kuşak kuşku kutu kuyu kuyruk kuzen kuzey kuzu küçük küfe küf kül külot kültür küme küp küpe kürek
kürk küre kütüphane laf lale lamba lastik leke leblebi lezzet liman limon lira lise liste lokal
lokanta lokma lokum maaş maç madde maden mağara mağaza mahalle mahkeme makale makarna makas makine
mal mala mama manav mandalina mangal manken mantar mantı manto manzara maraton marka market marul
mart masa masaj masal maske masraf masum maş maya maydanoz mayıs mayo maymun mazot mecbur meclis
medya mekan mektup melek memur mendil menü mercimek merak merdiven merhaba merkez mesaj mesela
meslek mevsim mevzu mey meyve mezar mezun mıknatıs mısır mide midye mikrop mil mini mimar minder
minik miras misafir misket mobilya moda model mola motor muhabbet muhasebe muhtar mum musluk
mutfak mutlu muz mühendis mülk müdür müjde müşteri müze müzik nadas nal namaz nane nar narin nazar
naz nefes nesil nesne neşe net nikah nine nisan nişan nişanlı niyet nohut nokta normal not nota
nöbet numara nüfus obez ocak oda odun ofis oğlan ok okul okur olay oltalık olta omlet on onay onur
ora oran orak orda ordu organ orman orta ortak oruç ot otel oto otobüs otomobil otopark otuz ova
oy oya oyun oyuncak oyuncu ödem ödeme ödev ödül öğle öğleden öğrenci öğretmen öğüt ölçü ölüm ön
önce önem öneri önlem önlük ördek öpücük örgü örnek örtü örümcek öte öteki öykü özel öz özet özgür
özür pahalı paket palto pamuk panço pantolon papağan papatya para paraşüt parça pardösü parfüm
park parmak parti pas pasaport pasta pastane pastırma paşa patates patlıcan patron pay pazar
pazartesi peçete pembe pencere penguen perde perşembe peynir peri petek petrol pil pilav pilot
pipo piknik pire pirinç pist pişman piyano piyango piyasa pizza plaj plaka plan platin poğaça
polis poşet posta pota pide portakal postane priz profesör proje prova puan pul puro puset radyo
raf rahat rakam rakı rampa randevu rapor rastık reçel reçete rehber rejim reklam renk rezil ring
roket rol roman romatizma rota rozet rulo ruh rutubet rüya rüzgar saat sabah sabun saç saçma sade
saf safra sağ sağlık saha sahil sahip sahne sakal sakat sakin sakız saksı salam salata salça
saldırı salı salon salyangoz saman sanat sandalet sandalye sandviç saniye sap sara saray sargı
sarhoş sarı sarma satır savaş sayfa sayı sayın saz sebep sebze seçim sefer sehpa sekiz seksen sel
selam semt sepet sergi seri sert servis ses sevda sevgi sevgili seyahat sıcak sıfır sık sıkıntı
sınav sınır sınıf sır sıra sırt sıva sigara sigorta sihir silah silgi simit simitçi sinek sinema
sinir sirke sis site sivri siyah siyaset soba sofra soğan soğuk sohbet sokak sol soluk somun son
sonuç sonbahar sopa soru sorun sos soy soyadı spor söz sözcük sözleşme stok stres su sucuk suç
suçlu sunucu surat süpürge süre süreç sürü süs süt sütçü sütun sülale şah şahit şair şaka şampiyon
şampuan şans şapka şarkı şart şato şeftali şef şeker şema şeref şerit şık şifre şiir şikayet
şirket şişe şişman şoför şok şort şube şubat şurup taban tabak tabanca tablo tabur tadilat tahta
takı takım taksi taksit takvim talep tane tanı tanrı tapu tarak taraf tarım tarif tarih tarla tarz
tas tasarım taş tat tatil tatlı tava tavan tavır tavla tavşan tavuk tay tayin taze tebrik teki tek
tekel teker tekne tekrar tel telefon televizyon temiz temmuz temel tencere tepe tepki tepsi ter
terazi tercih terlik ters terzi test teyze tez tezgah tıraş tiyatro tilki tip ton top topaç toplam
toplantı toplum toprak topuk torba torun tören trafik tramvay tren tuğla turist turşu tur turna
turnuva tutar tutku tuval tuvalet tuz tuzak tüfek tüm tünel tüp tür türkü türkçe tütün ucuz uç
uçak uçurtma uçurum uğur ukala ulus umut un unvan usta uyanık uydu uygun uyku uyum uzak uzay uzman
uzun üç ücret üçgen ülke ülser ümit ünlü üniversite ürün üst üstelik ütü üvey üye üzgün üzüm vadi
vagon vahşi vali valiz vana vapur var varlık varis vasiyet vatan vazo vefa vergi veri verim
veteriner vida villa viraj vişne vites vize voleybol yabancı yağ yağmur yaka yakın yalan yalı
yalnız yama yan yanak yangın yanıt yanlış yapı yaprak yar yara yararlı yarar yarasa yarı yarım
yarın yarış yargı yas yasa yasak yassı yastık yaş yaşlı yat yatak yatay yatılı yavaş yavru yay
yaya yayla yayın yaz yazar yazı yazıcı yazık yazılım yazlık yedi yegane yel yele yelek yelken yem
yemek yemin yen yenge yengeç yeni yer yerel yerli yeşil yetenek yetim yetmiş yeter yıl yılan
yıldız yirmi yoga yoğun yoğurt yol yolcu yolculuk yorgan yorgun yorum yosun yöre yön yönetim
yumurta yumuşak yurt yuva yük yüksek yün yürek yüz yüzde yüzey yüzme yüzük zam zaman zar zarar
zarf zatürre zayıf zebra zeka zemin zengin zeytin zil zincir zirve ziyaret zor zümre zurna ahmet
ali alper arda asena aslı asya aybüke aydın aygün aykut aylin aynur aysel aysu ayşe ayten banu
baran batu belgin berk berkay beste betül birsen bora buğra burak burcu bülent cana caner cansu
cem cemal cemre ceren ceyda ceyhun cihan çağan çağla çağrı çetin derya dilan dilara doğan ebru ece
ecem eda ege ekin ela elçin elif emel emine emir emre ender enes engin enis eren erdem ergin erkan
erol ersin ertan esen esin esra eşref eylem eymen ezgi fatih fatma ferhat feride figen fikret
filiz funda furkan gamze gaye gizem gonca gökçe gökhan gönül gözde gülay gülden gülşen gülten
gürkan hakan hale halil halit haluk hande harun hasan hatice hazal hülya hüseyin ilayda ilhan
ilker ilkay irem iskender ismail işıl kaan kadir kamil kemal kenan kerem koray kubilay levent
leyla mehmet melis meltem meral mert merve mesut metin mine murat mustafa nazan nazlı neslihan
nihal nihan nil nilay nur nuray nuri oğuz okan oktay orhan osman ozan ömer önder özge özlem öznur
pelin pınar rana recep reyhan rıza sadık salih sarp seda sedat sefa selim selin sema semih semra
sena serap seray serdar serhat serkan serpil sevil sevim sevinç sezen sibel sinan sinem songül
suat sude suna süleyman sümeyye şebnem şeyma şule taner tarık tolga tuba tuğba tuna turan turgut
tülay tülin ufuk ünal vedat vildan volkan yasemin yasin yavuz yeliz yeşim yılmaz yiğit yunus yusuf
zafer zehra zeki zeren zerrin zeynep zuhal adana alanya amasya ankara antalya artvin balıkesir
bartın bilecik bingöl bitlis bolu burdur bursa çanakkale çankaya çankırı çorum denizli diyarbakır
edirne elazığ erzincan erzurum eskişehir giresun hatay isparta istanbul iğdır izmir izmit karaman
kars kastamonu kayseri kıbrıs kilis konya kütahya malatya manisa mardin mersin muğla muş nevşehir
niğde rize sakarya samsun siirt sinop sivas tokat trabzon tunceli urfa uşak van yalova yozgat
zonguldak alman almanya fransa ispanya italya arap çin rus japon ingiliz türk türkiye amerika
avrupa afrika alarm altan armada atom beden biçem bilinç bilmece borda boyun damak desen diyagram
dinar doyum duyum elek etap ikindi inanç itir iletken kesir kesit kırat kırsal komut konum
korsan koşul kırıntı kurgu kuram okyanus olimpiyat olgu onlu oluk salgın sarmal satıcı savcı
sürücü süvari tanım tatmin tutsak varil varoş vuruş yapım yarıçap yaratık yatırım yazım
yazgı yetki yosma yüzyıl
"""
"""Nouns, adjectives, numbers, first names and towns."""

VERBS = """
aç acı ağla ağrı ak aksa al aldat alış an anlaş anlat anla ara araştır art as at atla ayır ayrıl
azal bağır bağla bak barış bas başar başla bat bayıl beğen bekle belirle benze bık bırak biç bil
bin birik bit bitir boğ boşan boya boz böl bul buluş bur çağır çak çal çalış çalkala çarp çat
çatla çek çevir çık çiz çök çöz dağıl dağıt dal dans dayan de değ değiş değiştir dene devam dik
dile dilen dinle dinlen diz doğ doğra dol dolaş don dök dön döv dur duy düş düşün düzelt ek ekle
eğ eğlen em emret er eri es eşle et etkile ez fırla gebe geç geçir gel geliş gerek getir gez
gezdir gıdıkla gir giy git gizle göm gönder gör görüş götür göster güldür gül güven hasta
hatırla hatırlat havla hazırla hazırlan hesapla hisset hoşlan ısır ısıt ıslat iç ilerle ilgilen in
inan incele indir ister iste it izle kaç kal kaldır kalk kana kandır kapa kapat kar karar karış
karşıla kaşı kat katıl kay kaybet kaydet kaybol kaz kazan kes kır kırp kız kilitle kok kokla
kon konuş kop kopar kork koru koş koy kullan kur kurtar kurtul kuru kus kutla küs mırılda oku ol
otur oyna öde öğren öğret öksür öl öldür ölç öner öp ör ört öt öv özle parla patla paylaş pişir piş
planla rastla sabret sağ sağla sakla sal sallan san sar sarıl sat say saç seç sembol sev sevin
seyret sez sığ sık sıkıl sız sil sin soğu sok sol sor soy soyun sön sök sömür söyle söz sun sus
susa sürdür sür süpür süsle şaşır şaş şiş tak takıl tanı tanış tara tart taşı taşın tat temizle
tekrar terle titre topla toplan tut tüken tüket uç uğra ulaş um unut uy uyan uyandır uyar uyu uza
uzan üret üşü üz üzül ütüle var varsay ver vur yağ yak yakala yaklaş yala yan yap yapış yaptır yar
yara yarat yarış yaşa yat yatır yay yaz yazdır ye yedir yen yenile yerleş yet yetiş yık yıka
yıkan yırt yoğur yok yolla yor yorul yut yürü yükle yüksel yüz zanne zayıfla zorla
"""
"""Verb stems, with the common passives and causatives that have a meaning of their own."""

DROPPED = """
ağız:ağz akıl:akl alın:aln asıl:asl bağır:bağr beyin:beyn boyun:boyn burun:burn cisim:cism
cürüm:cürm devir:devr emir:emr fikir:fikr göğüs:göğs gönül:gönl hapis:haps hüküm:hükm isim:ism
izin:izn karın:karn keşif:keşf keyif:keyf kayıp:kayb kayıt:kayd kısım:kısm metin:metn nehir:nehr
nakit:nakd nesil:nesl oğul:oğl omuz:omz ömür:ömr resim:resm sabır:sabr seyir:seyr şehir:şehr
şekil:şekl şükür:şükr tavır:tavr vakit:vakt zehir:zehr zihin:zihn zulüm:zulm çevir:çevr ayır:ayr
kıvır:kıvr koyun:koyn nabız:nabz lütuf:lütf cebir:cebr kabir:kabr kahır:kahr kibir:kibr hayır:hayr
akit:akd özür:özr zikir:zikr bahis:bahs haciz:hacz hazım:hazm ufuk:ufk vasıf:vasf ilim:ilm
"""
"""Roots that lose the vowel of their last syllable before a vowel, with what is left."""

DOUBLED = """
hak:hakk hat:hatt tıp:tıbb sır:sırr zam:zamm ret:redd hal:hall zan:zann af:aff şık:şıkk had:hadd
mahal:mahall his:hiss
"""
"""Roots that double their last letter before a vowel."""

SOFTENED = """
cep dip gök kap yok çok but ret git et tat güt taç uç sap affet emret hisset kaybet sabret seyret
zannet"""
"""Roots whose last letter softens before a vowel: nouns of two or three letters, and all verbs."""

HARD = "anıt kart konut kurt sırt"
"""Longer nouns whose last letter does not, or is met more often where it only seems to."""

MADE = """
ödeme:öde seçim:seç içecek:iç çözüm:çöz uyku:uyu soru:sor gezi:gez istek:iste
deneme:dene inanç:inan
planla:plan terle:ter ütüle:ütü süsle:süs yükle:yük etkile:etki yenile:yeni ilgilen:ilgi
zorla:zor"""
"""Words made of another that is asked for with them: nouns of a verb, and verbs of a noun."""
