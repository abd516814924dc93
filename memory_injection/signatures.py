"""What a callable can be called with: optional arguments are offered only to who takes them."""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["accepts"]


def accepts(function: Any, keyword: str) -> bool:
    """Tell whether *function* can be called with *keyword*; False where nobody can say."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    kinds = {parameter.kind for parameter in parameters.values()}
    return keyword in parameters or inspect.Parameter.VAR_KEYWORD in kinds
