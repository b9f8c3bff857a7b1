"""The command line: every command calls functions of the package. Each group of commands has its own file."""

from dpcore.command_line.main import main

__all__ = ["main"]
