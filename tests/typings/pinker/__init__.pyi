from collections.abc import Iterable

import numpy as np

from . import kinematics as kinematics
from . import tasks as tasks

class Configuration:
    data: kinematics.Data
    model: kinematics.Model
    q: np.ndarray
    def __init__(self, model: kinematics.Model, data: kinematics.Data, q: np.ndarray) -> None: ...
    def update(self, q: np.ndarray | None = ...) -> None: ...
    def integrate_inplace(self, velocity: np.ndarray, dt: float) -> None: ...

class Problem:
    P: np.ndarray
    q: np.ndarray
    G: np.ndarray
    h: np.ndarray

def build_ik(
    configuration: Configuration, tasks: Iterable[tasks.Task], dt: float, damping: float = ...
) -> Problem: ...
def solve_ik(
    configuration: Configuration,
    tasks: Iterable[tasks.Task],
    dt: float,
    solver: str,
    damping: float = ...,
    safety_break: bool = ...,
) -> np.ndarray: ...
