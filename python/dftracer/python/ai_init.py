"""The tree ``ai``, and its categories as names of their own."""

from dftracer.python.ai_common import *  # noqa: F403
from dftracer.python.ai_common import AI
from dftracer.python.ai_common import __all__ as _names
from dftracer.python.common import *  # noqa: F403

ai = AI()
compute = ai.compute
data = ai.data
dataloader = ai.dataloader
comm = ai.comm
device = ai.device
checkpoint = ai.checkpoint
pipeline = ai.pipeline

__all__ = [name for name in _names if not name.startswith("_")]
__all__ += ["ai", "checkpoint", "comm", "compute", "data", "dataloader", "device", "pipeline"]
