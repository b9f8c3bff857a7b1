"""Maps: what they show, how it is packed for the browser, and small maps that stand still."""
