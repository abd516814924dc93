"""Language matters shared by every lexical store: folding, words, stop words, stems, guessing.

Small pure functions; no state but memo caches, no I/O.
"""

from .asking_days import words_about_days
from .capitals import written_as_names
from .dates import Period, periods, read_day, read_periods
from .folding import fold
from .framing import asked_attributes, unwrapped, words_of_asking
from .joining import apart, term_words
from .languages import guess_language
from .mistyped import one_slip_apart
from .spaceless import (
    asks_for_more,
    has_function_character,
    has_lone_character,
    without_function_words,
)
from .stemming import marked_terms, stems, terms, word_terms
from .stopwords import FIRST_PERSON, LANGUAGES, SECOND_PERSON, stop_words
from .tokenizing import raw_words, split_word, tokenize

__all__ = [
    "FIRST_PERSON",
    "LANGUAGES",
    "SECOND_PERSON",
    "Period",
    "apart",
    "asked_attributes",
    "asks_for_more",
    "fold",
    "guess_language",
    "has_function_character",
    "has_lone_character",
    "marked_terms",
    "one_slip_apart",
    "periods",
    "raw_words",
    "read_day",
    "read_periods",
    "split_word",
    "stems",
    "stop_words",
    "term_words",
    "terms",
    "tokenize",
    "unwrapped",
    "without_function_words",
    "word_terms",
    "words_about_days",
    "words_of_asking",
    "written_as_names",
]
