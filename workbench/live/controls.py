"""What a person does with streaming hardware: engage, stop, let the target go stale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HardwareControls:
    """Buttons of the streaming mode; nothing here is undone, and a robot switch resets all.

    Attributes:
        engaged: Whether commands are sent. Everything starts disengaged.
        emergency_stop: Whether the emergency stop is pressed; it stays so until it is released.
        targets_stopped_at_s: Since when no target arrives any more, by the session's clock; None
            while targets arrive.
    """

    engaged: bool = False
    emergency_stop: bool = False
    targets_stopped_at_s: float | None = None

    def target_age_s(self, now_s: float) -> float:
        """Return the time since the newest target came, s."""
        stopped_at_s = self.targets_stopped_at_s
        return 0.0 if stopped_at_s is None else max(now_s - stopped_at_s, 0.0)
