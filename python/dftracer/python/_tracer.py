"""The class ``dftracer`` and the profiler behind it."""

import logging
import os
import sys
import time
from typing import Any, Dict, List, Optional

from dftracer.python import _engine, _entities
from dftracer.python._types import (EntityRelation, EntityRole, EntityStore, NoOpProfiler, ProfilerProtocol,
                                    TagValueTuple)
from dftracer.python._values import of_tags, plain


class _Profiler:
    """Records with dftrace's runtime."""

    def initialize(self, log_file: Optional[str] = None, data_dirs: Optional[str] = None,
                   process_id: int = -1) -> None:
        if log_file is not None:
            _engine.set_log_file(os.fspath(log_file))

    def get_time(self) -> int:
        _engine.now()  # an event that begins now must not be older than the trace
        return time.time_ns() // 1000

    def get_config(self, key: str) -> str:
        return os.environ.get(key, "")

    def enter_event(self) -> None:
        return None

    def exit_event(self) -> None:
        return None

    def log_event(self, name: str, cat: str, start_time: int, duration: int,
                  int_args: Optional[Dict[str, TagValueTuple]] = None,
                  string_args: Optional[Dict[str, TagValueTuple]] = None,
                  float_args: Optional[Dict[str, TagValueTuple]] = None,
                  relations: Optional[Dict[Any, List[int]]] = None) -> None:
        values = of_tags(int_args, float_args, string_args)
        if relations:
            values["relations"] = _entities.values_of_relations(relations)
        age_ns = time.time_ns() - int(start_time) * 1000
        _engine.record_ago(str(name), str(cat), age_ns, int(duration) * 1000, values or None)

    def log_metadata_event(self, key: str, value: str) -> None:
        _engine.metadata(str(key), plain(value))

    def declare_entity(self, type: str, key: str, store: Any, uri: str) -> int:
        entity = _entities.hash_of(str(type), str(key))
        is_first = _engine.is_first(entity)
        if is_first < 0:
            return 0
        if is_first:
            _engine.instant("EH", "dftracer", id=_entities.hex_of(entity), type=str(type), store=int(store),
                            uri=str(uri or ""))
        return entity

    def declare_entity_type(self, type: str, role: Any, description: str) -> None:
        if _engine.is_first(_entities.hash_of("ET", str(type))) > 0:
            _engine.instant("ET", "dftracer", type=str(type), role=int(role), description=str(description or ""))

    def relate_entities(self, relation: Any, subject: int, object: int) -> None:
        _engine.instant("ER", "dftracer", relation=int(relation), subject=_entities.hex_of(subject),
                        object=_entities.hex_of(object))

    def set_app_metadata_int(self, key: str, value: int) -> None:
        _engine.metadata(str(key), int(value))

    def set_app_metadata_string(self, key: str, value: str) -> None:
        _engine.metadata(str(key), str(value))

    def mark_used(self, name: str) -> None:
        if _engine.is_first(_entities.hash_of("used", str(name))) > 0:
            _engine.metadata(f"used.{name}", True)

    def finalize(self) -> None:
        _engine.flush()


profiler: ProfilerProtocol = _Profiler() if _engine.is_on else NoOpProfiler()


def get_time_scale() -> float:
    """How many units of ``get_time`` a second has. They are microseconds."""
    return 1e6


class dftracer:
    """The tracer of this process. ``get_instance`` and ``initialize_log`` return the one that there is."""

    __instance: Optional["dftracer"] = None

    def __init__(self) -> None:
        self.logger = profiler
        self.start_time = time.time_ns() // 1000 if _engine.is_on else 0
        dftracer.__instance = self

    @classmethod
    def get_instance(cls) -> "dftracer":
        """The tracer of this process."""
        return dftracer.__instance or dftracer()

    @staticmethod
    def initialize_log(logfile: Optional[str] = None, data_dir: Optional[str] = None,
                       process_id: int = -1) -> "dftracer":
        """Begins the trace. ``logfile`` without ``.pfw`` is its prefix, unless DFTRACER_LOG_FILE is set or the
        trace has begun. The other two are not used."""
        profiler.initialize(logfile, data_dir, process_id)
        return dftracer.get_instance()

    def get_time(self) -> int:
        """Microseconds since 1970; 0 if nothing is recorded."""
        return profiler.get_time()

    def get_config(self, key: str) -> str:
        """The value of an environment variable; empty if it is not set, or nothing is recorded."""
        return profiler.get_config(key)

    def enter_event(self) -> None:
        """Has no effect: events nest by their times."""

    def exit_event(self) -> None:
        """Has no effect: events nest by their times."""

    def log_event(self, name: str, cat: str, start_time: int, duration: int,
                  int_args: Optional[Dict[str, TagValueTuple]] = None,
                  float_args: Optional[Dict[str, TagValueTuple]] = None,
                  string_args: Optional[Dict[str, TagValueTuple]] = None,
                  relations: Optional[Dict[EntityRelation, List[int]]] = None) -> None:
        """Records an event that began at ``start_time``, a time from ``get_time``, and lasted ``duration``
        microseconds. The values of the three dicts are tuples of tag type and value, or values."""
        profiler.log_event(name, cat, start_time, duration, int_args=int_args, float_args=float_args,
                           string_args=string_args, relations=relations)

    def log_metadata_event(self, key: str, value: str) -> None:
        """What is true of the whole process. If a key has several values, the last one counts."""
        profiler.log_metadata_event(key, value)

    def declare_entity(self, type: str, key: Any, store: EntityStore = EntityStore.MEMORY, uri: str = "") -> int:
        """The id of an entity, which is recorded once for each process; 0 if nothing is recorded."""
        return profiler.declare_entity(type, key, store, uri)

    def declare_entity_type(self, type: str, role: EntityRole = EntityRole.UNKNOWN, description: str = "") -> None:
        """Describes a type of entities."""
        profiler.declare_entity_type(type, role, description)

    def relate_entities(self, relation: EntityRelation, subject: int, object: int) -> None:
        """Records what an entity is to another one."""
        profiler.relate_entities(relation, subject, object)

    def set_app_metadata_int(self, key: str, value: int) -> None:
        """What is true of the whole process."""
        profiler.set_app_metadata_int(key, value)

    def set_app_metadata_string(self, key: str, value: str) -> None:
        """What is true of the whole process."""
        profiler.set_app_metadata_string(key, value)

    def mark_used(self, name: str) -> None:
        """The metadata ``used.NAME`` = true, once."""
        profiler.mark_used(name)

    def finalize(self) -> None:
        """Returns when all that was recorded so far is in the trace. Recording goes on."""
        profiler.finalize()


def capture_signal(signal_number: int, frame: Any) -> None:
    """A signal handler: completes the trace and ends the program. dftrace installs none, as it needs none."""
    dftracer.get_instance().finalize()
    sys.exit(signal_number)


def setup_logger(name: str, log_file: str, formatter: str, level: int = logging.INFO) -> logging.Logger:
    """A logger that writes to a file, with the given format."""
    logger = logging.getLogger(name)
    handler = logging.FileHandler(log_file)
    handler.setFormatter(logging.Formatter(formatter))
    logger.setLevel(level)
    logger.addHandler(handler)
    return logger
