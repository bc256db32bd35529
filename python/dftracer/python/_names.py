"""Names and categories of the events of training programs."""

from enum import Enum

ITER_COUNT_NAME = "count"
INIT_NAME = "init"
BLOCK_NAME = "block"
ITER_NAME = "iter"
CTX_SEPARATOR = "."
ROOT_NAME = "ai_root"
ROOT_CAT = "ai_root"
START_METADATA_NAME = "start"
STOP_METADATA_NAME = "end"


def get_iter_block_name(name: str) -> str:
    """The event of a loop's body."""
    return f"{name}{CTX_SEPARATOR}{BLOCK_NAME}"


def get_iter_handle_name(name: str) -> str:
    """The event in which a loop obtains an item."""
    return f"{name}{CTX_SEPARATOR}{ITER_NAME}"


class StringEnum(str, Enum):
    """Members are texts."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        return format(str(self.value), format_spec)


class ProfileCategory(StringEnum):
    COMPUTE = "compute"
    DATA = "data"
    DATALOADER = "dataloader"
    COMM = "comm"
    DEVICE = "device"
    CHECKPOINT = "checkpoint"
    PIPELINE = "pipeline"
    OTHER = "other"


class ComputeEvent(StringEnum):
    FORWARD = "forward"
    BACKWARD = "backward"
    STEP = "step"


class DataEvent(StringEnum):
    PREPROCESS = "preprocess"
    ITEM = "item"


class DataLoaderEvent(StringEnum):
    FETCH = "fetch"


class CommunicationEvent(StringEnum):
    SEND = "send"
    RECEIVE = "receive"
    BARRIER = "barrier"
    BCAST = "bcast"
    REDUCE = "reduce"
    ALL_REDUCE = "all_reduce"
    GATHER = "gather"
    ALL_GATHER = "all_gather"
    SCATTER = "scatter"
    REDUCE_SCATTER = "reduce_scatter"
    ALL_TO_ALL = "all_to_all"


class DeviceEvent(StringEnum):
    TRANSFER = "transfer"


class PipelineEvent(StringEnum):
    EPOCH = "epoch"
    TRAIN = "train"
    EVALUATE = "evaluate"
    TEST = "test"


class CheckpointEvent(StringEnum):
    CAPTURE = "capture"
    RESTART = "restart"


class IOEvent(StringEnum):
    OPEN = "open"
    READ = "read"
    WRITE = "write"
    CLOSE = "close"


class OtherEvent(StringEnum):
    LOG = "log"
