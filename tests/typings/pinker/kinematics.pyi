from collections.abc import Sequence
from enum import IntEnum

import numpy as np

class SE3:
    rotation: np.ndarray
    translation: np.ndarray
    def __init__(self, rotation: np.ndarray, translation: np.ndarray) -> None: ...
    def __mul__(self, other: SE3) -> SE3: ...

class FrameType(IntEnum):
    OP_FRAME = 1

class Frame:
    parent_joint: int
    placement: SE3
    def __init__(
        self, name: str, parent_joint: int, parent_frame: int, placement: SE3, type: FrameType
    ) -> None: ...

class JointModel:
    idx_q: int
    idx_v: int
    nq: int

class Data:
    oMf: Sequence[SE3]

class Model:
    nq: int
    nv: int
    frames: list[Frame]
    joints: list[JointModel]
    names: list[str]
    lower_position_limit: np.ndarray
    upper_position_limit: np.ndarray
    velocity_limit: np.ndarray
    def create_data(self) -> Data: ...
    def get_joint_id(self, name: str) -> int: ...
    def get_frame_id(self, name: str) -> int: ...
    def add_frame(self, frame: Frame) -> int: ...

def build_model_from_xml(xml_string: str, root_joint: JointModel | None = ...) -> Model: ...
def frames_forward_kinematics(model: Model, data: Data, q: np.ndarray) -> None: ...
