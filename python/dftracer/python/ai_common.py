"""The nodes of ``ai`` as classes, and all names that belong to them."""

from typing import Any, Dict, Iterable, Optional

from dftracer.python._names import (BLOCK_NAME, CTX_SEPARATOR, INIT_NAME, ITER_COUNT_NAME, ITER_NAME, ROOT_CAT,
                                    ROOT_NAME, START_METADATA_NAME, STOP_METADATA_NAME, CheckpointEvent,
                                    CommunicationEvent, ComputeEvent, DataEvent, DataLoaderEvent, DeviceEvent, IOEvent,
                                    OtherEvent, PipelineEvent, ProfileCategory, StringEnum, get_iter_block_name,
                                    get_iter_handle_name)
from dftracer.python._node import DFTracerAI, _DFTracerAI
from dftracer.python.common import *  # noqa: F403

__all__ = [
    "AI", "BLOCK_NAME", "CTX_SEPARATOR", "Checkpoint", "CheckpointEvent", "Communication", "CommunicationEvent",
    "Compute", "ComputeEvent", "DFTracerAI", "Data", "DataEvent", "DataLoader", "DataLoaderEvent", "Device",
    "DeviceEvent", "INIT_NAME", "IO", "IOEvent", "ITER_COUNT_NAME", "ITER_NAME", "Other", "OtherEvent", "Pipeline",
    "PipelineEvent", "ProfileCategory", "ROOT_CAT", "ROOT_NAME", "START_METADATA_NAME", "STOP_METADATA_NAME",
    "StringEnum", "_DFTracerAI", "get_iter_block_name", "get_iter_handle_name",
]


def _children(events: Iterable[StringEnum]) -> Dict[str, str]:
    return {event.value: event for event in events}


class IO(DFTracerAI):
    """``PARENT.io``: open, read, write, close."""

    def __init__(self, *, cat: str, parent_name: str, epoch: Optional[int] = None, step: Optional[int] = None,
                 image_idx: Optional[int] = None, image_size: Optional[Any] = None, enable: bool = True):
        name = f"{getattr(parent_name, 'value', parent_name)}{CTX_SEPARATOR}io"
        super().__init__(cat=cat, name=name, epoch=epoch, step=step, image_idx=image_idx, image_size=image_size,
                         enable=enable)
        self.create_children({event.value: f"{name}{CTX_SEPARATOR}{event.value}" for event in IOEvent})


class _Category(DFTracerAI):
    """A category. ``events`` are its nodes."""

    category: StringEnum
    events: Iterable[StringEnum] = ()
    has_io = False

    def __init__(self, epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
                 image_size: Optional[Any] = None, enable: bool = True):
        super().__init__(cat=self.category, epoch=epoch, step=step, image_idx=image_idx, image_size=image_size,
                         enable=enable)
        self.create_children(_children(self.events))
        if self.has_io:
            self.io = IO(cat=self.category, parent_name=self.category, epoch=epoch, step=step, image_idx=image_idx,
                         image_size=image_size, enable=enable)
            self._adopt("io", self.io)


class Compute(_Category):
    """Forward and backward pass, optimizer step."""

    category = ProfileCategory.COMPUTE
    events = ComputeEvent


class Data(_Category):
    """What is done with data."""

    category = ProfileCategory.DATA
    events = DataEvent
    has_io = True


class DataLoader(_Category):
    """Fetching batches."""

    category = ProfileCategory.DATALOADER
    events = DataLoaderEvent


class Communication(_Category):
    """Communication between processes."""

    category = ProfileCategory.COMM
    events = CommunicationEvent


class Device(_Category):
    """Transfers to and from devices."""

    category = ProfileCategory.DEVICE
    events = DeviceEvent


class Checkpoint(_Category):
    """Saving and loading the model."""

    category = ProfileCategory.CHECKPOINT
    events = CheckpointEvent
    has_io = True


class Pipeline(_Category):
    """The whole: training, evaluation, epochs."""

    category = ProfileCategory.PIPELINE
    events = PipelineEvent


class Other(_Category):
    """What belongs to no other category."""

    category = ProfileCategory.OTHER
    has_io = True

    def __init__(self, epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
                 image_size: Optional[Any] = None, enable: bool = True):
        super().__init__(epoch, step, image_idx, image_size, enable)
        self.create_children({OtherEvent.LOG.value: f"{self.category}{CTX_SEPARATOR}{OtherEvent.LOG}"})


class AI(DFTracerAI):
    """All categories."""

    def __init__(self, epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
                 image_size: Optional[Any] = None, enable: bool = True):
        super().__init__(cat=ROOT_CAT, name=ROOT_NAME, epoch=epoch, step=step, image_idx=image_idx,
                         image_size=image_size, enable=enable)
        values = (epoch, step, image_idx, image_size, enable)
        self.compute = self._adopt("compute", Compute(*values))
        self.data = self._adopt("data", Data(*values))
        self.dataloader = self._adopt("dataloader", DataLoader(*values))
        self.comm = self._adopt("comm", Communication(*values))
        self.device = self._adopt("device", Device(*values))
        self.checkpoint = self._adopt("checkpoint", Checkpoint(*values))
        self.pipeline = self._adopt("pipeline", Pipeline(*values))
        self.other = self._adopt("other", Other(*values))
