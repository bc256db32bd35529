"""Compiles functions and modules by dynamo, and profiles one with torch.profiler."""

import torch

from dftracer.python import DFTRACER_ENABLE, Dynamo, create_backend, dftracer
from dftracer.python.torch import trace_handler

log = dftracer.initialize_log()
tracer = Dynamo(epoch=1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, x):
        return torch.relu(self.layer(x)).view(2)


@tracer.compile(autograd=False)
def added(x):
    return torch.sin(x) + 1


model, x = Model(), torch.ones(4)
assert (tracer.compile(added) is added) == (not DFTRACER_ENABLE)
assert tracer.count_parameters(model) == 10 and tracer.count_parameters(1) is None
assert torch.allclose(added(x), torch.sin(x) + 1)
compiled = tracer.compile(model)
result = compiled(x)
result.sum().backward()
assert torch.allclose(result, model(x)) and model.layer.weight.grad is not None
named = torch.compile(lambda x: x.cos(), backend=create_backend("named", autograd=False))
assert torch.allclose(named(x), x.cos())
tracer.reset()
with torch.profiler.profile(on_trace_ready=trace_handler, record_shapes=True):
    model(x)
log.finalize()
