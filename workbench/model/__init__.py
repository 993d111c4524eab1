"""Robots: from a profile or a URDF to a model, its limits, its names and its looks."""
