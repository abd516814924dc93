"""Request shapes: one file per dialect, found by name or by what a conversation looks like."""

from .registry import detect, detect_body, dialect_named, dialect_names

__all__ = ["detect", "detect_body", "dialect_named", "dialect_names"]
