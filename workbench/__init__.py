"""IK Workbench: tune differential inverse kinematics by hand, in a browser, on your own robot."""

__version__ = "0.1.0"
