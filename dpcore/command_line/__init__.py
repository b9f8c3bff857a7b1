"""The command line: every command is a function call of the package, one file a group of commands."""

from dpcore.command_line.main import main

__all__ = ["main"]
