"""Enums and small types of DFTracer's interface."""

from enum import Enum, IntEnum
from typing import Any, Dict, List, Optional, Protocol, Tuple, Union

TagValueTuple = Tuple[int, Union[int, float, str]]
EntityID = int


class EntityStore(IntEnum):
    """Where an entity is."""

    MEMORY = 0
    GPU_MEMORY = 1
    LOCAL_DISK = 2
    PARALLEL_FS = 3
    BURST_BUFFER = 4
    OBJECT_STORE = 5
    DATABASE = 6
    NETWORK = 7
    OTHER = 8


class EntityRole(IntEnum):
    """What a type of entities is to the program."""

    UNKNOWN = 0
    INPUT = 1
    OUTPUT = 2
    INTERMEDIATE = 3
    PARAMETER = 4
    REFERENCE = 5


class EntityRelation(IntEnum):
    """Below 16: what an event does to an entity. From 16: what an entity is to another one."""

    USED = 0
    GENERATED = 1
    INVALIDATED = 2
    UPDATED = 3
    DERIVED_FROM = 16
    REVISION_OF = 17
    CONTAINS = 18
    PART_OF = 19
    SPECIALIZATION_OF = 20
    ALTERNATE_OF = 21
    DEPENDS_ON = 22


class TagType(Enum):
    """What an argument is when DFTracer aggregates events. dftrace records all of them."""

    KEY = 0
    VALUE = 1
    IGNORE = 2


class TagDType(Enum):
    """The type of an argument."""

    INT = 0
    FLOAT = 1
    STRING = 2


class TagValue:
    """An argument of an event with its type."""

    def __init__(self, value: Any, dtype: TagDType = TagDType.STRING, tag_type: TagType = TagType.KEY) -> None:
        self._value = value
        self._dtype = dtype
        self._tag_type = tag_type

    def value(self) -> TagValueTuple:
        """The tuple that ``log_event`` takes: tag type and value."""
        convert = {TagDType.INT: int, TagDType.FLOAT: float, TagDType.STRING: str}[self._dtype]
        return (self._tag_type.value, convert(self._value))


class ProfilerProtocol(Protocol):
    """What DFTracer calls a profiler: the functions behind the class ``dftracer``."""

    def initialize(self, log_file: Optional[str] = None, data_dirs: Optional[str] = None,
                   process_id: int = -1) -> None: ...

    def get_time(self) -> int: ...

    def get_config(self, key: str) -> str: ...

    def enter_event(self) -> None: ...

    def exit_event(self) -> None: ...

    def log_event(self, name: str, cat: str, start_time: int, duration: int,
                  int_args: Optional[Dict[str, TagValueTuple]] = None,
                  string_args: Optional[Dict[str, TagValueTuple]] = None,
                  float_args: Optional[Dict[str, TagValueTuple]] = None,
                  relations: Optional[Dict[Any, List[int]]] = None) -> None: ...

    def log_metadata_event(self, key: str, value: str) -> None: ...

    def declare_entity(self, type: str, key: str, store: Any, uri: str) -> int: ...

    def declare_entity_type(self, type: str, role: Any, description: str) -> None: ...

    def relate_entities(self, relation: Any, subject: int, object: int) -> None: ...

    def set_app_metadata_int(self, key: str, value: int) -> None: ...

    def set_app_metadata_string(self, key: str, value: str) -> None: ...

    def mark_used(self, name: str) -> None: ...

    def finalize(self) -> None: ...


class NoOpProfiler:
    """The profiler of programs that are not traced: nothing has an effect."""

    def initialize(self, log_file: Optional[str] = None, data_dirs: Optional[str] = None,
                   process_id: int = -1) -> None:
        return None

    def get_time(self) -> int:
        return 0

    def get_config(self, key: str) -> str:
        return ""

    def enter_event(self) -> None:
        return None

    def exit_event(self) -> None:
        return None

    def log_event(self, name: str, cat: str, start_time: int, duration: int,
                  int_args: Optional[Dict[str, TagValueTuple]] = None,
                  string_args: Optional[Dict[str, TagValueTuple]] = None,
                  float_args: Optional[Dict[str, TagValueTuple]] = None,
                  relations: Optional[Dict[Any, List[int]]] = None) -> None:
        return None

    def log_metadata_event(self, key: str, value: str) -> None:
        return None

    def declare_entity(self, type: str, key: str, store: Any, uri: str) -> int:
        return 0

    def declare_entity_type(self, type: str, role: Any, description: str) -> None:
        return None

    def relate_entities(self, relation: Any, subject: int, object: int) -> None:
        return None

    def set_app_metadata_int(self, key: str, value: int) -> None:
        return None

    def set_app_metadata_string(self, key: str, value: str) -> None:
        return None

    def mark_used(self, name: str) -> None:
        return None

    def finalize(self) -> None:
        return None
