"""Stories: steps that somebody chose from releases, each a view with a sentence; played, and taken along as files."""
