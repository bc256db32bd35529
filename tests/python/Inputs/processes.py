import multiprocessing
import sys


def work(number):
    return number


def run(queue):
    queue.put(sum(work(2) for _ in range(1000)))


def main():
    queue = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=run, args=(queue,)) for _ in range(3)]
    for process in processes:
        process.start()
    total = sum(queue.get() for _ in processes)
    for process in processes:
        process.join()
    print(total)


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    main()
