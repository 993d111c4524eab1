"""The small functions that exported programs bring along, each only where it is called."""

from __future__ import annotations

ROTATION_OF = '''
def rotation_of(w: float, x: float, y: float, z: float) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion w, x, y, z."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ],
    )
'''

PER_JOINT = '''
def per_joint(model: {module}.Model, numbers: dict[str, float]) -> np.ndarray:
    """Return one number for each tangent coordinate, zero for joints without."""
    result = np.zeros(model.nv)
    for name, number in numbers.items():
        result[model.joints[model.{get_joint_id}(name)].idx_v] = number
    return result
'''

WITH_POSITIONS = '''
def with_positions(
    model: {module}.Model,
    q: np.ndarray,
    positions: dict[str, float],
) -> np.ndarray:
    """Return a configuration with some joints at given positions, rad or m."""
    result = np.array(q)
    for name, position in positions.items():
        joint = model.joints[model.{get_joint_id}(name)]
        if joint.nq == 1:
            result[joint.idx_q] = position
        else:  # a continuous joint is cosine and sine in Pinocchio
            result[joint.idx_q] = math.cos(position)
            result[joint.idx_q + 1] = math.sin(position)
    return result
'''

SOLVE = '''
def solve(problem: qpsolvers.Problem) -> np.ndarray:
    """Return the solution of a problem, its matrices as the solver wants them."""
    problem.P = csc_matrix(problem.P)
    if problem.G is not None:
        problem.G = csc_matrix(problem.G)
    if problem.A is not None:
        problem.A = csc_matrix(problem.A)
    solution = qpsolvers.solve_problem(problem, solver=SOLVER{options})
    if not solution.found or solution.x is None:
        raise SystemExit("there is no step")
    return solution.x
'''

SPARSE_SOLVERS = (
    "clarabel", "copt", "gurobi", "highs", "mosek", "osqp", "qpalm", "qtqp", "scs", "sip",
)  # fmt: skip
"""Solvers that take sparse matrices only, and that are complained about at every dense one."""

NAME_LINKS_ALONE = '''
def name_links_alone(model: {module}.Model) -> None:
    """Rename what is called like a link or a tool frame, which would hide it."""
    body = {module}.FrameType.BODY
    names = {frame.name for frame in model.frames if frame.type == body}
    names.update(TOOL_FRAMES)
    for frame in model.frames:
        if frame.type != body and frame.name in names:
            frame.name += " (joint)"
'''

HOLD_JOINTS = '''
def hold_joints(robot: ElementTree.Element) -> None:
    """Turn held joints into two fixed ones each: the origin, and how far it has gone."""
    for joint in robot.findall("joint"):
        name, child = joint.get("name", ""), joint.find("child")
        if name not in HELD or child is None:
            continue
        axis = joint.find("axis")
        direction = np.array(
            [float(n) for n in ("1 0 0" if axis is None else axis.get("xyz")).split()],
        )
        way = HELD[name] * direction / np.linalg.norm(direction)
        if joint.get("type") == "prismatic":
            xyz, rpy = way, np.zeros(3)
        else:
            xyz, rpy = np.zeros(3), roll_pitch_yaw(kinematics.exp3(way))
        origin = {
            "xyz": " ".join(str(float(n)) for n in xyz),
            "rpy": " ".join(str(float(n)) for n in rpy),
        }
        link = child.get("link", "")
        between = f"{link} before {name}"
        joint.set("type", "fixed")
        child.set("link", between)
        ElementTree.SubElement(robot, "link", name=between)
        gone = ElementTree.SubElement(robot, "joint", name=f"{name} gone", type="fixed")
        ElementTree.SubElement(gone, "parent", link=between)
        ElementTree.SubElement(gone, "child", link=link)
        ElementTree.SubElement(gone, "origin", origin)


def roll_pitch_yaw(rotation: np.ndarray) -> np.ndarray:
    """Return fixed-axis roll, pitch and yaw of a rotation matrix, rad."""
    cosine = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], cosine)
    if cosine < 1e-9:  # roll and yaw turn about the same axis
        return np.array([0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return np.array([roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])])
'''
"""Pinker cannot take joints out of a model, so that they are written into the URDF as fixed."""

INWARD = '''
def inward(model: {module}.Model, q: np.ndarray, margin: float) -> np.ndarray:
    """Return a configuration moved a margin away from the joints' limits."""
    result = np.array(q)
    for joint in list(model.joints)[1:]:
        at = joint.idx_q
        lower, upper = {lower}[at], {upper}[at]
        if joint.nq != 1 or upper >= 1e20 or lower <= -1e20:
            continue
        low, high = lower + margin, upper - margin
        if low > high:
            low = high = 0.5 * lower + 0.5 * upper
        result[at] = min(max(result[at], low), high)
    return result
'''


def helper(source: str, *, pinker: bool = False, module: str | None = None) -> str:
    """Return a helper's text for one of the libraries.

    Args:
        source: One of the texts of this module.
        pinker: Whether it is Pinker's spelling that is wanted.
        module: Name of the kinematics module; by default what the library's own scripts use.
    """
    words = {
        "module": module or ("kinematics" if pinker else "pinocchio"),
        "get_joint_id": "get_joint_id" if pinker else "getJointId",
        "lower": "model.lower_position_limit" if pinker else "model.lowerPositionLimit",
        "upper": "model.upper_position_limit" if pinker else "model.upperPositionLimit",
    }
    for word, spelling in words.items():
        source = source.replace("{" + word + "}", spelling)
    return source
