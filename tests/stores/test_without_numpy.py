"""What a machine without numpy gets: everything but vectors, and one line that says what to run."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["numpy"] = None
import memory_injection.evaluation, memory_injection.embedders, memory_injection.merging
from memory_injection.stores import SQLiteStore
try:
    from memory_injection.stores import VectorStore
except ImportError as error:
    print(error)
"""


def test_the_vector_store_names_the_install_line() -> None:
    """Importing anything else needs no numpy."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("pip install 'memory-injection[embeddings]'")


def test_everything_that_is_there_can_be_imported_at_once() -> None:
    """``import *`` brings what this machine can use."""
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from memory_injection.stores import *\n"
        "print(SQLiteStore.__name__, 'VectorStore' in dir())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SQLiteStore", "False"]
