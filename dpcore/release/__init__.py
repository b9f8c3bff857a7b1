"""Releases and their bundles on disk: public from here on."""
