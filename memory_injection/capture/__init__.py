"""From conversation to memory: what was said, handed to the stores that learn.

A call is heard (``hearing``, ``replies``), booked as part of a turn (``book``), and each store's
lane (``lanes``) hands its turns over (``delivery``) when a trigger fires (``config``).
"""

from .config import EveryNTurns, EveryTurn, ExtractionConfig, MessageFilter
from .coordinator import Capture
from .extractors import ModelExtractor
from .records import AddMessagesContext, CaptureStatus, StoreCaptureStatus, TriggerContext

__all__ = [
    "AddMessagesContext",
    "Capture",
    "CaptureStatus",
    "EveryNTurns",
    "EveryTurn",
    "ExtractionConfig",
    "MessageFilter",
    "ModelExtractor",
    "StoreCaptureStatus",
    "TriggerContext",
]
