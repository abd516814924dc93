"""Settings for every test."""

from __future__ import annotations

from hypothesis import settings

# A property is refuted by a counter-example, never by a busy machine.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
