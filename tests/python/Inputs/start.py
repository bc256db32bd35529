def foo():
    return 1


if __name__ == "__main__":
    foo()
    print("done")
