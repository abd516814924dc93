"""Ways to turn texts into vectors; each optional dependency lives in one file, loaded on use.

============================  ================================================  ==============
class                         what it is                                        extra
============================  ================================================  ==============
SentenceTransformersEmbedder  any local sentence-transformers model             ``embeddings``
LightEmbedder                 multilingual, numpy only, 31 MB, 16 languages     ``light``
CallableEmbedder              your function: sync or async, one text or many    none
OpenAIEmbedder                any ``/v1/embeddings``, or an OpenAI client       none
============================  ================================================  ==============

``load_embedder`` reads a name, a function or an embedder object as an embedder.
``CrossEncoderReranker`` orders anew what was found (``embeddings``).
"""

from __future__ import annotations

from .callables import CallableEmbedder
from .cross_encoder import CrossEncoderReranker
from .light import LightEmbedder
from .loading import load_embedder
from .openai_api import EmbeddingError, OpenAIEmbedder
from .sentence_transformers import SentenceTransformersEmbedder, find_model

__all__ = [
    "CallableEmbedder",
    "CrossEncoderReranker",
    "EmbeddingError",
    "LightEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformersEmbedder",
    "find_model",
    "load_embedder",
]
