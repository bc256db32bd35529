"""A training program as DFTracer's own test of `ai` has it: 3 epochs over 2 files, a checkpoint around them.

training.py [--metadata] [--disable CATEGORY]
"""

import sys

from dftracer.python import ai, dftracer

FILES = 2
EPOCHS = 3


class Reader:
    @ai.data.item
    def read(self, index):
        return bytes(index)


@ai.dataloader.fetch
def batches(reader):
    for index in range(FILES):
        yield reader.read(index)


@ai.data.preprocess.derive(name="collate")
def collate(batch):
    return batch


@ai.device.transfer
def transfer(batch):
    return batch


@ai.compute.forward
def forward(batch):
    return len(batch)


@ai.compute.backward
def backward(loss):
    with ai.comm.all_reduce(enable=False):
        return loss


@ai.compute
def compute(batch):
    return backward(forward(batch))


class Checkpoint:
    @ai.checkpoint.init
    def __init__(self):
        self.saved = 0

    @ai.checkpoint.restart
    def restart(self):
        return self.saved

    @ai.checkpoint.capture
    def capture(self, state):
        self.saved = state


def epochs(as_metadata):
    if not as_metadata:
        yield from ai.pipeline.epoch.iter(range(EPOCHS))
        return
    for epoch in range(EPOCHS):
        ai.pipeline.epoch.start(metadata=True)
        yield epoch
        ai.pipeline.epoch.stop(metadata=True)


@ai.pipeline.train
def train(as_metadata):
    reader, checkpoint, total = Reader(), Checkpoint(), 0
    checkpoint.restart()
    for epoch in epochs(as_metadata):
        for step, batch in ai.dataloader.fetch.iter(enumerate(batches(reader))):
            ai.compute.step.start()
            total += compute(transfer(collate(batch)))
            ai.compute.step.stop()
            ai.update(epoch=epoch, step=step)
    checkpoint.capture(total)
    return total


if "--disable" in sys.argv:
    name = sys.argv[sys.argv.index("--disable") + 1]
    (ai if name == "all" else getattr(ai, name)).disable()
log = dftracer.initialize_log(logfile=None, data_dir=None, process_id=-1)
assert train("--metadata" in sys.argv) == EPOCHS * sum(range(FILES))
log.finalize()
