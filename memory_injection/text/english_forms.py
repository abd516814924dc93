"""English words whose forms no ending tells: data of :mod:`~memory_injection.text.english`.

Facts about the language, written down for this project. A form that is more often another word is
left out, together with what would be torn apart by it: "rose" is a flower as well, and "roses" are
no form of "rise"; so are "bit", "bore", "bound", "ground", "lay", "shot" and "wound", and "lives"
and "leaves" are verbs. "Saw", "found", "felt", "left", "lost", "met" and "led" mostly are the past
of a verb in what people write about themselves, and as nouns they still meet themselves.
"""

from __future__ import annotations

__all__ = ["ADJECTIVES", "DERIVED", "NOUNS", "PREFIXES", "SPELLINGS", "VERBS"]

VERBS = """
arise:arose,arisen awake:awoke,awoken become:became befall:befell,befallen begin:began,begun
behold:beheld bend:bent bite:bitten bleed:bled blow:blew,blown
break:broke,broken breed:bred bring:brought build:built burn:burnt buy:bought catch:caught
choose:chose,chosen cling:clung come:came creep:crept deal:dealt die:dying dig:dug draw:drew,drawn
dream:dreamt drink:drank,drunk drive:drove,driven dwell:dwelt eat:ate,eaten fall:fell,fallen
feed:fed feel:felt fight:fought find:found flee:fled fling:flung fly:flew,flown
forbid:forbade,forbidden forget:forgot,forgotten forgive:forgave,forgiven forsake:forsook,forsaken
freeze:froze,frozen get:gotten give:gave,given go:went,gone,goes grow:grew,grown
hang:hung hear:heard hide:hid,hidden hold:held keep:kept kneel:knelt know:knew,known lay:laid
lead:led,leds lean:leant leap:leapt learn:learnt leave:left lend:lent lie:lain,lying light:lit
lose:lost make:made mean:meant meet:met mow:mown pay:paid plead:pled prove:proven ride:rode,ridden
ring:rang,rung rise:risen run:ran saw:sawn say:said see:saw,seen seek:sought sell:sold send:sent
sew:sewn shake:shook,shaken shave:shaven shine:shone show:shown
shrink:shrank,shrunk sing:sang,sung sink:sank,sunk sit:sat slay:slew,slain sleep:slept slide:slid
smell:smelt sow:sown speak:spoke,spoken speed:sped spell:spelt spend:spent spill:spilt spin:spun
spit:spat spoil:spoilt spring:sprang,sprung stand:stood steal:stole,stolen stick:stuck sting:stung
stink:stank,stunk strike:struck,stricken string:strung strive:strove,striven swear:swore,sworn
sweep:swept swell:swollen swim:swam,swum swing:swung take:took,taken teach:taught tear:tore,torn
tell:told think:thought,thoughts throw:threw,thrown tread:trod,trodden undergo:underwent,undergone
understand:understood wake:woke,woken wear:wore,worn weave:wove,woven weep:wept win:won
withdraw:withdrew,withdrawn withhold:withheld withstand:withstood wring:wrung write:wrote,written"""
"""Verbs and the forms that their endings do not lead back to."""

PREFIXES = "re over out under mis fore with"
"""What stands before a verb of :data:`VERBS` whose forms change in the same way: "rebuilt"."""

NOUNS = """
child:children foot:feet tooth:teeth goose:geese mouse:mice louse:lice ox:oxen woman:women man:men
person:people,persons,peoples penny:pence knife:knives wife:wives housewife:housewives
midwife:midwives wolf:wolves half:halves shelf:shelves bookshelf:bookshelves thief:thieves
loaf:loaves calf:calves scarf:scarves hoof:hooves elf:elves dwarf:dwarves self:selves
grandchild:grandchildren stepchild:stepchildren godchild:godchildren schoolchild:schoolchildren
dormouse:dormice criterion:criteria phenomenon:phenomena bacterium:bacteria fungus:fungi
cactus:cacti nucleus:nuclei alumnus:alumni,alumna,alumnae stimulus:stimuli larva:larvae
vertebra:vertebrae formula:formulae antenna:antennae index:indices appendix:appendices
matrix:matrices vertex:vertices crisis:crises basis:bases oasis:oases thesis:theses
hypothesis:hypotheses diagnosis:diagnoses analysis:analyses synthesis:syntheses
prognosis:prognoses parenthesis:parentheses bureau:bureaux plateau:plateaux gateau:gateaux
kibbutz:kibbutzim passerby:passersby curriculum:curricula memorandum:memoranda"""
"""Nouns and their irregular plurals; those in "-men" follow a rule."""

ADJECTIVES = """
angry big bold brave brief bright broad busy calm cheap clever close cold crazy cruel curly cute
damp dark deep dense dirty dry dull early easy fair faint fancy fast fat fine firm flat fresh
friendly full funny furry gentle great greedy green handy happy hard harsh healthy heavy high hot
huge humble hungry icy itchy juicy kind large lazy lean lively lonely long loose loud lovely lucky
mad mild muddy narrow nasty near neat new nice noble noisy odd oily old pale plain polite poor
pretty proud pure quick quiet rainy rare rich ripe risky rough rude sad safe salty sandy scary
shallow sharp shiny short sick silly simple skinny sleepy slim slow small smart smelly smooth soft
sorry sour spicy steep stiff strict strong sunny sweet tall tame tasty thick thin thirsty tidy
tight tiny tough ugly warm weak wealthy weird wet wide wild windy wise worthy young"""
"""Adjectives that are compared by endings; none whose comparative is a thing or a deed (cooler,
stranger, lower, later)."""

DERIVED = """
far:further,farther,furthest,farthest old:elder,eldest low:lowest strange:strangest
clean:cleanest
die:death,deaths,dead marry:marriage,marriages lose:loss,losses choose:choice,choices
fly:flight,flights believe:belief,beliefs prove:proof,proofs grow:growth weigh:weight,weights
depart:departure,departures fail:failure,failures close:closure,closures expose:exposure
pay:payment,payments repay:repayment,repayments treat:treatment,treatments
agree:agreement,agreements move:movement,movements ship:shipment,shipments
argue:argument,arguments judge:judgement,judgment,judgements,judgments decide:decision,decisions
divide:division,divisions collide:collision,collisions explode:explosion,explosions
conclude:conclusion,conclusions invade:invasion,invasions receive:reception advise:advice
anger:angry,angrier,angriest,angrily hunger:hungry,hungrier,hungriest anxiety:anxious,anxiously
asthma:asthmatic,asthmatics medication:medicine,medicines surgery:surgical religion:religious
extend:extension,extensions complain:complaint,complaints explain:explanation,explanations
destroy:destruction apply:application,applications safe:safety loyal:loyalty
resolve:resolution,resolutions solve:solution,solutions sign:signature,signatures"""
"""Words of one root that no rule leads back to it, where the pair is common."""

SPELLINGS = """
gray:grey grayish:greyish tire:tyre curb:kerb plow:plough plowed:ploughed plowing:ploughing
pajama:pyjama aluminum:aluminium airplane:aeroplane mustache:moustache mom:mum mommy:mummy
mommies:mummies math:maths skeptic:sceptic skeptical:sceptical jewelry:jewellery whiskey:whisky
yogurt:yoghurt donut:doughnut cozy:cosy aging:ageing artifact:artefact mold:mould moldy:mouldy
program:programme license:licence practice:practise practiced:practised practicing:practising
defense:defence offense:offence pretense:pretence fulfill:fulfil fulfillment:fulfilment
willful:wilful skillful:skilful installment:instalment disk:disc specialty:speciality
specialties:specialities maneuver:manoeuvre maneuvered:manoeuvred maneuvering:manoeuvring
woolen:woollen ax:axe sulfur:sulphur counselor:counsellor adapter:adaptor adviser:advisor"""
"""Words as America and as Britain spells them, where no rule tells."""
