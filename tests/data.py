"""Where the evaluation data lies; it is never part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def data_folder() -> Path:
    """Return the folder of evaluation data, or skip the test that needs it."""
    default = Path(__file__).parent.parent.parent / "shared" / "data"
    folder = Path(os.environ.get("MEMORY_INJECTION_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}: set MEMORY_INJECTION_DATA")
    return folder
