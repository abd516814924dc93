"""Set phrases of small talk, by language: what :mod:`~memory_injection.smalltalk` reads.

Spelt as people write them; upper case, dots and accents are folded before anything is compared.
"""

from __future__ import annotations

__all__ = ["BARE_ANSWERS", "BUILT", "FILLERS", "PHRASES", "UNSPACED"]

PHRASES = """
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
"""Phrases, one after the other, semicolons between them."""

BUILT = """

have|enjoy a|an|the|your good|great|nice|lovely|wonderful|pleasant|safe|fun day|night|evening|trip
have a good|great|nice|lovely|wonderful|safe|happy weekend|week|time|flight|one|rest|holiday
have a good|great|nice|lovely|wonderful day|night|evening|afternoon
enjoy your day|weekend|evening
happy new_year|birthday|holidays|easter|thanksgiving|halloween|anniversary|weekend|friday|monday
happy valentines_day|mothers_day|fathers_day|diwali|hanukkah|eid|ramadan; merry christmas|xmas
sleep|rest well|tight; sweet dreams; get well_soon; safe travels; all the best; best wishes
same to_you
_|i hope you_slept|you_are|youre|you_feel|you_are_doing well|good|fine|okay|ok; you too
likewise

you_are|youre|ur|u_r _|so|really|very|just|truly great|amazing|awesome|wonderful|brilliant|fantastic

you_are|youre|ur _|so|really|very kind|helpful|sweet|smart|clever|funny|cute|nice|cool|right|welcome
you_are|youre|ur the_best|the_greatest|a_star|a_legend|a_genius|a_lifesaver|an_angel; you rock
bravo
_|i love|like|miss|missed|adore you|ya|u; i love|like|hate it|this|that; love it; xoxo; hugs
kisses
lets|let_us talk|chat; can|could|shall we talk|chat; talk to_me; im|i_am _|so bored|back|here

are_you|r_u ok|okay|alright|all_right|there|well|fine|awake|real|human|an_ai|a_bot|a_robot|a_human
_|no thats|that_is|that_was|that_will_be all|it|everything _|for_now|for_today; thatll be all
nothing else|more; no more questions; now|and_now for|to|_ something _|completely different|else
_|a new|different|another|unrelated topic|question|subject
lets|let_us change|switch the|_ topic|subject
bu|hepsi_bu|şimdilik_bu kadar|kadardı; başka sorum_yok|bir_şey_yok
_|şimdi|sana başka bir_şey|şey soracağım; _|yeni bir_soru|bir_konu
konuyu değiştirelim|değiştiriyorum; das war alles; c'est tout; eso es todo; é tudo
_|oh|wow|ah thats|that_is|thats_so|that_was great|nice|good|awesome|amazing|perfect|wonderful
_|oh|wow|ah thats|that_is helpful|cool|fine|right|correct|true|good_to_know|interesting|lovely|sad
_|oh|wow|ah i_didnt_know_that|i_did_not_know_that|didnt_know_that|i_had_no_idea|interesting
really; good point; point taken; no_way
_|oh|aa|ha bunu bilmiyordum|hiç_bilmiyordum; bilmiyordum
gerçekten|sahi _|mi; ne|çok güzel|iyi|ilginç|hoş; doğru; haklısın; haklısınız; vay_be; vay_canına
what can you do; to you; to you too; and to you; not at all; of course
mutlu|iyi yıllar|seneler|bayramlar|noeller|haftalar|günler|pazarlar|tatiller
nice yıllara|senelere
nice mutlu yıllara|senelere; doğum_günün|doğum_gününüz|yeni_yılın|yeni_yılınız kutlu|mutlu olsun
bayramın|bayramınız|ramazanın|ramazanınız|kandilin kutlu|mübarek|mutlu olsun; tatlı rüyalar
hayırlı sabahlar|akşamlar|geceler|cumalar|bayramlar|ramazanlar|olsun|günler; geçmiş olsun
iyi uykular|yolculuklar|eğlenceler|tatiller|şanslar|dersler|pazarlar|seyirler|uyudun_mu
allah rahatlık_versin|razı_olsun; allaha emanet_ol; öptüm; öpüyorum; iyi misin|misiniz|misin_sen
seni|sizi _|çok seviyorum|seviyoruz|özledim|özledik; _|çok seviyorum|özledim seni|sizi

_|sen harikasın|süpersin|muhteşemsin|mükemmelsin|bir_tanesin|birtanesin|en_iyisisin|haklısın
_|sen çok iyisin|tatlısın|akıllısın|komiksin|naziksin|kibarsın
_|hadi|biraz|hadi_biraz konuşalım|laflayalım
_|hadi|biraz|hadi_biraz sohbet|muhabbet edelim|edelim_mi; _|biraz konuşalım_mı
canım|içim _|çok sıkılıyor|sıkıldı; _|çok sıkıldım|sıkılıyorum; orada|burada mısın|mısınız
robot musun; yapay_zeka|insan|gerçek mısın|misin; ne|neler yapabilirsin|yapabiliyorsun
frohes neues|neues_jahr|fest; frohe|fröhliche weihnachten|ostern|feiertage; gute besserung|reise
alles gute|liebe|gute_zum_geburtstag; schlaf|schlafe|schlafen_sie gut|schön; süße träume
schönes|schönen|schöne wochenende|abend|woche|feierabend; ich liebe|mag|vermisse dich
_|ich hab dich_lieb
du_bist die_beste|der_beste|toll|super|klasse|großartig|nett|lieb|ein_schatz
lass_uns reden|plaudern|quatschen; mir_ist _|so langweilig; bist_du da|okay; geht_es_dir gut
bonne année|chance|nuit_à_tous; joyeux|bon noël|anniversaire
bonnes|joyeuses fêtes|pâques|vacances
dors|dormez bien; fais de_beaux_rêves; bon week_end|weekend|appétit|courage|voyage
je t'aime|vous_aime
tu me_manques
tu_es|t'es|vous_êtes le_meilleur|la_meilleure|génial|géniale|formidable|adorable|super
parlons|discutons _|un_peu; je m'ennuie; tu_vas|vous_allez bien; tu_es là
feliz año_nuevo|año|navidad|cumpleaños|día; felices fiestas|sueños|pascuas; dulces sueños
que descanses
que duermas|descanses bien; te quiero|amo|extraño _|mucho
eres el_mejor|la_mejor|genial|increíble
vamos_a hablar|charlar; hablemos; charlemos; estoy aburrido|aburrida; me aburro; estás bien|ahí
buen fin_de_semana|viaje|provecho; feliz ano_novo|natal|aniversário|páscoa; boas festas|férias
dorme|durma bem; bons sonhos; _|eu te_amo|amo_você|gosto_de_você; saudades; bom fim_de_semana
você_é o_melhor|a_melhor|incrível|demais; vamos conversar|bater_papo; estou entediado|entediada
buon anno|natale|compleanno|appetito|weekend|fine_settimana|viaggio
buona|buone pasqua|giornata|feste
buona serata|notte|vacanza; _|tanti auguri; dormi bene; sogni d'oro; ti amo|voglio_bene
mi manchi
sei il_migliore|la_migliore|grande|fantastico|fantastica; parliamo _|un_po; mi annoio
stai|sta bene
gelukkig nieuwjaar; fijne|prettige kerst|feestdagen|kerstdagen|dag|avond; fijn weekend
slaap lekker
welterusten; ik hou_van je|jou; je_bent de_beste|geweldig|lief; ik verveel_me; gefeliciteerd
szczęśliwego nowego_roku; wesołych świąt; sto lat; wszystkiego najlepszego; śpij dobrze
kolorowych snów; kocham cię; jesteś najlepszy|najlepsza|super; nudzi mi_się; porozmawiajmy
gott nytt_år; god jul|natt; grattis _|på_födelsedagen; sov gott|godt; jag älskar_dig; du_är bäst
godt nytår|nyttår; glædelig jul; jeg elsker dig|deg; hyvää yötä|joulua|uutta_vuotta
rakastan sinua
с новым_годом|рождеством|днем_рождения|днём_рождения|праздником|добрым_утром
сладких|приятных снов
спи спокойно; _|я тебя_люблю|люблю_тебя|скучаю; ты лучший|лучшая|супер|молодец|классный
мне скучно
давай поговорим|поболтаем; ты в_порядке|тут|здесь; хорошего дня|вечера; хороших выходных
з новим_роком|днем_народження|різдвом; на добраніч; я тебе_кохаю; καληνύχτα; χρόνια πολλά
καλή χρονιά
كل_عام|كل_سنة وانت|وأنت|وانتم|وأنتم بخير|طيب|طيبين; عيد|رمضان مبارك|سعيد|كريم
تصبح|تصبحين على_خير
احبك; أحبك; انا احبك; أنا أحبك; أنت|انت رائع|رائعة; هل أنت|انت بخير; ليلة سعيدة; عید مبارک
شب بخیر
לילה|בוקר|ערב|מזל טוב; שנה טובה; חג שמח; אני אוהב|אוהבת אותך
शुभ रात्रि|प्रभात|संध्या; सुप्रभात; _|आप|तुम कैसे|कैसी हो|हैं; क्या हाल है
जन्मदिन|दिवाली|होली|ईद|नया_साल मुबारक
मैं तुमसे|आपसे प्यार करता|करती हूँ|हूं; chúc ngủ_ngon|mừng_năm_mới|mừng_sinh_nhật
tôi|em|anh yêu bạn|anh|em
selamat tidur|siang|sore|natal|tahun_baru|ulang_tahun; aku cinta|sayang|bosan _|kamu; kamu hebat
"""
"""Kinds of which each language has many: wishes, praise, affection, wanting to chat, boredom,
asking whether somebody is there. "a|b c" is "a c" and "b c"; "_" is nothing or a space."""

FILLERS = """
so very much again all everyone everybody guys folks team friend buddy bro dude mate sir
maam man then just really too today for now a lot the help your that please im oh well
hocam abi abla kanka kardesim canim dostum cok herkese simdilik yine o zaman
"""
"""Words that may stand between phrases."""

# Scripts without spaces (and Korean, whose spaces are often left out).
UNSPACED = """
你好 您好 早上好 早安 晚上好 晚安 下午好 嗨 哈喽 你好吗 最近怎么样 谢谢 谢谢你 多谢 感谢
非常感谢 不客气 没关系 好的 好 好吧 行 明白 明白了 知道了 了解 再见 拜拜 回头见 太好了 太棒了 嗯
哦 哈 呵 こんにちは こんばんは おはよう おはようございます おやすみ おやすみなさい お元気ですか
元気 どうも ありがとう ありがとうございます ありがとうございました どういたしまして はい
わかりました 了解です 了解しました さようなら またね じゃあね すごい なるほど 笑 ww www 안녕
안녕하세요 안녕히가세요 안녕히계세요 잘지내 잘지내요 잘지내세요 감사합니다 고마워 고마워요
고맙습니다 네 알겠습니다 좋아 좋아요 잘가 잘가요 ㅋ ㅎ สวัสดี สวัสดีครับ สวัสดีค่ะ สวัสดีคะ
ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ ขอบคุณมาก ขอบคุณมากครับ ขอบคุณมากค่ะ โอเค ลาก่อน สบายดีไหม
ราตรีสวัสดิ์ ฝันดี ฝันดีนะ สุขสันต์วันเกิด สวัสดีปีใหม่ รักนะ ฉันรักคุณ ผมรักคุณ คิดถึง คิดถึงนะ
เบื่อ เบื่อจัง เก่งมาก คุณเก่งมาก คุยกัน คุยกันหน่อย สบายดี นะครับ นะคะ ครับ ค่ะ 新年快乐
生日快乐 圣诞快乐 节日快乐 春节快乐 中秋快乐 周末愉快 新年快樂 生日快樂 謝謝 謝謝你 恭喜
恭喜发财 祝你好运 好梦 做个好梦 睡个好觉 我爱你 爱你 我想你 想你了 你真好 你真棒 你最棒 你太棒了
我们聊聊 聊聊 聊聊吧 聊天吧 我好无聊 我很无聊 好无聊 无聊 你还好吗 你在吗 在吗 加油 辛苦了 啊 吧
呀 おめでとう おめでとうございます あけまして 明けまして お誕生日 メリークリスマス よいお年を
良い週末を よい週末を いい夢を よい夢を ゆっくり休んで ゆっくり休んでね 愛してる 愛してるよ
愛しています 大好き 大好きです 大好きだよ 最高 最高です 話そう 話しましょう おしゃべりしよう
退屈 退屈だ 退屈です 暇 暇だ 暇です 大丈夫 大丈夫ですか 元気ですか お疲れ様 お疲れ様です
お疲れさま お疲れさまです ただいま おかえり 잘자 잘자요 안녕히주무세요 좋은꿈꿔 좋은꿈꾸세요
새해복많이받으세요 생일축하해 생일축하해요 생일축하합니다 축하해 축하해요 축하합니다
메리크리스마스 사랑해 사랑해요 사랑합니다 보고싶어 보고싶어요 최고야 최고예요 심심해 심심해요
얘기하자 이야기하자 괜찮아 괜찮아요 수고하세요 수고했어 수고했어요 주말잘보내 주말잘보내세요
좋은하루 좋은하루보내세요 잘지냈어 잘지냈어요
"""
"""Phrases that follow one another without spaces, and Korean ones without theirs."""

BARE_ANSWERS = """
yes; yeah; yep; yup; no; nope; nah; sure; yes please; no thanks; of course; go on; go ahead
continue; maybe; evet; hayir; yok; olmaz; tabii; tabi; elbette; belki; devam; devam et; ja; nein
doch; vielleicht; oui; non; si; peut etre; claro; talvez; sim; nao; forse; nee; tak; nie; nej
да; нет; может быть; ні; так; نعم; لا; כן; לא; हाँ; नहीं; vang; khong; ya; tidak; 是; 不; 是的
不是; 对; 不对; はい; いいえ; うん; 네; 아니요; 아니; ใช่; ไม่; ไม่ใช่; ναι; οχι
"""
"""Answers to a question of the turn before; where there is none they say nothing."""
