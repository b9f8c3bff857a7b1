"""The ledger: what was spent on whom, exactly, for good."""
