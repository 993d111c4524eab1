"""Tests of the workbench; a package, so that its helpers can be run with ``python -m``."""
