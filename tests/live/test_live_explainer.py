"""Explanations beside the loop: while somebody wants them, of the robot that is there."""

from __future__ import annotations

from dataclasses import replace

from live_fakes import FakeEngine, Rig, at, fake_bundle, start_settings

from workbench.errors import SolverError
from workbench.ik.explanation import ActiveLimit, Explanation, Holder, Pull, TaskShare
from workbench.ik.types import EngineKind, TickInputs
from workbench.live.explainer import ASKED_FOR_S, Explainer
from workbench.live.loop import Loop
from workbench.live.report import state_document

LIMIT = ActiveLimit("joint x", "position", "upper", 2.0)
EXPLANATION = Explanation(
    tasks=(TaskShare("left", "frame", 0.75, 0.1, 0.2), TaskShare("posture", "posture", 0.25, 0, 0)),
    limits=(LIMIT,),
    pulls=(Pull("left", 1.0, (Holder("joint x", "limit", 1.0, LIMIT.words),)),),
)


class ExplainingEngine(FakeEngine):
    """Explains everything in the same way, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[TickInputs] = []
        self.hulls: object = None
        self.refuses = False

    def explain(self, inputs: TickInputs) -> Explanation:
        if self.refuses:
            raise SolverError("there is no such frame")
        self.asked.append(inputs)
        return EXPLANATION

    def set_collision(self, collision: object) -> None:
        self.hulls = collision


class ExplainerRig(Rig):
    def __init__(self) -> None:
        super().__init__()
        self.made: list[ExplainingEngine] = []
        self.watched = False
        self.bundle = replace(self.bundle, make_engine=self._make)
        self.session.replace_bundle(self.bundle, start_settings(self.bundle))
        self.loop = Loop(self.session, now_utc=self.clock.utc)
        self.explainer = Explainer(self.session, is_watched=lambda: self.watched, clock=self.clock)

    def _make(self, kind: EngineKind) -> ExplainingEngine:
        assert kind == "pink"
        self.made.append(ExplainingEngine())
        return self.made[-1]


def test_nothing_is_explained_before_somebody_wants_it_or_after_a_while() -> None:
    rig = ExplainerRig()
    rig.loop.step()
    assert rig.explainer.step() is None
    assert rig.explainer.ask() is None
    assert rig.explainer.step() is not None
    rig.clock.advance(ASKED_FOR_S + 1)
    assert rig.explainer.step() is None
    rig.watched = True
    assert rig.explainer.step() is not None


def test_it_explains_where_the_loop_is_with_an_engine_of_its_own() -> None:
    rig = ExplainerRig()
    rig.watched = True
    rig.type_target(at(0.5))
    snapshot = rig.loop.step()
    explained = rig.explainer.step()
    assert explained is not None and explained.tick == snapshot.tick
    assert explained.explanation is EXPLANATION
    (engine,) = rig.made
    assert engine.commands[-1]["x"] == snapshot.positions[0]
    assert engine.asked[-1].config is rig.settings.kinematics
    rig.explainer.step()
    assert len(rig.made) == 1


def test_another_robot_gets_an_engine_of_its_own_and_old_words_are_not_told_of_it() -> None:
    rig = ExplainerRig()
    rig.watched = True
    rig.loop.step()
    rig.explainer.step()
    assert rig.explainer.ask() is not None
    other = replace(fake_bundle("other"), make_engine=rig._make)
    rig.session.replace_bundle(other, start_settings(other))
    assert rig.explainer.ask() is None
    rig.loop.step()
    rig.explainer.step()
    assert len(rig.made) == 2


def test_a_refused_setting_is_left_to_the_loops_own_status() -> None:
    rig = ExplainerRig()
    rig.watched = True
    rig.loop.step()
    rig.explainer.step()
    rig.made[0].refuses = True
    assert rig.explainer.step() is None


def test_the_state_tells_why() -> None:
    rig = ExplainerRig()
    rig.watched = True
    snapshot = rig.loop.step()
    rig.explainer.step()
    document = state_document(rig.session.state, snapshot, rig.explainer.ask())
    why = document["why"]
    assert isinstance(why, dict)
    assert why["words"] == "joint x at its upper limit holds 100 %"
    assert [task["share"] for task in why["tasks"]] == [0.75, 0.25]
    assert why["limits"][0]["side"] == "upper"
    assert state_document(rig.session.state, snapshot)["why"] is None
