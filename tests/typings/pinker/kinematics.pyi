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

class Data: ...

class Model:
    nq: int
    nv: int
    frames: list[Frame]
    joints: list[JointModel]
    lower_position_limit: np.ndarray
    upper_position_limit: np.ndarray
    velocity_limit: np.ndarray
    def create_data(self) -> Data: ...
    def get_joint_id(self, name: str) -> int: ...
    def get_frame_id(self, name: str) -> int: ...
    def add_frame(self, frame: Frame) -> int: ...

def build_model_from_xml(xml_string: str) -> Model: ...
