"""Decorated functions are pickled by their names, so each way to start a worker process can run them."""

import multiprocessing

import dftrace


@dftrace.region("work")
def work(queue, n):
    queue.put(n)


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        workers = [context.Process(target=work, args=(queue, n)) for n in range(3)]
        for worker in workers:
            worker.start()
        assert sorted(queue.get() for _ in workers) == [0, 1, 2]
        for worker in workers:
            worker.join()
            assert worker.exitcode == 0, worker
