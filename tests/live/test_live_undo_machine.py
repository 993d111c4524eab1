"""Whatever people do in whatever order, undo and redo keep their word."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from live_fakes import JOINTS, OFFSETS, Rig, at

from workbench.config.settings import Settings
from workbench.errors import ConfigError
from workbench.live.loop import Loop

FRAMES = st.sampled_from(list(OFFSETS))
CLIENTS = st.sampled_from([1, 2])
NUMBERS = st.sampled_from([0.1, 0.25, 0.5, 0.75])


class UndoMachine(RuleBasedStateMachine):
    """Two clients edit, drag, command, undo and redo; the model is the line of settings."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = Rig()
        self.session = self.rig.session
        self.loop = Loop(self.session, now_utc=self.rig.clock.utc)
        self.line: list[Settings] = [self.rig.settings]
        self.here = 0
        self.hands: dict[str, int] = {}
        self.versions: list[int] = []
        self.session.subscribe(lambda state: self.versions.append(state.version))

    def took_a_step(self, changed: Settings) -> None:
        """Note what a new step must have made of the settings that undo knows."""
        if changed != self.line[self.here]:
            del self.line[self.here + 1 :]
            self.line.append(changed)
            self.here += 1

    @property
    def known(self) -> Settings:
        return self.line[self.here]

    @rule(gain=NUMBERS)
    def edit_gain(self, gain: float):
        self.rig.set_gain(gain)
        self.took_a_step(self.known.with_kinematics(gain=gain))

    @rule(rate_hz=st.sampled_from([50.0, 100.0, 200.0]))
    def edit_rate(self, rate_hz: float):
        self.session.edit(None, lambda settings: replace(settings, rate_hz=rate_hz))
        self.took_a_step(replace(self.known, rate_hz=rate_hz))

    @rule(frame=FRAMES, x=NUMBERS)
    def type_target(self, frame: str, x: float):
        moves = at(x) != self.rig.target(frame)
        try:
            self.rig.type_target(at(x), frame)
        except ConfigError:
            assert frame in self.hands
            assert moves
            return
        assert frame not in self.hands or not moves
        if frame not in self.hands:
            self.took_a_step(self.known.with_target(frame, at(x)))

    @rule(frame=FRAMES, client=CLIENTS)
    def begin_drag(self, frame: str, client: int):
        allowed = self.hands.get(frame, client) == client
        again = frame in self.hands and allowed
        pose = self.rig.target(frame)
        assert self.session.begin_drag(frame, client) == allowed
        if again:
            self.took_a_step(self.known.with_target(frame, pose))
        if allowed:
            self.hands[frame] = client

    @rule(frame=FRAMES, client=CLIENTS, x=NUMBERS)
    def drag(self, frame: str, client: int, x: float):
        owns = self.hands.get(frame) == client
        assert self.session.drag(frame, client, at(x)) == owns
        if owns:
            assert self.rig.target(frame) == at(x)

    @rule(frame=FRAMES, client=CLIENTS)
    def end_drag(self, frame: str, client: int):
        pose = self.rig.target(frame)
        self.session.end_drag(frame, client)
        if self.hands.get(frame) == client:
            del self.hands[frame]
            self.took_a_step(self.known.with_target(frame, pose))

    @rule(client=CLIENTS)
    def disconnect(self, client: int):
        frames = [frame for frame, owner in self.hands.items() if owner == client]
        poses = {frame: self.rig.target(frame) for frame in frames}
        self.session.release_client(client)
        for frame in frames:
            del self.hands[frame]
            self.took_a_step(self.known.with_target(frame, poses[frame]))

    @precondition(lambda self: not self.hands)
    @rule(x=NUMBERS)
    def command(self, x: float):
        before = self.session.present_positions()
        self.session.command_positions("set pose", {"x": x})
        after = self.session.present_positions()
        assert after == {**before, "x": x}
        changed = self.rig.settings
        if changed == self.known and before != after:
            # A step that moves the robot alone.
            del self.line[self.here + 1 :]
            self.line.append(changed)
            self.here += 1
        else:
            self.took_a_step(changed)

    @rule()
    def undo(self):
        label = self.session.undo()
        assert (label is None) == (self.here == 0)
        self.here = max(self.here - 1, 0)

    @rule()
    def redo(self):
        label = self.session.redo()
        assert (label is None) == (self.here == len(self.line) - 1)
        self.here = min(self.here + 1, len(self.line) - 1)

    @rule(ticks=st.integers(1, 3))
    def tick(self, ticks: int):
        for _ in range(ticks):
            self.rig.clock.advance(0.01)
            self.loop.step()

    @invariant()
    def settings_are_the_known_ones_with_dragged_targets_in_their_hands(self):
        expected = self.known
        for frame in self.hands:
            expected = expected.with_target(frame, self.rig.target(frame))
        assert self.rig.settings == expected
        assert dict(self.session.state.drags) == self.hands

    @invariant()
    def labels_say_whether_there_is_something_to_undo_and_redo(self):
        state = self.session.state
        assert (state.undo_label is None) == (self.here == 0)
        assert (state.redo_label is None) == (self.here == len(self.line) - 1)

    @invariant()
    def news_came_in_order(self):
        assert self.versions == sorted(self.versions)

    @invariant()
    def every_joint_has_a_position(self):
        assert tuple(self.session.present_positions()) == JOINTS

    def teardown(self):
        for client in (1, 2):
            self.disconnect(client)
        while self.session.undo() is not None:
            pass
        assert self.rig.settings == self.line[0]
        while self.session.redo() is not None:
            pass
        assert self.rig.settings == self.line[-1]


TestUndoMachine = UndoMachine.TestCase
TestUndoMachine.settings = hypothesis_settings(
    max_examples=40, stateful_step_count=40, deadline=None
)
