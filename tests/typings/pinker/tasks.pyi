from collections.abc import Sequence

import numpy as np

from .kinematics import SE3

class Task: ...

class FrameTask(Task):
    def __init__(
        self,
        frame: str,
        position_cost: float | Sequence[float],
        orientation_cost: float | Sequence[float],
        lm_damping: float = ...,
        gain: float = ...,
    ) -> None: ...
    def set_target(self, transform_target_to_world: SE3) -> None: ...

class PostureTask(Task):
    def __init__(self, cost: float, lm_damping: float = ..., gain: float = ...) -> None: ...
    def set_target(self, target_q: np.ndarray) -> None: ...
