"""Projects: what an owner loaded and chose, saved under a name in the private folder, so that no reload or restart loses it.

``project`` is what is saved, ``data`` finds loaded trips again, and ``saved`` loads, saves, lists and deletes.
"""
