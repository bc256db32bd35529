import greenlet

count = 0


def leaf():
    global count
    count += 1


def switching(turns):
    for _ in range(turns):
        for _ in range(10):
            leaf()
        main.switch()


main = greenlet.getcurrent()
fibers = [greenlet.greenlet(switching) for _ in range(3)]
turns = 0
for _ in range(10):
    for fiber in fibers:
        fiber.switch(10)
        turns += 1
for fiber in fibers:
    fiber.switch()
print(count, turns)
