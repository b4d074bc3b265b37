"""What an attempt's agent is told, in order: the prompt and the task's steps, read from their blobs."""

from dataclasses import replace

from executor.attempt import TrialOrder
from executor.turns import Turn
from ledger.blobs import Blobs


def told(order: TrialOrder) -> tuple[Turn, ...]:
    """Give all that the agent is told, the prompt first; a step that qualifies belongs to what was told just before it."""
    inputs, pool = Blobs(order.inputs), order.material
    kept = inputs if inputs.has(order.task.prompt) else pool
    turns = [Turn(prompt=kept.get(order.task.prompt).decode("utf-8"))]
    for step in order.task.steps:
        if step.told is not None:
            turns.append(Turn(prompt=kept.get(step.told).decode("utf-8"), fresh=step.new_run is not None))
        elif step.cancel is not None:
            turns[-1] = replace(turns[-1], cancel=step.cancel)
        else:
            turns[-1] = replace(turns[-1], refuse=step.refuse)
    return tuple(turns)
