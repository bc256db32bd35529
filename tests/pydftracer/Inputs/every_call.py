"""Uses every call of DFTracer's Python interface. Prints what the program has computed, which is the same when it is
not traced, and what the calls have returned, which is not.

every_call.py STYLE  (python, logger or dbg: where the names are imported from)
"""

import sys

style = sys.argv[1]
if style == "python":
    from dftracer.python import *
    from dftracer.python import DFTRACER_ENABLE, DFTracerAI, EntityRelation, EntityRole, EntityStore, TagDType, TagType, TagValue
    from dftracer.python import ai, dft_fn, dftracer, get_default_args
elif style == "logger":
    from dftracer.logger import *
    from dftracer.logger import ai, dft_fn as Profile, dftracer as PerfTrace
    from dftracer.logger import logger as submodule
    from dftracer.logger.ai import DFTracerAI as Node
    from dftracer.logger.logger import NoOpProfiler as Silent

    assert submodule.dftracer is PerfTrace and submodule.NoOpProfiler is Silent and Profile is dft_fn and Node is DFTracerAI
else:
    from dftracer.python.dbg import *

log = dftracer.initialize_log(logfile=None, data_dir=None, process_id=-1)
assert log is dftracer.get_instance()
results = []

# --- dftracer ---
start = log.get_time()
log.enter_event()
log.log_event("explicit", "direct", start, 5, int_args={"i": (0, 2**40)}, float_args={"f": (1, 0.1)}, string_args={"s": (2, 'a "b"')})
log.log_event("plain", "direct", start, 0, string_args={"s": "text", "n": 3})
log.exit_event()
log.log_metadata_event("key", "value")
log.set_app_metadata_int("number", 7)
log.set_app_metadata_string("text", "seven")
log.mark_used("library")
log.mark_used("library")
entity = log.declare_entity("protein_structure", "MGYP0001", EntityStore.LOCAL_DISK, "file:x")
log.declare_entity_type("protein_structure", EntityRole.INPUT, "a fold")
log.relate_entities(EntityRelation.PART_OF, entity, entity)
assert entity == (0x8F0DE68C04EEA0BF if DFTRACER_ENABLE else 0), hex(entity)
assert (start > 10**15) == DFTRACER_ENABLE and isinstance(log.get_config("DFTRACER_ENABLE"), str)
assert TagValue(3, TagDType.INT, TagType.VALUE).value() == (1, 3)
assert get_time_scale() == 1e6

# --- dft_fn ---
fn = dft_fn("app")


@fn.log
def plain(a, epoch, step=5, image_idx=None):
    return a


@fn.log(name="renamed")
def named(a):
    fn.update(epoch=1, step=2, image_idx=3, image_size=4.5, args={"i": 1, "f": 0.5, "s": "t", "b": True, "n": None, "l": [1]})
    return a


class Model:
    @fn.log_init
    def __init__(self, image_size):
        self.image_size = image_size
        self.epoch = 4

    @fn.log
    def train(self, x, step):
        return step

    @fn.log_static
    def below(x, epoch=1):
        return x

    @staticmethod
    @fn.log
    def inside(x):
        return x

    around = fn.log_static(staticmethod(lambda epoch: epoch), name="around")

    @fn.log
    @classmethod
    def made(cls):
        return cls(10)


results += [plain(1, 2), plain(1, 2, 7), plain(1, epoch=3, step=8), named(2)]
model = Model.made()
results += [model.train(1, 9), Model.below(1), Model.inside(2), model.inside(2), Model.around(3), model.around(3)]
results.append(fn.log(model.made)().image_size + fn.log(model.train)(1, step=11))
with dft_fn("app") as f:
    f.update(step=1).update(args={"x": 1})


def block():
    with dft_fn("app", epoch=1):
        pass
    with dft_fn("app", name="written", step=2) as inner:
        inner.flush()
    with fn as inner:
        assert inner is fn.reset()


block()
loose = dft_fn("app", name="loose", step=1)
assert loose.flush() is loose and loose.update(epoch=2) is loose
loose.reset().flush()
loose.log_metadata("loose", "yes")
for x in loose.iter([10, 20]):
    results.append(x)
for x in fn.iter(iter("ab"), name="letters", iter_name="letter"):
    fn.update(args={"seen": x})
    results.append(x)
for x in fn.iter(range(5), name="left"):
    break
off = dft_fn("app", name="off", enable=False)
with off:
    results.append(off.log(plain) is plain)
off.update(step=1).flush()


@fn.log
def related():
    assert fn.relate(EntityRelation.USED, 1) is fn
    fn.uses("file", "a")
    fn.generates("file", "b", EntityStore.MEMORY, "uri")
    fn.relate_entity(EntityRelation.UPDATED, "file", "c")
    fn.relate(EntityRelation.PART_OF, 5)


related()
assert get_default_args(lambda a, b=1: 0) == {"b": 1}


# --- ai ---
@ai.compute
def compute(x):
    return x + 1


@ai.compute.forward(epoch=1, args={"layer": "a"})
def forward(x, epoch=9):
    return x * 2


@ai.comm.send(enable=False)
def silent():
    return "silent"


class Writer:
    @ai.checkpoint.init
    def __init__(self):
        self.step = 3

    @ai.checkpoint.io.write
    def write(self):
        return "written"

    @ai.other.log
    @staticmethod
    def note():
        return "noted"


results += [compute(1), forward(2), silent(), Writer().write(), Writer.note()]
with ai.data.io.read:
    pass
with ai.data.item(image_idx=4) as item:
    item.update(image_size=2.5)
with ai.data.item:
    with ai.data.item:
        pass
ai.device.transfer.start()
ai.device.transfer.stop()
ai.device.transfer.stop()
ai.pipeline.epoch.start(metadata=True)
ai.pipeline.epoch.stop(metadata=True)
for x in ai.dataloader.fetch.iter(range(2)):
    results.append(x)
for x in ai.dataloader.fetch.iter([5], include_block=False, iter_name="own"):
    results.append(x)
for x in ai.dataloader.fetch.iter([6], include_iter=False, block_name="body"):
    results.append(x)
ai.comm.disable()
with ai.comm.barrier:
    results.append(compute(2))
ai.comm.enable()
with ai.comm.barrier:
    ai.comm.barrier.reset()
ai.update(epoch=5, step=6)
derived = ai.data.preprocess.derive("collate")
assert derived is ai.data.preprocess.derive("collate") and derived.name == "preprocess.collate" and derived.cat == "data"
with derived:
    pass
own = DFTracerAI(cat="own", name="mine", step=1)
assert DFTracerAI(cat="own", name="").name == "own" and isinstance(ai.init(epoch=2), DFTracerAI)
own.create_children({"left": "l", "right": "r"})
with own, own.left:
    pass
with ai.pipeline.train:
    ai.pipeline.train.update(args={"extra": 1})
assert (ai.get_time() > 0) == DFTRACER_ENABLE
print(results)
log.finalize()
log.finalize()
