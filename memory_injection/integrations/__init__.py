"""Agent frameworks and memory services: one file each, imported by name when it is wanted."""
