from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.robots_inline import joint, robot, write_urdf
from workbench.errors import RobotError, UsageError
from workbench.model.packages import FileFinder, MeshPathError, example_robot_data
from workbench.model.request import RobotRequest
from workbench.model.robot import load_robot

NOTHING: dict[str, str] = {}

TRIANGLE = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 0.1 0 0
vertex 0 0.1 0
endloop
endfacet
endsolid t
"""


def _mesh(path: Path, text: str = TRIANGLE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _manifest(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")


def test_a_package_is_the_folder_above_the_urdf_of_that_name(tmp_path: Path) -> None:
    mesh = _mesh(tmp_path / "arm_description" / "meshes" / "a.stl")
    urdf = tmp_path / "arm_description" / "urdf" / "arm.urdf"
    finder = FileFinder(urdf, environment=NOTHING)
    assert finder.resolve("package://arm_description/meshes/a.stl") == mesh
    assert finder.resolve("package:///arm_description/meshes/a.stl") == mesh
    assert finder.resolve("model://arm_description/meshes/a.stl") == mesh


def test_a_package_is_found_by_its_manifest_whatever_the_folder_is_called(tmp_path: Path) -> None:
    mesh = _mesh(tmp_path / "checkout-1.2" / "meshes" / "a.stl")
    _manifest(tmp_path / "checkout-1.2", "arm_description")
    finder = FileFinder(tmp_path / "checkout-1.2" / "urdf" / "arm.urdf", environment=NOTHING)
    assert finder.resolve("package://arm_description/meshes/a.stl") == mesh


def test_a_package_is_found_beside_that_of_the_urdf(tmp_path: Path) -> None:
    mesh = _mesh(tmp_path / "hand_description" / "a.stl")
    finder = FileFinder(tmp_path / "arm_description" / "urdf" / "arm.urdf", environment=NOTHING)
    assert finder.resolve("package://hand_description/a.stl") == mesh


def test_given_folders_come_first_and_may_be_or_hold_the_package(tmp_path: Path) -> None:
    near = _mesh(tmp_path / "arm" / "a.stl")
    held = _mesh(tmp_path / "elsewhere" / "arm" / "a.stl")
    urdf = tmp_path / "arm" / "arm.urdf"
    uri = "package://arm/a.stl"
    assert FileFinder(urdf, environment=NOTHING).resolve(uri) == near
    for folder in (tmp_path / "elsewhere", tmp_path / "elsewhere" / "arm"):
        assert FileFinder(urdf, [folder], environment=NOTHING).resolve(uri) == held


def test_ros_variables_are_searched_after_the_folders_above(tmp_path: Path) -> None:
    ros1 = _mesh(tmp_path / "ws" / "src" / "one" / "a.stl")
    nested = _mesh(tmp_path / "ws" / "src" / "repository" / "two" / "a.stl")
    ament = _mesh(tmp_path / "install" / "share" / "three" / "a.stl")
    finder = FileFinder(
        tmp_path / "urdf" / "arm.urdf",
        environment={
            "ROS_PACKAGE_PATH": f"{tmp_path / 'nowhere'}{os.pathsep}{tmp_path / 'ws' / 'src'}",
            "AMENT_PREFIX_PATH": str(tmp_path / "install"),
        },
    )
    assert finder.resolve("package://one/a.stl") == ros1
    assert finder.resolve("package://two/a.stl") == nested
    assert finder.resolve("package://three/a.stl") == ament


def test_example_robot_data_is_found_from_anywhere(tmp_path: Path) -> None:
    folder = example_robot_data()
    assert folder is not None
    uri = "package://example-robot-data/robots/panda_description/urdf/panda.urdf"
    found = FileFinder(tmp_path / "copy.urdf", environment=NOTHING).resolve(uri)
    assert found == folder / "robots" / "panda_description" / "urdf" / "panda.urdf"


def test_relative_absolute_and_file_paths_do_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = _mesh(tmp_path / "robot" / "meshes" / "größe 1.stl")
    finder = FileFinder(tmp_path / "robot" / "urdf" / "arm.urdf", environment=NOTHING)
    monkeypatch.chdir(tmp_path)
    for name in (
        "../meshes/größe 1.stl", "./../meshes/größe 1.stl", "..\\meshes\\größe 1.stl", str(mesh),
        f"file://{mesh}", mesh.as_uri(), f"file://localhost{mesh}",
    ):  # fmt: skip
        assert finder.resolve(name) == mesh
    assert not finder.substitutes


def test_a_path_of_another_machine_is_found_by_its_end(tmp_path: Path) -> None:
    mesh = _mesh(tmp_path / "arm" / "meshes" / "visual" / "a.stl")
    finder = FileFinder(tmp_path / "arm" / "urdf" / "arm.urdf", environment=NOTHING)
    for name in (
        "/home/somebody/ws/src/arm/meshes/visual/a.stl", "file:///home/x/meshes/visual/a.stl",
        "package://renamed_package/meshes/visual/a.stl",
    ):  # fmt: skip
        assert finder.resolve(name) == mesh
        assert finder.substitutes[name] == mesh


def test_a_bare_file_name_is_not_looked_for_far_from_the_urdf(tmp_path: Path) -> None:
    _mesh(tmp_path / "a.stl")
    finder = FileFinder(tmp_path / "arm" / "urdf" / "arm.urdf", environment=NOTHING)
    with pytest.raises(RobotError, match="no such file"):
        finder.resolve("/home/somebody/meshes/a.stl")


def test_a_missing_file_names_the_places_that_were_tried(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    finder = FileFinder(tmp_path / "arm" / "arm.urdf", environment=NOTHING)
    with pytest.raises(RobotError) as caught:
        finder.resolve("package://arm/meshes/a.stl")
    assert str(tmp_path / "arm" / "meshes" / "a.stl") in str(caught.value)
    with pytest.raises(RobotError, match="not a file on this machine"):
        finder.resolve("https://example.org/a.stl")


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/../secret.stl", "package://arm/meshes/../../secret.stl",
        "package:///arm/../secret.stl", "package://../secret.stl", "package://./../secret.stl",
        "package://arm/%2e%2e/secret.stl", "package://arm/..\\secret.stl",
        "package://unknown/../../secret.stl", "package:///../secret.stl",
    ],
)  # fmt: skip
def test_a_path_that_leaves_its_package_is_refused_even_where_a_file_is(
    tmp_path: Path, uri: str
) -> None:
    _mesh(tmp_path / "secret.stl")
    _mesh(tmp_path / "arm" / "meshes" / "a.stl")
    finder = FileFinder(tmp_path / "arm" / "arm.urdf", environment=NOTHING)
    with pytest.raises(MeshPathError, match="leaves its package directory"):
        finder.resolve(uri)


def test_a_path_with_dots_that_stays_inside_is_fine(tmp_path: Path) -> None:
    mesh = _mesh(tmp_path / "arm" / "meshes" / "a.stl")
    finder = FileFinder(tmp_path / "arm" / "arm.urdf", environment=NOTHING)
    assert finder.resolve("package://arm/urdf/../meshes/a.stl").resolve() == mesh


def test_a_link_out_of_the_package_is_refused(tmp_path: Path) -> None:
    secret = _mesh(tmp_path / "secret.stl")
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "a.stl").symlink_to(secret)
    finder = FileFinder(tmp_path / "arm" / "arm.urdf", environment=NOTHING)
    with pytest.raises(MeshPathError, match="symbolic link"):
        finder.resolve("package://arm/a.stl")


def test_links_into_the_package_s_own_sources_are_what_colcon_makes(tmp_path: Path) -> None:
    source = _mesh(tmp_path / "src" / "arm" / "meshes" / "a.stl")
    _manifest(tmp_path / "src" / "arm", "arm")
    share = tmp_path / "install" / "share" / "arm"
    (share / "meshes").mkdir(parents=True)
    (share / "meshes" / "a.stl").symlink_to(source)
    finder = FileFinder(share / "arm.urdf", environment=NOTHING)
    assert finder.resolve("package://arm/meshes/a.stl").resolve() == source


def test_a_package_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--package-dir"):
        FileFinder(tmp_path / "arm.urdf", [tmp_path / "nowhere"])


def test_a_robot_with_a_missing_mesh_loads_and_says_which_file(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="meshes/{}.stl"/></geometry></visual>'
    text = robot(joint("elbow")).replace(
        '<link name="arm"/>', f'<link name="arm">{mesh.format("here")}{mesh.format("gone")}</link>'
    )
    _mesh(tmp_path / "meshes" / "here.stl")
    description = load_robot(RobotRequest(write_urdf(tmp_path, text))).description
    assert [shape.link for shape in description.visuals] == ["arm"]
    links = {link.name: link for link in description.links}
    assert links["arm"].missing_files == ("meshes/gone.stl",)
    remark = next(remark for remark in description.remarks if remark.code == "missing_mesh")
    assert "meshes/gone.stl" in remark.text
    assert str(tmp_path / "meshes" / "gone.stl") in remark.text


def test_meshes_in_millimetres_are_said_and_do_not_blow_up_the_robot(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="large.stl"/></geometry></visual>'
    text = robot(joint("elbow")).replace('<link name="arm"/>', f'<link name="arm">{mesh}</link>')
    for size in (80.0, 3.0):
        _mesh(tmp_path / "large.stl", TRIANGLE.replace("0.1", str(size)))
        description = load_robot(RobotRequest(write_urdf(tmp_path, text))).description
        (remark,) = (item for item in description.remarks if item.code == "mesh_too_large")
        assert "millimetres" in remark.text and "arm" in remark.text
        assert description.size_m < 1.0
