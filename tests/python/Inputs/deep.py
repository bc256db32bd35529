import sys
import threading


def down(depth):
    if depth:
        down(depth - 1)


def plain(depth):
    if depth:
        plain(depth - 1)


sys.setrecursionlimit(50000)
down(40000)
plain(40000)
threading.stack_size(256 * 1024)
thread = threading.Thread(target=down, args=(20000,))
thread.start()
thread.join()
print("done")
