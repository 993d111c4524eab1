"""Pasted text: DimOS's files and flags, Isaac Sim's arguments; parsed, never executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.kinematics import PinkKinematicsConfig
from workbench.config.pasted import (
    PastedConfig,
    differences,
    read_dimos_file,
    read_dimos_flags,
    read_dimos_python,
    read_isaac_arguments,
    read_pasted,
)
from workbench.errors import ConfigError

CALL = """
from isaacsim.robot_motion.pink import PinkIKController

controller = PinkIKController(
    pink_robot=robot,
    robot_joint_space=articulation.dof_names,
    robot_site_space=["panda_hand"],
    tool_frame="panda_hand",
    position_cost=2,
    orientation_cost=[0.5, 0.5, 0.5],
    gain=0.5,
    solver="daqp",
    dt=1.0 / 60.0,
)
"""


# DimOS's files


@pytest.mark.parametrize(
    "text",
    [
        "gain: 0.3\nsolver: daqp\n",
        '{"gain": 0.3, "solver": "daqp"}',
        "pink: {gain: 0.3, solver: daqp}",
        '{"manipulationmodule": {"kinematics": {"gain": 0.3, "solver": "daqp"}}}',
        '{"comment": null, "arm_manipulation": {"kinematics": {"gain": 0.3, "solver": "daqp"}}}',
    ],
)
def test_dimos_files_are_read_in_all_their_forms(text: str) -> None:
    for read in (read_pasted(text), read_dimos_file(text, name="x")):
        assert read.kinematics == PinkKinematicsConfig(gain=0.3, solver="daqp")
        assert read.kind == "dimos-file" and read.not_taken == ()


def test_other_sections_of_a_config_file_are_named() -> None:
    text = '{"g": {"n_workers": 2}, "m": {"kinematics": {"gain": 0.3}, "floor_z": 0.0}}'
    assert read_pasted(text).not_taken == (
        "section g is not about kinematics", "section m.floor_z is not about kinematics",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"m": {"kinematics": {\n"gian": 0.3}}}', "x:2: m.kinematics.gian: .*gain"),
        ('{"m": {"kinematics": {"gain": 3}}}', "m.kinematics.gain: is out of range"),
        ('{"m": {"kinematics": {"backend": "jacobian"}}}', "another backend"),
        ('{"m": {"kinematics": {}}, "n": {"kinematics": {}}}', "second module"),
        ('{"m": {"kinematics": {"max-iterations": 3}}}', "expected max_iterations"),
    ],
)
def test_mistakes_in_a_config_file_are_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_dimos_file(text, name="x")


@pytest.mark.parametrize(
    "text",
    [
        "---\ngain: 0.3",
        "# --x\ngain: 0.3",
        "gain: 0.3  # -- x",
        "gain: 0.3  # was --m.kinematics.gain=0.2",
        "--- # gain = 0.3\ngain: 0.3",
        "# from Isaac PinkIKController\ngain: 0.3",
        "# PinkIKController(gain=0.3)\n\ngain: 0.3",
        '# after PinkIKController\n{"gain": 0.3}',
    ],
)
def test_comments_and_dashes_do_not_make_a_file_something_else(text: str) -> None:
    read = read_pasted(text)
    assert read.kind == "dimos-file" and read.kinematics == PinkKinematicsConfig(gain=0.3)


# DimOS's Python


@pytest.mark.parametrize(
    "text",
    [
        "from dimos.x import PinkKinematicsConfig\n\n# tuned\npink = PinkKinematicsConfig(\n"
        '    solver="daqp",\n    gain=0.3,\n    safety_break=False,\n)\n',
        "config.PinkKinematicsConfig(gain=0.6 / 2, solver='daqp', safety_break=False)",
    ],
)
def test_dimos_python_is_read(text: str) -> None:
    read = read_pasted(text)
    assert read.kind == "dimos-python" and read.not_taken == ()
    assert read.kinematics == PinkKinematicsConfig(gain=0.3, solver="daqp", safety_break=False)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = PinkKinematicsConfig(\n  gian=0.3)", r"pasted text:2: gian: .*perhaps gain"),
        ("PinkKinematicsConfig(gain=my_gain)", r"gain: is not a literal \(got 'my_gain'\)"),
        ("PinkKinematicsConfig(gain=2)", "gain: is out of range"),
        ("PinkKinematicsConfig(gain=[0.1, 0.2])", "gain: is not a number"),
        ("PinkKinematicsConfig(0.3)", "stands without its name"),
        ("PinkKinematicsConfig(**fields)", "unpacks a mapping"),
        ("PinkKinematicsConfig(gain=0.3", "is not Python"),
    ],
)
def test_mistakes_in_dimos_python_are_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_dimos_python(text)


@pytest.mark.parametrize(
    "text",
    [
        "please set the gain to 0.3",
        "dimos run xarm7 -o manipulationmodule.kinematics.gain=0.3",
        '<robot name="arm"/>',
        "import os\nos.remove('x')",
    ],
)
def test_what_is_none_of_the_texts_is_told_what_would_be(text: str) -> None:
    with pytest.raises(ConfigError, match=r"nothing that can be read here .*PinkIKController"):
        read_pasted(text)


# DimOS's flags


def test_a_pasted_command_is_read() -> None:
    read = read_pasted(
        "dimos --simulation run xarm-planner \\\n"
        "  --manipulationmodule.kinematics.gain=0.3 --kinematics.max-iterations 50 \\\n"
        "  --manipulationmodule.kinematics.damping 1e-8 # calm\n"
        "  --MANIPULATIONMODULE.kinematics.safety_break=FALSE \\\n"
        "  --manipulationmodule.kinematics.solver='daqp'\n"
    )
    assert read.kinematics == PinkKinematicsConfig(
        gain=0.3, max_iterations=50, damping=1e-8, safety_break=False, solver="daqp"
    )
    assert read.kind == "dimos-flags"
    assert "--simulation is not about kinematics" in read.not_taken


def test_the_last_of_two_flags_counts() -> None:
    read = read_dimos_flags("--m.kinematics.gain=0.3 --kinematics.gain=0.4")
    assert read.kinematics.gain == 0.4


def test_flags_of_two_modules_are_refused() -> None:
    with pytest.raises(ConfigError, match=r":2: --b\.kinematics\.gain: .*second module.*--a\."):
        read_pasted("--a.kinematics.gain=.1 \\\n--b.kinematics.gain=.2")
    one = "--my-arm.kinematics.gain=.1 --kinematics.dt=.02 --MY_ARM.kinematics.gain=.2 --b.x=1"
    assert read_pasted(one).kinematics == PinkKinematicsConfig(gain=0.2, dt=0.02)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "--m.kinematics.gian=1",
            r"--m\.kinematics\.gian: there is no such setting .*perhaps gain",
        ),
        ("--a.b=1 \\\n --m.kinematics.gain=2", r":2: --m\.kinematics\.gain: .*got '2'"),
        ("--m.kinematics.gain=fast", "is not a number"),
        ("--m.kinematics.max-iterations=2.5", "not a whole number"),
        ("--m.kinematics.safety-break=1", "neither true nor false"),
        ("--m.kinematics.solver=nope", "is not installed here"),
        ("--m.kinematics.gain", "has no value"),
        ("--m.kinematics.gain --m.kinematics.dt=1", "has no value"),
        ("--m.kinematics.gain='0.3", "cannot be split into words"),
        ("--n-workers=3", "holds no flag about kinematics"),
    ],
)
def test_mistakes_in_flags_are_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_dimos_flags(text)


# Isaac Sim's arguments


def test_a_call_is_read_with_the_controllers_own_defaults() -> None:
    read = read_pasted(CALL)
    assert read.kinematics == PinkKinematicsConfig(
        solver="daqp", position_cost=2.0, orientation_cost=0.5, gain=0.5, posture_cost=1e-3,
        damping=1e-12, lm_damping=0.0,
    )  # fmt: skip
    assert (read.kind, read.rate_hz, read.tool_frame) == ("isaac", 60.0, "panda_hand")
    assert read.not_taken == (
        "pink_robot is an object of the program",
        "robot_joint_space is an object of the program",
        "robot_site_space is an object of the program",
    )


@pytest.mark.parametrize(
    "text",
    [
        "gain=0.25, posture_cost=None, solver='daqp'",
        "gain = 0.25,\nposture_cost = 0,  # off\nsolver = 'daqp',\nextra_tasks=None,\n",
        "# for a PinkIKController\ngain=0.25, posture_cost=0, solver='daqp'",
        "PinkIKController (\n  gain=0.25, posture_cost=None, solver='daqp')  # as in the demo",
        "\ufeffgain=0.25, posture_cost=0, solver='daqp'",
        "isaac.PinkIKController(gain=+0.25, posture_cost=1 - 1, solver='daqp')",
    ],
)
def test_arguments_are_read_alone_and_in_a_call(text: str) -> None:
    read = read_pasted(text)
    assert read.kinematics.gain == 0.25 and read.kinematics.posture_cost == 0.0
    assert read.not_taken == () and read.rate_hz is None and read.tool_frame is None


def test_the_first_three_arguments_may_stand_without_their_names() -> None:
    read = read_pasted("PinkIKController(robot, joints, sites, gain=0.5 * 0.5, solver='daqp')")
    assert read.kinematics.gain == 0.25
    assert [words.split()[0] for words in read.not_taken] == [
        "pink_robot", "robot_joint_space", "robot_site_space",
    ]  # fmt: skip


def test_costs_that_differ_by_axis_are_named() -> None:
    read = read_isaac_arguments("position_cost=[1, 2.0, 3], solver='daqp'")
    assert read.kinematics.position_cost == 1.0
    assert "position_cost differs by axis: [1, 2.0, 3]" in read.not_taken[0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gian=0.5", r"pasted text:1: gian: there is no such argument.*perhaps gain"),
        ("solver='daqp',\ngain=my_gain", r":2: gain: is not a literal \(got 'my_gain'\)"),
        ("gain=open('/etc/passwd').read()", "is not a literal"),
        ("gain=2 ** 9 ** 9 ** 9", "is not a literal"),
        ("gain=1 / 0", "is not a literal"),
        ("gain=1e400", "is not finite|is out of range"),
        ("gain=7", "gain: is out of range"),
        ("gain='fast'", "is not a number"),
        ("gain=[1, 2, 3]", "is not a number"),
        ("position_cost=[1, 2]", "is not a number"),
        ("position_cost=[1, True, 2]", "is not a list of numbers"),
        ("position_cost=[1, -1, 2]", "is out of range"),
        ("dt=0", "is not a step"),
        ("tool_frame=3", "is not a name"),
        ("solver='nope'", "is not installed here"),
        ("**values", "unpacks a mapping"),
        ("PinkIKController(\n **{'gain': 0.5})", r"pasted text:2: \*\*: unpacks a mapping"),
        ("PinkIKController(\n *args, gain=0.5)", r"pasted text:2: \*: unpacks a list"),
        ("PinkIKController(r, j, s,\n 0.5)", r":2: stands without its name \(got '0\.5'\)"),
        ("PinkIKController(r, pink_robot=r)", "pink_robot: is given twice"),
        ("quaternion_order='xyzw'", "quaternion_order: there is no such argument"),
        ("gain=0.5,\nsolver='da\0qp'", "pasted text:2: holds a null byte"),
        ("gain=[x for x in (1,)][0]", "is not a literal"),
        ("gain=__import__('os').getpid()", "is not a literal"),
        ("solver=f'{1}'", "is not a literal"),
        ("solver='a' * 10**9", "is not a literal"),
        ("position_cost=[1] * 10**9", "is not a literal"),
        ("gain=(lambda: 0.5)()", "is not a literal"),
        ("gain=1 << 10**12", "is not a literal"),
        ("gain=9**9**9", "is not a literal"),
        ("gain=", "is not Python"),
        (r"tool_frame='\d', gain=7", "gain: is out of range"),
        ("0.5, gain=1", "is not a list of keyword arguments"),
        ("gain=0.5)\nimport os\n(", "is not a list of keyword arguments"),
        ("PinkIKController(gain=1); PinkIKController(gain=1)", "holds 2 calls"),
        ("# PinkIKController", "is not a list of keyword arguments"),
        ("# x\nf('PinkIKController()')", "holds 0 calls"),
        ("gain=" + "(" * 5000 + "1" + ")" * 5000, "is not Python"),
        ("PinkIKController(gain=" + "1+" * 900 + "1)", "nested too deeply"),
        ("PinkIKController" + "()" * 700, "nested too deeply"),
        ("extra_tasks=" + "a." * 600 + "b", "nested too deeply"),
        ("gain=" + "-" * 900 + "1", "nested too deeply"),
        ("f" + "()" * 700, "is not a list of keyword arguments"),
        ("dt=1" + "0" * 4000, "dt: is not a step"),
        ("dt=1e400", "dt: is not a step"),
        ("dt=1e-320", "dt: is not a step"),
        (f"position_cost=[1{'0' * 4000}, 1{'0' * 4000}, 1{'0' * 4000}]", "position_cost: .*large"),
        ("gain=0x1" + "0" * 4500, "gain: has a number that is too large"),
        ("gain=1,\ngain=0.5", "pasted text:2: gain: is given twice"),
        ("PinkIKController(gain=1, gain=1)", "gain: is given twice"),
        ("gain=1" + " " * 200_000, "too long"),
        (" \n ", "is empty"),
    ],
)
def test_mistakes_in_arguments_are_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_isaac_arguments(text)


def test_nothing_that_is_pasted_is_executed(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    code = f"open({str(marker)!r}, 'w').close()"
    for text in (
        f"{code}\nPinkIKController(gain=0.5, solver='daqp')",
        f"PinkIKController(gain=0.5, solver='daqp', extra_tasks=[{code}])",
        f"PinkIKController(gain=0.5, solver='daqp', pre_step_callback={code})",
    ):
        assert read_isaac_arguments(text).kinematics.gain == 0.5
    assert not marker.exists()


def test_a_frame_that_the_robot_lacks_is_named() -> None:
    read = read_isaac_arguments("tool_frame='panda_hnd', solver='daqp'")
    with pytest.raises(ConfigError, match="perhaps panda_hand"):
        read.check_frames(["panda_hand", "panda_link0"])
    PastedConfig(PinkKinematicsConfig(), "isaac").check_frames([])


def test_differences_are_told_field_by_field() -> None:
    present = PinkKinematicsConfig()
    assert differences(present, present) == ()
    assert differences(present, present.with_values(gain=0.3, solver="daqp")) == (
        ("solver", "proxqp", "daqp"), ("gain", 0.5, 0.3),
    )  # fmt: skip


@given(st.text(max_size=80))
def test_no_text_does_anything_but_be_read_or_refused(text: str) -> None:
    readers: list[Any] = [
        read_pasted, read_dimos_flags, read_dimos_python, read_isaac_arguments,
    ]  # fmt: skip
    for read in readers:
        try:
            read(text)
        except ConfigError as error:
            assert "\n" not in str(error)
