"""Questions with their answers, in twenty-nine languages: what a model's cosines are measured on.

The same eight pairs in each language; an answer has nothing in common with the other questions.
Questions and answers are worded differently on purpose: what shares no word must be found by
meaning.
"""

from __future__ import annotations

__all__ = ["PAIRS"]

_PAIRS = {
    "en": """
        What is my dog called? | My dog's name is Rex
        When was the meeting moved to? | They rescheduled our meeting for Friday
        What does my sister do for a living? | My sister works as a nurse
        Where are we going in June? | Our trip to Rome is in the first week of June
        What happened to the server? | The server crashed during the night
        What am I allergic to? | Peanuts make me ill
        Which bicycle did she buy? | She bought a red bike
        Has the invoice been paid? | The bill is still outstanding
    """,
    "tr": """
        Köpeğimin adı ne? | Köpeğime Rex diyoruz
        Toplantı ne zamana alındı? | Toplantımızı cumaya ertelediler
        Kız kardeşim ne iş yapıyor? | Kız kardeşim hemşire olarak çalışıyor
        Haziranda nereye gidiyoruz? | Roma gezimiz haziranın ilk haftasında
        Sunucuya ne oldu? | Sunucu gece çöktü
        Neye alerjim var? | Yer fıstığı bana dokunuyor
        Hangi bisikleti aldı? | Kırmızı bir bisiklet satın aldı
        Fatura ödendi mi? | Hesap hâlâ kapanmadı
    """,
    "de": """
        Wie heißt mein Hund? | Der Name meines Hundes ist Rex
        Auf wann wurde die Besprechung verschoben? | Unsere Besprechung ist jetzt am Freitag
        Was macht meine Schwester beruflich? | Meine Schwester arbeitet als Krankenpflegerin
        Wohin fahren wir im Juni? | Unsere Reise nach Rom ist in der ersten Juniwoche
        Was ist mit dem Server passiert? | Der Server ist in der Nacht abgestürzt
        Wogegen bin ich allergisch? | Von Erdnüssen wird mir schlecht
        Welches Fahrrad hat sie gekauft? | Sie hat sich ein rotes Rad geholt
        Ist die Rechnung bezahlt? | Der Betrag steht noch aus
    """,
    "fr": """
        Comment s'appelle mon chien ? | Le nom de mon chien est Rex
        À quand la réunion a-t-elle été déplacée ? | Ils ont reporté notre réunion à vendredi
        Que fait ma sœur dans la vie ? | Ma sœur travaille comme infirmière
        Où allons-nous en juin ? | Notre voyage à Rome est la première semaine de juin
        Qu'est-il arrivé au serveur ? | Le serveur est tombé en panne cette nuit
        À quoi suis-je allergique ? | Les cacahuètes me rendent malade
        Quel vélo a-t-elle acheté ? | Elle s'est offert une bicyclette rouge
        La facture est-elle payée ? | Il reste encore tout à régler
    """,
    "es": """
        ¿Cómo se llama mi perro? | El nombre de mi perro es Rex
        ¿A cuándo se cambió la reunión? | Pasaron nuestra reunión al viernes
        ¿A qué se dedica mi hermana? | Mi hermana trabaja de enfermera
        ¿Adónde vamos en junio? | Nuestro viaje a Roma es la primera semana de junio
        ¿Qué le pasó al servidor? | El servidor se cayó durante la noche
        ¿A qué soy alérgico? | Los cacahuetes me sientan mal
        ¿Qué bicicleta compró ella? | Se compró una bici roja
        ¿Está pagada la factura? | El recibo sigue pendiente
    """,
    "it": """
        Come si chiama il mio cane? | Il nome del mio cane è Rex
        A quando è stata spostata la riunione? | Hanno rinviato la nostra riunione a venerdì
        Che lavoro fa mia sorella? | Mia sorella fa l'infermiera
        Dove andiamo a giugno? | Il nostro viaggio a Roma è nella prima settimana di giugno
        Che cosa è successo al server? | Il server si è bloccato durante la notte
        A che cosa sono allergico? | Le arachidi mi fanno stare male
        Quale bicicletta ha comprato? | Ha preso una bici rossa
        La fattura è stata pagata? | Il conto è ancora da saldare
    """,
    "pt": """
        Como se chama o meu cão? | O nome do meu cão é Rex
        Para quando foi mudada a reunião? | Adiaram a nossa reunião para sexta-feira
        O que faz a minha irmã? | A minha irmã trabalha como enfermeira
        Para onde vamos em junho? | A nossa viagem a Roma é na primeira semana de junho
        O que aconteceu ao servidor? | O servidor foi abaixo durante a noite
        A que é que sou alérgico? | Os amendoins fazem-me mal
        Que bicicleta comprou ela? | Ela comprou uma bici vermelha
        A fatura já foi paga? | A conta ainda está em aberto
    """,
    "nl": """
        Hoe heet mijn hond? | De naam van mijn hond is Rex
        Naar wanneer is de vergadering verzet? | Onze vergadering is nu op vrijdag
        Wat doet mijn zus voor werk? | Mijn zus werkt als verpleegkundige
        Waar gaan we in juni heen? | Onze reis naar Rome is in de eerste week van juni
        Wat is er met de server gebeurd? | De server is vannacht gecrasht
        Waar ben ik allergisch voor? | Van pinda's word ik ziek
        Welke fiets heeft ze gekocht? | Ze kocht een rood rijwiel
        Is de factuur betaald? | De rekening staat nog open
    """,
    "sv": """
        Vad heter min hund? | Min hunds namn är Rex
        När flyttades mötet till? | De sköt upp vårt möte till fredag
        Vad jobbar min syster med? | Min syster är sjuksköterska
        Vart åker vi i juni? | Vår resa till Rom är första veckan i juni
        Vad hände med servern? | Servern kraschade under natten
        Vad är jag allergisk mot? | Jordnötter gör mig sjuk
        Vilken cykel köpte hon? | Hon skaffade en röd cykel
        Är fakturan betald? | Räkningen är fortfarande obetald
    """,
    "ru": """
        Как зовут мою собаку? | Кличка моей собаки Рекс
        На когда перенесли встречу? | Нашу встречу отложили до пятницы
        Кем работает моя сестра? | Моя сестра медсестра
        Куда мы едем в июне? | Наша поездка в Рим в первую неделю июня
        Что случилось с сервером? | Сервер упал ночью
        На что у меня аллергия? | От арахиса мне плохо
        Какой велосипед она купила? | Она взяла красный велосипед
        Счёт оплачен? | По счёту ещё ничего не перевели
    """,
    "el": """
        Πώς λένε τον σκύλο μου; | Το όνομα του σκύλου μου είναι Ρεξ
        Για πότε μεταφέρθηκε η συνάντηση; | Ανέβαλαν τη συνάντησή μας για την Παρασκευή
        Τι δουλειά κάνει η αδελφή μου; | Η αδελφή μου εργάζεται ως νοσοκόμα
        Πού πάμε τον Ιούνιο; | Το ταξίδι μας στη Ρώμη είναι την πρώτη εβδομάδα του Ιουνίου
        Τι έπαθε ο διακομιστής; | Ο διακομιστής έπεσε τη νύχτα
        Σε τι είμαι αλλεργικός; | Τα φιστίκια με αρρωσταίνουν
        Ποιο ποδήλατο αγόρασε; | Πήρε ένα κόκκινο ποδήλατο
        Πληρώθηκε το τιμολόγιο; | Ο λογαριασμός εκκρεμεί ακόμα
    """,
    "he": """
        איך קוראים לכלב שלי? | השם של הכלב שלי הוא רקס
        למתי הועברה הפגישה? | דחו את הפגישה שלנו ליום שישי
        במה עובדת אחותי? | אחותי היא אחות בבית חולים
        לאן אנחנו נוסעים ביוני? | הטיול שלנו לרומא הוא בשבוע הראשון של יוני
        מה קרה לשרת? | השרת קרס במהלך הלילה
        למה אני אלרגי? | בוטנים עושים לי רע
        איזה אופניים היא קנתה? | היא רכשה אופניים אדומים
        האם החשבונית שולמה? | החשבון עדיין פתוח
    """,
    "ar": """
        ما اسم كلبي؟ | كلبي يدعى ريكس
        إلى متى تم نقل الاجتماع؟ | أجلوا اجتماعنا إلى يوم الجمعة
        ماذا تعمل أختي؟ | أختي ممرضة في المستشفى
        إلى أين نذهب في يونيو؟ | رحلتنا إلى روما في الأسبوع الأول من يونيو
        ماذا حدث للخادم؟ | تعطل الخادم أثناء الليل
        ما الذي يسبب لي الحساسية؟ | الفول السوداني يمرضني
        أي دراجة اشترت؟ | اشترت دراجة حمراء
        هل دفعت الفاتورة؟ | ما زال الحساب غير مسدد
    """,
    "hi": """
        मेरे कुत्ते का नाम क्या है? | मेरे कुत्ते को हम रेक्स बुलाते हैं
        बैठक कब के लिए टाली गई? | हमारी बैठक अब शुक्रवार को होगी
        मेरी बहन क्या काम करती है? | मेरी बहन नर्स है
        हम जून में कहाँ जा रहे हैं? | रोम की हमारी यात्रा जून के पहले हफ़्ते में है
        सर्वर को क्या हुआ? | सर्वर रात में बंद हो गया
        मुझे किस चीज़ से एलर्जी है? | मूँगफली खाने से मैं बीमार पड़ जाता हूँ
        उसने कौन सी साइकिल ख़रीदी? | उसने लाल साइकिल ली
        क्या बिल चुका दिया गया? | भुगतान अभी बाक़ी है
    """,
    "th": """
        หมาของฉันชื่ออะไร | หมาของฉันชื่อเร็กซ์
        เลื่อนประชุมไปเมื่อไหร่ | การประชุมของเราเลื่อนไปวันศุกร์
        พี่สาวฉันทำงานอะไร | พี่สาวของฉันเป็นพยาบาล
        เดือนมิถุนายนเราจะไปไหน | ทริปไปโรมของเราอยู่สัปดาห์แรกของเดือนมิถุนายน
        เกิดอะไรขึ้นกับเซิร์ฟเวอร์ | เซิร์ฟเวอร์ล่มตอนกลางคืน
        ฉันแพ้อะไร | กินถั่วลิสงแล้วฉันไม่สบาย
        เธอซื้อจักรยานคันไหน | เธอซื้อจักรยานสีแดง
        จ่ายใบแจ้งหนี้แล้วหรือยัง | บิลยังค้างชำระอยู่
    """,
    "ja": """
        私の犬の名前は何ですか？ | うちの犬はレックスといいます
        会議はいつに変更されましたか？ | ミーティングは金曜日に延期になりました
        姉の仕事は何ですか？ | 姉は看護師として働いています
        六月にどこへ行きますか？ | ローマ旅行は六月の第一週です
        サーバーに何がありましたか？ | サーバーが夜中に落ちました
        私は何のアレルギーですか？ | ピーナッツを食べると具合が悪くなります
        彼女はどの自転車を買いましたか？ | 彼女は赤い自転車を購入しました
        請求書は支払われましたか？ | 代金はまだ未払いです
    """,
    "ko": """
        우리 개 이름이 뭐예요? | 우리 강아지는 렉스라고 불러요
        회의가 언제로 바뀌었어요? | 미팅이 금요일로 미뤄졌어요
        언니는 무슨 일을 해요? | 언니는 간호사로 근무해요
        유월에 우리 어디로 가요? | 로마 여행은 유월 첫째 주예요
        서버에 무슨 일이 있었어요? | 밤사이에 서버가 다운됐어요
        나는 무슨 알레르기가 있어요? | 땅콩을 먹으면 몸이 아파요
        그녀는 어떤 자전거를 샀어요? | 그녀는 빨간 자전거를 구입했어요
        청구서는 냈어요? | 요금이 아직 밀려 있어요
    """,
    "zh": """
        我的狗叫什么？ | 我家小狗的名字是雷克斯
        会议改到什么时候了？ | 他们把我们的会推迟到星期五
        我姐姐做什么工作？ | 我姐姐是护士
        六月我们去哪里？ | 我们的罗马之行在六月第一周
        服务器怎么了？ | 服务器昨晚崩溃了
        我对什么过敏？ | 吃花生会让我生病
        她买了哪辆自行车？ | 她买的是红色单车
        账单付了吗？ | 款项还没有结清
    """,
    "da": """
        Hvad hedder min hund? | Min hunds navn er Rex
        Hvornår er mødet flyttet til? | De har udskudt vores møde til fredag
        Hvad laver min søster? | Min søster arbejder som sygeplejerske
        Hvor skal vi hen i juni? | Vores rejse til Rom er i den første uge af juni
        Hvad skete der med serveren? | Serveren gik ned i nat
        Hvad er jeg allergisk over for? | Jeg bliver syg af jordnødder
        Hvilken cykel købte hun? | Hun har anskaffet sig en rød cykel
        Er fakturaen betalt? | Regningen står stadig åben
    """,
    "no": """
        Hva heter hunden min? | Navnet på hunden min er Rex
        Når er møtet flyttet til? | De har utsatt møtet vårt til fredag
        Hva driver søsteren min med? | Søsteren min arbeider som sykepleier
        Hvor skal vi i juni? | Turen vår til Roma er den første uken i juni
        Hva skjedde med serveren? | Serveren krasjet i natt
        Hva er jeg allergisk mot? | Jeg blir syk av peanøtter
        Hvilken sykkel kjøpte hun? | Hun har skaffet seg en rød sykkel
        Er fakturaen betalt? | Regningen står fortsatt åpen
    """,
    "fi": """
        Mikä on koirani nimi? | Koirani on nimeltään Rex
        Milloin kokous nyt on? | Kokouksemme lykättiin perjantaille
        Mitä siskoni tekee työkseen? | Siskoni on sairaanhoitaja
        Minne menemme kesäkuussa? | Matkamme Roomaan on kesäkuun ensimmäisellä viikolla
        Mitä palvelimelle tapahtui? | Palvelin kaatui yöllä
        Mille olen allerginen? | Maapähkinät tekevät minut sairaaksi
        Minkä polkupyörän hän osti? | Hän hankki punaisen pyörän
        Onko lasku maksettu? | Summa on vielä suorittamatta
    """,
    "hu": """
        Hogy hívják a kutyámat? | A kutyám neve Rex
        Mikorra tették át a megbeszélést? | A találkozónkat péntekre halasztották
        Mivel foglalkozik a nővérem? | A nővérem ápolóként dolgozik
        Hová megyünk júniusban? | A római utunk június első hetében lesz
        Mi történt a szerverrel? | A szerver éjjel összeomlott
        Mire vagyok allergiás? | A földimogyorótól rosszul leszek
        Melyik biciklit vette meg? | Egy piros kerékpárt vásárolt
        Ki van fizetve a számla? | Az összeg még rendezetlen
    """,
    "ro": """
        Cum îl cheamă pe câinele meu? | Numele câinelui meu este Rex
        Pe când s-a mutat ședința? | Au amânat întâlnirea noastră pe vineri
        Cu ce se ocupă sora mea? | Sora mea lucrează ca asistentă medicală
        Unde mergem în iunie? | Călătoria noastră la Roma este în prima săptămână din iunie
        Ce s-a întâmplat cu serverul? | Serverul a căzut în timpul nopții
        La ce sunt alergic? | Arahidele îmi fac rău
        Ce bicicletă și-a cumpărat? | Și-a luat o bicicletă roșie
        A fost plătită factura? | Suma este încă restantă
    """,
    "pl": """
        Jak wabi się mój pies? | Mój pies ma na imię Rex
        Na kiedy przesunięto spotkanie? | Przełożyli nasze zebranie na piątek
        Czym zajmuje się moja siostra? | Moja siostra pracuje jako pielęgniarka
        Dokąd jedziemy w czerwcu? | Nasz wyjazd do Rzymu jest w pierwszym tygodniu czerwca
        Co się stało z serwerem? | Serwer padł w nocy
        Na co jestem uczulony? | Orzeszki ziemne mi szkodzą
        Jaki rower kupiła? | Sprawiła sobie czerwony rower
        Czy faktura jest zapłacona? | Rachunek wciąż jest nieuregulowany
    """,
    "cs": """
        Jak se jmenuje můj pes? | Jméno mého psa je Rex
        Na kdy se přesunula schůzka? | Naši poradu odložili na pátek
        Čím se živí moje sestra? | Moje sestra pracuje jako zdravotní sestra
        Kam jedeme v červnu? | Naše cesta do Říma je v prvním červnovém týdnu
        Co se stalo se serverem? | Server v noci spadl
        Na co jsem alergický? | Po arašídech je mi špatně
        Jaké kolo si koupila? | Pořídila si červené kolo
        Je faktura zaplacená? | Účet je stále neuhrazený
    """,
    "uk": """
        Як звати мого собаку? | Ім'я мого пса Рекс
        На коли перенесли нараду? | Нашу зустріч відклали на п'ятницю
        Ким працює моя сестра? | Моя сестра медсестра
        Куди ми їдемо в червні? | Наша подорож до Рима в першому тижні червня
        Що сталося з сервером? | Сервер упав уночі
        На що в мене алергія? | Від арахісу мені стає зле
        Який велосипед вона купила? | Вона придбала червоний ровер
        Чи оплачено рахунок? | Сума досі не сплачена
    """,
    "id": """
        Siapa nama anjing saya? | Anjing saya dipanggil Rex
        Rapat dipindahkan ke kapan? | Pertemuan kita ditunda sampai hari Jumat
        Apa pekerjaan kakak perempuan saya? | Kakak perempuan saya seorang perawat
        Ke mana kita pergi pada bulan Juni? | Perjalanan kita ke Roma pada minggu pertama bulan Juni
        Apa yang terjadi dengan server? | Server mati pada malam hari
        Saya alergi terhadap apa? | Kacang tanah membuat saya sakit
        Sepeda mana yang dia beli? | Dia membeli sepeda merah
        Apakah faktur sudah dibayar? | Tagihan itu masih belum lunas
    """,
    "vi": """
        Con chó của tôi tên là gì? | Chú cún nhà tôi được gọi là Rex
        Cuộc họp được dời sang khi nào? | Họ hoãn buổi họp của chúng tôi đến thứ sáu
        Chị gái tôi làm nghề gì? | Chị tôi là y tá
        Tháng sáu chúng ta đi đâu? | Chuyến đi Rome của chúng ta vào tuần đầu tháng sáu
        Máy chủ bị làm sao? | Máy chủ bị sập trong đêm
        Tôi dị ứng với cái gì? | Ăn đậu phộng làm tôi bị ốm
        Cô ấy đã mua chiếc xe đạp nào? | Cô ấy mua một chiếc xe màu đỏ
        Hóa đơn đã được thanh toán chưa? | Khoản tiền đó vẫn còn nợ
    """,
    "fa": """
        اسم سگ من چیست؟ | سگم رکس نام دارد
        جلسه به چه زمانی منتقل شد؟ | نشست ما را به جمعه عقب انداختند
        شغل خواهرم چیست؟ | خواهرم پرستار است
        در ژوئن کجا می‌رویم؟ | سفر ما به رم در هفته اول ژوئن است
        چه اتفاقی برای سرور افتاد؟ | سرور در شب از کار افتاد
        من به چه چیزی حساسیت دارم؟ | بادام زمینی حالم را بد می‌کند
        او کدام دوچرخه را خرید؟ | او یک دوچرخه قرمز گرفت
        آیا فاکتور پرداخت شده است؟ | صورتحساب هنوز تسویه نشده
    """,
}


def _read(block: str) -> tuple[tuple[str, str], ...]:
    lines = [line.split(" | ") for line in block.strip().splitlines()]
    return tuple((question.strip(), answer.strip()) for question, answer in lines)


PAIRS = {language: _read(block) for language, block in _PAIRS.items()}
"""Language (ISO 639-1) to eight pairs of question and answer."""
