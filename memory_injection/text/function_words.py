"""Function words per language: the data of stop lists and of telling languages apart.

The lists hold facts about languages (articles, pronouns, prepositions, conjunctions, auxiliaries,
question words and the pieces that contractions leave behind), written down for this project.
"""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = {
    "en": """
a an the this that these those some any each every either neither both all another other others
such same own certain i me my mine myself we us our ours ourselves you your yours yourself
yourselves he him his himself she her hers herself it its itself they them their theirs
themselves one ones who whom whose which what when where why how whatever whichever whoever
whenever wherever however am is are was were be been being do does did doing done have has had
having will would shall should can could may might must ought isn aren wasn weren don doesn
didn haven hasn hadn wouldn couldn shouldn mustn needn ain cannot t s d ll m re ve and or but
nor so yet if then else than because as until while although though unless since whether of at
by for with about against between into through during before after above below to from up down
in out on off over under again further onto upon within without toward towards across along
among around near per via not no yes too very just only also even ever still already here there
now once more most less least much many few several lot lots quite rather really get got gets
getting let lets please""",
    "tr": """
acaba ama ancak artık aslında ayrıca bana bazı bazıları belki ben benden beni benim bile bir
biraz biri birkaç birçok biz bize bizi bizim böyle bu buna bunda bundan bunlar bunları bunların
bunu bunun burada bütün çoğu çok çünkü da daha dahi de defa değil diğer diye dolayı en fakat
gibi göre hangi hangisi hani hatta hem henüz hep hepsi her herhangi herkes hiç hiçbir için ile
ilgili ise işte kadar karşın kendi kendine kendini kez ki kim kimden kime kimi kimin kimse mı
mi mu mü mıdır midir mudur müdür nasıl ne neden nedir nerede nereden nereye nesi neye neyi
neler nelerdir niçin niye o olan olarak oldu olduğu olduğunu olduğuna olmak olması olmayan olsa
olsun olup olur olursa ona ondan onlar onlara onlardan onları onların onu onun oysa önce rağmen
sadece sanki sen sana senden seni senin siz size sizi sizin sizden sonra şey şeyi şeyler şimdi
şöyle şu şuna şunda şundan şunları şunu şunun tarafından tüm var ve veya ya yani yerine yine
yok zaten zira kaç kaçta kaçıncı edilen etti eden etmek bulunan vardır idi miyim misin miyiz
mısın mıyım mıyız ın in un ün nın nin nun nün yı yi yu yü a e ya ye dan den ta te tan ten la le
yla yle ı i u ü""",
    "de": """
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner und
oder aber denn sondern doch als wie wenn dass daß ob weil obwohl während bevor nachdem bis seit
ich mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem deiner
er ihn ihm sein seine seinen seinem seiner sie ihr ihre ihren ihrem ihrer es wir uns unser
unsere euch euer eure man sich selbst dieser diese dieses diesen diesem jener jene jenes jeder
jede jedes alle alles allem allen viel viele mehr welche welcher welches welchen welchem was
wer wen wem wessen wo woher wohin wann warum weshalb wieso bin bist ist sind seid war waren
wart gewesen sein habe hast hat haben hatte hatten gehabt werde wirst wird werden wurde wurden
worden kann kannst können konnte muss musst müssen musste soll sollen sollte will wollen wollte
darf dürfen mag möchte würde in im an am auf aus bei beim mit nach von vom vor zu zum zur über
unter zwischen durch für gegen ohne um nicht nur auch noch schon sehr so da dann hier dort nun
jetzt immer wieder etwas nichts ja nein""",
    "fr": """
le la les l un une des du de d à au aux et ou mais donc or ni car que qu qui quoi dont où quand
comment pourquoi combien quel quelle quels quelles lequel laquelle ce c cet cette ces cela ça
ceci je j me m moi mon ma mes tu te t toi ton ta tes il elle on se s soi son sa ses lui nous
notre nos vous votre vos ils elles leur leurs eux y en ne n pas plus moins très trop aussi bien
encore déjà toujours jamais rien personne tout toute tous toutes même mêmes autre autres chaque
quelque quelques plusieurs suis es est sommes êtes sont étais était étaient été être serai sera
seront serait ai as a avons avez ont avais avait avaient eu avoir aura auront aurait fait faire
peut peux pouvez pouvait dois doit faut veux veut dans sur sous avec sans pour par entre vers
chez depuis pendant avant après contre si comme lorsque puisque parce ainsi alors puis ici là
oui non""",
    "es": """
el la los las lo un una unos unas de del a al y e o u pero sino porque que qué quien quién
quienes cual cuál cuales cuáles cuando cuándo donde dónde como cómo cuanto cuánto cuánta
cuántos cuántas yo me mi mí mis mío mía tú te ti tu tus él ella ello se sí su sus nos nosotros
nuestra nuestro nuestros nuestras vosotros os vuestro vuestra ustedes usted ellos ellas les le
este esta estos estas ese esa esos esas esto eso aquel aquella aquello otro otra otros otras
todo toda todos todas mucho mucha muchos muchas poco poca algo alguien alguno alguna algunos
algunas nada nadie ninguno ninguna cada mismo misma muy más menos tan tanto ya no ni también
tampoco solo siempre nunca aquí allí ahora entonces soy eres es somos son era eran fue fueron
ser sido siendo estoy estás está estamos están estaba estaban estar he has ha hemos han había
habían haber hay tengo tiene tienen tener tenía puede puedo pueden hace hacer hizo en con sin
por para sobre entre desde hasta hacia contra durante antes después según si aunque mientras""",
    "it": """
il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle
da dal dallo dalla dai dagli dalle in nel nello nella nei negli nelle su sul sullo sulla sui
sugli sulle con per tra fra e ed o ma se perché che chi cui cosa quale quali quando dove come
quanto quanta quanti quante io mi me mio mia miei mie tu ti te tuo tua tuoi tue egli lui lei
essa esso si sé suo sua suoi sue noi ci ce nostro nostra nostri nostre voi vi ve vostro vostra
loro li ne questo questa questi queste quello quella quelli quelle ciò altro altra altri altre
tutto tutta tutti tutte ogni alcuni alcune qualche molto molta molti molte poco più meno troppo
anche ancora già sempre mai non no sì qui qua là lì ora poi così sono sei è siamo siete era
erano fu stato stata stati essere ho hai ha abbiamo avete hanno avevo aveva avevano avere fa
fare può posso possono deve sta stanno senza sotto sopra dopo prima durante contro verso""",
    "pt": """
o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas
ao aos à às para com sem sob sobre entre até desde contra e ou mas nem porque pois que quem
qual quais quando onde como quanto quanta quantos quantas eu me mim meu minha meus minhas tu te
ti teu tua você vocês ele ela eles elas lhe lhes se si seu sua seus suas nós nosso nossa nossos
nossas vos isto isso aquilo este esta estes estas esse essa esses essas aquele aquela aqueles
aquelas outro outra outros outras todo toda todos todas tudo cada algum alguma alguns algumas
nenhum nenhuma nada ninguém algo alguém muito muita muitos muitas pouco mais menos tão já não
sim também só sempre nunca aqui ali lá agora então depois antes sou és é somos são era eram foi
foram ser sido estou está estamos estão estava estavam estar tenho tem têm tinha ter há houve
pode posso podem faz fazer fez vai vão ir durante se""",
    "nl": """
de het een en of maar want dat die dit deze der des ik me mij mijn je jij jou jouw u uw hij hem
zijn zij ze haar het we wij ons onze jullie hun hen zich zelf men wie wat waar wanneer waarom
hoe welk welke hoeveel ben bent is zijn was waren geweest heb hebt heeft hebben had hadden
gehad word wordt worden werd werden geworden kan kun kunt kunnen kon zal zullen zou zouden moet
moeten moest mag mogen wil willen wilde doe doet doen deed in op aan bij met van voor naar uit
tot tegen over onder door tussen zonder om te ter ten na sinds tijdens als dan toen terwijl
omdat hoewel ook nog al alle alles niet geen wel zeer heel veel meer meest er hier daar nu weer
altijd nooit iets niets iemand niemand andere ander elk elke ja nee dus toch""",
    "sv": """
en ett den det de dem och eller men för att som om när då än på i av till från med utan vid hos
under över mellan genom mot efter före innan sedan kring jag mig min mitt mina du dig din ditt
dina han honom hans hon henne hennes vi oss vår vårt våra ni er ert era sig sin sitt sina man
denna detta dessa vem vad var vart varför hur vilken vilket vilka är var varit vara bli blir
blev blivit har hade haft ha kan kunde kunna ska skall skulle vill ville måste får fick göra
gör gjorde inte ingen inget inga också bara redan mycket många mer mest alla allt varje någon
något några här där nu aldrig alltid ja nej så""",
    "ru": """
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне
было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас
нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя
их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого
какой какая какое какие совсем ним здесь этом один почти мой моя мое мои тем чтобы нее сейчас
были куда зачем всех никогда можно при наконец два об другой хоть после над больше тот через
эти нас про всего них эта сколько почему свой своя свое свои наш наша наше ваш ваша это мной
тобой мню""",
    "ar": """
في من على إلى عن مع هذا هذه ذلك تلك هؤلاء هو هي هم هن أنا نحن أنت أنتم أنتما كان كانت كنت كنا
كانوا يكون تكون أكون ما ماذا متى أين كيف كم لماذا هل أي أية التي الذي الذين اللذان اللواتي و ف
ب ل ك أو أم ثم لكن لأن أن إن أنه أنها إنه إنها أني إني لا لم لن ليس ليست قد لقد كل بعض غير بعد
قبل عند بين حتى منذ حول خلال تحت فوق أمام وراء لدي لديه لديها لدينا لديك عندي عنده عندها عندنا
عندك له لها لي لنا لك لهم به بها بي بك فيه فيها منه منها مني عليه عليها علي إليه إليها عنه عنها
كما إذا لو حيث هنا هناك الآن جدا أيضا فقط مثل دون يا نعم كلا سوف بل إلا إنما ألا أما بما مما
عما فيما كي لكي ضد نحو قليلا كثيرا تم يتم""",
    "hi": """
का के की को में से पर है हैं था थे थी थीं हो हूँ हूं हुआ हुई हुए होता होती होते होना होगा होगी
और या लेकिन मगर कि जो तो भी ही यह ये वह वे वो इस उस इन उन इसका इसकी इसके इसे इसमें उसका उसकी
उसके उसे उसमें उनका उनकी उनके उन्हें उन्होंने इन्हें मैं मैंने मेरा मेरी मेरे मुझे मुझको हम हमने
हमारा हमारी हमारे हमें तुम तुमने तुम्हारा तुम्हारी तुम्हारे तुम्हें तू तेरा तेरी तेरे आप आपने आपका
आपकी आपके आपको अपना अपनी अपने क्या कौन कौनसा कौनसी कब कहाँ कहां क्यों कैसे कैसा कैसी कितना कितनी
कितने किस किसे किसका किसकी किसके किसने किससे किसको ने लिए साथ तक बाद पहले बीच द्वारा ओर तरफ कर
करके करना करने करते करता करती किया किए करें करो रहा रही रहे गया गई गए जा जाता जाती जाते सकता
सकती सकते चाहिए दिया दी दिए लिया नहीं न मत अब तब जब जहाँ यहाँ वहाँ एक कुछ सब सभी कोई किसी बहुत
अगर यदि फिर वाला वाली वाले क्योंकि इसलिए जैसे ऐसे ऐसा""",
    "da": """
den det de en et der som og eller men at for fordi hvis når da end som på i af til fra med uden
ved hos under over mellem gennem mod efter før om omkring jeg mig min mit mine du dig din dit
dine han ham hans hun hende hendes vi os vores vor i jer jeres sig sin sit sine man denne dette
disse hvem hvad hvor hvorfor hvornår hvordan hvilken hvilket hvilke er var været være bliver
blive blev blevet har havde haft have kan kunne skal skulle vil ville må måtte får fik gør gøre
gjorde ikke ingen intet også bare kun allerede meget mange mere mest alle alt hver noget nogen
nogle her der nu aldrig altid ja nej så""",
    "no": """
den det de en et ei der som og eller men at for fordi hvis når da enn på i av til fra med uten
ved hos under over mellom gjennom mot etter før om omkring jeg meg min mitt mine mi du deg din
ditt dine han ham hans hun henne hennes vi oss vår vårt våre dere deres seg sin sitt sine man
denne dette disse hvem hva hvor hvorfor når hvordan hvilken hvilket hvilke er var vært være
blir bli ble blitt har hadde hatt ha kan kunne skal skulle vil ville må måtte får fikk gjør
gjøre gjorde ikke ingen ingenting også bare allerede veldig mye mange mer mest alle alt hver
noe noen her nå aldri alltid ja nei så""",
    "fi": """
ja tai mutta että kun jos koska vaikka kuin sekä eli vaan niin myös vielä jo nyt sitten siis
vain minä minun minua minulla minulle minut mä mun mulla sinä sinun sinua sinulla sinulle hän
hänen häntä hänellä hänelle me meidän meitä meillä te teidän teitä he heidän heitä se sen sitä
siinä siitä sille ne niiden niitä tämä tämän tätä tässä tästä tuo tuon nämä nuo joka jonka jota
jossa jotka mikä minkä mitä missä mistä mihin milloin miksi miten millainen montako paljonko
kuka kenen ketä kenellä kumpi on ovat oli olivat ole olen olet olemme olla ollut olisi ei en et
emme eivät eikö onko oliko voi voin voiko pitää täytyy kaikki kaikkien jokin joku jotain
joitain hyvin enemmän vähän aina koskaan tässä täällä siellä tuolla ennen jälkeen kanssa ilman
mukaan yli alle""",
    "hu": """
a az és vagy de hogy ha mert mint is csak még már meg el be ki le fel én te ő mi ti ők engem
téged őt minket nekem neked neki nekünk nekik nálam velem veled vele az ez ezt azt ezek azok
ezen azon enyém tied övé aki akit amely amelyet ami amit ki kit kinek mi mit minek miért mikor
hol hova honnan hogyan milyen melyik mennyi hány vagyok vagy van vagyunk vannak volt voltam
voltak lesz lenne nincs nem ne sem igen egy egyik mindig soha most itt ott akkor így úgy nagyon
több kevés minden mindenki valami valaki semmi senki alatt fölött után előtt között mellett
nélkül szerint által kell lehet tud tudom""",
    "ro": """
un o unui unei niște cel cea cei cele al a ai ale lui ei lor de la în din pe cu fără pentru
prin spre despre sub peste între până după înainte contra și sau dar ci ori că să dacă deși
când cum unde cât câtă câți câte de ce cine cui ce care căruia eu mă mie îmi mi meu mea mei
mele tu te ție îți ți tău ta tăi tale el îl ea o îi i se își său sa săi sale noi ne nouă nostru
noastră noștri noastre voi vă vouă vostru voastră ei ele le acest această acești aceste acesta
aceasta acel acea acei acele asta ăsta alt altă alți alte tot toată toți toate fiecare nici nu
da mai foarte prea doar numai deja încă acum aici acolo atunci mereu niciodată sunt ești este e
suntem sunteți era erau fost fi am ai are avem aveți au avea aș ar vor va vei voi poate pot
trebuie""",
    "el": """
ο η το οι τα του της των τον την τους τις στο στη στην στον στα στους στις ένας μία μια ένα
ενός μιας και ή αλλά όμως ότι πως να θα αν γιατί επειδή όταν ενώ όπως σαν από σε με χωρίς για
προς κατά μετά πριν μέχρι ως εγώ εμένα μου με εσύ εσένα σου σε αυτός αυτή αυτό αυτοί αυτές αυτά
εμείς εμάς μας εσείς εσάς σας τους που ποιος ποια ποιο ποιοι ποιες τι πού πότε πώς πόσο πόση
πόσα πόσοι πόσες ποιον είμαι είσαι είναι είμαστε είστε ήμουν ήταν ήσουν έχω έχεις έχει έχουμε
έχουν είχα είχε είχαν δεν μη μην ναι όχι κάθε όλα όλοι όλες κάποιος κάποια κάτι τίποτα πολύ πιο
μόνο ακόμα ήδη τώρα εδώ εκεί τότε πάντα ποτέ μπορώ μπορεί πρέπει δικός δική δικό""",
    "pl": """
i oraz albo lub ale lecz że żeby aby bo ponieważ gdy kiedy jeśli jeżeli choć niż jak jako w we
z ze na do od u o po przy przez dla bez pod nad między przed za ja mnie mi mną mój moja moje
mojego mojej moich moim ty ciebie ci cię tobie twój twoja twoje on jego go jemu mu ona jej ją
ono oni one ich im nimi my nas nam nami nasz nasza nasze wy was wam wasz się siebie sobie swój
swoja swoje swoich ten ta to tego tej temu tym te ci tych tymi tamten tamta który która które
którego której których któremu kto kogo komu kim co czego czemu czym gdzie skąd dokąd dlaczego
ile jaki jaka jakie jakiego jakiej czy jest są jestem jesteś był była było były byłem byłam
będzie będą być mam masz ma mają miał miała nie tak też także tylko już jeszcze bardzo więcej
wszystko wszyscy każdy ktoś coś nic nikt tu tutaj tam teraz wtedy zawsze nigdy może można""",
    "cs": """
a i nebo ale že aby protože když jestli pokud ačkoli než jak jako v ve z ze na do od u o po při
pro bez pod nad mezi před za s se k ke já mě mně mi mnou můj moje má mého mojí mých ty tebe tě
ti tvůj tvoje on jeho jej ho jemu mu ona její ji ono oni jejich jim nimi my nás nám naše náš vy
vás vám váš vaše sebe si svůj svoje své svou ten ta to toho té tomu tom tím ty ti těch který
která které kterého kterou kterých kdo koho komu kým co čeho čemu čím kde odkud kam kdy proč
kolik jaký jaká jaké jsem jsi je jsme jste jsou byl byla bylo byli bude budou být mám máš má
máme mají měl měla ne ano také taky jen už ještě velmi více všechno všichni každý někdo něco
nic nikdo tady tam teď pak vždy nikdy může lze""",
    "uk": """
і й та або але що щоб бо якщо коли хоча ніж як в у з із зі на до від о об по при через для без
під над між перед за я мене мені мною мій моя моє мого моєї мої моїх ти тебе тобі твій твоя
твоє він його йому ним вона її їй нею воно вони їх їм ними ми нас нам наш наша наше ви вас вам
ваш себе собі свій своя своє свої цей ця це цього цієї ці цих той те того тієї ті тих який яка
яке якого якої які яких хто кого кому ким чого чому чим де звідки куди навіщо скільки є був
була було були буде будуть бути не ні так також теж тільки вже ще дуже більше все всі кожен
хтось щось нічого ніхто тут там тепер зараз тоді завжди ніколи може можна треба""",
    "id": """
yang dan atau tetapi tapi namun karena jika kalau ketika saat agar supaya bahwa di ke dari pada
dalam dengan tanpa untuk bagi oleh tentang antara sampai sejak setelah sebelum saya aku ku kamu
mu anda engkau dia ia nya kami kita mereka ini itu tersebut siapa apa mana kapan mengapa kenapa
bagaimana berapa apakah dimana adalah ialah ada tidak bukan belum sudah telah sedang akan bisa
dapat harus boleh mau ingin juga hanya saja lagi masih sangat lebih paling semua setiap
beberapa banyak sebuah seorang para lain sini sana situ sekarang nanti selalu pernah ya punya
milik seperti sebagai""",
    "vi": """
và hoặc nhưng mà vì nên nếu khi thì là của cho với không có được bị đã đang sẽ vẫn còn cũng chỉ
rất quá lắm hơn nhất này kia đó ấy đây những các một mỗi mọi cái con chiếc tôi tao mình bạn anh
chị em nó họ chúng ta ai gì nào đâu sao bao giờ nhiêu mấy thế như ở tại trong ngoài trên dưới
từ đến về qua giữa trước sau theo bằng hay phải cần muốn thể rồi chưa à nhé nhỉ ạ vậy lúc do
bởi tất cả""",
    "fa": """
و یا اما ولی که تا اگر چون زیرا هم نیز در از به با بی برای بر روی زیر بین پیش پس قبل بعد من تو
او ما شما آنها ایشان مرا تورا خود خودم خودت خودش این آن اینها همین همان هر همه هیچ چند چه چی کی
کجا چرا چگونه چطور کدام چقدر را است هست بود نیست هستم هستی هستیم هستند بودم بودند شد شده می‌شود
باید شاید می نمی ها های ام ات اش مان تان دارد دارم داری داریم دارند داشت دیگر فقط خیلی بیشتر
بسیار اکنون حالا اینجا آنجا همیشه هرگز بله نه آیا""",
    "he": """
של את על אל עם בלי מן כי אם או אבל אלא גם רק עוד כבר כל כמה איזה איזו אילו מה מי איפה היכן מתי
למה מדוע איך כיצד אני אתה את הוא היא אנחנו אתם אתן הם הן אותי אותך אותו אותה אותנו אתכם אותם לי
לך לו לה לנו לכם להם שלי שלך שלו שלה שלנו שלכם שלהם זה זאת זו אלה אלו היה הייתה היו הייתי יהיה
תהיה יש אין לא כן מאוד יותר פחות הכי שם פה כאן עכשיו אז תמיד אף פעם כאשר כש אחרי לפני בין תחת
מעל ליד אצל עד מאז בגלל כדי האם ב ל ה ש ו כ מ""",
}
"""ISO 639-1 code to its function words, as spelled, separated by spaces."""
