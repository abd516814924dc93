"""English: the forms and spellings of a word meet, different words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.stores import InMemoryStore
from memory_injection.text import stems

# One word a line or more, each with forms, spellings or relatives of it.
FORMS = """
buy:bought:buying go:went:gone:goes write:wrote:written pay:paid:payment sell:sold lose:lost:loss
meet:met run:ran:running break:broke:broken see:saw:seen leave:left:leaving find:found feel:felt
think:thought:thoughts wear:wore:worn swim:swam:swum fly:flew:flown:flight rebuild:rebuilt
oversleep:overslept misunderstand:misunderstood die:died:dying:death marry:married:marriage
child:children foot:feet tooth:teeth mouse:mice knife:knives wife:wives shelf:shelves
person:people woman:women fireman:firemen salesman:salesmen crisis:crises
diagnosis:diagnoses:diagnosed analysis:analyses:analyse:analyze
cheap:cheaper:cheapest big:bigger:biggest happy:happier:happiest thin:thinner nice:nicest
allergic:allergy:allergies pregnant:pregnancy injury:injured history:historic economy:economic
delivery:deliver:delivered prescription:prescribe permission:permit photography:photographer
occupy:occupation notify:notification finance:financial medicine:medication apply:application
colour:color:colours:colored favourite:favorite neighbour:neighbor behaviour:behavior
organise:organize:organising:organisation:organizations realise:realized apologise:apology
centre:center:centres theatre:theater metre:meters kilometre:kilometers fibre:fiber
catalogue:catalog dialogue:dialogs anaemia:anemia paediatric:pediatric diarrhoea:diarrhea
travelled:traveled:traveling cancelled:canceled labelled:labels modelling:modeling
grey:gray mum:moms tyre:tires programme:programs jewellery:jewelry licence:license
practise:practice fulfil:fulfill enrol:enroll cosy:cozy pyjamas:pajamas
exercise:exercising promise:promised surprise:surprising revise:revision
advertise:advertising:advertisement arise:arising:arisen rose:roses shot:shots story:stories
"""

APART = """
party:part county:count treaty:treat currency:current presence:present hour:honor vision:video
specimen:specially live:life rise:rose leaf:leave wind:wound grind:ground city:citizen
ramen:raman good:best advice:adventure summer:sum number:numb dinner:dine
paper:pap interest:inter
"""


@pytest.mark.parametrize("forms", FORMS.split())
def test_forms_of_a_word_meet(forms: str) -> None:
    """Irregular and compared forms, relatives, and the spellings of both sides of the sea."""
    words = forms.split(":")
    wanted = stems(words[0], "en")
    assert len(wanted) == 1
    assert {word: stems(word, "en") for word in words} == dict.fromkeys(words, wanted)


@pytest.mark.parametrize("pair", APART.split())
def test_different_words_stay_apart(pair: str) -> None:
    """No rule reaches further than its words."""
    one, other = pair.split(":")
    assert stems(one, "en") != stems(other, "en")


@given(st.text(alphabet="aegilmnoprstuyz", min_size=3, max_size=40))
def test_every_word_keeps_a_stem(word: str) -> None:
    """Never raises, never cuts a word to nothing."""
    assert all(stem.isalpha() for stem in stems(word, "en"))


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("I bought a cello for Elif.", "What did I buy?"),
        ("The children have school on Monday.", "When does my child have school?"),
        ("I'm allergic to penicillin.", "Do I have any allergies?"),
        ("We painted the hall in a light colour.", "Which color is the hall?"),
        ("The wi-fi password is on the router.", "What is the WiFi password?"),
        ("The rent goes up to 1,450 pounds.", "Is the rent 1450?"),
        ("My co-worker Dan moved to Oslo.", "Where did my coworker move?"),
        ("Send it to the e-mail of the school.", "What is the school's email?"),
        ("The iPhone15 is in the drawer.", "Where is the iPhone 15?"),
        ("She has a Ph.D. in physics.", "Who has a PhD?"),
        ("It is 10km to the lake.", "Is the lake 10 km away?"),
    ],
)
@pytest.mark.parametrize("language", ["en", None])
def test_a_note_is_found_by_another_form(note: str, question: str, language: str | None) -> None:
    """First, above the floor, whether the language is told or guessed."""
    others = ["The meeting took place in the big room.", "She said that it will rain."]
    with InMemoryStore(language=language) as store:
        store.add_many([*others, note])
        found = store.search(question)
    assert found[0].content == note
    assert (found[0].score or 0) > store.relevance_floor
