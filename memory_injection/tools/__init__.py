"""What a model may do with memory: ``search_memory``, ``add_memory`` and the stores' own tools."""

from ..tool_records import Tool, ToolRefused
from ..toolset import Toolset
from .config import AddTool, SearchTool
from .loop import ToolLoop, arun_tool_loop, run_tool_loop
from .memory import MemoryTools

__all__ = [
    "AddTool",
    "MemoryTools",
    "SearchTool",
    "Tool",
    "ToolLoop",
    "ToolRefused",
    "Toolset",
    "arun_tool_loop",
    "run_tool_loop",
]
