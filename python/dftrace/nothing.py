"""The functions of dftrace where its extension module is missing. They do nothing."""


class Region:
    """What region() returns."""

    __slots__ = ("name", "category")

    def __init__(self, name, category=None, /):
        self.name = name
        self.category = category

    def begin(self):
        """Begins a region, which end() ends in the same thread."""

    def end(self):
        """Ends the region that this thread began last with this object."""

    def set(self, **values):
        """Adds values to the region that this thread began last with this object."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, function):
        return function


class Track:
    """What track() returns."""

    __slots__ = ("name",)

    def __init__(self, name, /):
        self.name = name

    def begin(self, name, category=None, /, **values):
        """Begins a region on this track, which any thread may end."""

    def end(self):
        """Ends the region that was begun last on this track."""

    def instant(self, name, category=None, /, **values):
        """Marks this moment on this track."""


def region(name, category=None, /, **values):
    """A region of the program: a context manager, a decorator, or begin() and end()."""
    return Region(name, values.get("category", category))


def track(name, parent=None):
    """A row of the trace that is no thread: a device, a queue, a request, a task."""
    return Track(name)


def instant(name, category=None, /, **values):
    """Marks this moment."""


def counter(name, value, /, unit=None, category=None):
    """The value of a counter from now on."""


def counter_add(name, value, /, unit=None, category=None):
    """Adds to a counter. All threads add to the same counter."""


def flow_begin():
    """Begins an arrow from the region that is open here, and returns its id."""
    return 0


def flow_step(id, /):
    """Leads the arrow through the region that is open here."""


def flow_end(id, /):
    """Ends the arrow in the region that is open here."""


def metadata(key, value, /):
    """What is true of the whole process."""


def thread_name(name, /):
    """The name of this thread in the trace."""


def is_tracing():
    """Whether events are recorded now."""
    return False


def flush():
    """Returns when everything that was recorded before is in the file."""


def pause():
    """Records nothing until resume() is called."""


def resume():
    """Records again after pause()."""


def enable(name, /):
    """Switches functions and events on again."""


def disable(name, /):
    """Switches functions and events off: a category, or all whose name matches a pattern."""
