"""Writes and reads arrays in each of numpy's ways."""

import numpy

array = numpy.arange(100000, dtype=numpy.float64)
numpy.save("a.npy", array)
print(numpy.load("a.npy").sum())
array.tofile("a.bin")
print(numpy.fromfile("a.bin")[-1])
mapped = numpy.memmap("mapped", dtype="u1", mode="w+", shape=(4096,))
mapped[:] = 7
mapped.flush()
print(numpy.memmap("mapped", mode="r").sum())
numpy.savetxt("a.txt", array[:99])
print(numpy.loadtxt("a.txt").sum())
numpy.savez_compressed("a.npz", a=array)
print(numpy.load("a.npz")["a"][7])
