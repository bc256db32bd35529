import threading


def work(number):
    return number + 1


def run(count):
    for i in range(count):
        work(i)


class Mine(threading.Thread):
    def __getattribute__(self, name):
        if name == "_name" and threading.current_thread() is not self:
            raise AttributeError(name)
        return super().__getattribute__(name)

    def run(self):
        run(30)


threads = [threading.Thread(target=run, args=(10,), name="first"), threading.Thread(target=run, args=(20,), name="zweiter \u00e4"), Mine(name="mine")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
run(5)
