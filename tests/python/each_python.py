"""Runs a test program with every interpreter that there is: `each_python.py DIRECTORY PROGRAM`. DIRECTORY has the module
_rewrite_test. Interpreters are python3 and python3.N of the PATH and of the standard search path, and those that pyenv has; each
version that is missing is reported. Ends with 77 if none ran."""

import glob
import os
import subprocess
import sys

VERSIONS = ("3.11", "3.12", "3.13")
ABOUT = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name, sys.version.split()[0], sys.executable)"


def list_directories():
    paths = os.environ.get("PATH", "").split(os.pathsep) + os.defpath.split(os.pathsep)
    for root in (os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")):
        if root:
            paths += sorted(glob.glob(os.path.join(root, "versions", "*", "bin")))
    return [path for path in paths if path]


def ask(program):
    """(version, implementation, full version, real path); None for what is no interpreter, such as a shim without a version."""
    try:
        answer = subprocess.run([program, "-I", "-c", ABOUT], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=60)
        version, implementation, full, path = answer.stdout.decode().split(maxsplit=3)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return version, implementation, full, os.path.realpath(path.strip())


def find():
    found = {}
    for directory in list_directories():
        for name in ("python3", *("python" + version for version in VERSIONS)):
            program = os.path.join(directory, name)
            if not os.access(program, os.X_OK):
                continue
            about = ask(program)
            if about and about[0] in VERSIONS and about[1] == "cpython":
                found[about[3]] = about
    return sorted(found.values())


def main():
    directory, program = sys.argv[1:]
    environment = dict(os.environ, PYTHONPATH=directory)
    # What the caller's interpreter was told is not for others.
    for name in ("PYTHONHOME", "PYTHONSTARTUP", "PYTHONOPTIMIZE", "PYTHONDEVMODE"):
        environment.pop(name, None)
    statuses = []
    interpreters = find()
    for version in VERSIONS:
        if not any(interpreter[0] == version for interpreter in interpreters):
            print(f"Python {version}: skipped, not on the PATH and not among pyenv's versions")
    for _, _, full, path in interpreters:
        print(f"Python {full}, {path}", flush=True)
        statuses.append(subprocess.run([path, "-B", program], env=environment).returncode)
    failed = [status for status in statuses if status not in (0, 77)]
    if failed:
        return 1
    return 0 if 0 in statuses else 77


if __name__ == "__main__":
    sys.exit(main())
